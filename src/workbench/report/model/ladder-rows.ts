/** The ladder of a configuration as a table: what each order costs, and what it does to average and take profit. Pure. */
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import { ladderTerms } from '../../../engine/ladder-terms.ts'
import { affordableOrders, createLevels, orderRules, writeLevels } from '../../../engine/levels.ts'
import type { PageTerms } from './document.ts'
import { copyLadder, type DealLadder, type TracedDeal } from './run-trial.ts'

export interface LadderRow {
  /** 0 = the base order. */
  readonly order: number
  /** Quote per base. */
  readonly price: number
  /** Below the price of the base order; percent, 0 or more. */
  readonly distancePercent: number
  /** Gross quote of this order. */
  readonly size: number
  /** The same with its fee. */
  readonly cost: number
  /** Of this order and those before it, with fees. */
  readonly totalCost: number
  readonly average: number
  readonly takeProfit: number
  /** null = no stop. */
  readonly stop: number | null
  /** Of all deals, in how many it filled; null = not known. */
  readonly filledIn: number | null
  /** False = it would cross the budget, so no deal with all its money places it. */
  readonly isPlaced: boolean
}

export interface Ladder {
  readonly rows: readonly LadderRow[]
  /** Configured safety orders that do not exist: too deep, below the stop, or too small to be an order. */
  readonly missing: number
}

type LadderGround = Pick<PageTerms, 'conventions' | 'costs' | 'symbol'>

/** @param startPrice at which the base order fills, slippage included */
export function ladderAt(
  config: DcaSpotConfig,
  terms: LadderGround,
  { startPrice, deals }: { readonly startPrice: number; readonly deals: readonly TracedDeal[] | null },
): Ladder {
  const { conventions, costs, symbol } = terms
  const levels = createLevels(config.dcaMaxSafetyOrders)
  writeLevels(ladderTerms(config, conventions, costs), orderRules(symbol, conventions.lotRounding), startPrice, levels)
  const affordable = affordableOrders(levels, Math.min(config.dcaTotalBudget, config.investment))
  const ladder = copyLadder(levels, affordable - 1)
  return {
    rows: Array.from(ladder.price, (_, order) => ladderRow(ladder, order, deals)),
    missing: config.dcaMaxSafetyOrders + 1 - levels.orders,
  }
}

function ladderRow(ladder: DealLadder, order: number, deals: readonly TracedDeal[] | null): LadderRow {
  const { price, quote, quantity, cost, takeProfit, stop, placed } = ladder
  const before = (column: Float64Array) => (order === 0 ? 0 : column[order - 1])
  return {
    order,
    price: price[order],
    distancePercent: 100 * (1 - price[order] / price[0]),
    size: quote[order] - before(quote),
    cost: cost[order] - before(cost),
    totalCost: cost[order],
    average: quote[order] / quantity[order],
    takeProfit: takeProfit[order],
    stop: stop[order] === 0 ? null : stop[order],
    filledIn: deals === null ? null : deals.filter(({ filledAt }) => filledAt.length > order).length,
    isPlaced: order <= placed,
  }
}

/** Where the base order of the longest deal filled; undefined without a deal. */
export function longestDeal(deals: readonly TracedDeal[], end: number): number | undefined {
  const lengths = deals.map(({ openedAt, closedAt }) => (closedAt ?? end) - openedAt)
  return lengths.length === 0 ? undefined : lengths.indexOf(Math.max(...lengths))
}
