/**
 * An empty store is filled without a log: its pages are written where they belong, once instead of twice. There is nothing
 * in it that others could read meanwhile, and what there was of it is a few pages, which SQLite keeps beside it until the last one is on
 * the disk (`<store>-journal`): a merge that is killed leaves an empty store, as it does with a log.
 */
import type Database from 'better-sqlite3'
import { isBusy } from '../sqlite-failure.ts'

/**
 * Call outside a transaction; returns what has to be called after it. Does nothing in a store that has trials, whose readers and runs go
 * on while it is merged into, nor in one that another program has open at the moment.
 * @throws Error of SQLite
 */
export function writeInPlace(db: Database.Database): () => void {
  if (db.prepare('select 1 from main.trial limit 1').get() !== undefined) return () => {}
  return setJournal(db, 'DELETE') ? () => void setJournal(db, 'WAL') : () => {}
}

/** False where another program is in the way; whoever opens the store next takes up the log again. */
function setJournal(db: Database.Database, mode: 'DELETE' | 'WAL'): boolean {
  try {
    return db.pragma(`main.journal_mode = ${mode}`, { simple: true }) === mode.toLowerCase()
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}
