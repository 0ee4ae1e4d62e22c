import { type LadderTerms, nextDepthPercent } from '../ladder-terms.ts'
import { type Levels, type orderRules, TOUCH } from '../levels.ts'
import { COST_PER_PRICE, FLOATS, INTS, SURE_COST, SURE_HIGH, SURE_LOW, SURE_ORDERS } from './layout.ts'

/** The part of a flight into which the bounds are written, and the rules of its orders. */
interface SureSlots {
  readonly rules: ReturnType<typeof orderRules>
  readonly unitLevels: (terms: LadderTerms) => Levels
  readonly ints: Int32Array
  readonly floats: Float64Array
}

/**
 * Finds the start prices at which a deal is "sure": its orders are known without rounding them. Tick and lot shift a level by
 * less than one step, so between two start prices exactly the orders of the unrounded ladder exist, and their cost lies near the
 * unrounded one. Where that decides how many of them a cap allows, only the levels that the deal reaches are computed, and it may take
 * a deal from the memo (assembly/memo.ts). For any other deal all levels are written and counted (assembly/levels.ts).
 */
export function writeSureBounds(
  { rules, unitLevels, floats, ints }: SureSlots,
  slot: number,
  terms: LadderTerms,
): void {
  const af = slot * FLOATS
  const { orders, price, stop, quote } = unitLevels(terms)
  const tick = rules.tick?.step ?? 0
  const lot = rules.lot?.step ?? 0

  let lowest = 0
  let highest = Number.POSITIVE_INFINITY
  for (let k = 0; k < orders; k++) {
    const size = k === 0 ? quote[0] : quote[k] - quote[k - 1]
    // A quantity is rounded down by less than one lot; what is left must still be a valid order.
    highest = Math.min(highest, lot === 0 ? highest : ((size - rules.minNotional) / lot) * (1 - MARGIN))
    if (size < rules.minNotional * (1 + MARGIN)) highest = 0
    if (k > 0) {
      // A price rounded down must stay above the stop and above 0.
      const room = price[k] - stop[k - 1] * (1 + TOUCH) - MARGIN
      lowest = Math.max(lowest, room > 0 ? (tick / room) * (1 + MARGIN) : Number.POSITIVE_INFINITY)
    }
  }
  // A stop under the average moves with the rounding of the quantities.
  const isUnclear = terms.stopLossRate > 0 && (terms.stopLossBasis === 'average' || isNextAtStop(terms, orders))
  floats[af + SURE_LOW] = isUnclear || orders === 0 ? Number.POSITIVE_INFINITY : lowest
  floats[af + SURE_HIGH] = highest
  floats[af + SURE_COST] = orders === 0 ? 0 : quote[orders - 1] * (1 + terms.feeRate) * (1 + MARGIN)
  floats[af + COST_PER_PRICE] = orders * lot * terms.anchorRatio * (1 + terms.feeRate) * (1 + MARGIN)
  ints[slot * INTS + SURE_ORDERS] = orders
}

/** Much larger than rounding errors of sums, much smaller than any step. */
const MARGIN = 1e-9

/**
 * True when the first rung that does not exist touches the stop, or does not, by errors of rounding alone: these, unlike tick and lot, decide by the
 * start price whether it exists.
 */
function isNextAtStop(terms: LadderTerms, orders: number): boolean {
  if (orders > terms.maxSafetyOrders) return false
  let depth = 0
  let step = terms.firstStepPercent
  for (let k = 1; k <= orders; k++) {
    depth = nextDepthPercent(terms, depth, step)
    step *= terms.stepMultiplier
  }
  return depth < 100 && Math.abs(1 - depth / 100 - (1 - terms.stopLossRate) * (1 + TOUCH)) < TOUCH / 100
}
