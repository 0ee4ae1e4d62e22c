/** The health of the result store: whether it opens, passes SQLite's own check, and how large its write-ahead log has grown. */
import { statSync } from 'node:fs'
import { Failure } from '../../../errors.ts'
import type { Context } from '../../context.ts'
import { withOpenStore } from '../../workbench.ts'

export type StoreHealth =
  | {
      readonly path: string
      readonly state: 'healthy'
      readonly bytes: number
      readonly walBytes: number
      readonly studies: number
      readonly jobs: number
      /** Submissions of which it is not known whether they arrived. */
      readonly unresolved: number
      readonly warnings: readonly string[]
    }
  | { readonly path: string; readonly state: 'unusable'; readonly problem: string; readonly hint: string }

/** A log this large means that a program keeps a read transaction open. */
const largeWalBytes = 64 * 1024 * 1024

export async function checkStore(context: Context, path: string): Promise<StoreHealth> {
  try {
    return await withOpenStore(context, path, async () => {
      const { runSelect } = await import('../../../workbench/store/sql.ts')
      const ask = (sql: string) => runSelect(path, sql).rows[0][0]
      const verdict = String(ask('select quick_check from pragma_quick_check limit 1'))
      if (verdict !== 'ok') {
        return { path, state: 'unusable', problem: `damaged: ${verdict}`, hint: 'restore a backup, or move it away' }
      }
      const walBytes = sizeOf(`${path}-wal`)
      const isLarge = walBytes > largeWalBytes
      return {
        path,
        state: 'healthy',
        bytes: sizeOf(path),
        walBytes,
        studies: Number(ask('select count(distinct name) from study')),
        jobs: Number(ask('select count(*) from job')),
        unresolved: Number(ask("select count(*) from attempt where state in ('ambiguous', 'parked', 'intent')")),
        warnings: isLarge ? ['a program that reads the store for long keeps its write-ahead log from shrinking'] : [],
      }
    })
  } catch (error) {
    if (error instanceof Failure && error.code === 'storeUnusable')
      return { path, state: 'unusable', problem: error.message, hint: error.hint }
    throw error
  }
}

/** Without opening the file: closing a SQLite file that was opened outside SQLite would drop its locks (H12). */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
