import type { Conventions } from '../conventions.ts'
import { TOUCH } from '../levels.ts'
import { COST, PRICE, QUANTITY, ROW, STOP, TAKE_PROFIT } from './flight.ts'

/**
 * One candle by the full rule: both paths through it, and the one that the convention keeps. Called for the few candles on which more than
 * a plain fill or a plain take profit happens. `candle-path.ts` says the same in words; here the two outcomes are slots of typed arrays.
 */
export interface Settlement {
  /** By path (0 low-first, 1 high-first): safety orders filled, and how it ends. */
  readonly filled: Int32Array
  readonly exit: Int32Array
  /** 1 where the deal is still open when the path stands at the low. */
  readonly seenAtLow: Int32Array
  readonly price: Float64Array
}

export const STAYS = 0
export const TAKES_PROFIT = 1
export const STOPS_OUT = 2
/** Added to the path that `settleCandle` returns. */
export const AMBIGUOUS_FLAG = 2

export function createSettlement(): Settlement {
  return {
    filled: new Int32Array(2),
    exit: new Int32Array(2),
    seenAtLow: new Int32Array(2),
    price: new Float64Array(2),
  }
}

export interface SettleRules {
  readonly intrabar: Conventions['intrabar']
  readonly feeRate: number
  readonly slippageRate: number
}

/** The deal and the candle, as numbers that stay in one place: open, high, low, close, scale. */
export type CandleScratch = Float64Array
export const OPEN_PRICE = 0
export const HIGH_PRICE = 1
export const LOW_PRICE = 2
export const CLOSE_PRICE = 3
export const DEAL_SCALE = 4

const ABOVE = 1 + TOUCH
const BELOW = 1 - TOUCH

/** Walks both paths into `out`; returns the kept path (0 or 1), plus AMBIGUOUS_FLAG where they differ. `table` = index of row 0. */
export function settleCandle(
  out: Settlement,
  rules: SettleRules,
  tables: Float64Array,
  table: number,
  filled: number,
  placed: number,
  candle: CandleScratch,
): number {
  walk(out, 0, rules, tables, table, filled, placed, candle)
  walk(out, 1, rules, tables, table, filled, placed, candle)
  const ambiguous =
    out.filled[0] !== out.filled[1] ||
    out.exit[0] !== out.exit[1] ||
    (out.exit[0] !== STAYS && out.price[0] !== out.price[1])
  const kept = keptPath(out, rules, tables, table, candle, ambiguous)
  return ambiguous ? kept + AMBIGUOUS_FLAG : kept
}

function walk(
  out: Settlement,
  path: 0 | 1,
  { slippageRate }: SettleRules,
  tables: Float64Array,
  table: number,
  filledBefore: number,
  placed: number,
  candle: CandleScratch,
): void {
  const scale = candle[DEAL_SCALE]
  const open = candle[OPEN_PRICE]
  const low = candle[LOW_PRICE]
  out.seenAtLow[path] = 0
  let row = table + filledBefore * ROW
  const last = table + placed * ROW

  while (row < last && open <= tables[row + ROW + PRICE] * scale * ABOVE) row += ROW
  const stopAtOpen = tables[row + STOP] * scale
  if (stopAtOpen > 0 && open <= stopAtOpen * ABOVE) {
    end(out, path, (row - table) / ROW, STOPS_OUT, Math.min(stopAtOpen, open) * (1 - slippageRate))
    return
  }
  const target = tables[row + TAKE_PROFIT] * scale
  if (open >= target * BELOW || (path === 1 && candle[HIGH_PRICE] >= target * BELOW)) {
    end(out, path, (row - table) / ROW, TAKES_PROFIT, target)
    return
  }

  while (row < last && low <= tables[row + ROW + PRICE] * scale * ABOVE) row += ROW
  const stop = tables[row + STOP] * scale
  if (stop > 0 && low <= stop * ABOVE) {
    end(out, path, (row - table) / ROW, STOPS_OUT, stop * (1 - slippageRate))
    return
  }
  out.seenAtLow[path] = 1
  const lowered = tables[row + TAKE_PROFIT] * scale
  const touched = candle[path === 0 ? HIGH_PRICE : CLOSE_PRICE] >= lowered * BELOW
  end(out, path, (row - table) / ROW, touched ? TAKES_PROFIT : STAYS, touched ? lowered : candle[CLOSE_PRICE])
}

function end(out: Settlement, path: 0 | 1, filled: number, exit: number, price: number): void {
  out.filled[path] = filled
  out.exit[path] = exit
  out.price[path] = price
}

function keptPath(
  out: Settlement,
  { intrabar, feeRate }: SettleRules,
  tables: Float64Array,
  table: number,
  candle: CandleScratch,
  ambiguous: boolean,
): 0 | 1 {
  switch (intrabar) {
    case 'low-first':
      return 0
    case 'high-first':
      return 1
    case 'candle-colour':
      return candle[CLOSE_PRICE] >= candle[OPEN_PRICE] ? 0 : 1
    case 'pessimistic':
    case 'optimistic': {
      if (!ambiguous) return 0
      const scale = candle[DEAL_SCALE]
      const lowRow = table + out.filled[0] * ROW
      const highRow = table + out.filled[1] * ROW
      // `price` of a path that stays is the close, so that both are valued alike.
      const lowProfit = (tables[lowRow + QUANTITY] / scale) * out.price[0] * (1 - feeRate) - tables[lowRow + COST]
      const highProfit = (tables[highRow + QUANTITY] / scale) * out.price[1] * (1 - feeRate) - tables[highRow + COST]
      const gain = highProfit - lowProfit
      const equal = TOUCH * Math.max(tables[lowRow + COST], tables[highRow + COST])
      return (intrabar === 'pessimistic' ? gain < -equal : gain > equal) ? 1 : 0
    }
  }
}
