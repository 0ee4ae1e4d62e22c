import type { EventLog } from './event-log.ts'
import type { PreparedCandles } from './prepared.ts'
import { SHIFT_1, SHIFT_2, SHIFT_3, SHIFT_4 } from './pyramid.ts'
import type { Watch } from './watch.ts'

/** Equities are rounded to ~1e-16 of themselves; a fall smaller than this is rounding, not loss (as in `drawdown.ts`). */
const NO_FALL = 1e-14

/** What a deal holds on the candles from ≤ i < to. */
export interface Holding {
  readonly from: number
  readonly to: number
  readonly quantity: number
  readonly cost: number
}

/**
 * Exact answers about stretches of candles on which a deal holds the same, found through the pyramid: equity is cash − cost + worth · price
 * there, so a node's lowest low and highest close bound what its candles can add. `watch` gives the cash and takes peak and falls.
 */
export interface Stretches {
  /** The log that the next calls speak of, and what was held as its block began. */
  beginBlock(log: EventLog, carried: Holding): void
  /** One candle whose equities are known. */
  observe(watch: Watch, equityAtLow: number, equityAtClose: number): void
  /** The low of the last candle of a holding, on which it was sold later. */
  observeLow(watch: Watch, holding: Holding): void
  /** Peak and falls over a holding. */
  searchFalls(watch: Watch, holding: Holding): void
  /** The peak alone, over the holdings that began with entries first ≤ entry < end (−1 = the carried one); the last of them ends before `to`. */
  searchPeaks(watch: Watch, first: number, end: number, to: number): void
  /** The worst that a holding has been worth at a low, less its cost; +∞ without candles. */
  worstLoss(holding: Holding): number
}

export function createStretches(prepared: PreparedCandles, keep: number): Stretches {
  const { low, close } = prepared
  const { lowest, lowestClose, highestClose, level2, level3, level4 } = prepared.pyramid
  let log: EventLog = { ints: new Int32Array(0), floats: new Float64Array(0) }
  let carried: Holding = { from: 0, to: 0, quantity: 0, cost: 0 }

  return { beginBlock, observe, observeLow, searchFalls, searchPeaks, worstLoss }

  function beginBlock(nextLog: EventLog, nextCarried: Holding): void {
    log = nextLog
    carried = nextCarried
  }

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

  function observeLow(watch: Watch, { to, quantity, cost }: Holding): void {
    const fall = 1 - (watch.cash - cost + quantity * keep * low[to - 1]) / watch.peak
    if (fall > NO_FALL && fall > watch.deepestAtLow) watch.deepestAtLow = fall
  }

  /**
   * Branch and bound, in time order. Where no close of a node is above the peak, its lowest prices are its deepest falls. Where one is, the
   * node is left when not even a fall from that close could beat the record; only otherwise its order matters and it is opened.
   */
  function searchFalls(watch: Watch, { from, to, quantity, cost }: Holding): void {
    const worth = quantity * keep
    const base = watch.cash - cost
    let i = from
    while (i < to) {
      let shift = widestNode(i, to)
      for (; shift > 0; shift -= SHIFT_1) {
        const node = firstNode(shift) + (i >> shift)
        const equityAtLow = base + worth * lowest[node]
        const lowestEquity = base + worth * lowestClose[node]
        const highestEquity = base + worth * highestClose[node]
        if (highestEquity <= watch.peak) {
          observe(watch, equityAtLow, lowestEquity)
          break
        }
        const isHarmless =
          equityAtLow >= highestEquity * (1 - watch.deepestAtLow) && lowestEquity >= highestEquity * (1 - watch.deepest)
        if (isHarmless) {
          watch.peak = highestEquity
          break
        }
      }
      if (shift === 0) observe(watch, base + worth * low[i], base + worth * close[i])
      i += 1 << shift
    }
  }

  function searchPeaks(watch: Watch, first: number, end: number, to: number): void {
    const { ints, floats } = log
    for (let entry = first; entry < end; entry++) {
      const from = entry < 0 ? carried.from : ints[2 * entry]
      const quantity = entry < 0 ? carried.quantity : floats[4 * entry]
      const cost = entry < 0 ? carried.cost : floats[4 * entry + 1]
      const price = highestCloseIn(from, entry + 1 < end ? ints[2 * entry + 2] : to)
      const equity = watch.cash - cost + quantity * keep * price
      if (equity > watch.peak) watch.peak = equity
    }
  }

  function worstLoss({ from, to, quantity, cost }: Holding): number {
    let price = Number.POSITIVE_INFINITY
    let i = from
    while (i < to) {
      const shift = widestNode(i, to)
      const value = shift === 0 ? low[i] : lowest[firstNode(shift) + (i >> shift)]
      if (value < price) price = value
      i += 1 << shift
    }
    return quantity * keep * price - cost
  }

  /** −∞ without candles. */
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
