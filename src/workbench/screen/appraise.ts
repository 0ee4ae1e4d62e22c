/** The objective's value of one config and whether it is inside the objective's bounds, at a given depth: on one market, and on all of them. */
import type { MetricName } from '../../contract/metrics.ts'
import { reduceAcross } from '../study/objective.ts'
import type { Bounds, Objective } from '../study/study.ts'
import { DEPTHS, type Depth, depthOf, type ReadMetric, slackOf } from './measures.ts'

export interface Appraisal {
  /** The objective's value with the sign changed where lower is better, so that higher is always better; null = undefined for this config. */
  readonly value: number | null
  /** Inside every bound whose metric is known at this depth. */
  readonly isInside: boolean
}

export interface MarketAppraisal extends Appraisal {
  readonly netProfit: number
}

/** 1 when more of the objective is better, −1 when less is. */
export function signOf({ direction }: Objective): 1 | -1 {
  return direction === 'maximize' ? 1 : -1
}

/** @returns a function that appraises one config, given a way to read its metrics */
export function createAppraiser(objective: Objective, depth: Depth): (read: ReadMetric) => MarketAppraisal {
  const sign = signOf(objective)
  const known = objective.where.filter(({ metric }) => isKnown(metric, depth))
  return (read) => {
    const value = read(objective.metric)
    return {
      netProfit: read('netProfit') ?? 0,
      value: value === null ? null : sign * value,
      isInside: known.every(({ metric, bounds }) => isWithin(read(metric), bounds, { depth, metric })),
    }
  }
}

/**
 * What the configs come to on all markets together.
 * @param onMarkets for each market one appraisal per config
 */
export function appraiseAcross(
  onMarkets: readonly (readonly Appraisal[])[],
  objective: Objective,
): readonly Appraisal[] {
  if (onMarkets.length === 1) return onMarkets[0]
  const higherIsBetter = { ...objective, direction: 'maximize' } as const
  return onMarkets[0].map((_, at) => {
    const each = onMarkets.map((appraisals) => appraisals[at])
    return {
      value: reduceAcross(
        each.map(({ value }) => value),
        higherIsBetter,
      ),
      isInside: each.every(({ isInside }) => isInside),
    }
  })
}

function isKnown(metric: MetricName, depth: Depth): boolean {
  return DEPTHS.indexOf(depthOf(metric)) <= DEPTHS.indexOf(depth)
}

/** Allows for the rounding of the sweep: a config that passes is measured again before it is kept. */
function isWithin(
  value: number | null,
  { min = -Infinity, max = Infinity }: Bounds,
  { depth, metric }: { readonly depth: Depth; readonly metric: MetricName },
): boolean {
  if (value === null) return false
  const slack = slackOf(value, depth, metric)
  return value >= min - slack && value <= max + slack
}

/**
 * The depths to use one after the other until the top is filled: the first at which configs can be ranked, then those at which
 * more of the bounds are known, at last one at which all of them are known exactly.
 */
export function depthsOf({ metric, where }: Objective): readonly Depth[] {
  const ranking = DEPTHS.indexOf(depthOf(metric))
  const bounds = where.map((bound) => DEPTHS.indexOf(depthOf(bound.metric))).filter((depth) => depth > ranking)
  const wanted = new Set([ranking, ...bounds, Math.max(ranking, DEPTHS.indexOf('backtest'))])
  return DEPTHS.filter((_, depth) => wanted.has(depth))
}
