/** Which hypotheses some answers leave: those that predict all of them, or else the nearest. */
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import { type MetricsAsRead, metricValue } from '../../../contract/metrics.ts'
import { type ComparedMetric, type Gauge, gaugesOf, isMoney, isSame } from './compared-metrics.ts'
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
export interface Miss {
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

interface Held {
  readonly answered: readonly Answered[]
  /** The first decides who is looked at at all, so that later answers are predicted for few. */
  readonly gauges: readonly Gauge[]
  readonly predictions: Predictions
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

/** In percent of the investment: several thousand hypotheses do not agree with two profits by chance when these are stated so exactly. */
const EXACT_WITHIN = 0.01
/** Two of them are explained by fitted costs. */
const JOBS_BEYOND_CHANCE = 4

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
export function distanceOf(
  { config, metrics }: Answered,
  metric: ComparedMetric,
  predicted: number | null,
): number | null {
  const service = metricValue(metrics, metric)
  if (service === null) return null
  if (predicted === null) return Number.POSITIVE_INFINITY
  const difference = Math.abs(service - predicted)
  return isMoney(metric) ? inPercent(difference, metric, config) : difference / Math.max(1, service)
}
