/** The health of the result store: whether it opens, when SQLite's own check last passed, and how large its write-ahead log has grown. */
import { statSync } from 'node:fs'
import { Failure } from '../../../errors.ts'
import type { Store } from '../../../workbench/store/store.ts'
import type { Context } from '../../context.ts'
import { withOpenStore } from '../../workbench.ts'

export type StoreHealth =
  | {
      readonly path: string
      readonly state: 'healthy'
      readonly bytes: number
      readonly walBytes: number
      /** When SQLite's own check of the whole file last found nothing wrong. ISO 8601 UTC. */
      readonly checkedAt: string
      readonly studies: number
      readonly jobs: number
      /** Submissions of which it is not known whether they arrived. */
      readonly unresolved: number
      readonly warnings: readonly string[]
    }
  | { readonly path: string; readonly state: 'unusable'; readonly problem: string; readonly hint: string }

/** A log this large means that a program keeps a read transaction open. */
const largeWalBytes = 64 * 1024 * 1024
/** The check reads the whole file, so it is made once a day however often the doctor is asked. */
const checkEveryMs = 24 * 3_600_000

export async function checkStore(context: Context, path: string): Promise<StoreHealth> {
  try {
    return await withOpenStore(context, path, async (store) => {
      const { countHeld } = await import('../../../workbench/store/standing.ts')
      const checkedAt = await checkDaily(store)
      const walBytes = sizeOf(`${path}-wal`)
      const isLarge = walBytes > largeWalBytes
      return {
        path,
        state: 'healthy',
        bytes: sizeOf(path),
        walBytes,
        checkedAt: new Date(checkedAt).toISOString(),
        ...countHeld(store),
        warnings: isLarge ? ['a program that reads the store for long keeps its write-ahead log from shrinking'] : [],
      }
    })
  } catch (error) {
    if (error instanceof Failure && error.code === 'storeUnusable')
      return { path, state: 'unusable', problem: error.message, hint: error.hint }
    throw error
  }
}

/** Answers when the last check passed. @throws Failure storeUnusable when something is wrong */
async function checkDaily(store: Store): Promise<number> {
  const [{ checkFile, lastCheck, noteCheck }, { write }] = await Promise.all([
    import('../../../workbench/store/file-check.ts'),
    import('../../../workbench/store/store.ts'),
  ])
  const now = store.clock.wall()
  const last = lastCheck(store.db)
  if (last !== undefined && last <= now && now - last < checkEveryMs) return last
  checkFile(store.db)
  await write(store, () => noteCheck(store.db, now))
  return now
}

/** Without opening the file: closing a SQLite file that was opened outside SQLite would drop its locks (H12). */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
