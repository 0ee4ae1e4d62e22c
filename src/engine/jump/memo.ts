/**
 * What deals of one family did in one block, for their relatives. A family shares step, multipliers, take profit and base order; its members
 * differ in how many rungs they have and where they stop. A deal that on no path through any of its candles reached the last placed rung
 * never saw that there is no other below it, nor the stop (which lies below it too): every relative with a rung to spare makes the same
 * deal from the same candle.
 *
 *     entry i < block    the deal that began on the i-th candle of the block
 *     entries beyond     deals that had begun before the block, by first candle and rungs filled: few, so they are looked up one by one
 *
 * 20 bytes per candle of a block.
 */
export interface Memo {
  readonly block: number
  /** Whose deal an entry tells; 0 = nobody's. */
  readonly family: Int32Array
  /** The candle on which it closed (at the take profit), or OPEN_END. */
  readonly end: Int32Array
  /** rungs filled at the end + deepest rung reached on any path · 2^8 + ambiguous candles · 2^16 */
  readonly marks: Int32Array
  /** Quote, of deals that closed; needed where every deal has its own rounding. */
  readonly profit: Float64Array
  /** Of the entries beyond the block, in the order of the entries. */
  readonly carriedStart: Int32Array
  readonly carriedFilled: Int32Array
  carried: number
}

/** The deal was still open when the block ended. */
export const OPEN_END = -1
export const UNKNOWN = -1
export const DEEPEST_SHIFT = 8
export const AMBIGUOUS_SHIFT = 16
export const RUNG_MASK = 0xff
/** More ambiguous candles than this do not fit into marks; such deals are not shared. */
export const MOST_AMBIGUOUS = 0x7fff
const MOST_CARRIED = 16

export function createMemo(block: number): Memo {
  return {
    block,
    family: new Int32Array(block + MOST_CARRIED),
    end: new Int32Array(block + MOST_CARRIED),
    marks: new Int32Array(block + MOST_CARRIED),
    profit: new Float64Array(block + MOST_CARRIED),
    carriedStart: new Int32Array(MOST_CARRIED),
    carriedFilled: new Int32Array(MOST_CARRIED),
    carried: 0,
  }
}

/** Before a block: entries speak of its candles only. */
export function clearMemo(memo: Memo): void {
  memo.family.fill(0)
  memo.carried = 0
}

/** The entry of a deal that had begun before the block, or UNKNOWN. */
export function findCarried(memo: Memo, family: number, start: number, filled: number): number {
  for (let index = memo.carried - 1; index >= 0; index--) {
    const entry = memo.block + index
    if (memo.family[entry] !== family) return UNKNOWN
    if (memo.carriedStart[index] === start && memo.carriedFilled[index] === filled) return entry
  }
  return UNKNOWN
}

/** A new entry for such a deal; when too many are known, the old ones go. */
export function addCarried(memo: Memo, start: number, filled: number): number {
  if (memo.carried === MOST_CARRIED) memo.carried = 0
  const index = memo.carried++
  memo.carriedStart[index] = start
  memo.carriedFilled[index] = filled
  return memo.block + index
}
