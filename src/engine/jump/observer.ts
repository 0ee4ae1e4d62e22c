import type { Conventions } from '../conventions.ts'
import { BOUGHT, type EventLog, FULL, KIND_MASK, OPENED, SOLD, SOLD_BEFORE_LOW, STOPPED_OUT } from './event-log.ts'
import type { PreparedCandles } from './prepared.ts'
import { createStretches } from './stretches.ts'
import { endDay, type Watch } from './watch.ts'

/**
 * The metrics that the reference engine takes from every candle, from the event log alone.
 *
 * Between two events a deal holds the same quantity at the same cost, its lows stay above `floor` and its closes below `ceiling`, so equity
 * stays between E(floor) and E(ceiling). That bound costs O(1), and once a deep fall is on record it settles almost every stretch: nothing
 * in here can fall deeper. A new peak is put off in the same way: a take profit usually ends above every close of its deal, and then nobody
 * needs to know where the peak was. Only what the bounds leave open is searched (stretches.ts), and that search is exact.
 */
export interface Observer {
  /** Reads the entries of one block, candles up to `to`, in time order: blocks may not be left out. */
  read(watch: Watch, log: EventLog, entries: number, to: number): void
}

export interface ObserverRules {
  readonly feeRate: number
  readonly intrabar: Conventions['intrabar']
}

export function createObserver(prepared: PreparedCandles, { feeRate, intrabar }: ObserverRules): Observer {
  const { low, open, close, dayEnd } = prepared
  const keep = 1 - feeRate
  // The last day may be partial, and more candles may follow: whoever asks for the result ends it.
  const days = dayEnd.length - 1
  const stretches = createStretches(prepared, keep)

  return { read }

  function read(watch: Watch, { ints, floats }: EventLog, entries: number, to: number): void {
    for (let entry = 0; entry < entries; entry++) {
      const candle = ints[2 * entry]
      const code = ints[2 * entry + 1]
      const kind = code & KIND_MASK
      if (watch.inDeal) hold(watch, candle)
      else idle(watch, candle)
      watch.quantity = floats[4 * entry]
      watch.cost = floats[4 * entry + 1]
      watch.full = (code & FULL) !== 0
      if (kind === OPENED || kind === BOUGHT) {
        watch.inDeal = true
        watch.floor = floats[4 * entry + 2]
        watch.ceiling = floats[4 * entry + 3]
      } else sell(watch, candle, kind, floats[4 * entry + 2], floats[4 * entry + 3])
    }
    if (watch.inDeal) hold(watch, to)
    else idle(watch, to)
    stretches.settlePeak(watch)
  }

  /** The path kept on a candle that only the take profit touches: where both paths end alike, low-first. */
  function isLowFirst(candle: number): boolean {
    if (intrabar === 'candle-colour') return close[candle] >= open[candle]
    return intrabar !== 'high-first'
  }

  /** The deal has held the same from `watch.next` on, up to the candle before `to`. */
  function hold(watch: Watch, to: number): void {
    const from = watch.next
    if (to <= from) return
    watch.next = to
    const { cost, cash } = watch
    const worth = watch.quantity * keep
    const candles = to - from
    watch.usedSum += cost * candles
    if (cost > watch.usedMax) watch.usedMax = cost
    watch.held += candles
    if (watch.full) watch.heldFull += candles
    while (watch.day < days && dayEnd[watch.day] < to)
      endDay(watch, prepared, cash - cost + worth * close[dayEnd[watch.day]])

    const atFloor = watch.floor > 0 ? worth * watch.floor - cost : -cost
    if (atFloor < watch.floatingLoss) stretches.findFloatingLoss(watch, from, to)
    const highest = cash - cost + worth * watch.ceiling
    const peak = Math.max(watch.peak, watch.possiblePeak, highest)
    if (cash + atFloor < peak * (1 - watch.deepest)) stretches.findFalls(watch, from, to)
    else if (highest > watch.peak) stretches.putOffPeak(watch, from, to, highest)
  }

  /** Nothing is held: equity is cash, which has been measured when it became what it is. */
  function idle(watch: Watch, to: number): void {
    watch.next = to
    while (watch.day < days && dayEnd[watch.day] < to) endDay(watch, prepared, watch.cash)
  }

  function sell(watch: Watch, candle: number, kind: number, price: number, ceiling: number): void {
    const { quantity, cost, cash } = watch
    const profit = quantity * price * keep - cost
    const equity = cash + profit
    const isSeen =
      kind === SOLD ? open[candle] < ceiling && isLowFirst(candle) : kind !== SOLD_BEFORE_LOW && kind !== STOPPED_OUT
    const profitAtLow = isSeen ? quantity * low[candle] * keep - cost : profit
    if ((isSeen || kind === STOPPED_OUT) && profitAtLow < watch.floatingLoss) watch.floatingLoss = profitAtLow
    watch.usedSum += cost
    if (cost > watch.usedMax) watch.usedMax = cost
    watch.held++
    if (watch.full) watch.heldFull++

    // Above every close that might have been a peak, this one is, and the question where it was is settled.
    const least = (1 - watch.deepest) * Math.max(watch.peak, watch.possiblePeak)
    if (cash + profitAtLow < least || equity < watch.possiblePeak) stretches.settlePeak(watch)
    else stretches.dropPutOff()
    stretches.observe(watch, cash + profitAtLow, equity)
    watch.possiblePeak = watch.peak

    watch.cash = equity
    watch.inDeal = false
    watch.next = candle + 1
    if (watch.day < days && dayEnd[watch.day] === candle) endDay(watch, prepared, equity)
  }
}
