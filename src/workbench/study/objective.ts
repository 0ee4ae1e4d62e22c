/** What a study's objective says of results: its value over several markets, its bounds, and who comes before whom. */

import type { DcaSpotConfig } from '../../contract/bot.ts'
import { type MetricName, type MetricsAsRead, metricValue } from '../../contract/metrics.ts'
import { configFingerprint } from './fingerprint.ts'
import type { Objective } from './study.ts'

/** The metrics that decide about a configuration: of its value and of its bounds. */
export function decidingMetrics({ metric, where }: Objective): readonly MetricName[] {
  return [metric, ...where.map((bound) => bound.metric)]
}

/**
 * The value of a configuration from its values on the markets, one each; null when one of them is null. One value stays as it is. A mean adds
 * the lowest value first, so that the order of the markets changes no bit of it; the median of an even number is the mean of the middle two.
 */
export function reduceAcross(
  values: readonly (number | null)[],
  { across = 'median', direction }: Pick<Objective, 'across' | 'direction'>,
): number | null {
  if (values.length === 1) return values[0]
  const ascending = values.filter((value) => value !== null).sort((a, b) => a - b)
  const { length } = ascending
  if (length === 0 || length < values.length) return null
  switch (across) {
    case 'worst':
      return ascending[direction === 'maximize' ? 0 : length - 1]
    case 'median':
      return length % 2 === 1 ? ascending[(length - 1) / 2] : (ascending[length / 2 - 1] + ascending[length / 2]) / 2
    case 'mean':
      return sumOf(ascending) / length
  }
}

interface Ranking<T> {
  /** Inside the objective's bounds, best first; ties by lower fingerprint. */
  readonly ranked: T[]
  /** Outside some bound; a metric without a value is outside. Same order. */
  readonly outside: T[]
  /** Without a value of the objective: unfinished, failed, or undefined for this run. In the order given. */
  readonly noValue: T[]
}

/** Orders the trials of one market by a study's objective. Every row is in one of the three lists. */
export function rankByObjective<T extends { readonly fingerprint: string; readonly metrics: MetricsAsRead | null }>(
  rows: readonly T[],
  objective: Objective,
): Ranking<T> {
  return rankRows(rows, objective.direction, ({ metrics }) =>
    metrics === null
      ? { score: null, isInside: false }
      : { score: metricValue(metrics, objective.metric), isInside: isInsideBounds(metrics, objective) },
  )
}

/** Orders configurations by their value in the objective's direction. Inside the bounds is who is inside on every market. */
export function rankAcrossMarkets<
  T extends {
    readonly fingerprint: string
    readonly value: number | null
    readonly markets: readonly { readonly metrics: MetricsAsRead }[]
  },
>(rows: readonly T[], objective: Objective): Ranking<T> {
  return rankRows(rows, objective.direction, ({ value, markets }) => ({
    score: value,
    isInside: markets.every(({ metrics }) => isInsideBounds(metrics, objective)),
  }))
}

interface Standing {
  readonly score: number | null
  readonly isInside: boolean
}

function rankRows<T extends { readonly fingerprint: string }>(
  rows: readonly T[],
  direction: Objective['direction'],
  standingOf: (row: T) => Standing,
): Ranking<T> {
  const noValue: T[] = []
  const valued: (Valued & { readonly row: T; readonly isInside: boolean })[] = []
  for (const row of rows) {
    const { score, isInside } = standingOf(row)
    if (score === null) noValue.push(row)
    else valued.push({ row, isInside, value: score, fingerprint: row.fingerprint })
  }
  valued.sort(bestFirst({ direction }))
  const [ranked, outside] = [true, false].map((wanted) =>
    valued.filter(({ isInside }) => isInside === wanted).map(({ row }) => row),
  )
  return { ranked, outside, noValue }
}

/** Neumaier's compensated sum, because SQLite sums so: the mean of the view `leaderboard` is then the same to the last digit, and so are its ties. */
function sumOf(values: readonly number[]): number {
  let sum = 0
  let lost = 0
  for (const value of values) {
    const next = sum + value
    lost += Math.abs(sum) > Math.abs(value) ? sum - next + value : value - next + sum
    sum = next
  }
  return Number.isFinite(lost) ? sum + lost : sum
}

interface Valued {
  readonly fingerprint: string
  /** Of the objective. */
  readonly value: number
}

/** The order of an objective: ties by lower fingerprint. */
function bestFirst({ direction }: Pick<Objective, 'direction'>): (a: Valued, b: Valued) => number {
  const sign = direction === 'maximize' ? -1 : 1
  return (a, b) => sign * (a.value - b.value) || compareText(a.fingerprint, b.fingerprint)
}

/** Whether a result meets every bound of the objective; a metric without a value meets none. */
export function isInsideBounds(metrics: MetricsAsRead, { where }: Pick<Objective, 'where'>): boolean {
  return where.every(({ metric, bounds: { min = -Infinity, max = Infinity } }) => {
    const value = metricValue(metrics, metric)
    return value !== null && value >= min && value <= max
  })
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

// The ranking of a study: one row per configuration, on however many markets it is tried. A configuration has a place when it is done with a
// value on every market; what it is worth is made of those values by `reduceAcross`.

/** Who competes in a study, on one service. */
export interface Competition {
  /** On how many markets every configuration is tried. */
  readonly markets: number
  /** Fingerprints of the trials that compete; null = all do. In a screen those that were chosen, because samples only compare. */
  readonly chosen: ReadonlySet<string> | null
}

/** A trial that is done. */
interface TrialPlace {
  /** Of the objective; null = the result has none. */
  readonly value: number | null
  readonly isInside: boolean
}

interface ConfigPlace {
  /** null = it is not done on every market, or has no value on one. */
  readonly value: number | null
  /** The bounds are met on every market. */
  readonly isInside: boolean
}

/** @param done what is done of one configuration, in any order */
function placeConfig(done: readonly TrialPlace[], objective: Objective, markets: number): ConfigPlace {
  const values = done.length < markets ? [] : done.map(({ value }) => value)
  return { value: reduceAcross(values, objective), isInside: done.every((trial) => trial.isInside) }
}

export interface ConfigStanding<T> {
  /** Ties go to the lower: that of the configuration, and on one market that of its trial, as before there were several. */
  readonly fingerprint: string
  readonly value: number | null
  /** Those that are done, in the order given. */
  readonly trials: readonly T[]
}

type ValuedStanding<T> = ConfigStanding<T> & { readonly value: number }

/** Every configuration is in one of the four lists. */
export interface ConfigRanking<T> {
  /** Inside the objective's bounds on every market, best first. */
  readonly ranked: readonly ValuedStanding<T>[]
  /** Outside some bound on some market; a metric without a value is outside. Same order. */
  readonly outside: readonly ValuedStanding<T>[]
  /** Not done on every market, or without a value on one. In the order given. */
  readonly noValue: readonly ConfigStanding<T>[]
  /** They do not compete. In the order given. */
  readonly compared: readonly ConfigStanding<T>[]
}

interface Rankable {
  readonly fingerprint: string
  readonly config: DcaSpotConfig
  readonly metrics: MetricsAsRead | null
}

/** @param done the study's trials that are done, of one service */
export function rankConfigs<T extends Rankable>(
  done: readonly T[],
  { objective, markets, chosen }: Competition & { readonly objective: Objective },
): ConfigRanking<T> {
  const nameOf = ({ fingerprint, config }: T) => (markets === 1 ? fingerprint : configFingerprint(config))
  const standings = [...Map.groupBy(done, nameOf)].map(([fingerprint, trials]) => {
    const places = trials.map(({ metrics }) => placeTrial(metrics, objective))
    const competes = chosen === null || trials.some((trial) => chosen.has(trial.fingerprint))
    return { standing: { fingerprint, trials }, competes, ...placeConfig(places, objective, markets) }
  })
  const competing = standings.filter(({ competes }) => competes)
  const valued = competing
    .flatMap(({ standing, value, isInside }) => (value === null ? [] : [{ isInside, ...standing, value }]))
    .sort(bestFirst(objective))
  const [ranked, outside] = [true, false].map((wanted) =>
    valued.filter(({ isInside }) => isInside === wanted).map(({ isInside, ...standing }) => standing),
  )
  const others = (some: typeof standings) => some.map(({ standing, value }) => ({ ...standing, value }))
  return {
    ranked,
    outside,
    noValue: others(competing.filter(({ value }) => value === null)),
    compared: others(standings.filter(({ competes }) => !competes)),
  }
}

function placeTrial(metrics: MetricsAsRead | null, objective: Objective): TrialPlace {
  if (metrics === null) return { value: null, isInside: false }
  return { value: metricValue(metrics, objective.metric), isInside: isInsideBounds(metrics, objective) }
}
