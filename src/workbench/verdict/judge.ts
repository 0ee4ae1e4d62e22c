/** From evidence to one verdict: a grade, a sentence, at most three reasons, what to expect and what to do next. Pure. */
import { DAY_MS } from '../../engine/daily-equity.ts'
import type { MarketFit } from '../analysis/certainty/sharpe-probability.ts'
import { ascending, quantile } from '../analysis/quantiles.ts'
import type { Evidence, HoldoutEvidence, HonestFills, Known } from './evidence.ts'
import { findNotes, type Remark } from './noted.ts'
import { findReasons, headlineOf, type Names, type Reason, whyNotJudged } from './reasons.ts'
import { GRADE_NAMES, GRADES, type Grade, gradeOf } from './rules.ts'
import { type HistoryStretch, historyToFetch } from './stretches.ts'
import { amountText, dateOf, daysOf, gain, share, yearsOf } from './words.ts'

/** Kept with every verdict: another set of rules judges anew. */
export const RULES = 'verdict-1'

const mostReasons = 3
/** A market that changed by less stood still, percent. */
const standsWithin = 5
/** Fewer stretches of one direction say nothing. */
const leastOfDirection = 5
/** Where less history is stored, nothing is expected. */
const leastExpectedDays = 90
/** How much wider than the stretches themselves the range is told: measured on spans that followed. */
const widenedRange = 1.25
const widenedDrawdown = 1.1

/** Amounts in quote, shares in percent, times ISO 8601 UTC. */
export interface Verdict {
  readonly rules: typeof RULES
  readonly grade: Grade
  /** At most 72 characters. */
  readonly headline: string
  readonly sentence: string
  readonly reasons: readonly Reason[]
  readonly excess: Excess | null
  readonly plain: { readonly differencePercent: number; readonly error: number; readonly t: number } | null
  readonly holdout: HoldoutEvidence | null
  readonly honest: Omit<HonestFills, 'stressed'> | null
  readonly stressed: number | null
  /** Daily equity on the daily close over the days of the study; errors for independent days. */
  readonly onMarket: {
    readonly beta: number
    readonly betaError: number
    readonly alphaPercentPerDay: number
    readonly alphaError: number
  } | null
  /** Configurations whose results were shown, and those that were only computed here, at most. */
  readonly tried: Evidence['tried']
  readonly next: NextStep | null
  readonly expect: Expectation | null
  /** What could not be known, with its reason. */
  readonly unknown: readonly { readonly what: string; readonly why: string }[]
  /** Further reasons, and what else was noted; it changes no grade. */
  readonly also: readonly Remark[]
}

interface Excess {
  readonly mean: number
  readonly error: number
  readonly t: number
  readonly usualCapital: number
  readonly stretches: number
  readonly disjoint: number
  readonly days: number
  readonly interval: string
  readonly from: string
  readonly to: string
}

export interface NextStep {
  /** Can be pasted. */
  readonly command: string
  readonly why: string
  /** Backtests that it spends. */
  readonly jobs: number
}

export interface Expectation {
  readonly days: number
  readonly stretches: number
  readonly from: string
  readonly to: string
  readonly rows: readonly DirectionRow[]
  /** 9 of 10 end between. */
  readonly low: number
  readonly high: number
  readonly drawdownBelowPercent: number
}

export interface DirectionRow {
  readonly market: 'rose' | 'stood' | 'fell'
  readonly stretches: number
  /** null under five stretches. */
  readonly middleHalf: readonly [number, number] | null
  readonly worst: number | null
}

/** @param names what commands call the configuration */
export function judge(evidence: Evidence, names: Names): Verdict {
  const found = findReasons(evidence, names)
  const grade = gradeOf({ evidence, hard: found.filter(({ hard }) => hard) })
  const { stretches, honest, holdout, tried } = evidence
  const known = 'missing' in stretches ? undefined : stretches.value
  const against = known?.against
  const judged = whyNotJudged(evidence) === null
  const fills = 'missing' in honest ? null : honest.value
  return {
    rules: RULES,
    grade,
    headline: headline(grade, evidence, found),
    sentence: sentence(grade, evidence, found),
    reasons: found.slice(0, mostReasons),
    excess:
      !judged || known === undefined || against === undefined
        ? null
        : {
            ...against.excess,
            usualCapital: against.usualCapital,
            stretches: known.stretches.length,
            disjoint: known.disjoint,
            days: Math.round(known.lengthMs / DAY_MS),
            interval: known.interval,
            from: dateOf(known.from),
            to: dateOf(known.to),
          },
    plain:
      !judged || against === undefined
        ? null
        : { differencePercent: against.overPlain.mean, error: against.overPlain.error, t: against.overPlain.t },
    holdout: holdout !== null && 'value' in holdout ? holdout.value : null,
    honest: fills === null ? null : withoutStressed(fills),
    stressed: fills?.stressed ?? null,
    onMarket: 'missing' in evidence.market ? null : inPercent(evidence.market.value),
    tried,
    next: nextStep(grade, evidence, names),
    expect: known === undefined ? null : expectation(known),
    unknown: unknownOf(evidence),
    also: [...found.slice(mostReasons).map(({ code, sentence }) => ({ code, sentence })), ...findNotes(evidence)],
  }
}

function inPercent({ beta, betaError, alpha, alphaError }: MarketFit): Verdict['onMarket'] {
  return { beta, betaError, alphaPercentPerDay: 100 * alpha, alphaError: 100 * alphaError }
}

function withoutStressed({ stressed, ...fills }: HonestFills): Omit<HonestFills, 'stressed'> {
  return fills
}

function headline(grade: Grade, evidence: Evidence, [first]: readonly Reason[]): string {
  const { says } = GRADES[grade]
  if (grade === 'doNotUse' && first !== undefined) return `${says}: ${headlineOf(first.code)}`
  if (grade === 'notJudged') return `${says}: ${whyNotJudged(evidence)?.short ?? 'not enough is known'}`
  return says
}

function sentence(grade: Grade, evidence: Evidence, [first]: readonly Reason[]): string {
  if (grade === 'doNotUse' && first !== undefined) return `${capitalized(first.sentence)}.`
  if (grade === 'notJudged') return `${capitalized(whyNotJudged(evidence)?.sentence ?? '')}.`
  const { stretches, holdout, trial } = evidence
  if ('missing' in stretches || stretches.value.against === undefined) return ''
  const { against, lengthMs, interval, stretches: all } = stretches.value
  const { excess, usualCapital, netProfit, held } = against
  const quote = trial.market.quoteAsset
  const more = excess.mean < 0 ? 'less' : 'more'
  const size = Math.max(Math.abs(excess.mean), excess.error)
  const [difference, error] = [Math.abs(excess.mean), excess.error].map((amount) => alike(amount, size))
  return [
    `In ${all.length} stretches of ${daysOf(lengthMs)} it earned ${gain(netProfit)} ${quote} each;`,
    `holding its usual ${amountText(usualCapital)} ${quote} earned ${gain(held)}:`,
    `${difference} ± ${error} ${more}.`,
    `(${interval} candles, ${yearsOf(stretches.value)})`,
    ...(holdout !== null && 'value' in holdout ? [ofHoldout(holdout.value)] : []),
  ].join(' ')
}

/** With as many decimals as the larger of two that stand together. */
function alike(amount: number, size: number): string {
  return amount.toFixed(size < 10 ? 2 : size < 1_000 ? 1 : 0)
}

function ofHoldout({ days, perUsedPercent, plainPerUsedPercent }: HoldoutEvidence): string {
  const also = perUsedPercent >= plainPerUsedPercent ? 'Also' : 'Not'
  return `${also} on ${days} days it had not seen: ${share(perUsedPercent)} of its capital, plain ladder ${share(plainPerUsedPercent)}.`
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function nextStep(grade: Grade, evidence: Evidence, { trial, study }: Names): NextStep | null {
  const { isCalibrated, holdout } = evidence
  if (grade === 'notJudged') return fetchHistory(evidence)
  if (
    grade === 'doNotUse' ||
    grade === 'holdingDidBetter' ||
    grade === 'holdingAsGood' ||
    grade === 'noBetterThanPlain'
  ) {
    return study === trial ? null : { command: `dcalab leaderboard ${study}`, why: 'see the others', jobs: 0 }
  }
  if (!isCalibrated && study !== trial) {
    return { command: `dcalab service calibrate ${study}`, why: 'its fees and fill rules are not known', jobs: 6 }
  }
  if (holdout !== null && 'missing' in holdout && study !== trial) {
    return { command: `dcalab holdout ${study}`, why: 'see what testing it on unseen days costs', jobs: 0 }
  }
  const why = grade === 'beat' ? 'try it as a demo bot' : 'watch it as a demo bot: unseen days, no money'
  return { command: `dcalab promote ${trial}`, why, jobs: 0 }
}

/** null where the exchange’s candles cannot be fetched, or where enough are stored. */
function fetchHistory({ trial, stretches }: Evidence): NextStep | null {
  const found = historyToFetch(trial.market, trial.period)
  if (found === null || ('value' in stretches && stretches.value.from <= found.from)) return null
  return { command: found.command, why: 'fetch the history that judges it', jobs: 0 }
}

function expectation({
  from,
  to,
  lengthMs,
  stretches,
  disjoint,
}: {
  readonly from: number
  readonly to: number
  readonly lengthMs: number
  readonly stretches: readonly HistoryStretch[]
  readonly disjoint: number
}): Expectation | null {
  if (to - from < leastExpectedDays * DAY_MS || disjoint < leastOfDirection) return null
  const profits = ascending(stretches.map(({ netProfit }) => netProfit))
  const at = (sorted: readonly number[], p: number) => quantile(sorted, p) ?? Number.NaN
  const middle = at(profits, 0.5)
  const falls = ascending(stretches.map(({ maxDrawdownPercent }) => maxDrawdownPercent))
  return {
    days: Math.round(lengthMs / DAY_MS),
    stretches: stretches.length,
    from: dateOf(from),
    to: dateOf(to),
    rows: (['rose', 'stood', 'fell'] as const).map((market) => rowOf(market, stretches)),
    low: middle - widenedRange * (middle - at(profits, 0.05)),
    high: middle + widenedRange * (at(profits, 0.95) - middle),
    drawdownBelowPercent: widenedDrawdown * at(falls, 0.95),
  }
}

function rowOf(market: DirectionRow['market'], stretches: readonly HistoryStretch[]): DirectionRow {
  const profits = ascending(
    stretches.filter(({ changePercent }) => directionOf(changePercent) === market).map(({ netProfit }) => netProfit),
  )
  const [low, high] = [quantile(profits, 0.25), quantile(profits, 0.75)]
  const isEnough = profits.length >= leastOfDirection
  return {
    market,
    stretches: profits.length,
    middleHalf: isEnough && low !== undefined && high !== undefined ? [low, high] : null,
    worst: isEnough ? (profits.at(0) ?? null) : null,
  }
}

function directionOf(changePercent: number): DirectionRow['market'] {
  if (changePercent > standsWithin) return 'rose'
  return changePercent < -standsWithin ? 'fell' : 'stood'
}

function unknownOf({ stretches, honest, localDifference, holdout, foreignService }: Evidence): Verdict['unknown'] {
  const all: readonly (readonly [string, Known<unknown> | null])[] = [
    ['stretches', stretches],
    ['fills', honest],
    ['agreement with the local engine', foreignService === null ? null : localDifference],
    ['hold-out', holdout],
  ]
  return all.flatMap(([what, known]) => (known !== null && 'missing' in known ? [{ what, why: known.missing }] : []))
}

export interface MarketVerdict<Of extends Pick<Verdict, 'headline'> & { readonly grade: string } = Verdict> {
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  readonly verdict: Of
}

/** Of several markets the worst grade, first in their order; its headline names the market. One market keeps its own. */
export function worstOf<Of extends Pick<Verdict, 'headline'> & { readonly grade: string }>(
  verdicts: readonly [MarketVerdict<Of>, ...MarketVerdict<Of>[]],
): MarketVerdict<Of> {
  const grades: readonly string[] = GRADE_NAMES
  const placeOf = ({ verdict }: MarketVerdict<Of>) => grades.indexOf(verdict.grade)
  const worst = verdicts.reduce((found, one) => (placeOf(one) < placeOf(found) ? one : found))
  if (verdicts.length === 1) return worst
  const [, pair = worst.market] = worst.market.split('/')
  const [says, ...rest] = worst.verdict.headline.split(': ')
  const headline = [`${says} on ${pair}`, ...rest].join(': ')
  return { market: worst.market, verdict: { ...worst.verdict, headline } }
}
