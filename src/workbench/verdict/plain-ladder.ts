/** The ladder that every verdict compares with: chosen by nobody's search, the same in every study. */
import { CONFIG_DEFAULTS, type DcaSpotConfig } from '../../contract/bot.ts'
import type { Terms } from '../evidence/replay/read-terms.ts'

/** Its base order as a part of the investment. */
const baseShare = 0.025
const leastTakeProfitPercent = 2
const takeProfitPerFee = 10

/**
 * Six safety orders 2.5 % apart, steps × 1.1, volume × 1.2, take profit max(2 %, 10 × fee), no stop loss; its base order 2.5 % of the
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
  const ownSizes = { ...conventions, safetyOrderSizing: 'scaled-from-base', safetyOrderSize: null } as const
  return { config, terms: { conventions: ownSizes, costs, symbol } }
}
