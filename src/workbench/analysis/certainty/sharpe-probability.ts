/**
 * Whether a Sharpe ratio is more than chance, from the moments of the returns it was computed from. All Sharpe ratios here are per return (daily),
 * not per year. Probabilities hold for independent returns; under `FEWEST_RETURNS` of them they say nothing, and callers refuse. Below: the
 * probability of backtest overfitting.
 *
 * D. H. Bailey and M. López de Prado, "The Sharpe ratio efficient frontier", Journal of Risk 15, 2012 (probabilistic); "The deflated Sharpe ratio",
 * Journal of Portfolio Management 40, 2014 (deflated, expected maximum).
 */
import { power } from '../../../engine/numbers.ts'
import { mean } from '../quantiles.ts'
import { splitEvenly } from './equity.ts'

// The normal distribution and its inverse to full double precision, also far out, where 1 − Φ(x) of a rounded Φ(x) would be 0.
//
// Φ: the rational Chebyshev approximations of W. J. Cody ("Rational Chebyshev approximations for the error function", Math. Comp. 23, 1969), in the
// form of his ANORM (Algorithm 715, ACM TOMS 19, 1993), which takes x itself: an erfc of x/√2 would multiply the rounding of the root by x².
// Φ⁻¹: PPND16 of M. J. Wichura ("Algorithm AS 241: the percentage points of the normal distribution", Applied Statistics 37, 1988).

/** Numerator and denominator, coefficients of the highest power first. */
interface Rational {
  readonly above: readonly number[]
  readonly below: readonly number[]
}

const CENTRE: Rational = {
  above: [0.06568233791820745, 2.2352520354606837, 161.02823106855587, 1067.6894854603709, 18154.98125334356],
  below: [1, 47.202581904688245, 976.0985517377767, 10260.932208618979, 45507.78933502673],
}

const MIDDLE: Rational = {
  above: [
    1.0765576773720192e-8, 0.39894151208813466, 8.883149794388377, 93.50665613217785, 597.2702763948002,
    2494.5375852903726, 6848.190450536283, 11602.65143764735, 9842.714838383978,
  ],
  below: [
    1, 22.266688044328117, 235.387901782625, 1519.3775994075547, 6485.558298266761, 18615.571640885097,
    34900.95272114598, 38912.00328609327, 19685.429676859992,
  ],
}

const TAIL: Rational = {
  above: [
    0.023073441764940174, 0.215898534057957, 0.12740116116024736, 0.022235277870649807, 0.0014216191932278934,
    2.9112874951168793e-5,
  ],
  below: [1, 1.284260096144911, 0.4682382124808651, 0.06598813786892856, 0.0037823963320275824, 7.297515550839662e-5],
}

const QUANTILE_CENTRE: Rational = {
  above: [
    2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946, 1971.5909503065513,
    133.14166789178438, 3.3871328727963665,
  ],
  below: [
    5226.495278852854, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751, 687.1870074920579,
    42.31333070160091, 1,
  ],
}

const QUANTILE_MIDDLE: Rational = {
  above: [
    0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684, 3.6478483247632045,
    5.769497221460691, 4.630337846156546, 1.4234371107496835,
  ],
  below: [
    1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008, 0.6897673349851,
    1.6763848301838038, 2.053191626637759, 1,
  ],
}

const QUANTILE_TAIL: Rational = {
  above: [
    2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124, 0.29656057182850487,
    1.7848265399172913, 5.463784911164114, 6.657904643501103,
  ],
  below: [
    2.0442631033899397e-15, 1.421511758316446e-7, 1.8463183175100548e-5, 0.0007868691311456133, 0.014875361290850615,
    0.1369298809227358, 0.599832206555888, 1,
  ],
}

const ROOT_OF_2_PI = Math.sqrt(2 * Math.PI)

/**
 * Φ(x), the probability of a standard normal number up to x: 0 to 1, NaN of NaN. The relative error is below 1e-14 for every x ≥ −37.5; below that
 * the value is a subnormal double with fewer digits, and below about −38.5 it is 0.
 */
export function normalCdf(x: number): number {
  if (Number.isNaN(x)) return x
  const distance = Math.abs(x)
  if (distance <= 0.67448975) return 0.5 + x * rationalAt(CENTRE, x * x)
  const tail = upperTail(distance)
  return x < 0 ? tail : 1 - tail
}

/** 1 − Φ(x) for x above 0.67: exp(−x²/2) times a rational function. */
function upperTail(x: number): number {
  if (x > 39) return 0
  const inverseSquare = 1 / (x * x)
  const factor =
    x <= Math.sqrt(32)
      ? rationalAt(MIDDLE, x)
      : (1 / ROOT_OF_2_PI - inverseSquare * rationalAt(TAIL, inverseSquare)) / x
  // x² has a rounding error that exp would multiply; the square of sixteenths is exact, and the rest is small.
  const sixteenths = Math.trunc(x * 16) / 16
  const rest = (x - sixteenths) * (x + sixteenths)
  return Math.exp(-sixteenths * sixteenths * 0.5) * Math.exp(-rest * 0.5) * factor
}

/**
 * Φ⁻¹(p), the x below which a standard normal number lies with probability p; relative error below 1e-14.
 * @param p above 0 and below 1; anything else throws, for it has no finite answer
 */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`a probability above 0 and below 1 has a normal quantile, ${p} has none`)
  const fromMiddle = p - 0.5
  if (Math.abs(fromMiddle) <= 0.425) {
    return fromMiddle * rationalAt(QUANTILE_CENTRE, 0.180625 - fromMiddle * fromMiddle)
  }
  const root = Math.sqrt(-Math.log(Math.min(p, 1 - p)))
  const distance = root <= 5 ? rationalAt(QUANTILE_MIDDLE, root - 1.6) : rationalAt(QUANTILE_TAIL, root - 5)
  return fromMiddle < 0 ? -distance : distance
}

function rationalAt({ above, below }: Rational, x: number): number {
  return polynomialAt(above, x) / polynomialAt(below, x)
}

/** Horner's scheme. */
function polynomialAt(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0)
}

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

/** How many configurations were tried, and how their Sharpe ratios spread. */
interface SharpeTrials {
  readonly tried: number
  /** Of the Sharpe ratios (per return) of many configurations. */
  readonly variance: number
}

const EULER_GAMMA = 0.5772156649015329

/**
 * The Sharpe ratio (per return) that the best of N configurations tried is expected to have where none has an edge:
 * SR₀ = √V · ((1 − γ)·Φ⁻¹(1 − 1/N) + γ·Φ⁻¹(1 − 1/(N·e))) with Euler's γ. Null under two, for which the formula has no value.
 */
export function expectedMaximumSharpe({ tried, variance }: SharpeTrials): number | null {
  if (!(tried >= 2)) return null
  // Φ⁻¹(1 − q) = −Φ⁻¹(q): of a rounded 1 − q little would be left where N is large.
  const ofBest = -normalQuantile(1 / tried)
  const ofNext = -normalQuantile(1 / (tried * Math.E))
  return Math.sqrt(variance) * ((1 - EULER_GAMMA) * ofBest + EULER_GAMMA * ofNext)
}

/** The probabilistic Sharpe ratio against what the best of so many tried is expected to have without an edge. Null where either has no value. */
export function deflatedSharpe(moments: ReturnMoments, tried: SharpeTrials): number | null {
  const expected = expectedMaximumSharpe(tried)
  return expected === null ? null : probabilisticSharpe(moments, expected)
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

// The probability of backtest overfitting (PBO): how often the configuration that was best in one half of the days lies in the lower half of all
// configurations in the other days. Combinatorially symmetric cross-validation of D. H. Bailey, J. Borwein, M. López de Prado and Q. J. Zhu, "The
// probability of backtest overfitting", Journal of Computational Finance 20, 2017.
//
// Days are cut into blocks, every half of the blocks is once in sample. A half's mean return is a sum of block sums, so days are read once, and
// the blocks of a half are looked up in two tables instead of being added: one for each set of the first blocks, one for each set of the others.

const OVERFITTING_BLOCKS = 16

interface Overfitting {
  /** Share of halves, 0–1, whose winner is not above the middle of the other half: logit ln(ω / (1 − ω)) ≤ 0. */
  readonly probability: number
  /** C(S, S/2) of S blocks. */
  readonly halves: number
}

/**
 * ω = rank / (N + 1), with the rank (1 = worst, ties share their mean rank) that the winner in sample has out of sample among N configurations.
 * @param columns daily returns of each configuration, fractions, all over the same days. Callers give configurations of equal behaviour once, and
 * sort by fingerprint: of two winners in sample the first counts.
 * @param blocks S, even; spans of days as numpy's `array_split`
 * @returns null with fewer than two configurations or with fewer days than blocks
 */
export function backtestOverfitting(
  columns: readonly (readonly number[])[],
  blocks: number = OVERFITTING_BLOCKS,
): Overfitting | null {
  const days = columns.at(0)?.length ?? 0
  const spans = splitEvenly(days, blocks)
  if (columns.length < 2 || spans.length === 0) return null

  // One row per block, in it one sum per configuration.
  const sums = spans.map(({ start, end }) =>
    Float64Array.from(columns, (returns) => returns.slice(start, end).reduce((sum, value) => sum + value, 0)),
  )
  const split = blocks / 2
  const tables = { first: sumsOfSets(sums.slice(0, split)), rest: sumsOfSets(sums.slice(split)) }
  const everyBlock = 2 ** blocks - 1
  const lowBits = 2 ** split - 1
  const [inSample, outOfSample] = [new Float64Array(columns.length), new Float64Array(columns.length)]
  let halves = 0
  let lost = 0
  for (let half = 0; half <= everyBlock; half++) {
    if (countBits(half) !== split) continue
    const other = everyBlock - half
    addColumns(tables.first[half & lowBits], tables.rest[half >>> split], inSample)
    addColumns(tables.first[other & lowBits], tables.rest[other >>> split], outOfSample)
    halves++
    if (isInLowerHalf(outOfSample, indexOfFirstLargest(inSample))) lost++
  }
  return { probability: lost / halves, halves }
}

/** For each set of the blocks (bit k = block k), the sums of each configuration over the blocks in it. */
function sumsOfSets(sums: readonly Float64Array[]): readonly Float64Array[] {
  let sets = [new Float64Array(sums[0].length)]
  for (const block of sums) {
    const withBlock = sets.map((set) => {
      const sum = new Float64Array(block.length)
      addColumns(set, block, sum)
      return sum
    })
    sets = [...sets, ...withBlock]
  }
  return sets
}

function addColumns(a: Float64Array, b: Float64Array, sum: Float64Array): void {
  for (let index = 0; index < sum.length; index++) sum[index] = a[index] + b[index]
}

function indexOfFirstLargest(values: Float64Array): number {
  let largest = 0
  for (let index = 1; index < values.length; index++) if (values[index] > values[largest]) largest = index
  return largest
}

/** ω = rank / (N + 1) ≤ 1/2, which is a logit ≤ 0; as 2·rank ≤ N + 1 it needs no rounding. Rank = values below + (equal ones + 1) / 2. */
function isInLowerHalf(values: Float64Array, winner: number): boolean {
  const own = values[winner]
  let twiceRank = 1
  for (const value of values) {
    if (value < own) twiceRank += 2
    else if (value === own) twiceRank++
  }
  return twiceRank <= values.length + 1
}

function countBits(set: number): number {
  let bits = 0
  for (let rest = set; rest !== 0; rest &= rest - 1) bits++
  return bits
}
