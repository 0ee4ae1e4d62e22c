/** Whether the time that a study holds out was seen before. */
import { marketName } from '../../../contract/market.ts'
import { type Warning, warning } from '../../analysis/warnings/warnings.ts'
import { countSeen, findOpening } from '../../store/holdouts.ts'
import type { Store } from '../../store/store.ts'
import type { Study } from '../../study/study.ts'

type Held = Pick<Study, 'name' | 'markets' | 'holdout'>

/** Others have tried configurations on what the study holds out: before it was opened, or so far. `store` undefined = there is none yet. */
export function findSeenWarnings(
  store: Store | undefined,
  { name, markets, holdout }: Held,
): readonly Warning<'seen'>[] {
  if (holdout === null || store === undefined) return []
  const opening = findOpening(store, name)
  const span = opening?.span ?? holdout
  const configs = opening?.seenConfigs ?? countSeen(store, { markets, span })
  return configs === 0 ? [] : [warning('seen', { configs, span, markets: markets.map(marketName) })]
}
