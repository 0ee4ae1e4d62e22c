/**
 * Recorded outcomes the store could not take: one JSON line each, beside the store, until the next start puts them in. The intent row makes
 * even a lost outbox recoverable; the outbox saves the settle time.
 */
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { firstRow } from '../../sqlite/statements.ts'
import { applyOutcome, type RecordedOutcome } from './attempts.ts'
import { type Store, storeFailure, write } from './store.ts'
import { query } from './tables.ts'

function outboxPrefix(store: Store): string {
  return `${basename(store.path)}.outbox-`
}

/** Appends an outcome and waits until it is on the disk. */
export function putIntoOutbox(store: Store, recorded: RecordedOutcome): void {
  const file = join(dirname(store.path), `${outboxPrefix(store)}${process.pid}.jsonl`)
  const handle = openSync(file, 'a', 0o600)
  try {
    writeSync(handle, `${JSON.stringify(recorded)}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Writes the outcomes of outboxes to the store and removes their files. Only the holder of the lock may call it. Returns how many were
 * written.
 * @throws Failure storeUnusable
 */
export async function emptyOutboxes(store: Store): Promise<number> {
  const folder = dirname(store.path)
  const files = readdirSync(folder).filter((name) => name.startsWith(outboxPrefix(store)) && name.endsWith('.jsonl'))
  let count = 0
  for (const name of files) {
    const file = join(folder, name)
    try {
      const recorded = readFileSync(file, 'utf8').split('\n').flatMap(readLine)
      count += await write(store, () => recorded.filter((recorded) => replay(store, recorded)).length)
      rmSync(file)
    } catch (error) {
      throw storeFailure(file, error)
    }
  }
  return count
}

/** A line that a crash cut short is ignored: its attempt stays an open intent and is reconciled. */
function readLine(line: string): RecordedOutcome[] {
  try {
    return [JSON.parse(line) as RecordedOutcome] // written by putIntoOutbox
  } catch {
    return []
  }
}

function replay(store: Store, recorded: RecordedOutcome): boolean {
  const attempt = firstRow(store.db, query.selectFrom('attempt').select('state').where('id', '=', recorded.attemptId))
  if (attempt?.state !== 'intent') return false
  applyOutcome(store.db, recorded)
  return true
}
