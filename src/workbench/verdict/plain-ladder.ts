/** The ladder that every verdict compares with: chosen by nobody's search, the same in every study. */

import { loadCandles } from '../../candles/folder/folder.ts'
import { CONFIG_DEFAULTS, type DcaSpotConfig } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import type { Metrics } from '../../contract/metrics.ts'
import { runJump } from '../../engine/jump/jump.ts'
import { prepareForOneRun } from '../../engine/jump/prepared.ts'
import { Failure } from '../../errors.ts'
import { findTerms, intervalOf, type TermsRequest } from '../evidence/examine/make-evaluation.ts'
import type { Terms } from '../evidence/replay/read-terms.ts'
import type { TrialRecord } from '../store/records.ts'

/** Its base order as a part of the investment. */
const baseShare = 0.025
const leastTakeProfitPercent = 2
const takeProfitPerFee = 10

/**
 * Six safety orders 2.5 % apart, steps × 1.1, size × 1.2, take profit max(2 %, 10 × fee), no stop loss; its base order 2.5 % of the
 * investment, or the least that the market takes. Its safety orders follow from its base order, whatever the study says of sizes.
 * @param investment quote
 */
export function plainLadder(
  investment: number,
  { conventions, costs, symbol }: Terms,
): { readonly config: DcaSpotConfig; readonly terms: Terms } {
  const config: DcaSpotConfig = {
    ...CONFIG_DEFAULTS, // no stop loss among them
    investment,
    dcaTotalBudget: investment,
    dcaInitialOrderSize: Math.max(baseShare * investment, symbol.minNotional ?? 0),
    dcaMaxSafetyOrders: 6,
    dcaPriceScalePercent: 2.5,
    dcaVolumeScale: 1.2,
    dcaPriceStepMultiplier: 1.1,
    takeProfit: Math.max(leastTakeProfitPercent, takeProfitPerFee * costs.feePercent),
  }
  const ownSizes = {
    ...conventions,
    safetyOrderSizing: 'scaled-from-base',
    safetyOrderSize: null,
    lotRounding: 'up', // else the least that the market takes is rounded to less
  } as const
  return { config, terms: { conventions: ownSizes, costs, symbol } }
}

/** The plain ladder on the market and days of a result, by the terms of that; null = its candles are not here, or nothing says how it was computed. */
export function plainBeside(
  trial: TrialRecord,
  about: TermsRequest,
): { readonly config: DcaSpotConfig; readonly metrics: Metrics } | null {
  const interval = intervalOf(trial, about.study)
  const asked = { market: marketName(trial.market), ...trial.period, interval }
  try {
    const { config, terms } = plainLadder(trial.config.investment, findTerms(trial, about).terms)
    const { candles } = loadCandles(about.candlesFolder, asked)
    return { config, metrics: runJump({ candles, config, ...terms }, prepareForOneRun(candles)).metrics }
  } catch (error) {
    if (!(error instanceof Failure) || (error.code !== 'candlesMissing' && error.code !== 'usage')) throw error
    return null
  }
}
