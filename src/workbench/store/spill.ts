/**
 * Settlements the store could not take: one JSON line each, beside the store, until the next start puts them in. The intent row makes
 * even a lost spill recoverable; the spill saves the settle time.
 */
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { firstRow } from '../../sqlite/statements.ts'
import { applySettlement, type Settlement } from './attempts.ts'
import { type Store, storeFailure, write } from './store.ts'
import { query } from './tables.ts'

function spillPrefix(store: Store): string {
  return `${basename(store.path)}.spill-`
}

/** Appends an outcome and waits until it is on the disk. */
export function spillSettlement(store: Store, settlement: Settlement): void {
  const file = join(dirname(store.path), `${spillPrefix(store)}${process.pid}.jsonl`)
  const handle = openSync(file, 'a', 0o600)
  try {
    writeSync(handle, `${JSON.stringify(settlement)}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Writes spilled outcomes to the store and removes their files. Only the holder of the lock may call it. Returns how many were
 * written.
 * @throws Failure storeUnusable
 */
export async function replaySpills(store: Store): Promise<number> {
  const folder = dirname(store.path)
  const files = readdirSync(folder).filter((name) => name.startsWith(spillPrefix(store)) && name.endsWith('.jsonl'))
  let count = 0
  for (const name of files) {
    const file = join(folder, name)
    try {
      const settlements = readFileSync(file, 'utf8').split('\n').flatMap(readLine)
      count += await write(store, () => settlements.filter((settlement) => replay(store, settlement)).length)
      rmSync(file)
    } catch (error) {
      throw storeFailure(file, error)
    }
  }
  return count
}

/** A line that a crash cut short is ignored: its attempt stays an open intent and is reconciled. */
function readLine(line: string): Settlement[] {
  try {
    return [JSON.parse(line) as Settlement] // written by spillSettlement
  } catch {
    return []
  }
}

function replay(store: Store, settlement: Settlement): boolean {
  const attempt = firstRow(store.db, query.selectFrom('attempt').select('state').where('id', '=', settlement.attemptId))
  if (attempt?.state !== 'intent') return false
  applySettlement(store.db, settlement)
  return true
}
