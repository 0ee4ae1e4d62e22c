/** A trial month by month. Pure. */
import type { Metrics } from '../../../contract/metrics.ts'
import { monthlyReturns } from '../../../engine/daily-equity.ts'
import type { EquitySeries } from './equity-block.ts'

export interface MonthRow {
  /** `2025-06`, UTC. */
  readonly month: string
  readonly returnPercent: number
  /** Length of its bar: its size over the largest, 0 to 1. */
  readonly share: number
}

/** The first and the last month may be partial. Empty without days. */
export function monthsOfDays({ firstDay, values }: EquitySeries, investment: number): MonthRow[] {
  return withShares(monthlyReturns({ firstDay, values: [...values] }, investment))
}

export function withShares(months: Metrics['monthlyReturns']): MonthRow[] {
  const largest = Math.max(...months.map(({ returnPercent }) => Math.abs(returnPercent)))
  return months.map(({ month, returnPercent }) => ({
    month,
    returnPercent,
    share: largest === 0 ? 0 : Math.abs(returnPercent) / largest,
  }))
}
