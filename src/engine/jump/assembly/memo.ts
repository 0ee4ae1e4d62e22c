/**
 * Remembers deals within one block, so that similar configs need not compute them again. The configs of a family have the same
 * step, multipliers, take profit and base order; they differ in the number of rungs and in the stop. A deal that stayed above its
 * last placed rung, on both paths through each of its candles, does not depend on either. So every config of the family with one
 * more rung than the deal filled makes the same deal from the same candle.
 *
 * Where all slots have one config, started on many candles, a deal depends on its candle and on how many of its orders the cash paid for, and not
 * even on that if it stayed above the last one. So these share deals that filled every order, and those that ended at the stop, too. Two starts
 * that come to one candle make the same deals from there on, so most of the time goes into adding up deals that are known: what is summed of one
 * lies ready (levels.ts), and the next deal mostly lies behind it.
 *
 *     places     by candle of the block: the number of the entry whose deal began there
 *     entries    of one family, in the order in which they were reported, a cache line each; beyond STARTS_BLOCK those that had begun before the block,
 *                by first candle and rungs filled: few, so they are looked up one by one
 *
 * A family's entries lie together, so that they stay in the first-level cache while its configs are walked. Places need not be erased for the
 * next family: a place counts only where it names an entry, and that entry the candle.
 */
import { MEMO_ENTRY, MEMO_ORDERS, MOST_CARRIED, ORDERS_SHIFT, ROW, STARTS_BLOCK } from '../layout'
import * as levels from './levels'
import { memo, memoOrders, memoPlaces } from './scene'

// An entry. What risk.ts observed of the deal follows.
const FIRST: usize = 0
const END: usize = 4
/** rungs filled at the end, deepest rung reached on any path, IS_STOPPED, IS_FULL, ambiguous candles: from the lowest bits to the highest */
const MARKS: usize = 8
/** Rungs filled before the block, in the lowest bits; above them risk.ts keeps a number. */
export const BEFORE: usize = 12
/** Profit in quote of a closed deal; needed where every deal has its own rounding. */
const GAIN: usize = 16

/** The deal was still open when the block ended. */
export const OPEN_END: i32 = -1
/** No entry. */
export const UNKNOWN: usize = 0
const RUNG_MASK: i32 = (1 << ORDERS_SHIFT) - 1
const DEEPEST_SHIFT: i32 = ORDERS_SHIFT
/** The deal ended at its stop. */
const IS_STOPPED: i32 = 1 << (2 * ORDERS_SHIFT)
/** The deepest rung was the last one placed. */
const IS_FULL: i32 = 2 * IS_STOPPED
const AMBIGUOUS_SHIFT: i32 = 2 * ORDERS_SHIFT + 2
/** A deal with more ambiguous candles than this does not fit into the marks and is not shared. */
export const MOST_AMBIGUOUS: i32 = (1 << (31 - AMBIGUOUS_SHIFT)) - 1

/** The family whose deals are remembered. */
let family: i32 = 0
let entries: usize = 0
let carried: i32 = 0

/** Call before a block: nothing is known of it. */
export function beginBlock(): void {
  family = 0
}

/** Call before a config is walked that shares deals with its family. Returns true when it is the first of them in this block. */
export function beginFamily(its: i32): bool {
  if (its == family) return false
  family = its
  entries = 0
  carried = 0
  return true
}

/** Finds deals: inlined into the walk. */
export class Memo {
  /** The entry of the deal that began on this candle, the n-th of the block, or UNKNOWN. */
  @inline
  static find(start: i32, n: i32): usize {
    const place = usize(load<u16>(memoPlaces + (usize(n) << 1)))
    const entry = memo + place * MEMO_ENTRY
    return place < entries && load<i32>(entry, FIRST) == start ? entry : UNKNOWN
  }

  /** The same for the deal that followed that of an entry: mostly it was reported next, and so it lies in the next cache line. */
  @inline
  static after(entry: usize, start: i32, n: i32): usize {
    const next = entry + MEMO_ENTRY
    return (next - memo) / MEMO_ENTRY < entries && load<i32>(next, FIRST) == start ? next : Memo.find(start, n)
  }

  /** True when a deal of the same config whose last placed row is this one is the entry's. */
  @inline
  static fits(entry: usize, table: usize, last: usize): bool {
    const row = table + usize(deepestOf(entry)) * (ROW * 8)
    return load<i32>(entry, MARKS) & IS_FULL ? row == last : row < last
  }
}

/** The entry of a deal that had begun before the block, or UNKNOWN. */
export function findCarried(start: i32, filled: i32): usize {
  for (let n = carried - 1; n >= 0; n--) {
    const entry = memo + usize(STARTS_BLOCK + n) * MEMO_ENTRY
    if (load<i32>(entry, FIRST) == start && (load<i32>(entry, BEFORE) & RUNG_MASK) == filled) return entry
  }
  return UNKNOWN
}

/** Records a deal since it began, or since the block began; returns its entry. Rungs are counted without the base order. */
export function noteDeal(
  blockStart: i32,
  start: i32,
  filledBefore: i32,
  end: i32,
  filled: i32,
  deepest: i32,
  ambiguous: i32,
  profit: f64,
): usize {
  const entry = start < blockStart ? placeOfCarried(start, filledBefore) : placeOf(start, start - blockStart)
  store<i32>(entry, start, FIRST)
  store<i32>(entry, end, END)
  store<i32>(entry, filled | (deepest << DEEPEST_SHIFT) | (ambiguous << AMBIGUOUS_SHIFT), MARKS)
  store<i32>(entry, filledBefore, BEFORE)
  store<f64>(entry, profit, GAIN)
  return entry
}

/** Where the deal that began on this candle is recorded; a deal that is reported once more replaces itself. */
function placeOf(start: i32, n: i32): usize {
  const known = Memo.find(start, n)
  if (known != UNKNOWN) return known
  store<u16>(memoPlaces + (usize(n) << 1), entries)
  return memo + entries++ * MEMO_ENTRY
}

function placeOfCarried(start: i32, filledBefore: i32): usize {
  const known = findCarried(start, filledBefore)
  if (known != UNKNOWN) return known
  // When the list is full, it starts again and old entries are lost.
  if (carried == MOST_CARRIED) carried = 0
  return memo + usize(STARTS_BLOCK + carried++) * MEMO_ENTRY
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

/** Adds what slots of one config ask for: the orders counted last, whether the last one placed was reached, and the candles with all of them filled. */
export function keepOrders(entry: usize, isFull: bool, isAtStop: bool, full: i32): void {
  const marks = (isFull ? IS_FULL : 0) | (isAtStop ? IS_STOPPED : 0)
  store<i32>(entry, load<i32>(entry, MARKS) | marks, MARKS)
  levels.keepOrders(ordersOf(entry), full)
}

/** Adds what is summed when other starts make the deal, which has ended; `least` is its lowest worth before the end, or less. */
export function keepSums(entry: usize, days: i32, least: f64): void {
  const at = ordersOf(entry)
  const profit = profitOf(entry)
  const isWin = profit > 0
  store<i32>(at, filledOf(entry), levels.DEAL_COUNTS)
  store<i32>(at, ambiguousOf(entry), levels.DEAL_COUNTS + 4)
  store<i32>(at, i32(isStopped(entry)) | (i32(isWin) << 16), levels.DEAL_COUNTS + 8)
  store<i32>(at, days, levels.DAYS)
  store<f64>(at, isWin ? 0 : profit, levels.LOSS)
  store<f64>(at, min(least, profit), levels.LEAST)
}

export function isStopped(entry: usize): bool {
  return (load<i32>(entry, MARKS) & IS_STOPPED) != 0
}

/** Where levels.ts keeps the orders of an entry's deal. */
export function ordersOf(entry: usize): usize {
  return memoOrders + ((entry - memo) / MEMO_ENTRY) * MEMO_ORDERS
}

export function ambiguousOf(entry: usize): i32 {
  return load<i32>(entry, MARKS) >> AMBIGUOUS_SHIFT
}
