/**
 * What a walk over a block of candles decided, in time order, for whoever needs more than counters: two ints and four doubles per entry.
 * Amounts are true ones (not ratios), so that readers need no table.
 */
export interface EventLog {
  /** candle index · code */
  readonly ints: Int32Array
  /** quantity held · cost with fees · floor · ceiling; on an exit floor is the exit price */
  readonly floats: Float64Array
}

/** A candle can open a deal and then fill or close it, never more. */
const ENTRIES_PER_CANDLE = 2

export function createEventLog(candles: number): EventLog {
  const entries = candles * ENTRIES_PER_CANDLE
  return { ints: new Int32Array(entries * 2), floats: new Float64Array(entries * 4) }
}

/** code = kind + FULL (every placed rung has filled) + filled · FILLED_UNIT */
export const OPENED = 0
/** From this candle on the deal holds `filled` safety orders; until the next entry lows stay above `floor`, closes below `ceiling`. */
export const BOUGHT = 1
/** Sold at the take profit; nothing filled on this candle, and whether the low came first is for the convention and the open to say. */
export const SOLD = 2
/** Sold at the take profit before the price reached the low. */
export const SOLD_BEFORE_LOW = 3
/** Sold at the take profit after the low, with the same safety orders filled there. */
export const SOLD_AFTER_LOW = 4
export const STOPPED_OUT = 5
export const KIND_MASK = 7
export const FULL = 8
export const FILLED_SHIFT = 4
