/**
 * Knows which runners are alive. A runner holds a SQLite lock on an empty file of its own for as long as its process lives. The
 * operating system frees the lock when the process ends, however it ends, so a runner is dead exactly when its lock can be taken.
 * This needs no heartbeat, no timeout and no process id, which another program may have by now. A suspended runner stays alive.
 */
import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { runBuilt, statement } from '../../sqlite/statements.ts'
import type { System } from '../../system.ts'
import { type Database, isBusy, query } from '../database.ts'

export interface Runner {
  readonly id: string
  /** Returns its unfinished jobs to the queue and frees its lock. */
  end(): void
}

/** Registers this process as a runner of the store. */
export function startRunner(db: Database, system: System, storePath: string): Runner {
  const id = Buffer.from(system.randomBytes(6)).toString('hex')
  const path = lockPath(storePath, id)
  closeSync(openSync(path, 'wx', 0o600)) // SQLite would create it readable by others
  const lock = takeLock(path)
  if (lock === undefined) throw new Error(`the lock of a new runner is taken already: ${path}`)
  // The row is inserted after locking: a process that reads the row finds the lock held.
  runBuilt(db, query.insertInto('runners').values({ id, started_at_ms: Math.floor(system.clock.wall()) }))
  return {
    id,
    end() {
      try {
        forgetRunner(db, system, id, { orderly: true })
      } finally {
        dropLock(lock, path) // if the store could not be written, other processes find the lock free
      }
    },
  }
}

/** Puts the jobs of dead runners back into the queue. @param runners ids of other runners; see `otherRunners` */
export function releaseDead(db: Database, system: System, storePath: string, runners: readonly string[]): void {
  for (const id of runners) {
    const path = lockPath(storePath, id)
    const lock = existsSync(path) ? takeLock(path) : null
    if (lock === undefined) continue
    forgetRunner(db, system, id, { orderly: false })
    dropLock(lock, path)
  }
}

const others = statement(({ ownId }: { readonly ownId: string }) =>
  query.selectFrom('runners').select('id').where('id', '<>', ownId),
)

const othersWithJobs = statement(({ ownId }: { readonly ownId: string }) =>
  query
    .selectFrom('jobs')
    .select('claimed_by as id')
    .distinct()
    .where('state', '=', 'running')
    .where('claimed_by', '<>', ownId),
)

/** Every runner except `ownId`; with `holdingJobs` only those that hold a job. */
export function otherRunners(
  db: Database,
  ownId: string,
  { holdingJobs }: { readonly holdingJobs: boolean },
): string[] {
  const found = holdingJobs ? othersWithJobs.all(db, { ownId }) : others.all(db, { ownId })
  return found.flatMap(({ id }) => id ?? [])
}

const release = statement(
  ({ id, now, unclaimed }: { readonly id: string; readonly now: number; readonly unclaimed: number }) =>
    query
      .updateTable('jobs')
      .set({ state: 'queued', claimed_by: null, started_at_ms: null, changed_at_ms: now })
      .set(({ eb }) => ({ claims: eb('claims', '-', unclaimed) }))
      .where('state', '=', 'running')
      .where('claimed_by', '=', id),
)

/**
 * Removes a runner. After an orderly end its claim does not count against the job; after a death it does, because the job may
 * have been the cause.
 */
function forgetRunner(db: Database, system: System, id: string, { orderly }: { readonly orderly: boolean }): void {
  db.transaction(() => {
    release.run(db, { id, now: Math.floor(system.clock.wall()), unclaimed: orderly ? 1 : 0 })
    runBuilt(db, query.deleteFrom('runners').where('id', '=', id))
  }).immediate()
}

function lockPath(storePath: string, id: string): string {
  return `${storePath}-runner-${id}`
}

/** The lock, held until closed; undefined when another connection holds it. */
function takeLock(path: string): Database | undefined {
  const lock = new BetterSqlite3(path, { timeout: 0 })
  try {
    lock.exec('begin immediate')
    return lock
  } catch (error) {
    lock.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

function dropLock(lock: Database | null, path: string): void {
  lock?.close()
  for (const leftover of [path, `${path}-journal`]) rmSync(leftover, { force: true })
}
