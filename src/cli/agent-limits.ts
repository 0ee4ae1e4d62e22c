/**
 * What a command refuses where an agent asks (`decisions/0020`). A hold-out is worth what nobody has seen of it, and an agent looks at more than a
 * person ever would: so it sees nothing that a stored study holds out, before that is opened and every result is in.
 */
import { Failure } from '../errors.ts'
import type { Store } from '../workbench/store/store.ts'
import type { Period, Study } from '../workbench/study/study.ts'
import type { Context } from './context.ts'
import { formatSpan } from './output.ts'
import { withStoreToRead } from './workbench.ts'

/** `markets`: `exchange/BASE-QUOTE`. @throws Failure holdoutRefused; nothing where a person asks */
export async function refuseHeldOut(
  context: Context,
  path: string,
  { markets, period }: { readonly markets: readonly string[]; readonly period: Period },
): Promise<void> {
  await withStoreOfAgent(context, path, async (store) => {
    const { findHoldoutOver } = await import('../workbench/store/holdouts.ts')
    for (const market of markets) {
      const study = findHoldoutOver(store, { market, period })
      if (study === undefined) continue
      throw new Failure(
        'holdoutRefused',
        `${market}, ${formatSpan(period)}, overlaps the hold-out of ${study}, which is not tested yet; agents cannot use it`,
        { hint: `end before it, as ${study} does; ask your user to test it` },
      )
    }
  })
}

/**
 * A run makes its definition the current one of the name. Another definition could hold out something else, or nothing.
 * @throws Failure holdoutRefused where a person's study of this name holds out what is closed
 */
export async function refuseOtherHoldout(context: Context, path: string, { name, fingerprint }: Study): Promise<void> {
  await withStoreOfAgent(context, path, async (store) => {
    const [{ findStudy, isHoldoutOpened }, { storedStudy }] = await Promise.all([
      import('../workbench/store/study-records.ts'),
      import('../workbench/store/studies.ts'),
    ])
    const record = findStudy(store, name)
    if (record === undefined || record.fingerprint === fingerprint || isHoldoutOpened(store, name)) return
    if (storedStudy(record).holdout === null) return
    const message = `${name} is stored with another definition and an untested hold-out; an agent may not replace it`
    throw new Failure('holdoutRefused', message, { hint: 'give the study another name' })
  })
}

/** Tables, other than views, have the results of a hold-out while it is being opened. @throws Failure holdoutRefused */
export async function refuseWhileOpening(context: Context, path: string): Promise<void> {
  await withStoreOfAgent(context, path, async (store) => {
    const { listClosedJobs } = await import('../workbench/store/holdouts.ts')
    if (listClosedJobs(store).names.size === 0) return
    throw new Failure(
      'holdoutRefused',
      'a hold-out is being tested; agents get no SQL until all of its results are stored',
    )
  })
}

async function withStoreOfAgent(context: Context, path: string, work: (store: Store) => Promise<void>): Promise<void> {
  if (context.agent === undefined) return
  const { storeIsThere } = await import('../workbench/store/store.ts')
  if (storeIsThere(path)) await withStoreToRead(context, path, work)
}
