/**
 * Whether a Sharpe ratio is more than chance, from the moments of the returns it was computed from. All Sharpe ratios here are per return (daily),
 * not per year. Probabilities hold for independent returns; under `FEWEST_RETURNS` of them they say nothing, and callers refuse.
 *
 * D. H. Bailey and M. López de Prado, "The Sharpe ratio efficient frontier", Journal of Risk 15, 2012 (probabilistic); "The deflated Sharpe ratio",
 * Journal of Portfolio Management 40, 2014 (deflated, expected maximum).
 */
import { power } from '../../../engine/power.ts'
import { mean } from '../quantiles.ts'
import { normalCdf, normalQuantile } from './normal.ts'

/** Daily returns under which a caller shows none of these numbers. */
export const FEWEST_RETURNS = 200

/** What the probabilities need to know of a series of returns. */
export interface ReturnMoments {
  readonly count: number
  /** Mean / sample standard deviation (n − 1), per return; not annualized. */
  readonly sharpe: number
  /** Of the population: m₃ / m₂^1.5. */
  readonly skew: number
  /** Of the population, not in excess of the normal distribution's 3: m₄ / m₂². */
  readonly kurtosis: number
}

/** Equity has a rounding error of about 1e-16 of itself; a spread of daily returns below this is rounding, not risk. */
const NO_SPREAD = 1e-14

/** @param returns fractions. Null with fewer than two, or where all are equal: there is no ratio to a risk of 0. */
export function returnMoments(returns: readonly number[]): ReturnMoments | null {
  const count = returns.length
  const average = mean(returns)
  if (average === undefined || count < 2) return null
  let [squares, cubes, fourths] = [0, 0, 0]
  for (const value of returns) {
    const deviation = value - average
    const square = deviation * deviation
    squares += square
    cubes += square * deviation
    fourths += square * square
  }
  const variance = squares / count
  const spread = Math.sqrt(squares / (count - 1))
  if (spread < NO_SPREAD) return null
  return {
    count,
    sharpe: average / spread,
    skew: cubes / count / (variance * Math.sqrt(variance)),
    kurtosis: fourths / count / (variance * variance),
  }
}

/**
 * Probability that the true Sharpe ratio exceeds `benchmark` (per return):
 * PSR = Φ((SR − SR₀) · √(T − 1) / √(1 − γ₃·SR + (γ₄ − 1)/4 · SR²)) with skew γ₃ and kurtosis γ₄.
 * Null with fewer than two returns, and where the moments leave no variance under the root.
 */
export function probabilisticSharpe(
  { count, sharpe, skew, kurtosis }: ReturnMoments,
  benchmark: number,
): number | null {
  const variance = 1 - skew * sharpe + ((kurtosis - 1) / 4) * sharpe * sharpe
  if (count < 2 || !(variance > 0)) return null
  return normalCdf(((sharpe - benchmark) * Math.sqrt(count - 1)) / Math.sqrt(variance))
}

/** How many configurations were looked at, and how their Sharpe ratios spread. */
export interface SharpeLooks {
  readonly looks: number
  /** Of the Sharpe ratios (per return) of many configurations. */
  readonly variance: number
}

const EULER_GAMMA = 0.5772156649015329

/**
 * The Sharpe ratio (per return) that the best of N looks is expected to have where none has an edge:
 * SR₀ = √V · ((1 − γ)·Φ⁻¹(1 − 1/N) + γ·Φ⁻¹(1 − 1/(N·e))) with Euler's γ. Null under two looks, for which the formula has no value.
 */
export function expectedMaximumSharpe({ looks, variance }: SharpeLooks): number | null {
  if (!(looks >= 2)) return null
  // Φ⁻¹(1 − q) = −Φ⁻¹(q): of a rounded 1 − q little would be left where N is large.
  const ofBest = -normalQuantile(1 / looks)
  const ofNext = -normalQuantile(1 / (looks * Math.E))
  return Math.sqrt(variance) * ((1 - EULER_GAMMA) * ofBest + EULER_GAMMA * ofNext)
}

/** The probabilistic Sharpe ratio against what the best of so many looks is expected to have without an edge. Null where either has no value. */
export function deflatedSharpe(moments: ReturnMoments, looks: SharpeLooks): number | null {
  const expected = expectedMaximumSharpe(looks)
  return expected === null ? null : probabilisticSharpe(moments, expected)
}

/**
 * How many independent series daily returns amount to: (Σλ)² / Σλ² of the eigenvalues λ of their correlation matrix, which is n² over the sum of
 * its squared entries. n for independent ones, 1 for equal ones. Series that do not vary are left out.
 * @param columns over the same days
 */
export function effectiveNumber(columns: readonly (readonly number[])[]): number {
  const standard = columns.flatMap((returns) => {
    const average = mean(returns) ?? 0
    const length = Math.sqrt(returns.reduce((sum, value) => sum + (value - average) * (value - average), 0))
    return length < NO_SPREAD ? [] : [Float64Array.from(returns, (value) => (value - average) / length)]
  })
  let squares = standard.length
  for (const [at, one] of standard.entries()) {
    for (const other of standard.slice(at + 1)) {
      const correlation = one.reduce((sum, value, day) => sum + value * other[day], 0)
      squares += 2 * correlation * correlation
    }
  }
  return standard.length === 0 ? 0 : (standard.length * standard.length) / squares
}

/** What holding explains of returns, r = α + β·h + ε by least squares; errors for independent days. */
export interface MarketFit {
  readonly beta: number
  readonly betaError: number
  /** Per return. */
  readonly alpha: number
  readonly alphaError: number
}

/** Null with fewer than three returns, and where the market did not move. @param held returns of the price over the same days */
export function fitToMarket(returns: readonly number[], held: readonly number[]): MarketFit | null {
  const [own, market] = [mean(returns) ?? 0, mean(held) ?? 0]
  const count = returns.length
  let [together, variance] = [0, 0]
  for (const [day, value] of returns.entries()) {
    together += (value - own) * (held[day] - market)
    variance += (held[day] - market) * (held[day] - market)
  }
  if (count < 3 || variance === 0) return null
  const beta = together / variance
  const alpha = own - beta * market
  const left = returns.map((value, day) => value - alpha - beta * held[day])
  const squares = left.reduce((sum, value) => sum + value * value, 0) / (count - 2)
  const betaError = Math.sqrt(squares / variance)
  return { beta, betaError, alpha, alphaError: Math.sqrt(squares * (1 / count + (market * market) / variance)) }
}

/**
 * One standard error of a Sharpe ratio (per return) whose returns may follow each other: its influence function z − SR·(z² − 1)/2 of standardized
 * returns z, with the long-run variance of W. K. Newey and K. D. West (Econometrica 55, 1987) and their lag ⌊4·(T/100)^(2/9)⌋; A. Lo, "The
 * Statistics of Sharpe Ratios", Financial Analysts Journal 58/4, 2002. Null with fewer than two returns, where they do not vary, or where the sum
 * is no variance.
 */
export function dependentSharpeError(returns: readonly number[]): number | null {
  const moments = returnMoments(returns)
  if (moments === null) return null
  const { count, sharpe } = moments
  const average = mean(returns) ?? 0
  const deviation = Math.sqrt(
    returns.reduce((sum, value) => sum + (value - average) * (value - average), 0) / (count - 1),
  )
  const influence = returns.map((value) => {
    const z = (value - average) / deviation
    return z - (sharpe * (z * z - 1)) / 2
  })
  const lags = Math.floor(4 * power(count / 100, 2 / 9))
  const covariance = (lag: number) =>
    influence.slice(lag).reduce((sum, value, at) => sum + value * influence[at], 0) / count
  let variance = covariance(0)
  for (let lag = 1; lag <= lags; lag++) variance += 2 * (1 - lag / (lags + 1)) * covariance(lag)
  return variance > 0 ? Math.sqrt(variance / count) : null
}
