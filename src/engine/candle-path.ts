import type { Conventions } from './conventions.ts'
import type { ClosedDeal } from './deal.ts'
import { type Levels, TOUCH } from './levels.ts'

// What happens inside one candle. A candle does not say in which order its prices occurred, so we assume one of two paths
//
//     low-first    open → low → high → close
//     high-first   open → high → low → close
//
// and between two points the price passes every value in between, once. A falling leg fills safety orders from the top down and
// then touches the stop (every placed rung lies above the stop in force before it); a rising leg touches the take profit, which
// has moved down with each fill. On the last leg only a rise matters: what lies above the low has filled already.

export interface Candle {
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

/** An open deal at the start of a candle. */
export interface Position {
  readonly levels: Levels
  /** Safety orders placed, of those that exist in `levels`. */
  readonly placed: number
  /** Safety orders filled. */
  readonly filled: number
  /** Fraction by which the stop's market order fills below its price. */
  readonly slippageRate: number
}

/** A deal after one path through the candle. */
export type PathEnd = {
  /** Safety orders filled when the path ends or the deal closes. */
  readonly filled: number
  /** Safety orders filled when the path reaches the low; null when the deal has closed by then. */
  readonly filledAtLow: number | null
} & ({ readonly exit: ClosedDeal['exit']; readonly price: number } | { readonly exit: null })

/** False when the candle touches no level of the deal, whichever path it takes. */
export function isEventCandle({ levels, placed, filled }: Position, high: number, low: number): boolean {
  return (
    isTakeProfitTouched(levels, filled, high) ||
    isStopTouched(levels, filled, low) ||
    (filled < placed && isBuyTouched(levels, filled + 1, low))
  )
}

export function walkCandle(position: Position, candle: Candle, path: 'low-first' | 'high-first'): PathEnd {
  const { levels, slippageRate } = position

  let filled = fillDownTo(position, position.filled, candle.open)
  if (isStopTouched(levels, filled, candle.open)) {
    // A gap: the candle opens below the stop, so the sale gets the open and not the stop's price.
    const price = Math.min(levels.stop[filled], candle.open) * (1 - slippageRate)
    return { filled, filledAtLow: null, exit: 'stopLoss', price }
  }
  if (isTakeProfitTouched(levels, filled, candle.open)) return takeProfit(levels, filled, null)

  if (path === 'high-first' && isTakeProfitTouched(levels, filled, candle.high)) return takeProfit(levels, filled, null)

  filled = fillDownTo(position, filled, candle.low)
  if (isStopTouched(levels, filled, candle.low)) {
    return { filled, filledAtLow: null, exit: 'stopLoss', price: levels.stop[filled] * (1 - slippageRate) }
  }

  const top = path === 'low-first' ? candle.high : candle.close
  if (isTakeProfitTouched(levels, filled, top)) return takeProfit(levels, filled, filled)
  return { filled, filledAtLow: filled, exit: null }
}

/** The take profit is a resting limit order: it fills at its own price, even when the candle opens above it. */
function takeProfit(levels: Levels, filled: number, filledAtLow: number | null): PathEnd {
  return { filled, filledAtLow, exit: 'takeProfit', price: levels.takeProfit[filled] }
}

function fillDownTo({ levels, placed }: Position, filledBefore: number, price: number): number {
  let filled = filledBefore
  while (filled < placed && isBuyTouched(levels, filled + 1, price)) filled++
  return filled
}

function isBuyTouched(levels: Levels, order: number, price: number): boolean {
  return price <= levels.price[order] * (1 + TOUCH)
}

function isStopTouched(levels: Levels, filled: number, price: number): boolean {
  return levels.stop[filled] > 0 && price <= levels.stop[filled] * (1 + TOUCH)
}

function isTakeProfitTouched(levels: Levels, filled: number, price: number): boolean {
  return price >= levels.takeProfit[filled] * (1 - TOUCH)
}

/** True when the two paths end differently, so that the candle does not decide what happened. */
export function areAmbiguous(one: PathEnd, other: PathEnd): boolean {
  if (one.filled !== other.filled || one.exit !== other.exit) return true
  return one.exit !== null && other.exit !== null && one.price !== other.price
}

/** The outcome that the `intrabar` convention keeps. When both have the same equity, it is low-first. */
export function choosePathEnd(
  intrabar: Conventions['intrabar'],
  { lowFirst, highFirst }: { lowFirst: PathEnd; highFirst: PathEnd },
  { levels, feeRate, candle }: { levels: Levels; feeRate: number; candle: Candle },
): PathEnd {
  switch (intrabar) {
    case 'low-first':
      return lowFirst
    case 'high-first':
      return highFirst
    case 'candle-colour':
      return candle.close >= candle.open ? lowFirst : highFirst
    case 'pessimistic':
    case 'optimistic': {
      if (!areAmbiguous(lowFirst, highFirst)) return lowFirst
      const gain =
        profitAt(levels, highFirst, candle.close, feeRate) - profitAt(levels, lowFirst, candle.close, feeRate)
      // Adding in another order changes the last bits of a sum. Such a difference must not choose the path.
      const equal = TOUCH * Math.max(levels.cost[lowFirst.filled], levels.cost[highFirst.filled])
      const keepsHighFirst = intrabar === 'pessimistic' ? gain < -equal : gain > equal
      return keepsHighFirst ? highFirst : lowFirst
    }
  }
}

/** Profit of the deal after all fees: as closed, or valued at `close` less the fee of selling. */
export function profitAt(levels: Levels, outcome: PathEnd, close: number, feeRate: number): number {
  const price = outcome.exit === null ? close : outcome.price
  return levels.quantity[outcome.filled] * price * (1 - feeRate) - levels.cost[outcome.filled]
}
