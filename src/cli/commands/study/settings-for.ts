/** What the trials of a study would be computed under, as far as a check can know it. */
import type { CandlesBody } from '../../../contract/bodies.ts'
import { isSimulated, type Spender } from '../../../workbench/store/services.ts'
import { findStudySettings } from '../../../workbench/store/settings.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { type Settings, settingsOf } from '../../../workbench/study/settings.ts'
import type { Study } from '../../../workbench/study/study.ts'
import { settingsOnCandles } from '../../local-candles.ts'

export interface CheckedStudy {
  readonly question: Study
  readonly candlesFolder: string
  /** Undefined: a service is configured, which uses its own candles. */
  readonly candles: { readonly info: Pick<CandlesBody, 'interval'> | null } | undefined
  readonly store: Store | undefined
  readonly spender: Spender | undefined
}

/** null on a service that is not ours, which computes under what it likes; a configured one is known to be ours once it was met. */
export function findSettingsFor({ question, candlesFolder, candles, store, spender }: CheckedStudy): Settings | null {
  const isOwn = candles !== undefined || (store !== undefined && spender !== undefined && isSimulated(store, spender))
  if (!isOwn) return null
  const kept = store === undefined ? undefined : findStudySettings(store, question)
  if (kept !== undefined) return kept.settings
  return candles?.info ? settingsOnCandles(candlesFolder, question, candles.info) : settingsOf(question)
}
