/**
 * Remembers deals within one block, so that similar configs need not compute them again. The configs of a family have the same
 * step, multipliers, take profit and base order; they differ in the number of rungs and in the stop. A deal that stayed above its
 * last placed rung, on both paths through each of its candles, does not depend on either. So every config of the family with one
 * more rung than the deal filled makes the same deal from the same candle.
 *
 *     entry i < BLOCK    the deal that began on the i-th candle of the block
 *     entries beyond     deals that had begun before the block, by first candle and rungs filled: few, so they are looked up one by one
 */
import { BLOCK, MEMO_ENTRY, MOST_CARRIED, ORDERS_SHIFT } from '../layout'
import { memo } from './scene'

// An entry: i32 family and rungs filled before the block (0 = empty) · i32 end · i32 marks · i32 first candle · f64 profit
const END: usize = 4
/** rungs filled at the end, deepest rung reached on any path, ambiguous candles: from the lowest bits to the highest */
const MARKS: usize = 8
const FIRST: usize = 12
/** Profit in quote of a closed deal; needed where every deal has its own rounding. */
const GAIN: usize = 16

/** The deal was still open when the block ended. */
export const OPEN_END: i32 = -1
/** No entry. */
export const UNKNOWN: usize = 0
const RUNG_MASK: i32 = (1 << ORDERS_SHIFT) - 1
const DEEPEST_SHIFT: i32 = ORDERS_SHIFT
const AMBIGUOUS_SHIFT: i32 = 2 * ORDERS_SHIFT
/** A deal with more ambiguous candles than this does not fit into the marks and is not shared. */
export const MOST_AMBIGUOUS: i32 = (1 << (31 - AMBIGUOUS_SHIFT)) - 1

let carried: i32 = 0

/** Call before another flight: it uses the same family numbers. */
export function forgetDeals(): void {
  memory.fill(memo, 0, (BLOCK + MOST_CARRIED) * MEMO_ENTRY)
}

/** Call before a block. Entries of the previous block need not be erased: their first candle shows that they are old. */
export function beginBlock(): void {
  carried = 0
}

/** The entry of the deal that began on this candle, the n-th of the block, or UNKNOWN. */
export function findDeal(family: i32, start: i32, n: i32): usize {
  const entry = memo + usize(n) * MEMO_ENTRY
  return load<i32>(entry) == family << ORDERS_SHIFT && load<i32>(entry, FIRST) == start ? entry : UNKNOWN
}

/** The entry of a deal that had begun before the block, or UNKNOWN. */
export function findCarried(family: i32, start: i32, filled: i32): usize {
  for (let n = carried - 1; n >= 0; n--) {
    const entry = memo + usize(BLOCK + n) * MEMO_ENTRY
    const known = load<i32>(entry)
    if (known >> ORDERS_SHIFT != family) return UNKNOWN
    if (known == ((family << ORDERS_SHIFT) | filled) && load<i32>(entry, FIRST) == start) return entry
  }
  return UNKNOWN
}

/** Records a deal since it began, or since the block began; returns its entry. Rungs are counted without the base order. */
export function tellDeal(
  family: i32,
  blockStart: i32,
  start: i32,
  filledBefore: i32,
  end: i32,
  filled: i32,
  deepest: i32,
  ambiguous: i32,
  profit: f64,
): usize {
  let n = start - blockStart
  if (n < 0) {
    // When the list is full, it starts again and old entries are lost.
    if (carried == MOST_CARRIED) carried = 0
    n = BLOCK + carried++
  }
  const entry = memo + usize(n) * MEMO_ENTRY
  store<i32>(entry, (family << ORDERS_SHIFT) | filledBefore)
  store<i32>(entry, end, END)
  store<i32>(entry, filled | (deepest << DEEPEST_SHIFT) | (ambiguous << AMBIGUOUS_SHIFT), MARKS)
  store<i32>(entry, start, FIRST)
  store<f64>(entry, profit, GAIN)
  return entry
}

export function endOf(entry: usize): i32 {
  return load<i32>(entry, END)
}

export function profitOf(entry: usize): f64 {
  return load<f64>(entry, GAIN)
}

export function filledOf(entry: usize): i32 {
  return load<i32>(entry, MARKS) & RUNG_MASK
}

export function deepestOf(entry: usize): i32 {
  return (load<i32>(entry, MARKS) >> DEEPEST_SHIFT) & RUNG_MASK
}

export function ambiguousOf(entry: usize): i32 {
  return load<i32>(entry, MARKS) >> AMBIGUOUS_SHIFT
}
