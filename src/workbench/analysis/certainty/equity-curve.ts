import type { DatedEquity } from '../equity-correlation.ts'

/** What a result was worth day by day: end-of-day UTC equity in quote with the open deal marked, oldest first. It starts from the investment. */
export interface EquityCurve {
  /** Quote. */
  readonly investment: number
  readonly dailyEquity: readonly DatedEquity[]
}

/** The last equity, quote; without days the investment. */
export function lastEquity({ investment, dailyEquity }: EquityCurve): number {
  return dailyEquity.at(-1)?.equity ?? investment
}

/** What each day gained, quote; the first from the investment. */
export function dailyGains({ investment, dailyEquity }: EquityCurve): number[] {
  return dailyEquity.map(({ equity }, index) => equity - (index === 0 ? investment : dailyEquity[index - 1].equity))
}
