/** A trial in a few words, as the tooltips of charts say them. Pure. */
import type { MetricName } from '../../../contract/metrics.ts'
import { METRICS } from '../../../contract/metrics.ts'
import { tooltipText } from '../charts/columns.ts'
import { formatMetricWithUnit, formatValue } from '../format.ts'
import type { PageSection } from './document.ts'
import type { TrialTable } from './trial-table.ts'

/** Profit stands beside the capital that it used. */
const TOLD: readonly MetricName[] = ['netProfit', 'usedCapital.average', 'maxDrawdownPercent', 'closedDeals']

const STANDING_WORDS = {
  ranked: '',
  outside: 'outside of the bounds',
  unranked: 'without a value to rank by',
  sample: 'a sample, which only compares',
} as const

export function trialTooltip(
  table: TrialTable,
  { quote, varied }: Pick<PageSection, 'quote' | 'varied'>,
  trial: number,
): string {
  const rank = table.rank(trial)
  const standing = rank === null ? STANDING_WORDS[table.standing(trial)] : `rank ${rank}`
  return tooltipText(`${table.fingerprint(trial)}, ${standing}`, [
    ...TOLD.map((name) => [METRICS[name].title, formatMetricWithUnit(name, table.number(trial, name), quote)] as const),
    ...varied.map((field) => [field, formatValue(table.number(trial, field) ?? Number.NaN)] as const),
  ])
}
