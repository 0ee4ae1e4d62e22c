/** What the state of a study's hold-out says against believing or choosing its results. */
import { marketName } from '../../../contract/market.ts'
import { type Doubt, doubt } from '../../analysis/doubts/doubts.ts'
import { countSeen, findOpening, findOpeningsOf } from '../../store/holdouts.ts'
import type { Store } from '../../store/store.ts'
import type { Study, Trial } from '../../study/study.ts'

type Held = Pick<Study, 'name' | 'markets' | 'holdout'>

/** Others have looked at what the study holds out: before it was opened, or so far. `store` undefined = there is none yet. */
export function findSeenDoubts(store: Store | undefined, { name, markets, holdout }: Held): readonly Doubt<'seen'>[] {
  if (holdout === null || store === undefined) return []
  const opening = findOpening(store, name)
  const span = opening?.span ?? holdout
  const configs = opening?.seenConfigs ?? countSeen(store, { markets, span })
  return configs === 0 ? [] : [doubt('seen', { configs, span, markets: markets.map(marketName) })]
}

/** Of a trial that was run on a hold-out. */
export function findSeenOfTrial(
  store: Store,
  { fingerprint, market }: Pick<Trial, 'fingerprint' | 'market'>,
): readonly Doubt<'seen'>[] {
  return findOpeningsOf(store, fingerprint).flatMap(({ span, seenConfigs: configs }) =>
    configs === 0 ? [] : [doubt('seen', { configs, span, markets: [marketName(market)] })],
  )
}

/** Of choosing a trial of the study: it was not tested on what the study holds out for that. */
export function findClosedDoubts(store: Store, { name, holdout }: Held): readonly Doubt<'holdoutClosed'>[] {
  if (holdout === null || findOpening(store, name)?.completedAt) return []
  return [doubt('holdoutClosed', { study: name, span: holdout })]
}
