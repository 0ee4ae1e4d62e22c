import { CONFIG_BOUNDS, type DcaSpotConfig } from '../contract/bot.ts'
import { type Conventions, type Costs, NO_SYMBOL_RULES } from './conventions.ts'
import { affordableOrders, createLevels, ladderTerms, nextDepthPercent, orderRules, writeLevels } from './levels.ts'

/** Properties of a ladder that do not depend on candles. */
export interface LadderShape {
  /**
   * Safety orders that a deal with all its capital places: less than 100 % deep, above the stop in force before they fill, and together
   * with the base order (fees included) within min(dcaTotalBudget, investment). 0 also when not even the base order fits.
   */
  readonly rungs: number
  /** True when the base order with its fee fits min(dcaTotalBudget, investment); otherwise the bot never trades. */
  readonly baseOrderFits: boolean
  /** Depth D of the deepest configured rung, percent below the anchor; 0 without rungs. */
  readonly depthPercent: number
  /** C·(1+f): quote for the base order and all configured rungs, fees included, whatever the caps and the stop say. */
  readonly cost: number
  /** Quote size of the last configured rung over that of the base order; 1 without rungs. */
  readonly lastToFirstSize: number
  /** stopLoss / depthPercent: below 1 the stop lies inside the ladder. Null when either is 0. */
  readonly stopLossToDepth: number | null
  /** Some of dcaMaxSafetyOrders would lie 100 % deep or deeper and do not exist. */
  readonly depthOver100: boolean
  /** Configured rungs that can never fill, because the stop closes the deal above them. */
  readonly cutByStop: number
  /** Rungs above the stop that are not placed, because they would cross min(dcaTotalBudget, investment). */
  readonly cutByBudget: number
}

// Studies measure millions of ladders, so one set of levels is reused for all of them.
const scratch = createLevels(CONFIG_BOUNDS.dcaMaxSafetyOrders.max)

/**
 * Rungs that no deal places, at whatever price it starts: their quote size, or that of a rung above them, is below the minimum notional.
 * 0 where the base order is below it. A lot may keep more of them from being placed, depending on the price.
 */
export function rungsBelowNotional(
  config: DcaSpotConfig,
  { conventions, costs, minNotional }: { conventions: Conventions; costs: Costs; minNotional: number },
): number {
  writeLevels(
    ladderTerms(config, conventions, costs),
    orderRules({ ...NO_SYMBOL_RULES, minNotional }, 'down'),
    1,
    scratch,
  )
  return scratch.unplaced
}

const WITHOUT_RULES = orderRules(NO_SYMBOL_RULES, 'down')

/**
 * Measures the ladder of a valid config. *Configured* rungs are those of dcaMaxSafetyOrders less than 100 % deep: `depthPercent`,
 * `cost` and `lastToFirstSize` describe them, so that a study can bound what a config asks for (`ladderCost ≤ 1000`) and see a stop
 * inside the ladder; `rungs` counts those that a deal really places. Tick, lot and minimum notional are left out: they depend on the price.
 */
export function ladderShape(config: DcaSpotConfig, conventions: Conventions, costs: Costs): LadderShape {
  const terms = ladderTerms(config, conventions, costs)

  let configured = 0
  let depthPercent = 0
  let quote = terms.baseSize
  let lastSize = terms.baseSize
  let stepPercent = terms.firstStepPercent
  let size = terms.firstSize
  while (configured < terms.maxSafetyOrders) {
    const deeper = nextDepthPercent(terms, depthPercent, stepPercent)
    if (deeper >= 100) break
    depthPercent = deeper
    quote += size
    lastSize = size
    stepPercent *= terms.stepMultiplier
    size *= terms.volumeScale
    configured++
  }

  writeLevels(terms, WITHOUT_RULES, 1, scratch)
  const affordable = affordableOrders(scratch, Math.min(config.dcaTotalBudget, config.investment))
  const rungs = Math.max(0, affordable - 1)
  const aboveStop = scratch.orders - 1
  return {
    rungs,
    baseOrderFits: affordable > 0,
    depthPercent,
    cost: quote * (1 + terms.feeRate),
    lastToFirstSize: lastSize / terms.baseSize,
    stopLossToDepth: config.stopLoss === 0 || depthPercent === 0 ? null : config.stopLoss / depthPercent,
    depthOver100: configured < terms.maxSafetyOrders,
    cutByStop: configured - aboveStop,
    cutByBudget: aboveStop - rungs,
  }
}
