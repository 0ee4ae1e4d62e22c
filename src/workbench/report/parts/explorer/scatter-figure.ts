/** Net profit against drawdown: how much more profit came with more risk. The front contains only ranked trials. */
import { metricValue } from '../../../../contract/metric-values.ts'
import { METRICS, type MetricName } from '../../../../contract/metrics.ts'
import { paretoFront } from '../../../analysis/pareto.ts'
import { median } from '../../../analysis/quantiles.ts'
import { CHARTS } from '../../charts/charts.ts'
import { tooltipText } from '../../charts/columns.ts'
import { type BoundRule, type HoldPoint, pinned, type ScatterInput } from '../../charts/scatter.ts'
import { describeConfig, type Facts, type FinishedTrial, holdOf, lowerTitle, shortFingerprint } from '../../facts.ts'
import { formatCount, formatMetricWithUnit, formatPercent, formatSigned, signedPercent } from '../../format.ts'
import { html } from '../../html.ts'
import type { LegendEntry, Part, Place } from '../part.ts'
import { liveFigure } from './live-figure.ts'

export function scatterPart(facts: Facts, place: Place): Part {
  const positions = positionsOf(facts)
  const placed = Array.from(positions.keys()).filter((trial) => isPlaced(positions[trial]))
  if (placed.length === 0)
    return { body: html`<p class="empty">No scatter: ${CHARTS.scatter.without}.</p>`, charts: [] }
  const front = frontOf(facts, positions)
  const points = placed.map((trial) => positions[trial])
  const hold = holdPoint(facts)
  const heldAt = hold === null ? null : pinned(hold, points)
  const rules = boundRules(facts, points)
  const drawn: ScatterInput = {
    xTitle: `${METRICS.maxDrawdownPercent.title}, %`,
    yTitle: `${METRICS.netProfit.title}, ${facts.quote.asset}`,
    points: placed.map((trial) => ({
      ...positions[trial],
      kind: facts.ordered.standings[trial] === 'ranked' ? 'trial' : 'outside',
    })),
    front: front.map(positionOf),
    bounds: rules.drawn,
    best: bestPoint(facts),
    hold: heldAt,
  }
  const figure = liveFigure({
    place,
    name: 'scatter',
    drawn,
    summary: `Scatter of ${formatCount(placed.length, 'trial')}. ${frontSentence(front, facts)}`,
    legend: legendOf(facts, { hasFront: front.length > 0, hasHold: hold !== null }),
    caption: html`${[...rules.said, heldAt !== hold && 'Buy & hold lies beyond the border, where its arrow points.']
      .filter((sentence) => sentence !== false)
      .join(' ')}`,
  })
  const lead = `${frontSentence(front, facts)} ${allInWords(facts)}`
  return { body: html`<p class="lead-in">${lead}</p>${figure.body}`, charts: figure.charts }
}

/** Where the best stands among all: it is the lucky end of many tries. */
function allInWords(facts: Facts): string {
  const profits = facts.finished.flatMap(({ metrics }) => metricValue(metrics, 'netProfit') ?? [])
  const share = (test: (profit: number) => boolean) =>
    formatPercent((100 * profits.filter(test).length) / profits.length, 0)
  const hold = holdProfit(facts)
  const held = hold === null ? '' : `, ${share((profit) => profit > hold)} more than buy & hold`
  const middle = formatMetricWithUnit('netProfit', median(profits) ?? null, facts.quote)
  return `Of all, ${share((profit) => profit > 0)} made a profit${held}; the median made ${middle}.`
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

/** The Pareto front of all ranked trials, which come first. Smallest drawdown first. */
function frontOf({ ranked }: Facts, positions: readonly Position[]): FinishedTrial[] {
  const places = Array.from(ranked.keys())
  const front = paretoFront(places, (trial) => ({ cost: positions[trial].x, gain: positions[trial].y }))
  return front.map((trial) => ranked[trial])
}

/** A coordinate that is not known is NaN. */
interface Position {
  readonly x: number
  readonly y: number
}

/** Of every trial, in the order of the page. */
function positionsOf({ ordered: { numbers } }: Facts): Position[] {
  const [x, y] = [numbers.values('maxDrawdownPercent'), numbers.values('netProfit')]
  return Array.from({ length: numbers.count }, (_, trial) => ({
    x: x?.[trial] ?? Number.NaN,
    y: y?.[trial] ?? Number.NaN,
  }))
}

function positionOf({ metrics }: FinishedTrial): Position {
  return {
    x: metricValue(metrics, 'maxDrawdownPercent') ?? Number.NaN,
    y: metricValue(metrics, 'netProfit') ?? Number.NaN,
  }
}

function isPlaced({ x, y }: Position): boolean {
  return Number.isFinite(x) && Number.isFinite(y)
}

function bestPoint({ best }: Facts): ScatterInput['best'] {
  if (best === undefined || !isPlaced(positionOf(best))) return null
  return { ...positionOf(best), label: `Best ${shortFingerprint(best)}` }
}

const AXES: readonly (readonly [BoundRule['axis'], MetricName])[] = [
  ['x', 'maxDrawdownPercent'],
  ['y', 'netProfit'],
]

/** A bound far from all trials would press them into a corner: it is said instead of drawn. */
function boundRules(
  { study, quote }: Facts,
  placed: readonly Position[],
): { readonly drawn: readonly BoundRule[]; readonly said: readonly string[] } {
  const bounds = AXES.flatMap(([axis, metric]) => {
    const values = placed.map((position) => position[axis])
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

/** Of the investment, held; null = not known. */
function holdProfit(facts: Facts): number | null {
  const trial = facts.best ?? facts.finished.at(0)
  const percent = holdOf(facts)?.returnPercent
  return percent === undefined || trial === undefined ? null : (percent / 100) * trial.config.investment
}

/** Buy & hold as if it were a trial: its return on the same investment. */
function holdPoint(facts: Facts): HoldPoint | null {
  const hold = holdOf(facts)
  if (hold === undefined || hold.drawdownPercent === null) return null
  const profit = holdProfit(facts) ?? 0
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
