import type { Conventions } from '../conventions.ts'
import { BOUGHT, type EventLog, FULL, KIND_MASK, OPENED, SOLD, SOLD_BEFORE_LOW, STOPPED_OUT } from './event-log.ts'
import type { PreparedCandles } from './prepared.ts'
import { SHIFT_4 } from './pyramid.ts'
import { createStretches } from './stretches.ts'
import { endDay, MOST_PUT_OFF, putOffHolding, type Watch } from './watch.ts'

/**
 * The metrics that the reference engine takes from every candle, from the event log alone.
 *
 * Between two events a deal holds the same quantity at the same cost, its lows stay above `floor` and its closes below `ceiling`, so equity
 * stays between E(floor) and E(ceiling). That bound costs O(1), and once a deep fall is on record it settles almost every stretch: nothing
 * in here can fall deeper. New peaks are put off in the same way: a take profit usually ends above every close of its deal, and then nobody
 * needs to know where the peak was. Only what the bounds leave open is searched (stretches.ts), and that search is exact.
 */
export interface Observer {
  /** Reads the log's entries of the block of candles from ≤ i < to. Blocks come in time order, none left out. */
  read(watch: Watch, entries: number, from: number, to: number): void
}

export interface ObserverRules {
  readonly feeRate: number
  readonly intrabar: Conventions['intrabar']
  readonly log: EventLog
}

export function createObserver(prepared: PreparedCandles, { feeRate, intrabar, log }: ObserverRules): Observer {
  const stretches = createStretches(prepared, 1 - feeRate, log)
  // The last day may be partial, and more candles may follow: whoever asks for the result ends it.
  const days = prepared.dayEnd.length - 1

  return { read }

  /** On a candle that only the take profit touches both paths sell alike, and low-first is kept where nothing else is said. */
  function isHeldAtLow(candle: number, ceiling: number): boolean {
    if (prepared.open[candle] >= ceiling || intrabar === 'high-first') return false
    return intrabar !== 'candle-colour' || prepared.close[candle] >= prepared.open[candle]
  }

  /** Hot: state in local numbers, written back where a slower path needs it. */
  function read(watch: Watch, entries: number, from: number, to: number): void {
    const { ints, floats } = log
    const keep = 1 - feeRate
    const { dayEnd, close } = prepared
    const { lowest, highestClose, level4 } = prepared.pyramid
    let { inDeal, cash, quantity, cost, full, floor, ceiling, peak, floatingLoss, heldFull, usedSum, usedMax } = watch
    let dayCandle = watch.day < days ? dayEnd[watch.day] : to
    // The peak may be as high as this, in stretches of the open deal that nobody has searched yet: those put off in earlier blocks, and
    // those that began with the entries from `dealEntry` on. What was held as the block began is put off as a whole.
    let possiblePeak = watch.possiblePeak
    let least = possiblePeak * (1 - watch.deepest)
    let dealEntry = 0
    let next = from
    // No low of the block is deeper, no close higher: where a deal has no level left, these bound it.
    let deepestLow = Number.POSITIVE_INFINITY
    let topClose = Number.NEGATIVE_INFINITY
    for (let node = level4 + (from >> SHIFT_4); node <= level4 + ((to - 1) >> SHIFT_4); node++) {
      if (lowest[node] < deepestLow) deepestLow = lowest[node]
      if (highestClose[node] > topClose) topClose = highestClose[node]
    }

    for (let entry = 0; entry <= entries; entry++) {
      const candle = entry < entries ? ints[2 * entry] : to
      while (dayCandle < candle) {
        endDay(watch, prepared, inDeal ? cash - cost + quantity * keep * close[dayCandle] : cash)
        dayCandle = watch.day < days ? dayEnd[watch.day] : to
      }
      if (inDeal && (candle > next || entry < entries)) {
        // The same holding on candles next ≤ i < candle, and on a plain sale's candle until it is sold: its low is above the floor too.
        usedSum += cost * (candle - next)
        if (full) heldFull += candle - next
        const worth = quantity * keep
        const atFloor = worth * (floor > deepestLow ? floor : deepestLow) - cost
        const highest = cash - cost + worth * (ceiling < topClose ? ceiling : topClose)
        if (highest > possiblePeak) {
          possiblePeak = highest
          least = highest * (1 - watch.deepest)
        }
        // What was held as the block began stands in no entry of its log.
        const isPutOff = entry === 0 && highest > peak
        if (isPutOff) {
          if (watch.putOffCount === MOST_PUT_OFF) {
            watch.peak = peak
            stretches.searchPeaks(watch, 0, 0, next)
            peak = watch.peak
          }
          putOffHolding(watch, next, candle, quantity, cost)
        }
        if (atFloor < floatingLoss || cash + atFloor < least) {
          const isPlainSale =
            entry < entries && (ints[2 * entry + 1] & KIND_MASK) === SOLD && isHeldAtLow(candle, ceiling)
          const holding = { from: next, to: isPlainSale ? candle + 1 : candle, quantity, cost }
          if (atFloor < floatingLoss) floatingLoss = Math.min(floatingLoss, stretches.worstLoss(holding))
          if (cash + atFloor < least) {
            watch.peak = peak
            watch.cash = cash
            if (isPutOff) watch.putOffCount -= 4
            stretches.searchPeaks(watch, dealEntry, entry - 1, next)
            stretches.searchFalls(watch, { ...holding, to: candle })
            if (isPlainSale) stretches.observeLow(watch, holding)
            peak = watch.peak
            possiblePeak = peak
            least = peak * (1 - watch.deepest)
            dealEntry = entry
          }
        }
      }
      next = candle
      if (entry === entries) break

      const kind = ints[2 * entry + 1] & KIND_MASK
      quantity = floats[4 * entry]
      cost = floats[4 * entry + 1]
      full = (ints[2 * entry + 1] & FULL) !== 0
      if (cost > usedMax) usedMax = cost
      if (kind === OPENED || kind === BOUGHT) {
        if (kind === OPENED) dealEntry = entry
        inDeal = true
        floor = floats[4 * entry + 2]
        ceiling = floats[4 * entry + 3]
        continue
      }

      const profit = quantity * keep * floats[4 * entry + 2] - cost
      const equity = cash + profit
      usedSum += cost
      if (full) heldFull++
      const isPlain = kind === SOLD
      if (isPlain && equity >= possiblePeak) {
        watch.putOffCount = 0
        peak = equity
        possiblePeak = equity
        least = equity * (1 - watch.deepest)
      } else if (!isPlain || equity < least || possiblePeak > peak) {
        const isSeen = !isPlain && kind !== SOLD_BEFORE_LOW && kind !== STOPPED_OUT
        const profitAtLow = isSeen ? quantity * keep * prepared.low[candle] - cost : profit
        if ((isSeen || kind === STOPPED_OUT) && profitAtLow < floatingLoss) floatingLoss = profitAtLow
        watch.peak = peak
        watch.cash = cash
        if (possiblePeak > peak) stretches.searchPeaks(watch, dealEntry, entry, candle)
        stretches.observe(watch, cash + profitAtLow, equity)
        peak = watch.peak
        possiblePeak = peak
        least = peak * (1 - watch.deepest)
      }
      cash = equity
      inDeal = false
      dealEntry = entry
      next = candle + 1
      if (dayCandle === candle) {
        endDay(watch, prepared, equity)
        dayCandle = watch.day < days ? dayEnd[watch.day] : to
      }
    }

    watch.peak = peak
    watch.cash = cash
    watch.possiblePeak = possiblePeak
    if (possiblePeak > peak) stretches.putOffPeaks(watch, dealEntry, entries, to)
    watch.inDeal = inDeal
    watch.quantity = quantity
    watch.cost = cost
    watch.full = full
    watch.floor = floor
    watch.ceiling = ceiling
    watch.floatingLoss = floatingLoss
    watch.heldFull = heldFull
    watch.usedSum = usedSum
    watch.usedMax = usedMax
  }
}
