import type { PreparedCandles } from './prepared.ts'

/** What an observer knows of one config in flight. Amounts in quote, falls and returns as fractions. */
export interface Watch {
  inDeal: boolean
  /** Candle on which the last deal opened, for whoever lists deals. */
  start: number
  /** Quote when no deal is open; during a deal, what it started with. */
  cash: number
  /** The open deal since its last fill. */
  quantity: number
  cost: number
  full: boolean
  floor: number
  ceiling: number
  /** Of equity over closes, as far as it has been searched. */
  peak: number
  /** What it may be, in holdings of the open deal put off until somebody needs to know: so many numbers from `putOffFrom` in `putOff`. */
  possiblePeak: number
  putOffCount: number
  readonly putOffFrom: number
  readonly putOff: Float64Array
  deepest: number
  deepestAtLow: number
  /** 0 or negative. */
  floatingLoss: number
  heldFull: number
  usedSum: number
  usedMax: number
  /** Next entry of `dayEnd`, and the equity at the day end before it. */
  day: number
  dayEquity: number
  /** Daily returns so far: how many, Σ R, Σ R², Σ min(R, 0)². */
  returns: number
  returnSum: number
  squareSum: number
  lossSquareSum: number
  /** Equity at every calendar day end, where somebody wants the series. */
  readonly series: number[] | null
}

/** Numbers a watch can put off: from, to, quantity and cost of six holdings. */
export const MOST_PUT_OFF = 24

/** `putOff` has room for MOST_PUT_OFF numbers of every slot. */
export function createWatch(
  investment: number,
  { slot, putOff, series }: { slot: number; putOff: Float64Array; series: number[] | null },
): Watch {
  return {
    inDeal: false,
    start: 0,
    cash: investment,
    quantity: 0,
    cost: 0,
    full: false,
    floor: 0,
    ceiling: 0,
    peak: investment,
    possiblePeak: investment,
    putOffCount: 0,
    putOffFrom: slot * MOST_PUT_OFF,
    putOff,
    deepest: 0,
    deepestAtLow: 0,
    floatingLoss: 0,
    heldFull: 0,
    usedSum: 0,
    usedMax: 0,
    day: 0,
    dayEquity: investment,
    returns: 0,
    returnSum: 0,
    squareSum: 0,
    lossSquareSum: 0,
    series,
  }
}

/** The caller knows that there is room. */
export function putOffHolding(watch: Watch, from: number, to: number, quantity: number, cost: number): void {
  const at = watch.putOffFrom + watch.putOffCount
  watch.putOff[at] = from
  watch.putOff[at + 1] = to
  watch.putOff[at + 2] = quantity
  watch.putOff[at + 3] = cost
  watch.putOffCount += 4
}

/** Ends the day that is next in turn. Days without candles since the one before it return 0. */
export function endDay(watch: Watch, { dayNumber }: PreparedCandles, equity: number): void {
  const { day, dayEquity, series } = watch
  const passed = day === 0 ? 1 : dayNumber[day] - dayNumber[day - 1]
  const value = dayEquity > 0 ? equity / dayEquity - 1 : 0
  watch.returns += passed
  watch.returnSum += value
  watch.squareSum += value * value
  if (value < 0) watch.lossSquareSum += value * value
  watch.dayEquity = equity
  watch.day = day + 1
  if (series === null) return
  for (let idle = 1; idle < passed; idle++) series.push(dayEquity)
  series.push(equity)
}
