/** What the service answered for proposed configurations, beside what the local engine says of them. */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import { metricValue } from '../../contract/metrics.ts'
import { configFingerprint } from '../study/fingerprint.ts'
import { isInsideBounds, reduceAcross } from '../study/objective.ts'
import type { ProposalResult, TestedProposal } from '../study/proposals.ts'
import type { Objective } from '../study/study.ts'
import type { LocalConfig, LocalValue } from './screened.ts'

export interface Confirmed {
  /** The config fingerprint. */
  readonly fingerprint: string
  readonly config: DcaSpotConfig
  /** Decides between equal values, as in the ranking of a study: of one market that of its trial, else that of the configuration. */
  readonly name: string
  /** The objective as the service computed it, reduced over the markets; null where a trial failed or has no value of it. */
  readonly value: number | null
  /** The bounds are met on every market. */
  readonly isInside: boolean
  /** The objective as the local engine computed it, reduced likewise; null where the local engine was not asked, or it has no value. */
  readonly localValue: number | null
  /** One for each market that the local engine was asked about. */
  readonly pairs: readonly Pair[]
}

/** One trial, computed by both. */
export interface Pair {
  readonly investment: number
  readonly local: LocalValue
  /** null where the trial failed. */
  readonly service: { readonly netProfit: number | null; readonly isInside: boolean } | null
}

/** @param local undefined where the local engine was not asked for this configuration */
export function confirm(tested: TestedProposal, local: LocalConfig | undefined, objective: Objective): Confirmed {
  const { config, results } = tested
  const metricsOn = tested.markets.map((_, at) => results.at(at)?.metrics ?? null)
  const values = metricsOn.map((metrics) => (metrics === null ? null : metricValue(metrics, objective.metric)))
  const localValues = local?.values.map(({ value }) => value) ?? []
  return {
    fingerprint: configFingerprint(config),
    config,
    name: tested.markets.length === 1 ? (results[0]?.trial ?? '') : configFingerprint(config),
    value: reduceAcross(values, objective),
    isInside: metricsOn.every((metrics) => metrics !== null && isInsideBounds(metrics, objective)),
    localValue: reduceAcross(localValues, objective),
    pairs: results.flatMap((result) => pairOf(result, config, local, objective)),
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
    .sort((a, b) => sign * (a.value - b.value) || (a.name < b.name ? -1 : 1))
}

function pairOf(
  { market, metrics }: ProposalResult,
  { investment }: DcaSpotConfig,
  local: LocalConfig | undefined,
  objective: Objective,
): readonly Pair[] {
  const value = local?.values.find((each) => each.market === marketName(market))
  if (value === undefined) return []
  const service =
    metrics === null
      ? null
      : { netProfit: metricValue(metrics, 'netProfit'), isInside: isInsideBounds(metrics, objective) }
  return [{ investment, local: value, service }]
}
