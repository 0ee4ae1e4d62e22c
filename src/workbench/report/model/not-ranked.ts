/** Why a trial with a result has no place in the ranking of its study, in words. Pure. */
import { METRICS, type MetricName } from '../../../contract/metrics.ts'
import type { Objective } from '../../study/study.ts'
import type { Standing } from './trial-block.ts'

/** How a trial's numbers are read and written. */
export interface ReadTrial {
  readonly value: (metric: MetricName) => number | null
  /** With its unit. */
  readonly inWords: (metric: MetricName) => string
}

/** The bounds of the objective that a trial breaks: "Max drawdown 41.20 % (at most 30)". */
export function findBrokenBounds({ where }: Pick<Objective, 'where'>, { value, inWords }: ReadTrial): string[] {
  return where.flatMap(({ metric, bounds }) => {
    const found = value(metric)
    const { title } = METRICS[metric]
    if (found === null) return [`${title} unknown`]
    if (bounds.max !== undefined && found > bounds.max) return [`${title} ${inWords(metric)} (at most ${bounds.max})`]
    if (bounds.min !== undefined && found < bounds.min) return [`${title} ${inWords(metric)} (at least ${bounds.min})`]
    return []
  })
}

/** Empty for those that are ranked, and for samples, which their group's title explains. */
export function whyNotRanked(standing: Standing, objective: Objective, trial: ReadTrial): string {
  if (standing === 'outside') {
    return findBrokenBounds(objective, trial).join('; ') || 'inside on this market, outside on another'
  }
  if (standing !== 'unranked') return ''
  const title = METRICS[objective.metric].title.toLowerCase()
  return trial.value(objective.metric) === null ? `no ${title}` : `no ${title} on another market`
}

/** Titles of the groups that a ranking is followed by. */
export const GROUP_TITLES: Readonly<Record<Standing, string>> = {
  ranked: 'Ranked',
  outside: 'Outside of the objective’s bounds',
  unranked: 'Without a value to rank by',
  sample: 'Samples of the screen, which only compare',
}
