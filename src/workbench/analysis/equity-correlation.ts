/** Whether two trials rise and fall on the same days: Pearson's correlation of their daily returns. */
import { pearson } from './correlation.ts'

export interface DatedEquity {
  readonly date: string
  readonly equity: number
}

export interface Correlation {
  /** Days on which both have a return. */
  readonly days: number
  /** −1 to 1; null where one of them never moves, or there are fewer than two such days. */
  readonly correlation: number | null
}

/** Equity carries a rounding error of about 1e-16 of itself; less spread of returns than this is rounding. */
const NO_SPREAD = 1e-14

export function correlateEquity(a: readonly DatedEquity[], b: readonly DatedEquity[]): Correlation {
  const ofB = dailyReturns(b)
  const pairs = [...dailyReturns(a)].flatMap(([date, x]) => {
    const y = ofB.get(date)
    return y === undefined ? [] : [[x, y] as const]
  })
  return { days: pairs.length, correlation: pearson(pairs, NO_SPREAD) }
}

/** From one listed day to the next, as fractions; of the first day and after a total loss there is none. */
function dailyReturns(equity: readonly DatedEquity[]): ReadonlyMap<string, number> {
  return new Map(
    equity.flatMap(({ date, equity: value }, index) => {
      const before = index === 0 ? 0 : equity[index - 1].equity
      return before > 0 ? [[date, value / before - 1] as const] : []
    }),
  )
}
