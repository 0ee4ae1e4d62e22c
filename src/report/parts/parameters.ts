/** Which parameters matter, and what the two strongest do together. */

import type { ParameterImportance } from '../../analysis/importance.ts'
import { type Level, levelIndex } from '../../analysis/levels.ts'
import { ascending, quantile } from '../../analysis/quantiles.ts'
import { METRICS, type MetricName, metricValue } from '../../contract/metrics.ts'
import { tooltipText } from '../charts/columns.ts'
import { classOf, type HeatClass, heatClasses } from '../charts/heat-classes.ts'
import { type HeatCell, heatMapSpec } from '../charts/heat-map.ts'
import { importanceSpec } from '../charts/importance-bars.ts'
import { type Facts, type FinishedTrial, lowerTitle } from '../facts.ts'
import { formatCount, formatMetric, formatMetricWithUnit, formatNumber, formatPercent, formatValue } from '../format.ts'
import { html } from '../html.ts'
import { emptyPart, figure, numbersBehind, type Part, type Place, section } from './part.ts'

export function parametersPart(facts: Facts, place: Place): Part {
  if (facts.importance.length === 0) {
    const reason =
      facts.varied.length === 0
        ? 'the study varies no parameter'
        : `fewer than three trials have a ${lowerTitle(facts.study.objective.metric)}, or all have the same`
    return emptyPart(place, `No data: ${reason}.`)
  }
  const bars = importanceFigure(facts, place)
  const heat = facts.importance.length >= 2 ? heatFigure(facts, place) : undefined
  return {
    body: section(
      place,
      html`<p class="lead-in">${sharesSentence(facts)}</p>
      ${heat === undefined ? html`<p class="empty">A heat map needs two varied parameters; this study varies one.</p>` : heat.body}
      ${bars.body}`,
    ),
    charts: [...(heat?.charts ?? []), ...bars.charts],
  }
}

function percent(share: number): string {
  return formatPercent(100 * share, 1)
}

function sharesSentence({ importance, study }: Facts): string {
  const shares = importance.map(({ field, share }) => `${field} ${percent(share)}`)
  const rest = 1 - importance.reduce((sum, { share }) => sum + share, 0)
  const tail =
    rest > 0.0005
      ? ` The remaining ${percent(rest)} is how they act together.`
      : rest < -0.0005
        ? ' The shares overlap, because not every combination has a result.'
        : ''
  return `Each parameter alone explains this share of the differences in ${lowerTitle(study.objective.metric)}: ${shares.join(', ')}.${tail}`
}

function importanceFigure({ importance, study }: Facts, place: Place): Part {
  const rows = importance.map(({ field, levels, share, chanceShare }) => [
    field,
    String(levels.length),
    percent(share),
    percent(chanceShare),
  ])
  const chart = figure({
    place,
    name: 'importance',
    kind: 'bars',
    spec: importanceSpec(
      importance.map(({ field, share, chanceShare }) => ({
        name: field,
        sharePercent: 100 * share,
        chancePercent: 100 * chanceShare,
      })),
    ),
    summary: `Bars: share of the variance of ${lowerTitle(study.objective.metric)} that each parameter explains alone. ${importance.map(({ field, share }) => `${field} ${percent(share)}`).join(', ')}.`,
    legend: [
      { swatch: 'bar', label: 'explained by this parameter alone' },
      { swatch: 'tick', label: 'expected by chance' },
    ],
    caption: html`Main-effect share of variance (η²). The tick marks what a parameter without any effect would reach with as many values and trials; a bar near its tick means nothing.${numbersBehind('Share of variance by parameter', ['Parameter', 'Values', 'Explains', 'By chance'], rows)}`,
  })
  return chart
}

interface CellNumbers {
  readonly x: number
  readonly y: number
  readonly median: number
  readonly worst: number
  readonly best: number
  readonly trials: number
}

function heatFigure(facts: Facts, place: Place): Part {
  const [strongest, second] = facts.importance
  const { metric, direction } = facts.study.objective
  const cells = cellsOf(facts.finished, strongest, second, facts)
  const classes = heatClasses(
    cells.map(({ median }) => median),
    direction === 'maximize' ? 'higher' : 'lower',
  )
  const blank = cells.length < strongest.levels.length * second.levels.length ? ' A blank holds no trial.' : ''
  const sentence = `Each cell is the median ${lowerTitle(metric)} of all trials with these two values, whatever their other parameters.${blank}`
  const rows = cells.map((cell) => [
    `${labelOf(strongest.levels[cell.x])} × ${labelOf(second.levels[cell.y])}`,
    ...[cell.median, cell.worst, cell.best].map((value) => formatMetric(metric, value, facts.quote.decimals)),
    String(cell.trials),
  ])
  return figure({
    place,
    name: 'heat',
    kind: 'heat',
    spec: heatMapSpec({
      xTitle: strongest.field,
      yTitle: second.field,
      xOrder: strongest.levels.map(labelOf),
      yOrder: second.levels.map(labelOf),
      cells: cells.map((cell) => drawnCell(cell, strongest, second, classes, facts)),
    }),
    summary: `Heat map of ${strongest.field} against ${second.field}, the two strongest parameters. ${sentence} ${extremes(cells, strongest, second, facts)}`,
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
): HeatCell {
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

/** Three digits are what a cell has room for. */
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
