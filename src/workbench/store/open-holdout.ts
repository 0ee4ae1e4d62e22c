/** Opens a hold-out. Apart from what is asked of one (`holdouts.ts`), which every command asks and which needs no study to be read. */
import type { Market } from '../../contract/market.ts'
import { countSeen, refuseOpened } from './holdouts.ts'
import { type Batch, insertProposals, type Searcher } from './kept-proposals.ts'
import { type Store, write } from './store.ts'
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
    store.db
      .prepare(
        `insert into holdout_opening (study, study_fingerprint, identity, account, span_from, span_to, opened_at, opened_by, reason, seen_configs)
         values (:study, :fingerprint, :identity, :account, :from, :to, :at, :by, :reason, :seen)`,
      )
      .run({
        study: study.name,
        fingerprint: study.fingerprint,
        identity,
        account,
        from: isoTime(period.from),
        to: isoTime(period.to),
        at: isoTime(store.clock.wall()),
        by,
        reason,
        seen: countSeen(store, { markets, span: period }),
      })
    insertProposals(store, { study, identity, account }, { proposals, period })
  })
}

/** All results are in: they are shown from now on. */
export function recordComplete(store: Store, study: string): Promise<void> {
  const at = isoTime(store.clock.wall())
  return write(store, () => {
    store.db
      .prepare('update holdout_opening set completed_at = ? where study = ? and completed_at is null')
      .run(at, study)
  })
}
