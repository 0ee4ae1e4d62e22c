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
  /** Of equity over closes. */
  peak: number
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
  /** Daily returns so far (Welford): how many, their mean, Σ (R − mean)², Σ min(R, 0)². */
  returns: number
  meanReturn: number
  squares: number
  lossSquares: number
  /** Equity at every calendar day end, where somebody wants the series. */
  readonly series: number[] | null
}

export function createWatch(investment: number, series: number[] | null): Watch {
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
    deepest: 0,
    deepestAtLow: 0,
    floatingLoss: 0,
    heldFull: 0,
    usedSum: 0,
    usedMax: 0,
    day: 0,
    dayEquity: investment,
    returns: 0,
    meanReturn: 0,
    squares: 0,
    lossSquares: 0,
    series,
  }
}

/** Ends the day that is next in turn. Days without candles since the one before it return 0. */
export function endDay(watch: Watch, { dayNumber }: PreparedCandles, equity: number): void {
  const { day, series } = watch
  const idleDays = day === 0 ? 0 : dayNumber[day] - dayNumber[day - 1] - 1
  for (let idle = 0; idle < idleDays; idle++) {
    addReturn(watch, 0)
    series?.push(watch.dayEquity)
  }
  addReturn(watch, watch.dayEquity > 0 ? equity / watch.dayEquity - 1 : 0)
  series?.push(equity)
  watch.dayEquity = equity
  watch.day++
}

function addReturn(watch: Watch, value: number): void {
  watch.returns++
  const apart = value - watch.meanReturn
  watch.meanReturn += apart / watch.returns
  watch.squares += apart * (value - watch.meanReturn)
  if (value < 0) watch.lossSquares += value * value
}
