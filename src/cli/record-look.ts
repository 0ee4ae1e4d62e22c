/** Writes what a local command looked at into the store, where there is one: a winner is the best of all that was looked at. */
import { Failure } from '../errors.ts'
import type { LocalLook } from '../workbench/store/look-count.ts'
import type { Context } from './context.ts'
import { say } from './output.ts'
import { withOpenStore } from './workbench.ts'

/** Makes no store. The result was computed without one, so a store that cannot be written is said and ends nothing. */
export async function recordLook(context: Context, path: string, look: LocalLook): Promise<void> {
  const [{ storeIsThere }, { recordLocalLook }] = await Promise.all([
    import('../workbench/store/store.ts'),
    import('../workbench/store/look-count.ts'),
  ])
  try {
    if (storeIsThere(path)) await withOpenStore(context, path, (store) => recordLocalLook(store, look))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    say(context.system.terminal, `note: this view is not counted: ${error.message}`)
  }
}
