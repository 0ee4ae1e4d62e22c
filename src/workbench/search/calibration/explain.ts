/** What answers show of a service: the set that explains them best, what they leave open, and which of them decided what. */
import { metricValue } from '../../../contract/metrics.ts'
import { type ComparedMetric, isMoney, slackAt } from './compared-metrics.ts'
import { type AssumedTerms, countDifferences, TRAITS, type Trait, traitOf } from './hypotheses.ts'
import type { Predictions } from './predictions.ts'
import { distanceOf, type Miss, type Remaining } from './remaining.ts'

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
