/** A trial in a few words, as the tooltips of charts say them. Pure. */
import { CONFIG, CONFIG_FIELDS } from '../../../contract/bot.ts'
import { METRIC_NAMES, METRICS, type MetricName } from '../../../contract/metrics.ts'
import { csvCell } from '../../store/export/csv-cell.ts'
import type { Objective } from '../../study/study.ts'
import { formatMetricWithUnit, formatValue, lowerTitle, tooltipText } from '../format.ts'
import type { Standing } from './blocks.ts'
import type { PageSection } from './document.ts'
import type { TrialTable } from './trial-table.ts'

/** Profit stands beside the capital that it used. */
const NAMED: readonly MetricName[] = ['netProfit', 'usedCapital.average', 'maxDrawdownPercent', 'closedDeals']

/** Of who is not ranked. */
export const STANDING_WORDS = {
  ranked: '',
  outside: 'excluded by a limit of the study',
  noValue: 'no value to rank by',
  sample: 'control configuration',
} as const

export function trialTooltip(
  table: TrialTable,
  { quote, varied }: Pick<PageSection, 'quote' | 'varied'>,
  trial: number,
): string {
  const rank = table.rank(trial)
  const standing = rank === null ? STANDING_WORDS[table.standing(trial)] : `rank ${rank}`
  return tooltipText(`${table.id(trial)}, ${standing}`, [
    ...NAMED.map(
      (name) => [METRICS[name].title, formatMetricWithUnit(name, table.number(trial, name), quote)] as const,
    ),
    ...varied.map((field) => [CONFIG[field].title, formatValue(table.number(trial, field) ?? Number.NaN)] as const),
  ])
}

// Why a trial with a result has no place in the ranking of its study, in words. Pure.

/** How a trial's numbers are read and written. */
interface ReadTrial {
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

/** Empty for those that are ranked, and for control configurations, which their group's title explains. */
export function whyNotRanked(standing: Standing, objective: Objective, trial: ReadTrial): string {
  if (standing === 'outside') {
    return findBrokenBounds(objective, trial).join('; ') || 'inside on this market, outside on another'
  }
  if (standing !== 'noValue') return ''
  const title = lowerTitle(objective.metric)
  return trial.value(objective.metric) === null ? `no ${title}` : `no ${title} on another market`
}

/** Titles of the groups that a ranking is followed by. */
export const GROUP_TITLES: Readonly<Record<Standing, string>> = {
  ranked: 'Ranked',
  outside: 'Excluded by the limits of the study',
  noValue: 'No value to rank by',
  sample: 'Control configurations',
}

// Trials as CSV, with every column and every digit. Pure.

/** RFC 4180: a line of names, then one line per trial, each ended by CR LF; what is not known is empty. */
export function trialCsv(section: Pick<PageSection, 'study' | 'market'>, table: TrialTable, mask: Uint8Array): string {
  const numbers = [...CONFIG_FIELDS, ...METRIC_NAMES]
  const lines: unknown[][] = [['study', 'market', 'rank', 'standing', 'id', 'sampleSize', ...numbers]]
  for (let trial = 0; trial < table.count; trial++) {
    if (mask[trial] === 0) continue
    lines.push([
      section.study,
      section.market,
      table.rank(trial),
      table.standing(trial),
      table.id(trial),
      table.sampleSize(trial),
      ...numbers.map((name) => table.number(trial, name)),
    ])
  }
  return lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}
