import type { Conventions } from '../conventions.ts'
import { TOUCH } from '../levels.ts'
import { BOUGHT, SOLD_AFTER_LOW, SOLD_BEFORE_LOW, STOPPED_OUT } from './event-log.ts'
import { COST, PRICE, QUANTITY, ROW, STOP, TAKE_PROFIT } from './flight.ts'

/**
 * One candle by the full rule, for those on which more than a plain fill or a plain take profit happens. Both paths begin at the open, and
 * both pass the low with the same orders filled; they differ in whether the high comes before that or after:
 *
 *     at the open    fill · stop? · take profit?            decided here, the paths agree
 *     high-first     high: take profit of what the open filled?  ·  low: fill · stop?  ·  close: take profit?
 *     low-first                                                     low: fill · stop?  ·  high:  take profit?
 *
 * `candle-path.ts` walks the two one after the other and says it in words.
 */
export interface Settlement {
  /** Index of the row that is in force after the candle. */
  row: number
  /** BOUGHT, SOLD_BEFORE_LOW, SOLD_AFTER_LOW or STOPPED_OUT. */
  kind: number
  ambiguous: boolean
  /** Index of the deepest row that either path reached. */
  deepest: number
  /** Exit prices live in `prices`: an object's double would be allocated anew. */
  readonly prices: Float64Array
}

/** Places in `prices`: the candle and the deal's scale go in, the price of a stop comes out. */
export const OPEN_PRICE = 0
export const HIGH_PRICE = 1
export const LOW_PRICE = 2
export const CLOSE_PRICE = 3
export const DEAL_SCALE = 4
export const STOP_FILL = 5

export function createSettlement(): Settlement {
  return { row: 0, kind: 0, ambiguous: false, deepest: 0, prices: new Float64Array(6) }
}

export interface SettleRules {
  readonly intrabar: Conventions['intrabar']
  readonly feeRate: number
  readonly slippageRate: number
}

/** Settles the candle in `settled.prices` for a deal at `row`; `last` = the row with every placed order filled. */
export function settleCandle(
  settled: Settlement,
  rules: SettleRules,
  tables: Float64Array,
  row: number,
  last: number,
): void {
  const { prices } = settled
  const scale = prices[DEAL_SCALE]
  const open = prices[OPEN_PRICE]
  const high = prices[HIGH_PRICE]
  const low = prices[LOW_PRICE]
  const close = prices[CLOSE_PRICE]
  const above = 1 + TOUCH
  const below = 1 - TOUCH
  settled.ambiguous = false

  let opened = row
  while (opened < last && open <= tables[opened + ROW + PRICE] * scale * above) opened += ROW
  settled.row = opened
  settled.deepest = opened
  const stopAtOpen = tables[opened + STOP] * scale
  if (stopAtOpen > 0 && open <= stopAtOpen * above) {
    settled.kind = STOPPED_OUT
    prices[STOP_FILL] = Math.min(stopAtOpen, open) * (1 - rules.slippageRate)
    return
  }
  const target = tables[opened + TAKE_PROFIT] * scale * below
  if (open >= target) {
    settled.kind = SOLD_BEFORE_LOW
    return
  }

  let deepest = opened
  while (deepest < last && low <= tables[deepest + ROW + PRICE] * scale * above) deepest += ROW
  settled.deepest = deepest
  const stop = tables[deepest + STOP] * scale
  const isStopped = stop > 0 && low <= stop * above
  if (isStopped) prices[STOP_FILL] = stop * (1 - rules.slippageRate)
  const lowered = tables[deepest + TAKE_PROFIT] * scale * below

  const lowFirst = isStopped ? STOPPED_OUT : high >= lowered ? SOLD_AFTER_LOW : BOUGHT
  let highFirst = isStopped ? STOPPED_OUT : close >= lowered ? SOLD_AFTER_LOW : BOUGHT
  let highRow = deepest
  if (high >= target) {
    highFirst = SOLD_BEFORE_LOW
    highRow = opened
  }
  // Sold before the low or after it is the same sale when the low has filled nothing in between.
  const isSameSale = highFirst === SOLD_BEFORE_LOW && lowFirst === SOLD_AFTER_LOW && highRow === deepest
  settled.ambiguous = highFirst !== lowFirst && !isSameSale
  const keepsHighFirst = isHighFirstKept(settled, rules, tables, { lowFirst, deepest, highFirst, highRow })
  settled.row = keepsHighFirst ? highRow : deepest
  settled.kind = keepsHighFirst ? highFirst : lowFirst
}

interface Paths {
  readonly lowFirst: number
  /** The row that low-first ends on. */
  readonly deepest: number
  readonly highFirst: number
  readonly highRow: number
}

function isHighFirstKept(
  { ambiguous, prices }: Settlement,
  { intrabar, feeRate }: SettleRules,
  tables: Float64Array,
  { lowFirst, deepest, highFirst, highRow }: Paths,
): boolean {
  switch (intrabar) {
    case 'low-first':
      return false
    case 'high-first':
      return true
    case 'candle-colour':
      return prices[CLOSE_PRICE] < prices[OPEN_PRICE]
    case 'pessimistic':
    case 'optimistic': {
      if (!ambiguous) return false
      const gain =
        equityAfter(prices, tables, highRow, highFirst, feeRate) -
        equityAfter(prices, tables, deepest, lowFirst, feeRate)
      // Sums in another order differ in the last bits; that must not choose the path.
      const equal = TOUCH * Math.max(tables[deepest + COST], tables[highRow + COST])
      return intrabar === 'pessimistic' ? gain < -equal : gain > equal
    }
  }
}

/** What a path leaves of the deal: its profit, or its value at the close less the fee of selling. */
function equityAfter(prices: Float64Array, tables: Float64Array, row: number, kind: number, feeRate: number): number {
  const scale = prices[DEAL_SCALE]
  let price = tables[row + TAKE_PROFIT] * scale
  if (kind === STOPPED_OUT) price = prices[STOP_FILL]
  else if (kind === BOUGHT) price = prices[CLOSE_PRICE]
  return (tables[row + QUANTITY] / scale) * price * (1 - feeRate) - tables[row + COST]
}
