/** Whether a store still has to be brought forward, asked by those who read it as it lies. */
import Database from 'better-sqlite3'
import { STORE_VERSION, storeVersion } from './migrate.ts'
import { compareViews } from './views.ts'

/** Its layout, or the views of it, are those of an older version. False for a file that is no store. */
export function isOfOlderVersion(path: string): boolean {
  const db = new Database(path, { readonly: true, fileMustExist: true })
  try {
    const version = storeVersion(db)
    return version > 0 && version <= STORE_VERSION && !isOfThisVersion(db)
  } finally {
    db.close()
  }
}

/** Layout and views are what this version makes them. */
export function isOfThisVersion(db: Database.Database): boolean {
  return storeVersion(db) === STORE_VERSION && compareViews(db).current
}
