/** Which columns a table of trials shows, and in which order. Pure; Node writes the printed table by it and the page the live one. */
import { CONFIG_FIELDS, type ConfigField } from '../../../contract/bot.ts'
import { withCompanions } from '../../../contract/companions.ts'
import { definitionOf, METRIC_NAMES, type MetricName } from '../../../contract/metrics.ts'
import { SAMPLE_CLASSES } from '../../../contract/sample-size.ts'
import type { Objective } from '../../study/study.ts'
import type { AnyColumn } from './trial-table.ts'

/** A column of the table beside rank and name. */
export type TableColumn = Exclude<AnyColumn, 'rank'>

/** The most important metrics, next to the trial's name: a profit never stands without the capital that it needed and the fall on its way. */
const LEADING: readonly MetricName[] = [
  'netProfit',
  'usedCapital.average',
  'maxDrawdownPercent',
  'netProfitPerUsedPercent',
  'roiPercent',
  'closedDeals',
]

/** Shown after the varied fields where there is room. A win rate is not among them: it misleads without its company. */
const MINOR: readonly TableColumn[] = [
  'maxDrawdownLowPercent',
  'sampleSize',
  'dealDuration.max',
  'sharpe',
  'openDeal',
  'stopLosses',
  'ambiguousCandles',
  'unaffordableOrders',
]

/** The columns that stay where there is little room: the objective with what it must not be shown without, and these. */
const KEPT: readonly MetricName[] = ['netProfit', 'usedCapital.average', 'maxDrawdownPercent']

interface ShownColumns {
  /** However narrow the page. */
  readonly kept: readonly TableColumn[]
  /** As many of them as there is room for, in this order. */
  readonly usual: readonly TableColumn[]
  /** Those that a reader may add. */
  readonly more: readonly TableColumn[]
}

/** @param varied the fields of the study, in its order */
export function shownColumns(objective: Objective, varied: readonly ConfigField[]): ShownColumns {
  const kept = distinctColumns([...withCompanions(objective.metric), ...KEPT])
  const usual = distinctColumns([...LEADING, ...varied, ...MINOR], kept)
  return { kept, usual, more: distinctColumns([...CONFIG_FIELDS, ...METRIC_NAMES], [...kept, ...usual]) }
}

function distinctColumns(columns: readonly TableColumn[], without: readonly TableColumn[] = []): TableColumn[] {
  return [...new Set(columns)].filter((column) => !without.includes(column))
}

const SAMPLE_SIZE_DEFINITION = `closed deals that did not close on the candle they opened on, in the usual classes of sample sizes: ${SAMPLE_CLASSES.map(({ words }) => words).join(', ')}. It says how much chance there is, not how good a result is`

/** What a metric's title means, or that of the sample size. */
export function defineColumn(column: MetricName | 'sampleSize'): string {
  if (column === 'sampleSize') return SAMPLE_SIZE_DEFINITION
  return `${definitionOf(column)}${column === 'sharpe' ? '. What stands behind ± is one standard error, √(365 / days)' : ''}`
}
