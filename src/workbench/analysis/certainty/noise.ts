/**
 * How much a net profit could have differed by chance, as one standard error. If days were independent draws, the sum of n of them has the
 * standard deviation s · √n, where s is that of one day. It is a unit of measure and no interval: days are not independent, and few of them know
 * little of the rare ones. The open deal has to be marked in the equity: deals alone hide its loss.
 */
import { mean } from '../quantiles.ts'
import { dailyGains, type EquityCurve, lastEquity } from './equity-curve.ts'

/** Sample standard deviation (n − 1) of the daily equity changes · √days, quote. Null under two days. */
export function profitNoise(curve: EquityCurve): number | null {
  return standardErrorOfSum(dailyGains(curve))
}

/**
 * One standard error of the lead of `a` over `b`, quote: the noise of their daily difference, in which what both gain and lose together is gone.
 * Null under two days, and where they do not have the same dates.
 */
export function leadNoise(a: EquityCurve, b: EquityCurve): number | null {
  if (!haveSameDates(a, b)) return null
  const ofB = dailyGains(b)
  return standardErrorOfSum(dailyGains(a).map((gain, index) => gain - ofB[index]))
}

/**
 * By how much the net profit of `a` exceeds that of `b`, quote: with the same investment, the difference of their last equities.
 * Null where they do not have the same dates.
 */
export function leadOver(a: EquityCurve, b: EquityCurve): number | null {
  if (!haveSameDates(a, b)) return null
  return lastEquity(a) - lastEquity(b) - (a.investment - b.investment)
}

function haveSameDates({ dailyEquity: a }: EquityCurve, { dailyEquity: b }: EquityCurve): boolean {
  return a.length === b.length && a.every(({ date }, index) => date === b[index].date)
}

function standardErrorOfSum(values: readonly number[]): number | null {
  const average = mean(values)
  if (average === undefined || values.length < 2) return null
  const squares = values.reduce((sum, value) => sum + (value - average) * (value - average), 0)
  return Math.sqrt((squares / (values.length - 1)) * values.length)
}
