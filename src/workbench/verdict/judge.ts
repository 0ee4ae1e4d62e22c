/** From evidence to one verdict: a grade, a sentence, at most three reasons, what to expect and what to do next. Pure. */

import { isSmallSample } from '../../contract/metrics.ts'
import { DAY_MS } from '../../engine/daily-equity.ts'
import type { MarketFit } from '../analysis/certainty/sharpe-probability.ts'
import { ascending, quantile } from '../analysis/quantiles.ts'
import { type Evidence, type HoldoutEvidence, type HonestFills, NOT_OPENED } from './evidence.ts'
import { findReasons, headlineOf, leastLeadOverPlain, type Names, type Reason, whyNotJudged } from './reasons.ts'
import { type HistoryStretch, historyToFetch } from './stretches.ts'
import {
  amountText,
  dateOf,
  daysOf,
  decimalsOf,
  fieldInWords,
  gain,
  ofProfit,
  plainNumber,
  share,
  yearsOf,
} from './words.ts'

// What is also noted of a result: it changes no grade, and is folded below the reasons.

interface Remark {
  readonly code: string
  /** With its number, in one line. */
  readonly sentence: string
}

/** Of the profit. */
const mostDealPercent = 30
/** Probability that it is more than the luck of so many tried. */
const leastDeflated = 0.95
/** Of the splits of its days. */
const mostOverfitPercent = 50

type Find = (evidence: Evidence) => string | null

const NOTES = {
  edge: ({ beyond }) => {
    if (beyond === null) return null
    const { best, edges, axes } = beyond
    if (best === null) return `${edges} of ${axes} parameters are at the edge of the tested range`
    const { field, value, netProfit } = best
    return `outside the tested range it earns more: ${fieldInWords(field)} ${plainNumber(value)} gives ${gain(netProfit)}`
  },
  fewDeals: ({ trial: { metrics } }) =>
    isSmallSample(metrics.sampleSize) ? `${metrics.closedDeals ?? 'an unknown number of'} closed deals` : null,
  oneDeal: ({ trial: { metrics, deals } }) => {
    const { netProfit } = metrics
    if (netProfit === null || netProfit <= 0 || deals === null) return null
    const most = deals.reduce<(typeof deals)[number] | undefined>(
      (best, one) => (best === undefined || one.profit > best.profit ? one : best),
      undefined,
    )
    if (most === undefined || (100 * most.profit) / netProfit <= mostDealPercent) return null
    return `the deal of ${most.openedAt.slice(0, 10)} earned ${ofProfit((100 * most.profit) / netProfit)}`
  },
  unplacedOrders: ({ trial: { metrics } }) =>
    metrics.unplacedOrders
      ? `${metrics.unplacedOrders} safety orders were never placed: smaller than the market takes`
      : null,
  ambiguousRank: ({ examined: { ambiguity } }) =>
    ambiguity === null
      ? null
      : `place ${ambiguity.worst ?? 'outside the limits'} or ${ambiguity.best ?? 'outside the limits'} of ${ambiguity.of}, by the order of prices inside candles`,
  outsideBounds: ({ standing }) => (standing?.outsideBounds ? `it is outside the limits of ${standing.study}` : null),
  unranked: ({ standing }) => {
    if (standing === null || standing.outsideBounds || standing.rank !== null) return null
    return standing.isSample
      ? `a control configuration of ${standing.study}, which has no place`
      : `${standing.study} has no value for it on every market`
  },
  notBest: ({ standing }) =>
    standing?.rank != null && standing.rank > 1 ? `${standing.rank - 1} of ${standing.study} rank above it` : null,
  luckOfLooks: ({ examined: { deflated } }) =>
    deflated === null || deflated >= leastDeflated
      ? null
      : `when it was examined, the chance that it beats the luckiest of all tried was ${plainNumber(deflated)} (DSR)`,
  likelyOverfit: ({ examined: { overfit } }) =>
    overfit === null || 100 * overfit <= mostOverfitPercent
      ? null
      : `in ${share(100 * overfit)} of splits the best of one half is below the middle of the other`,
} as const satisfies Readonly<Record<string, Find>>

function findNotes(evidence: Evidence): readonly Remark[] {
  const all: Readonly<Record<string, Find>> = NOTES
  return Object.entries(all).flatMap(([code, find]) => {
    const sentence = find(evidence)
    return sentence === null ? [] : [{ code, sentence }]
  })
}

// The grades: one row per grade, best last; the first whose rule holds is given.

/** One-sided, 5 %. */
const clearOfChance = 1.65

interface Graded {
  readonly evidence: Evidence
  readonly hard: readonly Reason[]
}

interface GradeRow {
  /** As a headline begins. */
  readonly says: string
  readonly holds: (graded: Graded) => boolean
}

export const GRADES = {
  doNotUse: {
    says: 'Do not use',
    holds: ({ hard }) => hard.length > 0,
  },
  notJudged: {
    says: 'Not judged',
    holds: ({ evidence }) => whyNotJudged(evidence) !== null,
  },
  holdingDidBetter: {
    says: 'Holding did better',
    holds: ({ evidence }) => againstHolding(evidence).t <= -clearOfChance,
  },
  holdingAsGood: {
    says: 'Holding did as well or better',
    holds: ({ evidence }) => againstHolding(evidence).t <= 0,
  },
  noBetterThanPlain: {
    says: 'No better than a plain ladder',
    holds: ({ evidence }) => againstHolding(evidence).plain < leastLeadOverPlain,
  },
  ahead: {
    says: 'Ahead of holding, not beyond chance',
    holds: ({ evidence }) => againstHolding(evidence).t < clearOfChance || !evidence.isCalibrated,
  },
  beat: {
    says: 'Beat holding and a plain ladder',
    holds: () => true,
  },
} as const satisfies Record<string, GradeRow>

export type Grade = keyof typeof GRADES

/** Worst first. */
export const GRADE_NAMES = Object.keys(GRADES) as readonly Grade[] // keys of a const literal

function gradeOf(graded: Graded): Grade {
  return GRADE_NAMES.find((name) => (GRADES[name] satisfies GradeRow).holds(graded)) ?? 'notJudged'
}

function againstHolding({ stretches }: Evidence): { readonly t: number; readonly plain: number } {
  const against = 'missing' in stretches ? undefined : stretches.value.against
  return { t: against?.excess.t ?? 0, plain: against?.overPlain.t ?? 0 }
}

/** Kept with every verdict: another set of rules judges anew. */
const RULES = 'verdict-1'

const mostReasons = 3
/** A market that changed by less stood still, percent. */
const standsWithin = 5
/** Fewer stretches of one direction say nothing. */
const leastOfDirection = 5
/** Where less history is stored, nothing is expected. */
const leastExpectedDays = 90
/** How much wider than the stretches themselves the range is given: measured on spans that followed. */
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

interface NextStep {
  /** Can be pasted. */
  readonly command: string
  readonly why: string
  /** Backtests that it spends. */
  readonly jobs: number
}

interface Expectation {
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

interface DirectionRow {
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
  return amount.toFixed(decimalsOf(size))
}

function ofHoldout({ days, perUsedPercent, plainPerUsedPercent }: HoldoutEvidence): string {
  return `On ${days} held-out days it made ${share(perUsedPercent)} of its capital, a plain ladder ${share(plainPerUsedPercent)}.`
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
  if (holdout !== null && 'missing' in holdout && holdout.missing === NOT_OPENED && study !== trial) {
    return { command: `dcalab holdout ${study}`, why: 'see on which unseen days it can be tested, once', jobs: 0 }
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
  const all = [
    ['stretches', stretches],
    ['fills', honest],
    ['agreement with the local engine', foreignService === null ? null : localDifference],
    ['hold-out', holdout],
  ] as const
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
