/**
 * One configuration run in the page by the engine's plain reference, and what happened on the way: every deal with its ladder and its fills, and
 * equity and used capital at each close. Pure.
 */
import type { DcaSpotConfig, Exit } from '../../../contract/bot.ts'
import type { OwnRun } from '../../../engine/ambiguity-pair.ts'
import type { Candles } from '../../../engine/candles.ts'
import {
  affordableOrders,
  createLevels,
  type Levels,
  ladderTerms,
  orderRules,
  writeLevels,
} from '../../../engine/levels.ts'
import { type RunWatch, runReferenceOnce } from '../../../engine/reference.ts'
import type { PageTerms } from './document.ts'

/** The levels of a deal, a row for each order: row 0 is the base order, row k applies once k safety orders have filled. */
interface DealLadder {
  /** Safety orders that fit the budget. */
  readonly placed: number
  readonly price: Float64Array
  readonly quantity: Float64Array
  /** Gross quote so far. */
  readonly quote: Float64Array
  /** The same with fees. */
  readonly cost: Float64Array
  readonly takeProfit: Float64Array
  /** 0 = none. */
  readonly stop: Float64Array
}

export interface TracedDeal {
  /** Open time of the candle, ms UTC. */
  readonly openedAt: number
  /** null = still open when the candles end. */
  readonly closedAt: number | null
  readonly exit: Exit | null
  /** Quote per base; of an open deal the last close. */
  readonly exitPrice: number
  /** When each order filled, ms UTC; the base order first. */
  readonly filledAt: readonly number[]
  readonly ladder: DealLadder
  /** Quote, with fees. */
  readonly cost: number
  /** Quote; of an open deal what selling at the last close would leave. */
  readonly profit: number
  /** Worst open loss, quote, 0 or negative. */
  readonly lowestValue: number
}

export interface TrialRun extends OwnRun {
  readonly traced: readonly TracedDeal[]
  /** At each candle's close, quote. */
  readonly equity: Float64Array
  readonly used: Float64Array
}

export interface TrialRequest {
  readonly candles: Candles
  readonly terms: Pick<PageTerms, 'conventions' | 'costs' | 'symbol'>
  /** Within `CONFIG_BOUNDS`. */
  readonly config: DcaSpotConfig
  /** Leaves out equity and used capital at each close, which take half of the time. */
  readonly isBrief?: boolean
}

export function runTrial({ candles, terms, config, isBrief = false }: TrialRequest): TrialRun {
  const count = isBrief ? 0 : candles.openTime.length
  const equity = new Float64Array(count)
  const used = new Float64Array(count)
  const starts: { openedAt: number; ladder: DealLadder; filledAt: number[] }[] = []
  const watch: RunWatch = {
    opened: ({ openedAt, levels, placed }) =>
      starts.push({ openedAt, ladder: copyLadder(levels, placed), filledAt: [openedAt] }),
    filled: (_, candle) => starts[starts.length - 1].filledAt.push(candles.openTime[candle]),
    passed(candle, atClose, inUse) {
      if (isBrief) return
      equity[candle] = atClose
      used[candle] = inUse
    },
  }
  const { conventions, costs, symbol } = terms
  const run = runReferenceOnce({ candles, config, conventions, costs, symbol }, watch)
  const lastClose = candles.close.at(-1) ?? 0
  const ends = [...run.deals, ...(run.openDeal === null ? [] : [run.openDeal])]
  const traced = ends.map((deal, index): TracedDeal => {
    const { cost, profit, lowestValue } = deal
    const end =
      'exit' in deal
        ? { closedAt: deal.closedAt, exit: deal.exit, exitPrice: deal.price }
        : { closedAt: null, exit: null, exitPrice: lastClose }
    return { ...starts[index], ...end, cost, profit, lowestValue }
  })
  return { ...run, traced, equity, used }
}

/** Net profit and what was traded for it, quote. */
export function turnoverOf({ candles, terms, config }: TrialRequest): {
  readonly netProfit: number
  readonly volume: number
} {
  const { conventions, costs, symbol } = terms
  return runReferenceOnce({ candles, config, conventions, costs, symbol }).metrics
}

function copyLadder(levels: Levels, placed: number): DealLadder {
  const rows = (column: Float64Array) => column.slice(0, levels.orders)
  return {
    placed,
    price: rows(levels.price),
    quantity: rows(levels.quantity),
    quote: rows(levels.quote),
    cost: rows(levels.cost),
    takeProfit: rows(levels.takeProfit),
    stop: rows(levels.stop),
  }
}

// The ladder of a configuration as a table: what each order costs, and what it does to average and take profit. Pure.

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
  /** Average price once it has filled, without fees. */
  readonly average: number
  readonly takeProfit: number
  /** null = no stop. */
  readonly stop: number | null
  /** Of all deals, in how many it filled; null = not known. */
  readonly filledIn: number | null
  /** False = the deal's money does not pay for it. */
  readonly isPlaced: boolean
}

interface Ladder {
  readonly rows: readonly LadderRow[]
  /** Configured safety orders that do not exist: too deep, below the stop, or too small to be an order. */
  readonly missing: number
}

/**
 * @param startPrice at which the base order fills, slippage included
 * @param placed safety orders of the deal that is shown; absent = as many as the whole capital pays
 */
export function ladderAt(
  config: DcaSpotConfig,
  terms: TrialRequest['terms'],
  {
    startPrice,
    deals,
    placed,
  }: {
    readonly startPrice: number
    readonly deals: readonly TracedDeal[] | null
    readonly placed?: number | undefined
  },
): Ladder {
  const { conventions, costs, symbol } = terms
  const levels = createLevels(config.dcaMaxSafetyOrders)
  writeLevels(ladderTerms(config, conventions, costs), orderRules(symbol, conventions.lotRounding), startPrice, levels)
  const affordable = affordableOrders(levels, Math.min(config.dcaTotalBudget, config.investment))
  const ladder = copyLadder(levels, placed ?? affordable - 1)
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
