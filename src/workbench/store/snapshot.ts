/** A copy of the store in one file, taken while others may be writing: what was committed when it began, compacted. */
import { statSync } from 'node:fs'
import { copyTo } from '../../sqlite/sqlite-file.ts'
import { type Store, storeFailure } from './store.ts'
import { writeWhole } from './whole-file.ts'

export interface SnapshotFile {
  readonly path: string
  readonly bytes: number
}

/**
 * Mode 0600. Blocks the program meanwhile, and nobody else.
 * @throws Failure usage when something is there already, storeUnusable when it cannot be written
 */
export async function takeSnapshot(store: Store, { path }: { readonly path: string }): Promise<SnapshotFile> {
  try {
    await writeWhole({ path, setting: 'snapshot <file>' }, { force: false, store: store.path }, (part) =>
      copyTo(store.db, part),
    )
  } catch (error) {
    throw storeFailure(path, error)
  }
  return { path, bytes: statSync(path).size }
}
