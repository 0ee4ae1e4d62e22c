/**
 * One configuration run in the page by the engine's plain reference, and what happened on the way: every deal with its ladder and its fills, and
 * equity and used capital at each close. Pure.
 */
import type { DcaSpotConfig, Exit } from '../../../contract/bot.ts'
import type { OwnRun } from '../../../engine/ambiguity-pair.ts'
import type { Candles } from '../../../engine/candles.ts'
import type { Levels } from '../../../engine/levels.ts'
import { runReferenceOnce } from '../../../engine/reference.ts'
import type { RunWatch } from '../../../engine/run-watch.ts'
import type { PageTerms } from './document.ts'

/** Levels of a deal, of every order that exists; row 0 is the base order, row k what holds once k safety orders have filled. */
export interface DealLadder {
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
}

export function runTrial({ candles, terms, config }: TrialRequest): TrialRun {
  const count = candles.openTime.length
  const equity = new Float64Array(count)
  const used = new Float64Array(count)
  const starts: { openedAt: number; ladder: DealLadder; filledAt: number[] }[] = []
  const watch: RunWatch = {
    opened: ({ openedAt, levels, placed }) =>
      starts.push({ openedAt, ladder: copyLadder(levels, placed), filledAt: [openedAt] }),
    filled: (_, candle) => starts[starts.length - 1].filledAt.push(candles.openTime[candle]),
    passed(candle, atClose, inUse) {
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

export function copyLadder(levels: Levels, placed: number): DealLadder {
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
