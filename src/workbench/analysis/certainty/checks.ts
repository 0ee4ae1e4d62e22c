/**
 * What an examination finds out about a trial: one named check for each thing that a trader should know before believing its result. What cannot be
 * known is refused: the check is null, and its reason stands beside it. Amounts are in quote, shares in percent, times ISO 8601 UTC.
 */
import type { StartsFact, TakeProfitFact } from './arbitrariness.ts'

/** Two complete runs, by the worse and the better order of prices inside every candle. Neither is a bound. */
interface AmbiguityCheck {
  /** Net profit. */
  readonly pessimistic: number
  readonly optimistic: number
  readonly ambiguousCandles: number
  /** Places among the study's configurations under the same order, 1 = best; null where `rankReason` says why. */
  readonly rankPessimistic: number | null
  readonly rankOptimistic: number | null
  readonly rankReason: string | null
  /** Configurations that were compared. */
  readonly of: number
  readonly signFlips: boolean
  /** A place of the two is not among the best tenth. */
  readonly leavesTopTenth: boolean
}

/** Where the profit came from. The shares are of the net profit, and null when there is none. */
interface PartsCheck {
  readonly thirds: readonly number[]
  readonly months: readonly { readonly month: string; readonly profit: number }[]
  readonly largestThird: { readonly index: number; readonly profit: number; readonly sharePercent: number } | null
  readonly largestMonth: { readonly month: string; readonly profit: number; readonly sharePercent: number } | null
  readonly largestDeal: { readonly openedAt: string; readonly profit: number; readonly sharePercent: number } | null
}

/** Over the study's configurations: whether those that were good in the first half were good in the second. */
interface NextSpanCheck {
  /** Spearman's rank correlation of the objective. */
  readonly rho: number
  /** Configurations with a value in both halves. */
  readonly n: number
  /** Where the second half begins. */
  readonly splitAt: string
}

interface WalkForwardFold {
  readonly train: { readonly from: string; readonly to: string }
  readonly test: { readonly from: string; readonly to: string }
  /** The config fingerprint; null where none could be chosen, and `why` says so. */
  readonly chosen: string | null
  readonly why: string | null
  /** The objective of the chosen, on train and on test. */
  readonly trainValue: number | null
  readonly testValue: number | null
  /** Net profit of the chosen on test. */
  readonly netProfit: number | null
  /** Of the chosen among all configurations on test, by the objective: 100 = best. */
  readonly percentile: number | null
  /** What the market did, in percent from the first open to the last close; null = it has no candles there. */
  readonly trainMarketPercent: number | null
  readonly testMarketPercent: number | null
}

interface WalkForwardCheck {
  readonly folds: readonly WalkForwardFold[]
  /** Configurations among which was chosen. */
  readonly configs: number
  readonly meanPercentile: number | null
  /** Which fold has the worst test value, from 1. */
  readonly worstFold: number | null
  /** Net profits of the tests, added, not compounded. */
  readonly profit: number | null
  /** The objective of the tests, reduced as the study says; null where `valueReason` says why. */
  readonly value: number | null
  readonly valueReason: string | null
}

export interface Fall {
  readonly dropPercent: number
  /** Cost with fees of what was bought on the way. */
  readonly tied: number
  /** Above 0 for a loss. */
  readonly loss: number
  /** By how many percent the price has to rise from there for a sale of everything to pay for it; null where nothing is held. */
  readonly breakEvenRisePercent: number | null
  readonly rungsFilled: number
  /** The stop has sold it on the way. */
  readonly stopped: boolean
}

export interface Benchmark {
  readonly profit: number
  readonly maxDrawdownPercent: number
}

interface BenchmarkCheck {
  /** Everything invested at the first open. */
  readonly hold: Benchmark
  /** As much of it as the bot used on average, the rest in cash. */
  readonly exposedHold: Benchmark
  /** Equal purchases every day, and every week. */
  readonly periodic: { readonly daily: Benchmark; readonly weekly: Benchmark }
}

interface CapitalCheck {
  readonly average: number
  readonly max: number
  /** Of the investment. */
  readonly averagePercent: number
  readonly netProfit: number
  /** Net profit of the average capital used; null when nothing was used. */
  readonly netProfitPerUsedPercent: number | null
  readonly timeInDealPercent: number
  /** Pearson's correlation of net profit with average used capital over the study's configurations; null where `reason` says why. */
  readonly profitFollowsCapital: number | null
  readonly reason: string | null
}

interface NoiseCheck {
  /** One standard error of the net profit. */
  readonly standardError: number
  readonly netProfit: number
  /** To the best of the other configurations; null where `leadReason` says why. */
  readonly lead: number | null
  readonly leadStandardError: number | null
  readonly leadReason: string | null
}

interface SharpeCheck {
  /** Annual. */
  readonly value: number
  /** One standard error, which follows from the daily returns (Newey–West); 90 % of chance lies within 1.65 of them. */
  readonly standardError: number
  readonly days: number
}

interface TriedCheck {
  /** Different configurations with a paid result on overlapping time. */
  readonly shown: number
  /** Of local screens and backtests, summed: at most so many. */
  readonly scanned: number
  readonly total: number
}

/** Each number is null where its reason stands. */
export interface OverfittingCheck {
  readonly dailyReturns: number
  /** Probability that the true Sharpe ratio is above 0. */
  readonly psr: number | null
  readonly psrReason: string | null
  /** The same above what the best of all configurations tried reaches by chance. Below 0.95 is a warning; above it proves nothing. */
  readonly dsr: number | null
  readonly dsrReason: string | null
  /** Looks and variance of the Sharpe ratio over the space, per day, that DSR was computed with. */
  readonly dsrOf: { readonly tried: number; readonly variance: number } | null
  /** How often the best of one half of the days is below the middle in the other, by returns without what holding explains of them. */
  readonly pbo: number | null
  readonly pboReason: string | null
}

interface LocalCheck {
  /** Net profit of the service less the local engine's. */
  readonly difference: number
  /** Of the investment. */
  readonly differencePercent: number
  /** Closed deals of the service less the local engine's; null where it states none. */
  readonly deals: number | null
  /** Where the terms that the local engine computed under come from. */
  readonly termsFrom: TermsOrigin
  /** The service used other candles than the local ones; null = it does not say which. */
  readonly sameCandles: boolean | null
}

export type TermsOrigin = 'result' | 'calibration' | 'poorCalibration' | 'study'

/** What the market itself did. */
interface DirectionCheck {
  /** From the first open to the last close. */
  readonly changePercent: number
  /** From the lowest low to the highest high, of the lowest. */
  readonly rangePercent: number
  /** The change as a share of the range, −1 to 1. */
  readonly shareOfRange: number
}

/** In the order in which they are shown. */
export interface Checks {
  readonly localRun: LocalCheck | null
  readonly ambiguity: AmbiguityCheck | null
  readonly starts: StartsFact | null
  readonly takeProfitCurve: TakeProfitFact | null
  readonly thirds: PartsCheck | null
  readonly nextSpan: NextSpanCheck | null
  readonly walkForward: WalkForwardCheck | null
  readonly fall: readonly Fall[] | null
  readonly benchmark: BenchmarkCheck | null
  readonly capital: CapitalCheck | null
  readonly noise: NoiseCheck | null
  readonly sharpe: SharpeCheck | null
  readonly tried: TriedCheck | null
  readonly overfitting: OverfittingCheck | null
  readonly direction: DirectionCheck | null
}

export type CheckName = keyof Checks

/** A check's answer, or why there is none. */
export type CheckAnswer<Name extends CheckName = CheckName> =
  | { readonly value: NonNullable<Checks[Name]> }
  | { readonly refused: string }
