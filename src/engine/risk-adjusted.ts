/**
 * Ratios of return to risk. Daily returns are fractions; a crypto year has 365 trading days and the risk-free rate is 0. A ratio
 * that a short or riskless run does not define is null.
 */

import { power } from './numbers.ts'

export const FEWEST_DAYS = 30
export const DAYS_PER_YEAR = 365
/** Equity has a rounding error of about 1e-16 of itself; a spread of daily returns below this is rounding, not risk. */
const NO_SPREAD = 1e-14

/** mean / standard deviation (n − 1) · √365. */
export function sharpeRatio(returns: readonly number[]): number | null {
  if (returns.length < FEWEST_DAYS) return null
  const average = mean(returns)
  const variance = returns.reduce((sum, value) => sum + square(value - average), 0) / (returns.length - 1)
  return yearlyRatio(average, Math.sqrt(variance))
}

/**
 * One standard error of a yearly Sharpe ratio from so many daily returns: √(365 / days), in the unit of the ratio; null without returns. A 90 %
 * interval is 1.65 times as wide to each side. It is the error √((1 + SR²/2) / T) per period of independent returns (A. Lo, The Statistics of
 * Sharpe Ratios, Financial Analysts Journal 58/4, 2002, equation 9), where the ratio SR of one day is small beside 1; returns that follow each
 * other make it larger.
 */
export function sharpeError(days: number): number | null {
  return days > 0 ? Math.sqrt(DAYS_PER_YEAR / days) : null
}

/** mean / √(mean of squared losses over all days) · √365. */
export function sortinoRatio(returns: readonly number[]): number | null {
  if (returns.length < FEWEST_DAYS) return null
  return yearlyRatio(mean(returns), Math.sqrt(mean(returns.map((value) => square(Math.min(value, 0))))))
}

/** Yearly growth in percent of `factor` = end / start equity over `days`; null under 30 days and when all is lost. */
export function cagrPercent(factor: number, days: number): number | null {
  if (days < FEWEST_DAYS || factor <= 0) return null
  const growth = power(factor, DAYS_PER_YEAR / days) - 1
  return Number.isFinite(growth) ? 100 * growth : null
}

/** average / spread of daily returns, scaled to a year; null when the spread is 0. */
export function yearlyRatio(average: number, spread: number): number | null {
  return spread < NO_SPREAD ? null : (average / spread) * Math.sqrt(DAYS_PER_YEAR)
}

function square(value: number): number {
  return value * value
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
