/** By what name ties between configurations are ordered. */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { configFingerprint, trialFingerprint } from '../study/fingerprint.ts'
import type { Study } from '../study/study.ts'

/** On one market a configuration is one trial and has its name; on several it has its own, also where some of them have no candles. */
export function nameConfigs({ markets, period }: Study): (config: DcaSpotConfig) => string {
  if (markets.length > 1) return configFingerprint
  const [market] = markets
  return (config) => trialFingerprint({ market, period, config })
}
