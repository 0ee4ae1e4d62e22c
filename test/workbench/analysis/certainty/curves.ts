/** Equity curves of made-up days, for the tests of this folder. */
import type { EquityCurve } from '../../../../src/workbench/analysis/certainty/equity.ts'

const DAY_MS = 86_400_000

/** Daily equity from 2024-01-30 on, so that a month ends after two days. */
export function curveOf(investment: number, equity: readonly number[], start = Date.UTC(2024, 0, 30)): EquityCurve {
  const dateOf = (index: number) => new Date(start + index * DAY_MS).toISOString().slice(0, 10)
  return { investment, dailyEquity: equity.map((value, index) => ({ date: dateOf(index), equity: value })) }
}
