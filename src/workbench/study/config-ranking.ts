/**
 * The ranking of a study: one row per configuration, on however many markets it is tried. A configuration has a place when it is done with a
 * value on every market; what it is worth is made of those values by `reduceAcross`.
 */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { metricValue } from '../../contract/metric-values.ts'
import type { MetricsAsRead } from '../../contract/metrics.ts'
import { configFingerprint } from './fingerprint.ts'
import { bestFirst, isInsideBounds, reduceAcross } from './objective.ts'
import type { Objective } from './study.ts'

/** Who competes in a study, on one service. */
export interface Competition {
  /** On how many markets every configuration is tried. */
  readonly markets: number
  /** Fingerprints of the trials that compete; null = all do. In a screen those that were chosen, because samples only compare. */
  readonly chosen: ReadonlySet<string> | null
}

/** A trial that is done. */
export interface TrialPlace {
  /** Of the objective; null = the result has none. */
  readonly value: number | null
  readonly isInside: boolean
}

export interface ConfigPlace {
  /** null = it is not done on every market, or has no value on one. */
  readonly value: number | null
  /** The bounds are met on every market. */
  readonly isInside: boolean
}

/** @param done what is done of one configuration, in any order */
export function placeConfig(done: readonly TrialPlace[], objective: Objective, markets: number): ConfigPlace {
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

export type ValuedStanding<T> = ConfigStanding<T> & { readonly value: number }

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
