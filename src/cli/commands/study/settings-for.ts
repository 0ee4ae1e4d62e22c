/** What the trials of a study would be computed under, as far as a check can know it. */
import { type Market, marketName } from '../../../contract/market.ts'
import { isSimulated, type Spender } from '../../../workbench/store/services.ts'
import { findStudySettings } from '../../../workbench/store/settings.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { settingsOf } from '../../../workbench/study/asked-settings.ts'
import type { Settings } from '../../../workbench/study/settings.ts'
import type { Study } from '../../../workbench/study/study.ts'
import { type CandleSurvey, settingsOnCandles } from '../../local-candles.ts'

export interface CheckedStudy {
  readonly question: Study
  readonly candlesFolder: string
  /** Undefined: a service is configured, which uses its own candles. */
  readonly candles: CandleSurvey | undefined
  readonly store: Store | undefined
  readonly spender: Spender | undefined
}

/** By market; null on a service that is not ours, which computes under what it likes; a configured one is known to be ours once it was met. */
export function findSettingsFor({
  question,
  candlesFolder,
  candles,
  store,
  spender,
}: CheckedStudy): (market: Market) => Settings | null {
  const isOwn = candles !== undefined || (store !== undefined && spender !== undefined && isSimulated(store, spender))
  if (!isOwn) return () => null
  return (market) => {
    const kept = store === undefined ? undefined : findStudySettings(store, question, market)
    if (kept !== undefined) return kept.settings
    const info = candles?.infos.get(marketName(market)) ?? null
    if (info === null) return settingsOf(question)
    return settingsOnCandles(candlesFolder, question, { market, interval: info.interval })
  }
}
