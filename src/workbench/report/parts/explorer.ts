/** The explorer: every trial in three views that share one selection, and which parameters matter. */
import { CONFIG } from '../../../contract/bot.ts'
import { type MetricName, metricValue } from '../../../contract/metrics.ts'
import type { Importance, NoImportance } from '../../analysis/importance.ts'
import { cellOf, pairGrid } from '../../analysis/pair-grid.ts'
import { paretoFront } from '../../analysis/pareto.ts'
import { median } from '../../analysis/quantiles.ts'
import { CHARTS } from '../charts/charts.ts'
import { type HoldPoint, pinned, type ScatterInput } from '../charts/scatter.ts'
import {
  blanksOf,
  describeConfig,
  type Facts,
  type FinishedTrial,
  holdOf,
  holdProfit,
  MOST_PAIRED,
  pairedFields,
} from '../facts.ts'
import {
  formatCount,
  formatGain,
  formatMetricWithUnit,
  formatNumber,
  formatPercent,
  lowerTitle,
  signedPercent,
  titleWithUnit,
  tooltipText,
} from '../format.ts'
import { html } from '../html.ts'
import {
  classesOf,
  type HeatPicture,
  heatTitle,
  type LevelColumn,
  levelColumn,
  PLATEAU_LOSS,
  shownCells,
  type TrialNumbers,
} from '../model/heat.ts'
import {
  axisAt,
  evenSample,
  type LinePoint,
  MOST_LINES,
  MOST_SELECTED_LINES,
  type ParallelAxis,
  parallelAxes,
} from '../model/parallel-axes.ts'
import { STANDING_WORDS } from '../model/trial-words.ts'
import { figure, type Part, type Place, section } from './part.ts'

const VIEWS = [
  ['Profit against drawdown', scatterPart],
  ['Two parameters together', heatPart],
  ['Which parameters matter', importancePart],
  ['All parameters at once', parallelPart],
] as const

export function explorerPart(facts: Facts, place: Place): Part {
  const views = VIEWS.map(([title, view]) => ({ title, ...view(facts, place) }))
  return {
    body: section(
      place,
      views.map(({ title, body }) => {
        const heading = place.level === 2 ? html`<h3>${title}</h3>` : html`<h4>${title}</h4>`
        return html`<div class="view">${heading}${body}</div>`
      }),
    ),
    charts: views.flatMap(({ charts }) => charts),
  }
}

// Net profit against drawdown: how much more profit came with more risk. The front contains only ranked trials.

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
    xTitle: titleWithUnit('maxDrawdownPercent', facts.quote),
    yTitle: titleWithUnit('netProfit', facts.quote),
    points: placed.map((trial) => ({
      ...positions[trial],
      kind: facts.ordered.standings[trial] === 'ranked' ? 'trial' : 'outside',
    })),
    front: front.map(positionOf),
    bounds: rules.drawn,
    best: bestPoint(facts),
    hold: heldAt,
  }
  const drawnFigure = figure({
    isLive: true,
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
  return { body: html`<p class="lead-in">${lead}</p>${drawnFigure.body}`, charts: drawnFigure.charts }
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

function legendOf(facts: Facts, { hasFront, hasHold }: { hasFront: boolean; hasHold: boolean }) {
  return [
    ...(facts.best === undefined ? [] : [{ swatch: 'ring', label: 'best' }]),
    ...(facts.ranked.length > 0 ? [{ swatch: 'trial', label: 'trial' }] : []),
    ...(facts.outside.length > 0 ? [{ swatch: 'outside cross', label: STANDING_WORDS.outside }] : []),
    ...(facts.noValue.length > 0 ? [{ swatch: 'outside cross', label: STANDING_WORDS.noValue }] : []),
    ...(facts.samples.length > 0 ? [{ swatch: 'outside cross', label: STANDING_WORDS.sample }] : []),
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

function bestPoint({ best, idOf }: Facts): ScatterInput['best'] {
  if (best === undefined || !isPlaced(positionOf(best))) return null
  return { ...positionOf(best), label: `Best ${idOf(best)}` }
}

const AXES: readonly (readonly ['x' | 'y', MetricName])[] = [
  ['x', 'maxDrawdownPercent'],
  ['y', 'netProfit'],
]

/** A bound far from all trials would press them into a corner: it is said instead of drawn. */
function boundRules(
  { study, quote }: Facts,
  placed: readonly Position[],
): { readonly drawn: ScatterInput['bounds']; readonly said: readonly string[] } {
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
          `The limit of ${words} ${text(metric, value)} ${lowerTitle(metric)} is far from all trials and is not drawn.`,
      ),
  }
}

/** Buy & hold as if it were a trial: its return on the same investment. */
function holdPoint(facts: Facts): HoldPoint | null {
  const hold = holdOf(facts)
  if (hold === undefined || hold.drawdownPercent === null) return null
  const profit = holdProfit(facts) ?? 0
  return {
    x: hold.drawdownPercent,
    y: profit,
    label: `Buy & hold ${formatGain(profit, facts.quote)}`,
    tooltip: tooltipText('Buy & hold', [
      ['net profit', formatGain(profit, facts.quote)],
      ['return', signedPercent(hold.returnPercent)],
      ['max drawdown', formatPercent(hold.drawdownPercent)],
    ]),
  }
}

function frontSentence(
  front: readonly FinishedTrial[],
  { quote, varied, study, idOf, ranked, finished }: Facts,
): string {
  const bounded = study.objective.where.length > 0
  const [first, last] = [front.at(0), front.at(-1)]
  if (first === undefined || last === undefined) {
    return `No trial ${bounded ? 'is within the limits of the study' : 'is ranked'}: there is no Pareto front.`
  }
  if (ranked.length === 1) {
    return `Only one trial is ${bounded ? 'within the limits of the study' : 'ranked'}: ${idOf(first)}.`
  }
  // Told with their number, for a filter selects fewer.
  const trials = (word: string) => formatCount(ranked.length, `${word}trial`)
  const among = bounded
    ? `Of ${trials('')} within the limits of the study, `
    : `Of ${ranked.length < finished.length ? trials('ranked ') : `all ${trials('')}`}, `
  const read = (trial: FinishedTrial, name: 'netProfit' | 'maxDrawdownPercent') =>
    formatMetricWithUnit(name, metricValue(trial.metrics, name), quote)
  if (first === last) {
    return `${among}one has both the highest profit and the lowest drawdown: ${idOf(first)} (${describeConfig(first, varied) || 'the only configuration'}).`
  }
  return `${among}${formatNumber(front.length, 0)} cannot be beaten on both profit and drawdown: from ${read(first, 'netProfit')} at a drawdown of ${read(first, 'maxDrawdownPercent')} to ${read(last, 'netProfit')} at ${read(last, 'maxDrawdownPercent')}.`
}

// The effect of two parameters together: one heat map large, all pairs small. The page draws them; here are their words, and one as a picture.

export function heatPart(facts: Facts, place: Place): Part {
  const { study, varied } = facts
  const fields = pairedFields(facts)
  const [first, second] = fields
  if (second === undefined) {
    return { body: html`<p class="empty">No heat map: ${CHARTS.heat.without}.</p>`, charts: [] }
  }
  const { numbers } = facts.ordered
  const metric = lowerTitle(study.objective.metric)
  const bounded = study.objective.where.length > 0
  return figure({
    isLive: true,
    place,
    name: 'heat',
    drawn: pictureOf(levelColumn(numbers, second), levelColumn(numbers, first), facts),
    summary: `${metric} for every pair of values of ${fields.map((field) => CONFIG[field].title).join(', ')}.`,
    caption: html`<details class="how-to-read"><summary>How to read it</summary>${[
      `Each cell is the mean ${metric} of all trials with these two values, or the best of them, or their number. Their other parameters may differ; n is the number of trials.${bounded ? ' Trials that break a limit count too: choose “ranked” in the filter to leave them out.' : ''} With a filter, only the trials that it selects count. All pairs have the same colours.`,
      `The outlined plateau is the cells joined to the best cell side by side that lose no more than ${100 * PLATEAU_LOSS} % of the way from the best cell to the worst: a winner on a wide plateau depends less on its exact values than one alone.`,
      `Where a cell has few trials, or trials that differ in other parameters, these parameters decide its colour too.`,
      varied.length > MOST_PAIRED &&
        `Of ${varied.length} varied parameters, the ${MOST_PAIRED} most important ones are paired.`,
    ]
      .filter((sentence) => sentence !== false)
      .join(' ')}</details>`,
  })
}

/** The mean over two fields, as the page shows it at first. */
function pictureOf(x: LevelColumn, y: LevelColumn, facts: Facts): HeatPicture {
  const { study, quote, best } = facts
  const { numbers } = facts.ordered
  const { objective } = study
  const scores = numbers.values(objective.metric) ?? new Float64Array(numbers.count).fill(Number.NaN)
  const whole = pairGrid(x, y, { scores, direction: objective.direction, mask: null })
  const pair = { x, y, whole }
  const view = { objective, quote, blanks: blanksOf(facts), aggregate: 'mean' } as const
  const marked = { winner: best === undefined ? null : cellOf(x, y, 0), opened: null, chosen: null }
  return {
    x: { field: x.field, levels: x.levels },
    y: { field: y.field, levels: y.levels },
    cells: shownCells(pair, { grid: whole, classes: classesOf([pair], view), marked }, view),
    title: heatTitle(pair, view, { count: numbers.count, all: numbers.count }),
  }
}

// Which parameters matter.

function importancePart(facts: Facts, place: Place): Part {
  const { importance } = facts
  if (importance.kind !== 'found') {
    return { body: html`<p class="empty">No data: ${reasonFor(importance, facts)}.</p>`, charts: [] }
  }
  const bars = importanceFigure(importance, facts, place)
  return { body: html`<p class="lead-in">${sharesSentence(importance, facts)}</p>${bars.body}`, charts: bars.charts }
}

function reasonFor(none: NoImportance, { study }: Facts): string {
  const metric = lowerTitle(study.objective.metric)
  switch (none.kind) {
    case 'nothingVaried':
      return CHARTS.importance.without
    case 'allEqual':
      return none.rows === 0 ? `no trial has a ${metric}` : `${formatCount(none.rows, 'trial')} with the same ${metric}`
    case 'tooFewRows':
      return `${formatCount(none.rows, 'trial')} cannot separate ${formatCount(none.effects, 'effect')} of the parameters’ values from chance`
  }
}

function percent(share: number): string {
  return formatPercent(100 * share, 1)
}

/** "The remaining 15.7 %" is the part that the additive model does not explain, on any grid. */
function sharesSentence({ parameters, rSquared, chanceRSquared }: Importance, { study }: Facts): string {
  const ranges = parameters.some(({ levels }) => levels.some(({ low, high }) => low !== high))
  const rest = `The remaining ${percent(1 - rSquared)} is how they act together${ranges ? ', and what happens inside of a range of values' : ''}.`
  return `The parameters explain ${percent(rSquared)} of the study’s differences in ${lowerTitle(study.objective.metric)} (R²; ${percent(chanceRSquared)} by chance).${1 - rSquared > 0.0005 ? ` ${rest}` : ''}`
}

const titleOf = (field: string): string => Object.entries(CONFIG).find(([name]) => name === field)?.[1].title ?? field

function importanceFigure({ parameters }: Importance, { study }: Facts, place: Place): Part {
  return figure({
    place,
    name: 'importance',
    drawn: parameters.map(({ field, share, chanceShare }) => ({
      name: titleOf(field),
      sharePercent: 100 * share,
      chancePercent: 100 * chanceShare,
    })),
    summary: `Bars: parts of R² in explaining ${lowerTitle(study.objective.metric)}. ${parameters.map(({ field, share }) => `${titleOf(field)} ${percent(share)}`).join(', ')}.`,
    legend: [
      { swatch: 'bar', label: 'explained by this parameter' },
      { swatch: 'tick', label: 'expected by chance' },
    ],
    caption: html`<details class="how-to-read"><summary>How to read it</summary>Parts of R² of a least-squares fit with one effect per value and no interactions: what the parameter adds, averaged over all orders of adding them (Lindeman, Merenda and Gold 1980). The parts add up to R², on a grid with gaps too. The tick marks what a result without any cause would give the parameter with these values and trials; a bar near its tick means nothing.</details>`,
  })
}

// All parameters and the key metrics of every trial at once.

function parallelPart(facts: Facts, place: Place): Part {
  const { study, varied, quote } = facts
  const trials = facts.ordered.numbers
  const axes = parallelAxes(trials, { varied, metric: study.objective.metric, quote })
  if (axes.length === 0) {
    return { body: html`<p class="empty">No parallel coordinates: ${CHARTS.parallel.without}.</p>`, charts: [] }
  }
  const shown = evenSample(new Uint8Array(trials.count).fill(1), MOST_LINES)
  const isPart = shown.length < trials.count
  return figure({
    isLive: true,
    place,
    name: 'parallel',
    drawn: { axes, points: linePoints(trials, axes, shown) },
    summary: `Parallel coordinates of ${formatCount(trials.count, 'trial')}: ${axes.map(({ title }) => title.join(' ')).join(', ')}.`,
    legend: [
      { swatch: 'line best', label: 'best' },
      { swatch: 'line trial', label: 'trial' },
      { swatch: 'line faint', label: 'not selected' },
    ],
    caption: html`One line is one trial.${isPart ? ` Of ${formatCount(trials.count, 'trial')}, ${shown.length} are drawn, every so many by rank.` : ''}${trials.count > MOST_SELECTED_LINES ? ` Of a selection, ${MOST_SELECTED_LINES} are drawn at most.` : ''}`,
  })
}

/** The points of a trial's line; a number that is not known leaves a point out. */
export function linePoints(trials: TrialNumbers, axes: readonly ParallelAxis[], shown: ArrayLike<number>): LinePoint[] {
  const columns = axes.map(({ column }) => trials.values(column))
  return Array.from(shown).flatMap((trial) =>
    axes.flatMap((axis, index) => {
      const value = columns[index]?.[trial] ?? Number.NaN
      return Number.isFinite(value) ? [{ axis: index, at: axisAt(axis, value), trial }] : []
    }),
  )
}
