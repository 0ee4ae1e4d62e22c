/**
 * An upper bound of the net profit of a config that is much cheaper than a run: what no deals of its ladder can exceed on these candles (decisions/0019).
 *
 * A deal that takes its profit after j safety orders earns C_j·g, where C_j = Q_0 + … + Q_j is what it bought and g is what a take profit leaves of each quote after both
 * fees; a stop loses. Summed over deals this is g·Σ_k Q_k·N_k, N_k = deals that took their profit at depth k or deeper. Each of those needs candles of its own on which the price
 * falls from an open to rung k and rises from the lowest low since by ρ_k, the least rise between a rung and the take profit below it. So N_k is at most the largest number of
 * such patterns that the candles hold (`count-patterns.ts`), a deal that is open at the end and gains counted with them.
 */
import { CONFIG_BOUNDS, type DcaSpotConfig } from '../../contract/bot.ts'
import type { Candles } from '../candles.ts'
import { type Conventions, type Costs, NO_SYMBOL_RULES, type SymbolRules } from '../conventions.ts'
import { type LadderTerms, ladderTerms, takeProfitRatio } from '../ladder-terms.ts'
import { CAP_TOLERANCE, createLevels, type Levels, orderRules, writeLevels } from '../levels.ts'
import { createPatternCounts, type PatternCounts, stepBelow } from './count-patterns.ts'
import { createPricePath } from './price-path.ts'

/** Sums of rounded numbers may differ by so much, relative; levels are touched within 1e-12. */
const SLACK = 1e-9

export interface BoundTerms {
  readonly conventions: Conventions
  readonly costs: Costs
  readonly symbol: SymbolRules
}

/** What of the bound of a ladder does not depend on the take profit, order by order. */
export interface Layers {
  /** Without take profit and stop. */
  readonly ladder: LadderTerms
  /** The most that an order can cost, quote. */
  readonly size: readonly number[]
  /** How far the price falls from the open to it, as a step of `stepBelow`. */
  readonly fallStep: readonly number[]
  /** The least average price over the deepest fill, of this order or one below it as the last. */
  readonly average: readonly number[]
}

export interface ProfitBound {
  /** The layers of a config's ladder without caps and stop, to its last safety order. */
  readonly layersOf: (config: DcaSpotConfig) => Layers
  /** Writes what no deals with at most k safety orders can earn together with this take profit, quote, to `most[k]`, for each k of the ladder. */
  readonly write: (layers: Layers, takeProfitPercent: number, most: Float64Array) => void
  /** The same for what deals can earn that close after the first `cuts[cut]` candles, or are open at the end. */
  readonly writeAfter: (layers: Layers, takeProfitPercent: number, cut: number, most: Float64Array) => void
  /** The most safety orders that a deal of the config can fill, by its caps and its stop; −1 = not even the base order fits. */
  readonly deepest: (config: DcaSpotConfig) => number
}

/**
 * Counts patterns once for all configs; not for use by several threads at once.
 * @param cuts numbers of candles, ascending, after which the rest is bounded, too
 */
export function createProfitBound(
  candles: Pick<Candles, 'open' | 'high' | 'low'>,
  { conventions, costs, symbol }: BoundTerms,
  cuts: readonly number[] = [],
): ProfitBound {
  const market = measureMarket(candles, { conventions, costs, symbol })
  const counts = createPatternCounts(createPricePath(candles), cuts)
  const levels = createLevels(CONFIG_BOUNDS.dcaMaxSafetyOrders.max)
  return {
    layersOf,
    write: (layers, percent, most) => sumLayers(layers, percent, most, counts.atMost),
    writeAfter: (layers, percent, cut, most) =>
      sumLayers(layers, percent, most, (fall, rise) => counts.afterCut(fall, rise, cut)),
    deepest,
  }

  function layersOf(config: DcaSpotConfig): Layers {
    const ladder = ladderTerms(config, conventions, costs)
    writeLevels({ ...ladder, stopLossRate: 0 }, WITHOUT_RULES, 1, levels)
    const prices = Array.from(levels.price.subarray(0, levels.orders))
    const roundedUp = market.lotUp ? market.lot * market.highestStart : 0
    const size = prices.map((price, k) => sizeOf(levels, k) + roundedUp * price)
    const fallStep = prices.map((price) => stepBelow(1 - price * (1 + market.slippageRate) - SLACK))
    return { ladder, size, fallStep, average: leastAverages(levels, market) }
  }

  function sumLayers(
    { ladder, size, fallStep, average }: Layers,
    takeProfitPercent: number,
    most: Float64Array,
    count: PatternCounts['atMost'],
  ): void {
    const ratio = takeProfitRatio(takeProfitPercent, conventions, costs)
    const share = gainShare(ratio, ladder, market)
    most.fill(0, 0, ladder.maxSafetyOrders + 1)
    if (share <= 0 || candles.open.length === 0) return
    let sum = 0
    for (let k = 0; k <= ladder.maxSafetyOrders; k++) {
      if (k < size.length) sum += share * size[k] * count(fallStep[k], stepBelow(average[k] * ratio - 1 - SLACK))
      most[k] = sum * (1 + SLACK)
    }
  }

  function deepest(config: DcaSpotConfig): number {
    const ladder = ladderTerms(config, conventions, costs)
    // Where fills are rounded, a stop below their average lies elsewhere for every start price; then it is not looked at.
    const isRounded = symbol.tick !== null || symbol.lot !== null
    const rate =
      ladder.stopLossRate === 0 || (isRounded && ladder.stopLossBasis === 'average') ? 0 : ladder.stopLossRate + SLACK
    writeLevels({ ...ladder, stopLossRate: rate }, WITHOUT_RULES, 1, levels)
    return affordable(levels, { ladder, market, cap: config.dcaTotalBudget }) - 1
  }
}

const WITHOUT_RULES = orderRules(NO_SYMBOL_RULES, 'down')

/** What rounding to ticks and lots can change at most on these candles. */
interface Market {
  readonly slippageRate: number
  /** One tick of the lowest price, as a fraction. */
  readonly tickShare: number
  readonly lot: number
  readonly lotUp: boolean
  /** The highest price that a deal can start at. */
  readonly highestStart: number
}

function measureMarket(
  { open, low }: Pick<Candles, 'open' | 'low'>,
  { conventions, costs, symbol }: BoundTerms,
): Market {
  const slippageRate = costs.slippagePercent / 100
  const lowest = low.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY)
  const highestStart = open.reduce((most, each) => Math.max(most, each), 0) * (1 + slippageRate)
  return {
    slippageRate,
    tickShare: (symbol.tick ?? 0) / lowest,
    lot: symbol.lot ?? 0,
    lotUp: conventions.lotRounding === 'up',
    highestStart,
  }
}

/** g: of each quote that a deal bought, what its take profit leaves after both fees. A tick may lift the take profit. */
function gainShare(ratio: number, { feeRate }: LadderTerms, { tickShare }: Market): number {
  return (ratio + tickShare) * (1 - feeRate) - (1 + feeRate)
}

/** Orders that can fit the cap at any start price: rounded down to lots they may cost less than they say. */
function affordable(
  levels: Levels,
  { ladder: { feeRate }, market, cap }: { readonly ladder: LadderTerms; readonly market: Market; readonly cap: number },
): number {
  const saved = market.lotUp ? 0 : market.lot * market.highestStart
  let cost = 0
  for (let k = 0; k < levels.orders; k++) {
    cost += Math.max(0, sizeOf(levels, k) - saved) * (1 + feeRate)
    if (cost > cap * (1 + CAP_TOLERANCE) * (1 + SLACK)) return k
  }
  return levels.orders
}

function sizeOf({ quote }: Levels, k: number): number {
  return k === 0 ? quote[0] : quote[k] - quote[k - 1]
}

/**
 * A_k/P_k, the least of order k and those below it: times the take profit it is 1 + ρ_k, the least rise from the lowest low of a deal that closes at depth k or
 * deeper. Rungs rounded to ticks lie up to one tick lower, quantities rounded to lots shift the average; it is never below the deepest rung, though.
 */
function leastAverages(levels: Levels, { tickShare, lot, lotUp, highestStart }: Market): number[] {
  const step = lot * highestStart // of a quantity at start price 1
  const averages: number[] = []
  let [held, paid] = [0, 0]
  for (let j = 0; j < levels.orders; j++) {
    const quantity = sizeOf(levels, j) / levels.price[j]
    held += lotUp ? quantity + step : quantity
    paid += Math.max(0, lotUp ? quantity : quantity - step) * levels.price[j]
    averages.push(Math.max(1, paid / held / levels.price[j] - tickShare))
  }
  for (let k = averages.length - 2; k >= 0; k--) averages[k] = Math.min(averages[k], averages[k + 1])
  return averages
}
