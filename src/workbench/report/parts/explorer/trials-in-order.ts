/** The trials of a section in the order in which the page has them, as columns. */
import { CONFIG_FIELDS, type ConfigField } from '../../../../contract/bot.ts'
import { metricValue } from '../../../../contract/metrics.ts'
import type { Facts, FinishedTrial } from '../../facts.ts'
import type { TrialNumbers } from '../../model/level-column.ts'
import type { ColumnName } from '../../model/trial-block.ts'

/** The ranked ones first, best first. */
export function trialsInOrder({ ranked, outside, unranked, samples }: Facts): readonly FinishedTrial[] {
  return [...ranked, ...outside, ...unranked, ...samples]
}

export function numbersOf(trials: readonly FinishedTrial[]): TrialNumbers {
  return {
    count: trials.length,
    values: (name) =>
      Float64Array.from(trials, ({ config, metrics }) =>
        isField(name) ? config[name] : (metricValue(metrics, name) ?? Number.NaN),
      ),
  }
}

function isField(name: ColumnName): name is ConfigField {
  return CONFIG_FIELDS.some((field) => field === name)
}
