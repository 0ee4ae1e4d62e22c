/** Net profit against drawdown: how much more profit came with more risk. The front contains only ranked trials. */
import { METRICS, type MetricName, metricValue } from '../../../../contract/metrics.ts'
import { paretoFront } from '../../../analysis/pareto.ts'
import { CHARTS } from '../../charts/charts.ts'
import { tooltipText } from '../../charts/columns.ts'
import { type BoundRule, type HoldPoint, pinned, type ScatterInput } from '../../charts/scatter.ts'
import { describeConfig, type Facts, type FinishedTrial, holdOf, lowerTitle, shortFingerprint } from '../../facts.ts'
import { formatCount, formatMetricWithUnit, formatPercent, formatSigned, signedPercent } from '../../format.ts'
import { html } from '../../html.ts'
import type { LegendEntry, Part, Place } from '../part.ts'
import { liveFigure } from './live-figure.ts'
import { trialsInOrder } from './trials-in-order.ts'

export function scatterPart(facts: Facts, place: Place): Part {
  const placed = trialsInOrder(facts).filter(hasPosition)
  if (placed.length === 0)
    return { body: html`<p class="empty">No scatter: ${CHARTS.scatter.without}.</p>`, charts: [] }
  const front = frontOf(facts)
  const hold = holdPoint(facts, placed[0])
  const heldAt = hold === null ? null : pinned(hold, placed.map(positionOf))
  const rules = boundRules(facts, placed)
  const ranked = new Set(facts.ranked)
  const points = placed.map((trial) => ({
    ...positionOf(trial),
    kind: ranked.has(trial) ? ('trial' as const) : ('outside' as const),
  }))
  const drawn: ScatterInput = {
    xTitle: `${METRICS.maxDrawdownPercent.title}, %`,
    yTitle: `${METRICS.netProfit.title}, ${facts.quote.asset}`,
    points,
    count: points.length,
    farthest: points.reduce((most, { x }) => Math.max(most, x), 0),
    front: front.map(positionOf),
    bounds: rules.drawn,
    best: bestPoint(facts),
    hold: heldAt,
  }
  const figure = liveFigure({
    place,
    name: 'scatter',
    drawn,
    emptied: { ...drawn, points: [] },
    summary: `Scatter of ${formatCount(placed.length, 'trial')}. ${frontSentence(front, facts)}`,
    legend: legendOf(facts, { hasFront: front.length > 0, hasHold: hold !== null }),
    caption: [
      front.length > 0 &&
        'The line is the Pareto front of the ranked trials: for each drawdown, the most that any of them made with no more of it.',
      ...rules.said,
      heldAt !== hold && 'Buy & hold lies beyond the border, where its arrow points.',
      'Drag over the chart to select; a click on a trial opens it, a click beside all of them ends the selection. The filter and the table do the same by keyboard.',
    ]
      .filter((sentence) => sentence !== false)
      .join(' '),
  })
  return { body: html`<p class="lead-in">${frontSentence(front, facts)}</p>${figure.body}`, charts: figure.charts }
}

function legendOf(facts: Facts, { hasFront, hasHold }: { hasFront: boolean; hasHold: boolean }): LegendEntry[] {
  return [
    ...(facts.best === undefined ? [] : [{ swatch: 'ring', label: 'best' }]),
    ...(facts.ranked.length > 0 ? [{ swatch: 'trial', label: 'trial' }] : []),
    ...(facts.outside.length > 0 ? [{ swatch: 'outside cross', label: 'outside of the bounds' }] : []),
    ...(facts.unranked.length > 0 ? [{ swatch: 'outside cross', label: 'without a value to rank by' }] : []),
    ...(facts.samples.length > 0 ? [{ swatch: 'outside cross', label: 'sample, which only compares' }] : []),
    ...(hasHold ? [{ swatch: 'hold diamond', label: 'buy & hold' }] : []),
    ...(hasFront ? [{ swatch: 'front', label: 'Pareto front' }] : []),
  ]
}

/** The Pareto front of all ranked trials. Smallest drawdown first. */
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

function bestPoint({ best }: Facts): ScatterInput['best'] {
  if (best === undefined || !hasPosition(best)) return null
  return { ...positionOf(best), label: `Best ${shortFingerprint(best)}` }
}

const AXES: readonly (readonly [BoundRule['axis'], MetricName])[] = [
  ['x', 'maxDrawdownPercent'],
  ['y', 'netProfit'],
]

/** A bound far from all trials would press them into a corner: it is said instead of drawn. */
function boundRules(
  { study, quote }: Facts,
  placed: readonly FinishedTrial[],
): { readonly drawn: readonly BoundRule[]; readonly said: readonly string[] } {
  const bounds = AXES.flatMap(([axis, metric]) => {
    const values = placed.map((trial) => positionOf(trial)[axis])
    const [low, high] = [values.reduce((a, b) => Math.min(a, b), 0), values.reduce((a, b) => Math.max(a, b), 0)]
    const room = 0.4 * (high - low)
    return study.objective.where
      .filter((bound) => bound.metric === metric)
      .flatMap(({ bounds: { min, max } }) => [
        { axis, metric, value: max, words: 'at most', beyond: (max ?? high) > high + room },
        { axis, metric, value: min, words: 'at least', beyond: (min ?? low) < low - room },
      ])
  })
  const known = bounds.flatMap(({ value, ...rest }) => (value === undefined ? [] : [{ value, ...rest }]))
  const text = (metric: MetricName, value: number) => formatMetricWithUnit(metric, value, quote)
  return {
    drawn: known
      .filter(({ beyond }) => !beyond)
      .map(({ axis, metric, value, words }) => ({ axis, value, label: `${words} ${text(metric, value)}` })),
    said: known
      .filter(({ beyond }) => beyond)
      .map(
        ({ metric, value, words }) =>
          `The bound of ${words} ${text(metric, value)} ${lowerTitle(metric)} lies far from all trials and is not drawn.`,
      ),
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
