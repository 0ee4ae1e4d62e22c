import type { Metrics } from '../contract/metrics.ts'

export const DAY_MS = 86_400_000

/** Equity at the end of every UTC day from the first candle's to the last one's. A candle belongs to the day of its open. */
export interface DailyEquity {
  /** Days since 1970-01-01; null before the first candle. */
  firstDay: number | null
  /** One value per day; a day without candles repeats the one before, the last day may be partial. */
  readonly values: number[]
}

export function createDailyEquity(): DailyEquity {
  return { firstDay: null, values: [] }
}

/** Records equity at a close; call in time order. The last close of a day counts. Days in between without a close repeat the value before them. */
export function observeDay(daily: DailyEquity, openTime: number, equity: number): void {
  const day = Math.floor(openTime / DAY_MS)
  daily.firstDay ??= day
  const { values } = daily
  const index = day - daily.firstDay
  while (values.length < index) values.push(values[values.length - 1])
  values[index] = equity
}

/** Returns from one day end to the next, as fractions; the first from `startEquity`. */
export function dailyReturns({ values }: DailyEquity, startEquity: number): number[] {
  return values.map((value, index) => growth(index === 0 ? startEquity : values[index - 1], value))
}

export function datedEquity({ firstDay, values }: DailyEquity): Metrics['dailyEquity'] {
  return values.map((equity, index) => ({ date: isoDate((firstDay ?? 0) + index), equity }))
}

/** Returns from one UTC month end to the next, in percent; the first from `startEquity`, the last month may be partial. */
export function monthlyReturns(daily: DailyEquity, startEquity: number): Metrics['monthlyReturns'] {
  const monthEnds = new Map(datedEquity(daily).map(({ date, equity }) => [date.slice(0, 7), equity]))
  let before = startEquity
  return Array.from(monthEnds, ([month, equity]) => {
    const returnPercent = 100 * growth(before, equity)
    before = equity
    return { month, returnPercent }
  })
}

/** Return from one value to the next; 0 after a total loss. */
function growth(before: number, after: number): number {
  return before > 0 ? after / before - 1 : 0
}

/** Runs on the same market format the same dates again and again, which took longer than the simulation. So dates are kept. */
const isoDates = new Map<number, string>()

function isoDate(day: number): string {
  const known = isoDates.get(day) ?? new Date(day * DAY_MS).toISOString().slice(0, 10)
  isoDates.set(day, known)
  return known
}
