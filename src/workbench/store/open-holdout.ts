/** Opens a hold-out. Apart from what is asked of one (`holdouts.ts`), which every command asks and which needs no study to be read. */
import type { Market } from '../../contract/market.ts'
import { runBuilt } from '../../sqlite/statements.ts'
import { countSeen, refuseOpened } from './holdouts.ts'
import { type Batch, insertProposals, type Searcher } from './kept-proposals.ts'
import { type Store, write } from './store.ts'
import { query } from './tables.ts'
import { isoTime } from './times.ts'

/** Writes that a hold-out is opened, and what is run on it, as one. @throws Failure holdoutOpened */
export function recordOpening(
  store: Store,
  { study, identity, account }: Searcher,
  opening: Batch & { readonly by: string; readonly reason: string; readonly markets: readonly Market[] },
): Promise<void> {
  const { proposals, period, by, reason, markets } = opening
  return write(store, () => {
    refuseOpened(store, study.name)
    const row = {
      ...{ study: study.name, study_fingerprint: study.fingerprint, identity, account },
      ...{ span_from: isoTime(period.from), span_to: isoTime(period.to) },
      ...{ opened_at: isoTime(store.clock.wall()), opened_by: by, reason },
      seen_configs: countSeen(store, { markets, span: period }),
    }
    runBuilt(store.db, query.insertInto('holdout_opening').values(row))
    insertProposals(store, { study, identity, account }, { proposals, period })
  })
}

/** All results are in: they are shown from now on. */
export function recordComplete(store: Store, study: string): Promise<void> {
  const at = isoTime(store.clock.wall())
  return write(store, () => {
    const open = query.updateTable('holdout_opening').where('study', '=', study).where('completed_at', 'is', null)
    runBuilt(store.db, open.set({ completed_at: at }))
  })
}
