/** The rows of the table: what is selected, group by group, each sorted as the reader chose. Pure. */

import { CONFIG_FIELDS, type ConfigField } from '../../../contract/bot.ts'
import { METRIC_NAMES, METRICS, type MetricName, withCompanions } from '../../../contract/metrics.ts'
import type { Objective } from '../../study/study.ts'
import { type ColumnName, STANDINGS, type Standing } from './blocks.ts'
import type { Beside } from './document.ts'
import { columnReader, OTHER_COLUMNS, type TrialTable } from './trial-table.ts'
import type { ViewState } from './view-state.ts'

/** A title above a group, or a trial by its place in the table. */
export type TableRow = { readonly group: Standing; readonly count: number } | { readonly trial: number }

type Sort = ViewState['sort']

/** Groups in the order of the ranking. The ranked ones have a title only where there are others. */
export function tableRows(table: TrialTable, mask: Uint8Array, sort: Sort): readonly TableRow[] {
  const groups = STANDINGS.map((group) => {
    const trials: number[] = []
    for (let trial = 0; trial < table.count; trial++) {
      if (mask[trial] === 1 && table.standing(trial) === group) trials.push(trial)
    }
    return { group, trials: sortTrials(table, trials, sort) }
  })
  const filled = groups.filter(({ trials }) => trials.length > 0)
  return filled.flatMap(({ group, trials }) => [
    ...(filled.length === 1 && group === 'ranked' ? [] : [{ group, count: trials.length }]),
    ...trials.map((trial) => ({ trial })),
  ])
}

/** What is not known comes last both ways; equal ones stay in the order of the ranking. */
function sortTrials(table: TrialTable, trials: readonly number[], sort: Sort): readonly number[] {
  if (sort === null) return trials
  const sign = sort.descending ? -1 : 1
  if (sort.by === 'id') {
    const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
    return trials.toSorted((a, b) => sign * compare(table.fingerprint(a), table.fingerprint(b)))
  }
  const column = [...OTHER_COLUMNS, ...table.columns].find((name) => name === sort.by)
  if (column === undefined) return trials
  const read = columnReader(table, column)
  const [known, unknown] = [[] as number[], [] as number[]]
  for (const trial of trials) (Number.isNaN(read(trial)) ? unknown : known).push(trial)
  return [...known.sort((a, b) => sign * (read(a) - read(b)) || a - b), ...unknown]
}

/** The first click on a head puts the best first, the second the worst. */
export function nextSort(sort: Sort, by: string): Sort {
  const isSame = sort === null ? by === 'rank' : sort.by === by
  const before = sort ?? { by: 'rank', descending: false }
  const next = { by, descending: isSame ? !before.descending : bestIsHigh(by) }
  return next.by === 'rank' && !next.descending ? null : next
}

function bestIsHigh(by: string): boolean {
  const metric = METRIC_NAMES.find((name) => name === by)
  return by === 'sampleSize' || (metric !== undefined && METRICS[metric].better !== 'lower')
}

/** The trial that a key leads to; undefined = it leads nowhere. */
export function rowAfter(
  key: string,
  { rows, at, page }: { readonly rows: readonly (TableRow | Beside)[]; readonly at: number; readonly page: number },
): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: page,
    PageUp: -page,
    Home: -rows.length,
    End: rows.length,
  }
  if (!Object.hasOwn(steps, key)) return undefined
  const step = steps[key]
  const target = Math.max(0, Math.min(rows.length - 1, at + step))
  const onward = step < 0 ? rows.slice(0, target + 1).reverse() : rows.slice(target)
  const back = step < 0 ? rows.slice(target) : rows.slice(0, target).reverse()
  const found = [...onward, ...back].find((row) => 'trial' in row)
  return found !== undefined && 'trial' in found ? found.trial : undefined
}

// Which columns a table of trials shows, and in which order. Pure; Node writes the printed table by it and the page the live one.

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
const MINOR: readonly ColumnName[] = [
  'maxDrawdownLowPercent',
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
  readonly kept: readonly ColumnName[]
  /** As many of them as there is room for, in this order. */
  readonly usual: readonly ColumnName[]
  /** Those that a reader may add. */
  readonly more: readonly ColumnName[]
}

/** @param varied the fields of the study, in its order */
export function shownColumns(objective: Objective, varied: readonly ConfigField[]): ShownColumns {
  const kept = distinctColumns([...withCompanions(objective.metric), ...KEPT])
  const usual = distinctColumns([...LEADING, ...varied, ...MINOR], kept)
  return { kept, usual, more: distinctColumns([...CONFIG_FIELDS, ...METRIC_NAMES], [...kept, ...usual]) }
}

function distinctColumns(columns: readonly ColumnName[], without: readonly ColumnName[] = []): ColumnName[] {
  return [...new Set(columns)].filter((column) => !without.includes(column))
}
