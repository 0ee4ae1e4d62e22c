import type { EventLog } from './event-log.ts'
import type { PreparedCandles } from './prepared.ts'
import { SHIFT_1, SHIFT_2, SHIFT_3, SHIFT_4 } from './pyramid.ts'
import { MOST_PUT_OFF, putOffHolding, type Watch } from './watch.ts'

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
  /** One candle whose equities are known. */
  observe(watch: Watch, equityAtLow: number, equityAtClose: number): void
  /** The low of the last candle of a holding, on which it was sold later. */
  observeLow(watch: Watch, holding: Holding): void
  /** Peak and falls over a holding. */
  searchFalls(watch: Watch, holding: Holding): void
  /**
   * Settles the peak: looks at what was put off in earlier blocks, and at the holdings that began with entries first ≤ entry < end of the
   * log, the last of which ends before candle `to`. Holdings that stayed below the peak are passed over.
   */
  searchPeaks(watch: Watch, first: number, end: number, to: number): void
  /** Leaves the same holdings for later, where there is room; settles the peak where not. */
  putOffPeaks(watch: Watch, first: number, end: number, to: number): void
  /** The worst that a holding has been worth at a low, less its cost; +∞ without candles. */
  worstLoss(holding: Holding): number
}

export function createStretches(prepared: PreparedCandles, keep: number, log: EventLog): Stretches {
  const { low, close } = prepared
  const { lowest, lowestClose, highestClose, level2, level3, level4 } = prepared.pyramid
  const { ints, floats } = log

  return { observe, observeLow, searchFalls, searchPeaks, putOffPeaks, worstLoss }

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
    const { putOff, putOffFrom } = watch
    for (let at = putOffFrom; at < putOffFrom + watch.putOffCount; at += 4) {
      searchPeak(watch, putOff[at], putOff[at + 1], putOff[at + 2], putOff[at + 3])
    }
    watch.putOffCount = 0
    for (let entry = first; entry < end; entry++) {
      const highest = watch.cash - floats[4 * entry + 1] + floats[4 * entry] * keep * floats[4 * entry + 3]
      if (highest <= watch.peak) continue
      const until = entry + 1 < end ? ints[2 * entry + 2] : to
      searchPeak(watch, ints[2 * entry], until, floats[4 * entry], floats[4 * entry + 1])
    }
  }

  function searchPeak(watch: Watch, from: number, to: number, quantity: number, cost: number): void {
    const equity = watch.cash - cost + quantity * keep * highestCloseIn(from, to)
    if (equity > watch.peak) watch.peak = equity
  }

  function putOffPeaks(watch: Watch, first: number, end: number, to: number): void {
    if (watch.putOffCount + 4 * (end - first) > MOST_PUT_OFF) {
      searchPeaks(watch, first, end, to)
      watch.possiblePeak = watch.peak
      return
    }
    for (let entry = first; entry < end; entry++) {
      const until = entry + 1 < end ? ints[2 * entry + 2] : to
      putOffHolding(watch, ints[2 * entry], until, floats[4 * entry], floats[4 * entry + 1])
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
