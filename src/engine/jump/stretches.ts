import type { PreparedCandles } from './prepared.ts'
import { SHIFT_1, SHIFT_2, SHIFT_3, SHIFT_4 } from './pyramid.ts'
import type { Watch } from './watch.ts'

/** Equities are rounded to ~1e-16 of themselves; a fall smaller than this is rounding, not loss (as in `drawdown.ts`). */
const NO_FALL = 1e-14
/** A deal has at most this many stretches: one per order, and what blocks cut is settled at their ends. */
const MOST_PUT_OFF = 128

/**
 * Exact answers about stretches of candles on which a deal holds the same, found through the pyramid: equity is base + worth · price
 * there, so a node's lowest low and highest close bound what its candles can add.
 */
export interface Stretches {
  /** One candle whose equities are known. */
  observe(watch: Watch, equityAtLow: number, equityAtClose: number): void
  /** All falls from the running peak, and the peak, over candles from ≤ i < to at the deal's present holding. */
  findFalls(watch: Watch, from: number, to: number): void
  findFloatingLoss(watch: Watch, from: number, to: number): void
  /** Notes that the peak may lie in this stretch, at most at `highest`. */
  putOffPeak(watch: Watch, from: number, to: number, highest: number): void
  /** The put-off stretches no longer matter: the peak is elsewhere. */
  dropPutOff(): void
  settlePeak(watch: Watch): void
}

export function createStretches(prepared: PreparedCandles, keep: number): Stretches {
  const { low, close } = prepared
  const { lowest, highestClose, level2, level3, level4 } = prepared.pyramid
  const putOff = new Float64Array(MOST_PUT_OFF * 4)
  let putOffCount = 0

  return { observe, findFalls, findFloatingLoss, putOffPeak, dropPutOff, settlePeak }

  function observe(watch: Watch, equityAtLow: number, equityAtClose: number): void {
    const fallAtLow = 1 - equityAtLow / watch.peak
    if (fallAtLow > NO_FALL && fallAtLow > watch.deepestAtLow) watch.deepestAtLow = fallAtLow
    if (equityAtClose > watch.peak) {
      watch.peak = equityAtClose
      return
    }
    const fall = 1 - equityAtClose / watch.peak
    if (fall > NO_FALL && fall > watch.deepest) watch.deepest = fall
  }

  /** Branch and bound, in time order: a node that cannot fall deeper than the record only raises the peak. */
  function findFalls(watch: Watch, from: number, to: number): void {
    settlePeak(watch)
    const worth = watch.quantity * keep
    const base = watch.cash - watch.cost
    let i = from
    while (i < to) {
      let shift = widestNode(i, to)
      while (shift > 0) {
        const node = firstNode(shift) + (i >> shift)
        const peak = Math.max(watch.peak, base + worth * highestClose[node])
        if (base + worth * lowest[node] >= peak * (1 - watch.deepest)) {
          watch.peak = peak
          break
        }
        shift -= SHIFT_1
      }
      if (shift === 0) observe(watch, base + worth * low[i], base + worth * close[i])
      i += 1 << shift
    }
    watch.possiblePeak = watch.peak
  }

  function findFloatingLoss(watch: Watch, from: number, to: number): void {
    let price = Number.POSITIVE_INFINITY
    let i = from
    while (i < to) {
      const shift = widestNode(i, to)
      const value = shift === 0 ? low[i] : lowest[firstNode(shift) + (i >> shift)]
      if (value < price) price = value
      i += 1 << shift
    }
    watch.floatingLoss = Math.min(watch.floatingLoss, watch.quantity * price * keep - watch.cost)
  }

  function putOffPeak(watch: Watch, from: number, to: number, highest: number): void {
    const at = 4 * putOffCount++
    putOff[at] = from
    putOff[at + 1] = to
    putOff[at + 2] = watch.cash - watch.cost
    putOff[at + 3] = watch.quantity * keep
    if (highest > watch.possiblePeak) watch.possiblePeak = highest
  }

  function dropPutOff(): void {
    putOffCount = 0
  }

  function settlePeak(watch: Watch): void {
    for (let at = 0; at < 4 * putOffCount; at += 4) {
      const price = highestCloseIn(putOff[at], putOff[at + 1])
      const equity = putOff[at + 2] + putOff[at + 3] * price
      if (equity > watch.peak) watch.peak = equity
    }
    putOffCount = 0
    watch.possiblePeak = watch.peak
  }

  function highestCloseIn(from: number, to: number): number {
    let price = Number.NEGATIVE_INFINITY
    let i = from
    while (i < to) {
      const shift = widestNode(i, to)
      const value = shift === 0 ? close[i] : highestClose[firstNode(shift) + (i >> shift)]
      if (value > price) price = value
      i += 1 << shift
    }
    return price
  }

  function firstNode(shift: number): number {
    if (shift === SHIFT_1) return 0
    if (shift === SHIFT_2) return level2
    return shift === SHIFT_3 ? level3 : level4
  }
}

/** The shift of the widest node that begins at candle `from` and ends by `to`; 0 = the candle itself. */
function widestNode(from: number, to: number): number {
  let shift = 0
  while (shift < SHIFT_4) {
    const width = 1 << (shift + SHIFT_1)
    if ((from & (width - 1)) !== 0 || from + width > to) break
    shift += SHIFT_1
  }
  return shift
}
