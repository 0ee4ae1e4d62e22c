/** Net profit against drawdown: what more risk would have bought. */

import { paretoFront } from '../../analysis/pareto.ts'
import { metricValue } from '../../contract/metrics.ts'
import { tooltipText } from '../charts/columns.ts'
import { type HoldPoint, pinned, type ScatterPoint, scatterSpec } from '../charts/scatter.ts'
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
  const drawn = [...facts.ranked, ...facts.outside, ...facts.unranked].filter(hasPosition).slice(0, mostPoints)
  if (drawn.length === 0) {
    return emptyPart(place, 'No data: no trial has both a net profit and a drawdown.')
  }
  const positions = drawn.map(positionOf)
  const hold = holdPoint(facts, drawn[0])
  const heldAt = hold === null ? null : pinned(hold, positions)
  const front = paretoFront(drawn, (trial) => ({ cost: positionOf(trial).x, gain: positionOf(trial).y }))
  const chart = figure({
    place,
    name: 'scatter',
    kind: 'scatter',
    spec: scatterSpec({
      xTitle: 'Max drawdown, %',
      yTitle: `Net profit, ${facts.quote.asset}`,
      points: drawn.map((trial) => pointOf(trial, facts)),
      front: front.map(positionOf),
      hold: heldAt,
    }),
    summary: `Scatter of net profit against maximum drawdown for ${formatCount(drawn.length, 'trial')}. ${frontSentence(front, facts)}`,
    legend: [
      { swatch: 'best', label: 'best' },
      { swatch: 'trial', label: 'trial' },
      ...(facts.outside.length > 0 ? [{ swatch: 'outside', label: 'outside of the bounds' }] : []),
      ...(hold === null ? [] : [{ swatch: 'hold diamond', label: 'buy & hold' }]),
      { swatch: 'front', label: 'Pareto front' },
    ],
    caption: html`The line is the Pareto front: for each drawdown, the most that any trial made with no more of it.${heldAt !== hold && ' Buy & hold lies beyond the border, where its arrow points.'}${facts.finished.length > drawn.length && ` ${formatNumber(drawn.length, 0)} of ${formatNumber(facts.finished.length, 0)} trials are drawn, the best by the objective.`}`,
  })
  const body = section(place, html`<p class="lead-in">${frontSentence(front, facts)}</p>${chart.body}`)
  return { body, charts: chart.charts }
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
  const kind = trial === facts.best ? 'best' : facts.ranked.includes(trial) ? 'trial' : 'outside'
  const rank = facts.ranked.indexOf(trial)
  const read = (name: 'netProfit' | 'roiPercent' | 'maxDrawdownPercent' | 'closedDeals') =>
    formatMetricWithUnit(name, metricValue(trial.metrics, name), facts.quote)
  return {
    ...positionOf(trial),
    kind,
    tooltip: tooltipText(`${shortFingerprint(trial)}${rank >= 0 ? `, rank ${rank + 1}` : ', outside of the bounds'}`, [
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

function frontSentence(front: readonly FinishedTrial[], { quote, varied }: Facts): string {
  const [first, last] = [front[0], front[front.length - 1]]
  const read = (trial: FinishedTrial, name: 'netProfit' | 'maxDrawdownPercent') =>
    formatMetricWithUnit(name, metricValue(trial.metrics, name), quote)
  if (first === last) {
    return `One trial has both the highest profit and the lowest drawdown: ${shortFingerprint(first)} (${describeConfig(first, varied) || 'the only configuration'}).`
  }
  return `${formatCount(front.length, 'trial')} cannot be beaten on both profit and drawdown: from ${read(first, 'netProfit')} at a drawdown of ${read(first, 'maxDrawdownPercent')} to ${read(last, 'netProfit')} at ${read(last, 'maxDrawdownPercent')}.`
}
