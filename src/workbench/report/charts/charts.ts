/**
 * Every chart of a report is one row here: what it shows, what is said where nothing can be drawn, how the page frames it, and the pure
 * function from its data to a spec. A part of the page draws it by `figure`; its golden file is `test/golden/report/<name>.json`.
 */

import { formatPercent, tooltipText } from '../format.ts'
import type { HeatPicture } from '../model/heat.ts'
import { type DrawnAxis, type LinePoint, lineOpacity } from '../model/parallel-axes.ts'
import { type DrawnLines, overTimeSpec } from './over-time.ts'
import { type ScatterInput, scatterSpec } from './scatter.ts'
import { axisTitle, CHART_FRAME, type ChartSpec, chartData, HALO } from './theme.ts'

interface ParallelInput {
  readonly axes: readonly DrawnAxis[]
  readonly points: readonly LinePoint[]
}

/** The name of the data, which a page leaves empty: it paints the lines itself. */
const LINES = 'lines'

/** Of a title, in pixels. */
const LINE_HEIGHT = 13

/** What each chart is drawn from. */
interface ChartInputs {
  readonly equity: DrawnLines
  readonly drawdown: DrawnLines
  readonly scatter: ScatterInput
  readonly heat: HeatPicture
  readonly importance: readonly ImportanceBar[]
  readonly parallel: ParallelInput
  readonly 'bot-deals': BotDealsInput
  readonly 'bot-equity': BotEquityInput
}

export type ChartName = keyof ChartInputs
export type ChartInput<Name extends ChartName> = ChartInputs[Name]

/** A Vega-Lite spec with its data, or of the heat map what an SVG of ours is drawn from. */
export type StillChart = ChartSpec | HeatPicture

export function isPicture(chart: StillChart): chart is HeatPicture {
  return 'cells' in chart
}

interface ChartRow<Input> {
  /** What it shows, for those who cannot see it too. */
  readonly title: string
  /** Why there is none, where the data lack what it needs. */
  readonly without: string
  /** The style sheet's class. */
  readonly kind: 'scatter' | 'heat' | 'bars' | 'parallel' | 'lines'
  readonly spec: (input: Input) => StillChart
}

/** In the order of the page. */
export const CHARTS: { readonly [Name in ChartName]: ChartRow<ChartInput<Name>> } = {
  equity: {
    title: 'Return since the start',
    without: 'the best stores no daily equity',
    kind: 'lines',
    spec: (drawn) => overTimeSpec({ yTitle: 'Return, %', height: 170, ...drawn }),
  },
  drawdown: {
    title: 'Fall below the highest day so far',
    without: 'the best stores no daily equity',
    kind: 'lines',
    spec: (drawn) => overTimeSpec({ yTitle: 'Below peak, %', height: 80, ...drawn }),
  },
  scatter: {
    title: 'Net profit against maximum drawdown',
    without: 'no trial has both a net profit and a drawdown',
    kind: 'scatter',
    spec: scatterSpec,
  },
  heat: {
    title: 'Two parameters together',
    without: 'it needs two varied parameters, and this study varies fewer',
    kind: 'heat',
    spec: (picture) => picture,
  },
  importance: {
    title: 'What each parameter explains',
    without: 'the trials vary no parameter',
    kind: 'bars',
    spec: importanceSpec,
  },
  parallel: {
    title: 'Parameters and results of every trial',
    without: 'the trials vary no parameter',
    kind: 'parallel',
    spec: parallelSpec,
  },
  'bot-deals': {
    title: 'Deals of the bot and of its backtest on the price',
    without: 'the service reports no deals of the bot',
    kind: 'lines',
    spec: botDealsSpec,
  },
  'bot-equity': {
    title: 'Equity of the bot and of its backtest',
    without: 'neither has a whole day yet',
    kind: 'lines',
    spec: botEquitySpec,
  },
}

// Each parameter's part of R², with a tick at the share that chance alone would give.

interface ImportanceBar {
  readonly name: string
  readonly sharePercent: number
  readonly chancePercent: number
}

function importanceSpec(bars: readonly ImportanceBar[]): ChartSpec {
  const data = chartData(
    ['name', 'share', 'chance', 'labelAt', 'label', 'tooltip'],
    bars.map(({ name, sharePercent, chancePercent }) => ({
      name,
      share: sharePercent,
      chance: chancePercent,
      labelAt: Math.max(sharePercent, chancePercent), // beside a short bar it would sit on the tick
      label: formatPercent(sharePercent, 1),
      tooltip: tooltipText(name, [
        ['explains', formatPercent(sharePercent, 1)],
        ['by chance', formatPercent(chancePercent, 1)],
      ]),
    })),
  )
  const x = { type: 'quantitative' as const, scale: { domain: [0, 100] } }
  const y = {
    field: data.field.name,
    type: 'nominal' as const,
    sort: null,
    axis: { title: null, domain: false, ticks: false, labelLimit: 180, labelColor: 'var(--ink)' },
  }
  const tooltip = { field: data.field.tooltip, type: 'nominal' as const }
  return {
    ...CHART_FRAME,
    height: 30 * bars.length,
    data: { values: [...data.values] },
    layer: [
      {
        name: 'bars',
        mark: { type: 'bar', color: 'var(--accent)', height: 14, cornerRadiusEnd: 2 },
        encoding: { x: { field: data.field.share, ...x, axis: null }, y, tooltip },
      },
      {
        name: 'chance',
        mark: { type: 'tick', color: 'var(--ink)', size: 20, thickness: 1.5 },
        encoding: { x: { field: data.field.chance, ...x, axis: null }, y, tooltip },
      },
      {
        name: 'labels',
        mark: { type: 'text', align: 'left', baseline: 'middle', dx: 8, tooltip: false },
        encoding: {
          x: { field: data.field.labelAt, ...x, axis: null },
          y,
          text: { field: data.field.label, type: 'nominal' },
        },
      },
    ],
  }
}

// Deals of a bot and of its backtest on one price: a filled mark of the bot inside of a hollow one of the backtest is a deal that matches.

interface BotDealsInput {
  readonly yTitle: string
  readonly price: readonly { readonly time: number; readonly price: number }[]
  readonly marks: readonly BotDealMark[]
  /** From the opening to the close of each deal that has both. */
  readonly spans: readonly {
    readonly who: 'bot' | 'backtest'
    readonly from: number
    readonly to: number
    readonly fromPrice: number
    readonly toPrice: number
  }[]
}

interface BotDealMark {
  readonly who: 'bot' | 'backtest'
  readonly end: 'opened' | 'closed'
  /** Ms UTC. */
  readonly time: number
  readonly price: number
  /** On the same candles in both. */
  readonly isMatched: boolean
  readonly tooltip: string
}

/** One scale for lines and marks. */
const COLOUR = {
  type: 'nominal' as const,
  scale: { domain: ['bot', 'backtest', 'unmatched'], range: ['var(--accent)', 'var(--ink)', 'var(--loss)'] },
  legend: null,
}

/** Layers in order: price, lines from open to close, the backtest's marks, the bot's. */
function botDealsSpec({ yTitle, price, marks, spans }: BotDealsInput): ChartSpec {
  const prices = chartData(['time', 'price'], price)
  const lines = chartData(['who', 'from', 'to', 'fromPrice', 'toPrice'], spans)
  const x = { type: 'temporal' as const, scale: { type: 'utc' as const }, axis: { title: null, tickCount: 6 } }
  const y = { type: 'quantitative' as const, axis: { title: axisTitle(yTitle) }, scale: { zero: false, nice: true } }
  return {
    ...CHART_FRAME,
    height: 280,
    layer: [
      {
        name: 'price',
        data: { values: [...prices.values] },
        mark: { type: 'line', color: 'var(--faint)', strokeWidth: 1, tooltip: false },
        encoding: { x: { field: prices.field.time, ...x }, y: { field: prices.field.price, ...y } },
      },
      {
        name: 'spans',
        data: { values: [...lines.values] },
        mark: { type: 'rule', strokeWidth: 1, opacity: 0.45, tooltip: false },
        encoding: {
          x: { field: lines.field.from, ...x },
          x2: { field: lines.field.to },
          y: { field: lines.field.fromPrice, ...y },
          y2: { field: lines.field.toPrice },
          color: { field: lines.field.who, ...COLOUR },
        },
      },
      markLayer('backtest', marks),
      markLayer('bot', marks),
    ],
  }

  function markLayer(who: BotDealMark['who'], all: readonly BotDealMark[]) {
    const rows = all
      .filter((mark) => mark.who === who)
      .map(({ isMatched, ...mark }) => ({ ...mark, style: isMatched ? who : 'unmatched' }))
    const data = chartData(['end', 'time', 'price', 'style', 'tooltip'], rows)
    return {
      name: who,
      data: { values: [...data.values] },
      mark: {
        type: 'point' as const,
        filled: who === 'bot',
        size: who === 'bot' ? 50 : 150,
        strokeWidth: 1.5,
        opacity: 1,
      },
      encoding: {
        x: { field: data.field.time, ...x },
        y: { field: data.field.price, ...y },
        shape: {
          field: data.field.end,
          type: 'nominal' as const,
          scale: { domain: ['opened', 'closed'], range: ['triangle-up', 'triangle-down'] },
          legend: null,
        },
        color: { field: data.field.style, ...COLOUR },
        tooltip: { field: data.field.tooltip, type: 'nominal' as const },
      },
    }
  }
}

// Equity of a bot and of its backtest, day by day.

interface BotEquityInput {
  readonly yTitle: string
  /** `time`: the end of a UTC day, ms; `value` in quote. */
  readonly points: readonly {
    readonly who: 'bot' | 'backtest'
    readonly time: number
    readonly value: number
    readonly tooltip: string
  }[]
}

const WHO = ['backtest', 'bot'] as const

/** The backtest is dashed, and below the bot: where they agree, only the bot is seen between its dashes. */
function botEquitySpec({ yTitle, points }: BotEquityInput): ChartSpec {
  const data = chartData(['who', 'time', 'value', 'tooltip'], points)
  const x = {
    field: data.field.time,
    type: 'temporal' as const,
    scale: { type: 'utc' as const },
    axis: { title: null, tickCount: 6 },
  }
  const y = {
    field: data.field.value,
    type: 'quantitative' as const,
    axis: { title: axisTitle(yTitle) },
    scale: { zero: false, nice: true },
  }
  const perWho = <Value>(bot: Value, backtest: Value) => ({ domain: [...WHO], range: [backtest, bot] })
  const who = { field: data.field.who, type: 'nominal' as const }
  const colour = { ...who, scale: perWho('var(--accent)', 'var(--ink)'), legend: null }
  return {
    ...CHART_FRAME,
    height: 200,
    data: { values: [...data.values] },
    layer: [
      {
        name: 'lines',
        mark: { type: 'line', strokeJoin: 'round', tooltip: false },
        encoding: {
          x,
          y,
          stroke: colour,
          strokeWidth: { condition: { test: `datum['${data.field.who}'] === 'bot'`, value: 2.25 }, value: 1.5 },
          strokeDash: { ...who, scale: perWho([1, 0], [5, 3]), legend: null },
        },
      },
      {
        name: 'days',
        mark: { type: 'point', filled: true, size: 26, opacity: 1 },
        encoding: { x, y, fill: colour, tooltip: { field: data.field.tooltip, type: 'nominal' } },
      },
    ],
  }
}

/** Parallel coordinates: one vertical axis per column, one line per trial. Every axis has its own range, from its lowest value to its highest. */
export function parallelSpec({ axes, points }: ParallelInput): ChartSpec {
  const count = new Set(points.map(({ trial }) => trial)).size
  const lines = chartData(['axis', 'at', 'trial'], points)
  const rules = chartData(
    ['axis', 'title', 'rise'],
    axes.map(({ title }, axis) => ({ axis, title: title.join('\n'), rise: -28 - LINE_HEIGHT * (title.length - 1) })),
  )
  const { x, y } = positionOf(axes)
  return {
    ...CHART_FRAME,
    height: 320,
    layer: [
      {
        name: 'lines',
        data: { name: LINES, values: [...lines.values] },
        mark: { type: 'line', color: 'var(--accent)', strokeWidth: 1, opacity: lineOpacity(count) },
        encoding: {
          x: x(lines.field.axis),
          y: y(lines.field.at),
          detail: { field: lines.field.trial, type: 'nominal' },
        },
      },
      {
        name: 'axes',
        data: { values: [...rules.values] },
        mark: { type: 'rule', color: 'var(--line-strong)', strokeWidth: 1.5 },
        encoding: { x: x(rules.field.axis), y: { value: 0 }, y2: { value: 'height' } },
      },
      {
        name: 'titles',
        data: { values: [...rules.values] },
        mark: {
          type: 'text',
          baseline: 'top',
          lineBreak: '\n',
          lineHeight: LINE_HEIGHT,
          fontWeight: 600,
          fontSize: 11,
          dy: { expr: `datum['${rules.field.rise}']` },
        },
        encoding: {
          x: x(rules.field.axis),
          y: { value: 0 },
          text: { field: rules.field.title, type: 'nominal' },
        },
      },
      tickLayer(axes),
    ],
  }
}

/** Axes stand side by side at equal distances; on each, the ends are 0 and 1. */
function positionOf(axes: ParallelInput['axes']) {
  const x = (field: string) => ({
    field,
    type: 'ordinal' as const,
    axis: null,
    scale: { type: 'point' as const, padding: 0.5, domain: axes.map((_, axis) => axis) },
  })
  const y = (field: string) => ({
    field,
    type: 'quantitative' as const,
    axis: null,
    scale: { domain: [0, 1], nice: false },
  })
  return { x, y }
}

function tickLayer(axes: ParallelInput['axes']) {
  const ticks = chartData(
    ['axis', 'at', 'label'],
    axes.flatMap((each, axis) => each.ticks.map(({ at, label }) => ({ axis, at, label }))),
  )
  const at = `datum['${ticks.field.at}']`
  const isEnd = `(${at} === 0 || ${at} === 1)`
  const { x, y } = positionOf(axes)
  return {
    name: 'ticks',
    data: { values: [...ticks.values] },
    mark: {
      type: 'text' as const,
      // the ends stand off the lines, above and below
      align: { expr: `${isEnd} ? 'center' : 'left'` },
      baseline: 'middle' as const,
      dx: { expr: `${isEnd} ? 0 : 6` },
      dy: { expr: `${isEnd} ? 9 - 18 * ${at} : 0` },
      fontSize: 10.5,
      color: 'var(--muted)',
      ...HALO,
    },
    encoding: {
      x: x(ticks.field.axis),
      y: y(ticks.field.at),
      text: { field: ticks.field.label, type: 'nominal' as const },
    },
  }
}
