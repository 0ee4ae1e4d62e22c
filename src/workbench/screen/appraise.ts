/** The objective's value of one config and whether it is inside the objective's bounds, at a given depth: on one market, and on all of them. */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { MetricName } from '../../contract/metrics.ts'
import { hashDoubles } from '../../engine/jump/canonical.ts'
import { reduceAcross } from '../study/objective.ts'
import type { Bounds, Objective } from '../study/study.ts'
import { DEPTHS, type Depth, depthOf, type ReadMetric, slackOf } from './measures.ts'

export interface Appraisal {
  readonly netProfit: number
  /** The objective's value with the sign changed where lower is better, so that higher is always better; null = undefined for this config. */
  readonly value: number | null
  /** Inside every bound whose metric is known at this depth. */
  readonly isInside: boolean
  /** What it did, as far as points are compared by that (`behaviourMark`); else 0. */
  readonly mark: number
}

/** 1 when more of the objective is better, −1 when less is. */
export function signOf({ direction }: Objective): 1 | -1 {
  return direction === 'maximize' ? 1 : -1
}

/** @returns a function that appraises one config, given a way to read its metrics */
export function createAppraiser(
  objective: Objective,
  depth: Depth,
  findMark: (read: ReadMetric, config: DcaSpotConfig) => number = () => 0,
): (read: ReadMetric, config: DcaSpotConfig) => Appraisal {
  const sign = signOf(objective)
  const known = objective.where.filter(({ metric }) => isKnown(metric, depth))
  return (read, config) => {
    const value = read(objective.metric)
    return {
      netProfit: read('netProfit') ?? 0,
      value: value === null ? null : sign * value,
      isInside: known.every(({ metric, bounds }) => isWithin(read(metric), bounds, { depth, metric })),
      mark: findMark(read, config),
    }
  }
}

/**
 * What the configs come to on all markets together. Net profits are only compared, to tell behaviours apart: they are summed without their
 * signs, so that none cancels another and their sum is as exact as they are, and whether they are money of one kind does not matter.
 * @param onMarkets for each market one appraisal per config
 */
export function appraiseAcross(
  onMarkets: readonly (readonly Appraisal[])[],
  objective: Objective,
): readonly Appraisal[] {
  if (onMarkets.length === 1) return onMarkets[0]
  const higherIsBetter = { ...objective, direction: 'maximize' } as const
  const marks = new Float64Array(onMarkets.length)
  return onMarkets[0].map((_, at) => {
    const each = onMarkets.map((appraisals) => appraisals[at])
    each.forEach(({ mark }, market) => {
      marks[market] = mark
    })
    return {
      netProfit: each.reduce((sum, { netProfit }) => sum + Math.abs(netProfit), 0),
      value: reduceAcross(
        each.map(({ value }) => value),
        higherIsBetter,
      ),
      isInside: each.every(({ isInside }) => isInside),
      mark: hashDoubles(marks, 0, marks.length) >>> 0,
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
