/** The trials of a section in the order in which the page has them, and their numbers as columns. */
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../contract/bot.ts'
import { metricValue } from '../../contract/metric-values.ts'
import { METRIC_NAMES, type MetricsAsRead } from '../../contract/metrics.ts'
import type { TrialNumbers } from './model/level-column.ts'
import { type ColumnName, STANDINGS, type Standing } from './model/trial-block.ts'

interface NumberedTrial {
  readonly config: DcaSpotConfig
  readonly metrics: MetricsAsRead
}

export interface OrderedTrials<T> {
  /** The ranked ones first, best first; then the others by standing. */
  readonly trials: readonly T[]
  /** Of each. */
  readonly standings: readonly Standing[]
  /** Of every field and every metric. */
  readonly numbers: TrialNumbers
}

export function inOrder<T extends NumberedTrial>(groups: Readonly<Record<Standing, readonly T[]>>): OrderedTrials<T> {
  const trials = STANDINGS.flatMap((standing) => groups[standing])
  return {
    trials,
    standings: STANDINGS.flatMap((standing) => groups[standing].map(() => standing)),
    numbers: numbersOf(trials),
  }
}

/** Made when the first is asked for. */
function numbersOf(trials: readonly NumberedTrial[]): TrialNumbers {
  let columns: ReadonlyMap<ColumnName, Float64Array> | undefined
  return {
    count: trials.length,
    values(name) {
      columns ??= columnsOf(trials)
      return columns.get(name)
    },
  }
}

/** Trial by trial: in the order of a ranking results lie all over the memory, and to go there once a column takes four times as long. */
function columnsOf(trials: readonly NumberedTrial[]): ReadonlyMap<ColumnName, Float64Array> {
  const empty = () => new Float64Array(trials.length)
  const fields = CONFIG_FIELDS.map((name) => ({ name, values: empty() }))
  const metrics = METRIC_NAMES.map((name) => ({ name, values: empty() }))
  for (const [trial, of] of trials.entries()) {
    for (const { name, values } of fields) values[trial] = of.config[name]
    for (const { name, values } of metrics) values[trial] = metricValue(of.metrics, name) ?? Number.NaN
  }
  return new Map([...fields, ...metrics].map(({ name, values }): [ColumnName, Float64Array] => [name, values]))
}
