/** Net profit against drawdown: how much more profit came with more risk. The front contains only ranked trials. */

import { METRICS, metricValue } from '../../../contract/metrics.ts'
import { paretoFront } from '../../analysis/pareto.ts'
import { tooltipText } from '../charts/columns.ts'
import { type HoldPoint, pinned, type ScatterPoint } from '../charts/scatter.ts'
import { describeConfig, type Facts, type FinishedTrial, holdOf, shortFingerprint } from '../facts.ts'
import {
  formatCount,
  formatMetricWithUnit,
  formatNumber,
  formatPercent,
  formatSigned,
  formatValue,
  signedPercent,
} from '../format.ts'
import { html } from '../html.ts'
import { emptyPart, figure, type Part, type Place, section } from './part.ts'

/** More marks than this make the page slow; the best by objective are drawn, and a sentence says so. */
export const mostPoints = 2000

export function tradeoffPart(facts: Facts, place: Place): Part {
  const placed = [...facts.ranked, ...facts.outside, ...facts.unranked, ...facts.samples].filter(hasPosition)
  if (placed.length === 0) {
    return emptyPart(place, 'scatter')
  }
  const front = frontOf(facts)
  const kept = new Set([...front, ...placed].slice(0, mostPoints))
  const drawn = placed.filter((trial) => kept.has(trial))
  const hold = holdPoint(facts, drawn[0])
  const heldAt = hold === null ? null : pinned(hold, drawn.map(positionOf))
  const chart = figure({
    place,
    name: 'scatter',
    drawn: {
      xTitle: `${METRICS.maxDrawdownPercent.title}, %`,
      yTitle: `${METRICS.netProfit.title}, ${facts.quote.asset}`,
      points: drawn.map((trial) => pointOf(trial, facts)),
      front: front.map(positionOf),
      hold: heldAt,
    },
    summary: `Scatter of ${formatCount(drawn.length, 'trial')}. ${frontSentence(front, facts)}`,
    legend: [
      ...(facts.best === undefined ? [] : [{ swatch: 'best', label: 'best' }]),
      ...(facts.ranked.length > 0 ? [{ swatch: 'trial', label: 'trial' }] : []),
      ...(facts.outside.length > 0 ? [{ swatch: 'outside', label: 'outside of the bounds' }] : []),
      ...(facts.unranked.length > 0 ? [{ swatch: 'outside', label: 'without a value to rank by' }] : []),
      ...(facts.samples.length > 0 ? [{ swatch: 'outside', label: 'sample, which only compares' }] : []),
      ...(hold === null ? [] : [{ swatch: 'hold diamond', label: 'buy & hold' }]),
      ...(front.length > 0 ? [{ swatch: 'front', label: 'Pareto front' }] : []),
    ],
    caption: [
      front.length > 0 &&
        'The line is the Pareto front: for each drawdown, the most that any ranked trial made with no more of it.',
      heldAt !== hold && 'Buy & hold lies beyond the border, where its arrow points.',
      placed.length > drawn.length &&
        `${formatNumber(drawn.length, 0)} of ${formatNumber(placed.length, 0)} trials are drawn: the front and the best by the objective.`,
    ]
      .filter((sentence) => sentence !== false)
      .join(' '),
  })
  const body = section(place, html`<p class="lead-in">${frontSentence(front, facts)}</p>${chart.body}`)
  return { body, charts: chart.charts }
}

/** The Pareto front of all ranked trials, drawn or not. Smallest drawdown first. */
function frontOf({ ranked }: Facts): FinishedTrial[] {
  return paretoFront(ranked, (trial) => ({ cost: positionOf(trial).x, gain: positionOf(trial).y }))
}

function positionOf({ metrics }: FinishedTrial): { x: number; y: number } {
  return {
    x: metricValue(metrics, 'maxDrawdownPercent') ?? Number.NaN,
    y: metricValue(metrics, 'netProfit') ?? Number.NaN,
  }
}

function hasPosition(trial: FinishedTrial): boolean {
  const { x, y } = positionOf(trial)
  return Number.isFinite(x) && Number.isFinite(y)
}

function pointOf(trial: FinishedTrial, facts: Facts): ScatterPoint {
  const rank = facts.ranked.indexOf(trial)
  const kind = trial === facts.best ? 'best' : rank >= 0 ? 'trial' : 'outside'
  const standing =
    rank >= 0
      ? `rank ${rank + 1}`
      : facts.outside.includes(trial)
        ? 'outside of the bounds'
        : facts.samples.includes(trial)
          ? 'a sample, which only compares'
          : 'without a value to rank by'
  const read = (name: 'netProfit' | 'roiPercent' | 'maxDrawdownPercent' | 'closedDeals') =>
    formatMetricWithUnit(name, metricValue(trial.metrics, name), facts.quote)
  return {
    ...positionOf(trial),
    kind,
    tooltip: tooltipText(`${shortFingerprint(trial)}, ${standing}`, [
      ['net profit', read('netProfit')],
      ['ROI', read('roiPercent')],
      ['max drawdown', read('maxDrawdownPercent')],
      ['closed deals', read('closedDeals')],
      ...facts.varied.map((field) => [field, formatValue(trial.config[field])] as const),
    ]),
  }
}

/** Buy & hold as if it were a trial: its return on the same investment. */
function holdPoint(facts: Facts, trial: FinishedTrial): HoldPoint | null {
  const hold = holdOf(facts)
  if (hold === undefined || hold.drawdownPercent === null) return null
  const profit = (hold.returnPercent / 100) * trial.config.investment
  return {
    x: hold.drawdownPercent,
    y: profit,
    label: `Buy & hold ${formatSigned(profit, facts.quote.decimals)} ${facts.quote.asset}`,
    tooltip: tooltipText('Buy & hold', [
      ['net profit', `${formatSigned(profit, facts.quote.decimals)} ${facts.quote.asset}`],
      ['return', signedPercent(hold.returnPercent)],
      ['max drawdown', formatPercent(hold.drawdownPercent)],
    ]),
  }
}

function frontSentence(front: readonly FinishedTrial[], { quote, varied, study }: Facts): string {
  const bounded = study.objective.where.length > 0
  const [first, last] = [front.at(0), front.at(-1)]
  if (first === undefined || last === undefined) {
    return `No trial ${bounded ? 'meets the objective’s bounds' : 'is ranked'}: there is no Pareto front.`
  }
  const among = bounded ? 'Within the objective’s bounds, ' : ''
  const read = (trial: FinishedTrial, name: 'netProfit' | 'maxDrawdownPercent') =>
    formatMetricWithUnit(name, metricValue(trial.metrics, name), quote)
  if (first === last) {
    return `${among || 'Of all trials, '}one has both the highest profit and the lowest drawdown: ${shortFingerprint(first)} (${describeConfig(first, varied) || 'the only configuration'}).`
  }
  return `${among}${formatCount(front.length, 'trial')} cannot be beaten on both profit and drawdown: from ${read(first, 'netProfit')} at a drawdown of ${read(first, 'maxDrawdownPercent')} to ${read(last, 'netProfit')} at ${read(last, 'maxDrawdownPercent')}.`
}
