/** The effect of two parameters together: the median result for each pair of their values. */

import { METRICS, type MetricName, metricValue } from '../../../contract/metrics.ts'
import type { ParameterImportance } from '../../analysis/importance.ts'
import { type Level, levelIndex } from '../../analysis/levels.ts'
import { ascending, quantile } from '../../analysis/quantiles.ts'
import { tooltipText } from '../charts/columns.ts'
import { classOf, type HeatClass, heatClasses } from '../charts/heat-classes.ts'
import type { HeatCell } from '../charts/heat-map.ts'
import { type Facts, type FinishedTrial, lowerTitle } from '../facts.ts'
import { formatCount, formatMetric, formatMetricWithUnit, formatNumber, formatValue } from '../format.ts'
import { html } from '../html.ts'
import { figure, numbersBehind, type Part, type Place } from './part.ts'

interface CellNumbers {
  readonly x: number
  readonly y: number
  readonly median: number
  readonly worst: number
  readonly best: number
  readonly trials: number
}

export function heatFigure(
  strongest: ParameterImportance,
  second: ParameterImportance,
  facts: Facts,
  place: Place,
): Part {
  const { metric, direction } = facts.study.objective
  const cells = cellsOf(facts.finished, strongest, second, facts)
  const classes = heatClasses(
    cells.map(({ median }) => median),
    direction === 'maximize' ? 'higher' : 'lower',
  )
  const blank = cells.length < strongest.levels.length * second.levels.length ? ' A blank holds no trial.' : ''
  const counts = ascending(cells.map(({ trials }) => trials))
  const uneven = counts[0] < counts[counts.length - 1]
  const support = uneven
    ? ` The cells rest on ${counts[0]} to ${counts[counts.length - 1]} trials (n), whose other parameters are not the same: part of a difference may be theirs.`
    : ` Each rests on ${formatCount(counts[0], 'trial')}.`
  const sentence = `Each cell is the median ${lowerTitle(metric)} of all trials with these two values, whatever their other parameters.${support}${blank}`
  const rows = cells.map((cell) => [
    `${labelOf(strongest.levels[cell.x])} × ${labelOf(second.levels[cell.y])}`,
    ...[cell.median, cell.worst, cell.best].map((value) => formatMetric(metric, value, facts.quote.decimals)),
    String(cell.trials),
  ])
  return figure({
    place,
    name: 'heat',
    drawn: {
      xTitle: strongest.field,
      yTitle: second.field,
      xOrder: strongest.levels.map(labelOf),
      yOrder: second.levels.map(labelOf),
      cells: cells.map((cell) => ({
        ...drawnCell(cell, strongest, second, classes, facts),
        count: uneven ? `n ${cell.trials}` : null,
      })),
    },
    summary: `Heat map of ${strongest.field} against ${second.field}. ${sentence} ${extremes(cells, strongest, second, facts)}`,
    legendTitle: `Median ${lowerTitle(metric)}${unitText(metric, facts.quote.asset)}:`,
    legend: classes.map(({ from, to, tone }) => ({ swatch: `heat-${tone}`, label: rangeLabel(from, to, facts) })),
    caption: html`${sentence} ${extremes(cells, strongest, second, facts)}${numbersBehind(
      `${METRICS[metric].title} by ${strongest.field} and ${second.field}`,
      [`${strongest.field} × ${second.field}`, 'Median', 'Lowest', 'Highest', 'Trials'],
      rows,
    )}`,
  })
}

/** One entry per pair of levels that has a trial. */
function cellsOf(
  finished: readonly FinishedTrial[],
  strongest: ParameterImportance,
  second: ParameterImportance,
  { study, varied }: Facts,
): CellNumbers[] {
  const fieldOf = (name: string) => varied.find((field) => field === name) ?? varied[0]
  const [xField, yField] = [fieldOf(strongest.field), fieldOf(second.field)]
  const values = new Map<string, number[]>()
  for (const { config, metrics } of finished) {
    const value = metricValue(metrics, study.objective.metric)
    if (value === null) continue
    const key = `${levelIndex(strongest.levels, config[xField])}:${levelIndex(second.levels, config[yField])}`
    values.set(key, [...(values.get(key) ?? []), value])
  }
  return [...values].map(([key, scores]) => {
    const [x, y] = key.split(':').map(Number)
    const sorted = ascending(scores)
    return {
      x,
      y,
      median: quantile(sorted, 0.5) ?? 0,
      worst: sorted[0],
      best: sorted[sorted.length - 1],
      trials: sorted.length,
    }
  })
}

function drawnCell(
  cell: CellNumbers,
  strongest: ParameterImportance,
  second: ParameterImportance,
  classes: readonly HeatClass[],
  { quote, study }: Facts,
): Omit<HeatCell, 'count'> {
  const { metric } = study.objective
  const read = (value: number) => formatMetricWithUnit(metric, value, quote)
  const [x, y] = [labelOf(strongest.levels[cell.x]), labelOf(second.levels[cell.y])]
  return {
    x,
    y,
    tone: classOf(classes, cell.median).tone,
    label: cellLabel(cell.median),
    tooltip: tooltipText(`${strongest.field} ${x}, ${second.field} ${y}`, [
      [`median ${lowerTitle(metric)}`, read(cell.median)],
      ['lowest', read(cell.worst)],
      ['highest', read(cell.best)],
      ['trials', String(cell.trials)],
    ]),
  }
}

function unitText(metric: MetricName, quoteAsset: string): string {
  const { unit } = METRICS[metric]
  if (unit === 'quote') return `, ${quoteAsset}`
  return unit === 'percent' ? ', %' : unit === 'minutes' ? ', minutes' : ''
}

/** A cell has room for three digits. */
function cellLabel(value: number): string {
  const size = Math.abs(value)
  const decimals = size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : 2
  return formatNumber(value, decimals).replace('−0.00', '0.00')
}

function labelOf({ low, high }: Level): string {
  return low === high ? formatValue(low) : `${formatValue(low)}–${formatValue(high)}`
}

function rangeLabel(from: number, to: number, { study, quote }: Facts): string {
  const decimals = METRICS[study.objective.metric].unit === 'quote' && Math.abs(to - from) < 1 ? quote.decimals : 2
  const write = (value: number) => formatNumber(value, Number.isInteger(value) ? 0 : decimals)
  return from === to ? write(from) : `${write(from)} to ${write(to)}`
}

function extremes(
  cells: readonly CellNumbers[],
  strongest: ParameterImportance,
  second: ParameterImportance,
  facts: Facts,
): string {
  const { metric, direction } = facts.study.objective
  const sign = direction === 'maximize' ? 1 : -1
  const sorted = [...cells].sort((a, b) => sign * (b.median - a.median))
  const place = ({ x, y, median, trials }: CellNumbers) =>
    `${strongest.field} ${labelOf(strongest.levels[x])} with ${second.field} ${labelOf(second.levels[y])} (${formatMetricWithUnit(metric, median, facts.quote)}, ${formatCount(trials, 'trial')})`
  return `Best cell: ${place(sorted[0])}; worst: ${place(sorted[sorted.length - 1])}.`
}
