/** What the service answered for proposed configurations, beside what the twin says of them. */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import { metricValue } from '../../contract/metric-values.ts'
import { configFingerprint } from '../study/fingerprint.ts'
import { isInsideBounds, reduceAcross } from '../study/objective.ts'
import type { Told, ToldResult } from '../study/proposals.ts'
import type { Objective } from '../study/study.ts'
import type { TwinConfig, TwinValue } from './screened.ts'

export interface Confirmed {
  /** The config fingerprint. */
  readonly fingerprint: string
  readonly config: DcaSpotConfig
  /** The objective as the service computed it, reduced over the markets; null where a trial failed or has no value of it. */
  readonly value: number | null
  /** The bounds are met on every market. */
  readonly isInside: boolean
  /** The objective as the twin computed it, reduced likewise; null where the twin was not asked, or it has no value. */
  readonly twinValue: number | null
  /** One for each market that the twin was asked about. */
  readonly pairs: readonly Pair[]
}

/** One trial, computed by both. */
export interface Pair {
  readonly investment: number
  readonly twin: TwinValue
  /** null where the trial failed. */
  readonly service: { readonly netProfit: number | null; readonly isInside: boolean } | null
}

/** @param twin undefined where the twin was not asked for this configuration */
export function confirm(told: Told, twin: TwinConfig | undefined, objective: Objective): Confirmed {
  const { config, results } = told
  const metricsOn = told.markets.map((_, at) => results.at(at)?.metrics ?? null)
  const values = metricsOn.map((metrics) => (metrics === null ? null : metricValue(metrics, objective.metric)))
  const twinValues = twin?.values.map(({ value }) => value) ?? []
  return {
    fingerprint: configFingerprint(config),
    config,
    value: reduceAcross(values, objective),
    isInside: metricsOn.every((metrics) => metrics !== null && isInsideBounds(metrics, objective)),
    twinValue: reduceAcross(twinValues, objective),
    pairs: results.flatMap((result) => pairOf(result, config, twin, objective)),
  }
}

/** Inside the bounds with a value on every market, best first; ties by lower fingerprint. */
export function rankConfirmed(
  confirmed: readonly Confirmed[],
  { direction }: Pick<Objective, 'direction'>,
): readonly (Confirmed & { readonly value: number })[] {
  const sign = direction === 'maximize' ? -1 : 1
  return confirmed
    .flatMap((one) => (one.value !== null && one.isInside ? [{ ...one, value: one.value }] : []))
    .sort((a, b) => sign * (a.value - b.value) || (a.fingerprint < b.fingerprint ? -1 : 1))
}

function pairOf(
  { market, metrics }: ToldResult,
  { investment }: DcaSpotConfig,
  twin: TwinConfig | undefined,
  objective: Objective,
): readonly Pair[] {
  const value = twin?.values.find((each) => each.market === marketName(market))
  if (value === undefined) return []
  const service =
    metrics === null
      ? null
      : { netProfit: metricValue(metrics, 'netProfit'), isInside: isInsideBounds(metrics, objective) }
  return [{ investment, twin: value, service }]
}
