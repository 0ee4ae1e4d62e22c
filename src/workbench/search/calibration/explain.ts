/** What answers show of a service: the set that explains them best, what they leave open, and which of them decided what. */

import type { DcaSpotConfig } from '../../../contract/bot.ts'
import { type MetricsAsRead, metricValue } from '../../../contract/metrics.ts'
import { type ComparedMetric, type Gauge, gaugesOf, isMoney, isSame, slackAt } from './compared-metrics.ts'
import { type AssumedTerms, countDifferences, TRAITS, type Trait, traitOf } from './hypotheses.ts'
import type { Predictions } from './predictions.ts'

/** What the service made of a test backtest; `metrics` is null where the job failed. */
export interface TestAnswer {
  /** The trial's fingerprint. */
  readonly trial: string
  readonly config: DcaSpotConfig
  readonly metrics: MetricsAsRead | null
}

/** A test backtest that has a result. */
type Answered = TestAnswer & { readonly metrics: MetricsAsRead }

/** The first value of the service that a hypothesis does not predict. */
interface Miss {
  readonly hypothesis: number
  readonly answer: Answered
  readonly metric: ComparedMetric
  readonly predicted: number | null
}

export interface Remaining {
  /** The answers that have a result. */
  readonly answered: readonly Answered[]
  /** By number; all of them while no answer shows anything. Where `isMatch` is false nearest first, and only so many as are worth more work. */
  readonly hypotheses: readonly number[]
  /** They predict every value of the gauges; else none does. */
  readonly isMatch: boolean
  readonly gauges: readonly Gauge[]
  /** Metrics of which the service must mean something else: no hypothesis that predicts its profits predicts them. */
  readonly setAside: readonly ComparedMetric[]
  /** Of the hypotheses that do not remain; empty where none matches. */
  readonly missed: readonly Miss[]
}

/** How many are followed from one answer to the next where none matches: the right one is not far from the nearest. */
const MOST_FOLLOWED = 1000

interface Held {
  readonly answered: readonly Answered[]
  /** The first decides who is looked at at all, so that later answers are predicted for few. */
  readonly gauges: readonly Gauge[]
  readonly predictions: Predictions
}

/** In percent of the investment: several thousand hypotheses do not agree with two profits by chance when these are stated so exactly. */
const EXACT_WITHIN = 0.01

/** Two of them are explained by fitted costs. */
const JOBS_BEYOND_CHANCE = 4

export interface Explanation {
  /** Of sets that explain the answers alike, the one that differs least from the study's own. */
  readonly best: AssumedTerms
  /** What the answers leave open: per trait the values of the sets that explain them alike, the best one's first. */
  readonly ties: readonly Tie[]
  /** No other candidate would tell these sets apart. */
  readonly isSettled: boolean
  /** None predicts the answers, or these are too few to decide: the best is only the nearest. */
  readonly isPoor: boolean
  /** Answers are enough to tell a match from chance. */
  readonly isConfirmed: boolean
  /**
   * Where the best fills by another order of prices than the worst case: of the job on which most hangs on it the net profit of the best, and that
   * by worst-case fills, in quote. Else null.
   */
  readonly fills: { readonly trial: string; readonly service: number; readonly worstCase: number } | null
  /** The largest difference in profit that the best leaves, in percent of the investment. */
  readonly residual: number
  /** Test backtests that have a result, in their order. */
  readonly jobs: readonly JobEvidence[]
  readonly traits: readonly TraitEvidence[]
  /** Metrics of which the service must mean something else: no set that predicts its profits predicts them. */
  readonly setAside: readonly ComparedMetric[]
  /** Sets of conventions that were suspected. */
  readonly sets: number
  /** Of them, those that explain the answers alike, each under its own costs. */
  readonly remaining: number
}

interface Tie {
  readonly trait: Trait
  readonly values: readonly (string | number)[]
}

/** Values by metric, of those that are compared and that the service gives. */
type Values = Readonly<Partial<Record<ComparedMetric, number | null>>>

interface JobEvidence {
  readonly trial: string
  readonly service: Values
  /** By the best. */
  readonly predicted: Values
}

/** How a value of the best is known. */
interface TraitEvidence {
  readonly trait: Trait
  readonly value: string | number
  /**
   * Of the sets that have another value the nearest, and the job that tells it from the service most; null where the answers leave another
   * value open, or where no near set has one.
   */
  readonly decidedBy: {
    readonly trial: string
    readonly metric: ComparedMetric
    readonly service: number | null
    /** As that set predicts it. */
    readonly otherwise: number | null
  } | null
}

interface Findings {
  readonly own: AssumedTerms
  readonly hypotheses: readonly AssumedTerms[]
  /** Sets of conventions. */
  readonly sets: number
  readonly predictions: Predictions
  readonly remaining: Remaining
  /** No candidate would tell the alike apart. */
  readonly isSettled: boolean
  /** Answers are enough to tell a match from chance. */
  readonly isConfirmed: boolean
  /** The number of a hypothesis, known before or not. */
  readonly numberOf: (terms: Explanation['best']) => number
}

/** @param alike of `findAlike` */
export async function explain(alike: readonly number[], findings: Findings): Promise<Explanation> {
  const { own, hypotheses, sets, predictions, remaining, isSettled, isConfirmed } = findings
  const { answered, gauges, setAside, isMatch } = remaining
  const differences = (number: number) => countDifferences(hypotheses[number], own)
  const best = alike.reduce((one, other) => (differences(other) < differences(one) ? other : one))
  const metrics = [...gauges.map(({ metric }) => metric), ...setAside]
  const ties = TRAITS.map((trait) => {
    const value = traitOf(hypotheses[best], trait)
    const others = alike
      .map((number) => traitOf(hypotheses[number], trait))
      .filter((other) => !isSameValue(value, other))
    return { trait, values: [...new Set([value, ...others])] }
  })
  return {
    best: hypotheses[best],
    ties: ties.filter(({ values }) => values.length > 1),
    isSettled,
    isPoor: !isMatch || !isConfirmed,
    isConfirmed,
    fills: await fillsOf(hypotheses[best], findings),
    residual: residualOf(best, findings),
    jobs: answered.map((answer) => ({
      trial: answer.trial,
      service: valuesBy(metrics, (metric) => metricValue(answer.metrics, metric)),
      predicted: valuesBy(metrics, (metric) => predictions.of(answer.config)(best, metric)),
    })),
    traits: ties.map(({ trait, values }) => ({
      trait,
      value: values[0],
      decidedBy: values.length > 1 ? null : decideTrait(trait, values[0], findings),
    })),
    setAside,
    sets,
    remaining: new Set(alike.map((number) => JSON.stringify(hypotheses[number].conventions))).size,
  }
}

async function fillsOf(
  best: Explanation['best'],
  { predictions, remaining, numberOf }: Findings,
): Promise<Explanation['fills']> {
  const worst = { ...best, conventions: { ...best.conventions, intrabar: 'pessimistic' as const } }
  const numbers = [best, worst].map(numberOf)
  const configs = remaining.answered.map(({ config }) => config)
  await predictions.compute(configs, numbers)
  let fills: Explanation['fills'] = null
  for (const { trial, config } of remaining.answered) {
    const [service, worstCase] = numbers.map((number) => predictions.of(config)(number, 'netProfit') ?? 0)
    const isMore =
      service - worstCase > Math.max(slackAt(service), fills === null ? 0 : fills.service - fills.worstCase)
    if (isMore) fills = { trial, service, worstCase }
  }
  return fills
}

function valuesBy(metrics: readonly ComparedMetric[], read: (metric: ComparedMetric) => number | null): Values {
  return Object.fromEntries(metrics.map((metric) => [metric, read(metric)]))
}

/** Percent: costs that are nearer to each other are one. */
const SAME_COSTS = 0.005

function isSameValue(one: string | number, other: string | number): boolean {
  return typeof one === 'number' && typeof other === 'number' ? Math.abs(one - other) <= SAME_COSTS : one === other
}

function residualOf(best: number, { predictions, remaining }: Findings): number {
  const money = remaining.gauges.map(({ metric }) => metric).filter(isMoney)
  const distances = remaining.answered.flatMap((answer) =>
    money.flatMap((metric) => distanceOf(answer, metric, predictions.of(answer.config)(best, metric)) ?? []),
  )
  return Math.max(0, ...distances)
}

function decideTrait(trait: Trait, value: string | number, findings: Findings): TraitEvidence['decidedBy'] {
  const { hypotheses, remaining } = findings
  const isOther = (hypothesis: number) => !isSameValue(value, traitOf(hypotheses[hypothesis], trait))
  const miss = remaining.isMatch ? nearestMiss(isOther, remaining) : farthestOfNearest(isOther, findings)
  if (miss === undefined) return null
  const { answer, metric, predicted } = miss
  return { trial: answer.trial, metric, service: metricValue(answer.metrics, metric), otherwise: predicted }
}

/** Who predicted everything that was compared before came nearer than who did not. */
function nearestMiss(isOther: (hypothesis: number) => boolean, { gauges, missed }: Remaining): Miss | undefined {
  const order = gauges.map(({ metric }) => metric)
  let nearest: { readonly miss: Miss; readonly order: number; readonly distance: number } | undefined
  for (const miss of missed) {
    if (!isOther(miss.hypothesis)) continue
    const one = {
      miss,
      order: order.indexOf(miss.metric),
      distance: distanceOf(miss.answer, miss.metric, miss.predicted) ?? 0,
    }
    const isNearer = nearest !== undefined && one.order === nearest.order && one.distance < nearest.distance
    if (nearest === undefined || one.order > nearest.order || isNearer) nearest = one
  }
  return nearest?.miss
}

/** Where none matches: of the nearest in all jobs together, the job that it is farthest away from. */
function farthestOfNearest(
  isOther: (hypothesis: number) => boolean,
  { predictions, remaining }: Findings,
): Miss | undefined {
  const hypothesis = remaining.hypotheses.find(isOther)
  if (hypothesis === undefined) return undefined
  const [{ metric }] = remaining.gauges
  const misses = remaining.answered.map((answer) => {
    const predicted = predictions.of(answer.config)(hypothesis, metric)
    return { hypothesis, answer, metric, predicted, distance: distanceOf(answer, metric, predicted) ?? 0 }
  })
  return misses.reduce((one, other) => (other.distance > one.distance ? other : one))
}

/** Which hypotheses some answers leave: those that predict all of them, or else the nearest. */
export async function findRemaining(
  answers: readonly TestAnswer[],
  { predictions, hypotheses }: { readonly predictions: Predictions; readonly hypotheses: readonly number[] },
): Promise<Remaining> {
  const answered = answers.flatMap(({ metrics, ...test }): Answered[] =>
    metrics === null ? [] : [{ ...test, metrics }],
  )
  const given = gaugesOf(answered.map(({ metrics }) => metrics))
  const money = given.filter(({ metric }) => isMoney(metric))
  // Numbers of deals alone are explained by many sets under many costs.
  const gauges = money.length === 0 ? [] : given
  if (gauges.length === 0) return { answered, hypotheses, isMatch: true, gauges, setAside: [], missed: [] }
  for (const first of money) {
    const inOrder = [first, ...gauges.filter((gauge) => gauge !== first)]
    const matching = await findMatching(hypotheses, { answered, gauges: inOrder, predictions })
    if (matching.hypotheses.length > 0) return { answered, isMatch: true, ...matching }
  }
  const nearest = await findNearest(hypotheses, { answered, gauges, predictions })
  return { answered, hypotheses: nearest, isMatch: false, gauges, setAside: [], missed: [] }
}

async function findMatching(
  everyone: readonly number[],
  { answered, gauges, predictions }: Held,
): Promise<Omit<Remaining, 'answered' | 'isMatch'>> {
  const [first, ...others] = gauges
  const missed: Miss[] = []
  let hypotheses = everyone
  for (const answer of answered) {
    await predictions.compute([answer.config], hypotheses)
    const parts = split(hypotheses, answer, first, predictions)
    hypotheses = parts.left
    missed.push(...parts.misses)
  }
  const used = [first]
  const setAside: ComparedMetric[] = []
  for (const gauge of others) {
    let left = hypotheses
    const misses: Miss[] = []
    for (const answer of answered) {
      const parts = split(left, answer, gauge, predictions)
      left = parts.left
      misses.push(...parts.misses)
    }
    if (left.length === 0 && isBeyondChance(first, answered)) setAside.push(gauge.metric)
    else {
      hypotheses = left
      used.push(gauge)
      missed.push(...misses)
    }
  }
  return { hypotheses, gauges: used, setAside, missed }
}

/** Those who predict the value that an answer gives, and those who do not. */
function split(among: readonly number[], answer: Answered, gauge: Gauge, predictions: Predictions) {
  const { metric } = gauge
  const service = metricValue(answer.metrics, metric)
  const misses: Miss[] = []
  if (service === null) return { left: among, misses }
  const read = predictions.of(answer.config)
  const left = among.filter((hypothesis) => {
    const predicted = read(hypothesis, metric)
    const isMatch = isSame(service, predicted, gauge)
    if (!isMatch) misses.push({ hypothesis, answer, metric, predicted })
    return isMatch
  })
  return { left, misses }
}

/** Only beside profits that agree by more than chance may another metric be said to mean something else. */
function isBeyondChance({ metric, resolution }: Gauge, answered: readonly Answered[]): boolean {
  if (!isMoney(metric) || answered.length < JOBS_BEYOND_CHANCE) return false
  return answered.every(({ config }) => inPercent(resolution, metric, config) <= EXACT_WITHIN)
}

function inPercent(money: number, metric: ComparedMetric, { investment }: DcaSpotConfig): number {
  return metric === 'roiPercent' ? money : (100 * money) / investment
}

async function findNearest(
  everyone: readonly number[],
  { answered, gauges, predictions }: Held,
): Promise<readonly number[]> {
  const [{ metric }] = gauges
  let followed = everyone.map((hypothesis) => ({ hypothesis, distance: 0 }))
  for (const answer of answered) {
    await predictions.compute(
      [answer.config],
      followed.map(({ hypothesis }) => hypothesis),
    )
    const predicted = predictions.of(answer.config)
    followed = followed
      .map(({ hypothesis, distance }) => ({
        hypothesis,
        distance: distance + (distanceOf(answer, metric, predicted(hypothesis, metric)) ?? 0),
      }))
      .sort((one, other) => one.distance - other.distance || one.hypothesis - other.hypothesis)
      .slice(0, MOST_FOLLOWED)
  }
  return followed.map(({ hypothesis }) => hypothesis)
}

/** How far a predicted value is from the service's: money in percent of the investment, counts as a share. Null where the service has none. */
function distanceOf({ config, metrics }: Answered, metric: ComparedMetric, predicted: number | null): number | null {
  const service = metricValue(metrics, metric)
  if (service === null) return null
  if (predicted === null) return Number.POSITIVE_INFINITY
  const difference = Math.abs(service - predicted)
  return isMoney(metric) ? inPercent(difference, metric, config) : difference / Math.max(1, service)
}
