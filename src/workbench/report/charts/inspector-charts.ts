/** The charts of what the page's engine computes, in the inspector and beside it: compiled once by Node, filled by the page. */
import { EXIT_NAMES, type Exit, saleOf } from '../../../contract/bot.ts'
import type { Quote } from '../format.ts'
import type { drawDeals } from '../model/deal-marks.ts'
import { axisTitle, CHART_FRAME, type ChartSpec, zeroLine } from './theme.ts'

/** By the name under which the page finds it; each has a golden file in `test/golden/inspector/`. */
export function inspectorCharts({ asset }: Pick<Quote, 'asset'>) {
  return {
    deals: dealsSpec({ quoteAsset: asset }),
    equity: panelSpec({
      yTitle: `Equity, ${asset}`,
      height: 130,
      colour: 'var(--best)',
      filled: false,
      showsTimes: false,
    }),
    drawdown: panelSpec({
      yTitle: 'Drawdown, %',
      height: 80,
      colour: 'var(--loss)',
      filled: true,
      showsTimes: false,
    }),
    used: panelSpec({
      yTitle: `In use, ${asset}`,
      height: 80,
      colour: 'var(--accent)',
      filled: true,
      showsTimes: false,
    }),
    hold: panelSpec({
      yTitle: `Hold, ${asset}`,
      height: 90,
      colour: 'var(--hold)',
      filled: false,
      showsTimes: true,
    }),
    compare: comparedSpec(),
    neighbours: neighboursSpec({ quoteAsset: asset }),
    starts: startsSpec({ quoteAsset: asset }),
    startBins: startBinsSpec({ quoteAsset: asset }),
  } as const satisfies Readonly<Record<string, ChartSpec>>
}

// A trial's deals on the price. The page fills its data: `price` (bars), `sticks` (the same, where single candles can be told apart), `levels`,
// `chosen` (the time of the chosen deal), `marks` (with a size in square pixels), and `frame`, whose two rows are the corners of what is shown.

const time = {
  field: 'time',
  type: 'temporal' as const,
  scale: { type: 'utc' as const, nice: false as const },
  axis: { title: null, tickCount: 6, format: { hours: '%H:%M', minutes: '%H:%M' } },
}

/** @param quoteAsset of the price axis */
function dealsSpec({ quoteAsset }: { readonly quoteAsset: string }): ChartSpec {
  const price = (field: string) => ({
    field,
    type: 'quantitative' as const,
    scale: { zero: false, nice: false },
    axis: { title: axisTitle(`Price, ${quoteAsset}`), minExtent: 46 },
  })
  return {
    ...CHART_FRAME,
    height: 320,
    layer: [
      {
        name: 'frame',
        data: { name: 'frame' },
        mark: { type: 'point', opacity: 0 },
        encoding: { x: time, y: price('price') },
      },
      {
        name: 'chosen',
        data: { name: 'chosen' },
        mark: { type: 'rect', color: 'var(--best)', opacity: 0.14 },
        encoding: { x: time, x2: { field: 'end' } },
      },
      {
        name: 'envelope',
        data: { name: 'price' },
        mark: { type: 'area', color: 'var(--faint)', opacity: 0.7, interpolate: 'step-after' },
        encoding: { x: time, y: price('low'), y2: { field: 'high' } },
      },
      {
        name: 'closes',
        data: { name: 'price' },
        mark: { type: 'line', color: 'var(--muted)', strokeWidth: 1, strokeJoin: 'round' },
        encoding: { x: time, y: price('close') },
      },
      ...sticks(price),
      ...levels(price),
      ...marks(price),
    ],
  }
}

type Price = (field: string) => object

/** A rising candle is hollow, a falling one filled: so they differ without colour too. */
function sticks(price: Price) {
  const rises = 'datum.close >= datum.open'
  return [
    {
      name: 'wicks',
      data: { name: 'sticks' },
      mark: { type: 'rule' as const, color: 'var(--muted)' },
      encoding: { x: { ...time, field: 'middle' }, y: price('low'), y2: { field: 'high' } },
    },
    {
      name: 'bodies',
      data: { name: 'sticks' },
      mark: { type: 'rect' as const, strokeWidth: 1, stroke: 'var(--muted)' },
      encoding: {
        x: { ...time, field: 'left' },
        x2: { field: 'right' },
        y: price('open'),
        y2: { field: 'close' },
        fill: { condition: { test: rises, value: 'var(--paper)' }, value: 'var(--muted)' },
      },
    },
  ]
}

type Drawn = ReturnType<typeof drawDeals>

/** Colours and dashes of the levels of a deal. */
const LEVELS = {
  safetyOrder: { colour: 'var(--accent)', dash: [1, 0] },
  waiting: { colour: 'var(--faint)', dash: [1, 0] },
  average: { colour: 'var(--ink)', dash: [3, 3] },
  takeProfit: { colour: 'var(--gain)', dash: [7, 3] },
  stop: { colour: 'var(--loss)', dash: [2, 2, 7, 2] },
} as const satisfies Record<Drawn['levels'][number]['level'], object>

function levels(price: Price) {
  const domain = Object.keys(LEVELS)
  const row = Object.values(LEVELS)
  return [
    {
      name: 'levels',
      data: { name: 'levels' },
      mark: { type: 'rule' as const, strokeWidth: 1.2 },
      encoding: {
        x: time,
        x2: { field: 'end' },
        y: price('price'),
        stroke: {
          field: 'level',
          type: 'nominal' as const,
          scale: { domain, range: row.map(({ colour }) => colour) },
          legend: null,
        },
        strokeDash: {
          field: 'level',
          type: 'nominal' as const,
          scale: { domain, range: row.map(({ dash }) => [...dash]) },
          legend: null,
        },
      },
    },
  ]
}

/** ▲ base order, ● safety order; exits by what sells: ▼ take profit, ✕ stop, ■ to the market. */
const MARKS = {
  base: { shape: 'triangle-up', colour: 'var(--ink)' },
  safetyOrder: { shape: 'circle', colour: 'var(--accent)' },
} satisfies Record<Exclude<Drawn['marks'][number]['mark'], Exit>, object>
const EXIT_MARKS = {
  limit: { shape: 'triangle-down', colour: 'var(--gain)' },
  stop: {
    shape: 'M-.7,-1L0,-.3L.7,-1L1,-.7L.3,0L1,.7L.7,1L0,.3L-.7,1L-1,.7L-.3,0L-1,-.7Z',
    colour: 'var(--loss)',
  },
  market: { shape: 'square', colour: 'var(--ink)' },
}

function marks(price: Price) {
  const domain = [...Object.keys(MARKS), ...EXIT_NAMES]
  const row = [...Object.values(MARKS), ...EXIT_NAMES.map((exit) => EXIT_MARKS[saleOf(exit)])]
  const byMark = { field: 'mark', type: 'nominal' as const, legend: null }
  return [
    {
      name: 'marks',
      data: { name: 'marks' },
      mark: { type: 'point' as const, filled: true, opacity: 1, stroke: 'var(--paper)', strokeWidth: 0.8 },
      encoding: {
        x: time,
        y: price('price'),
        shape: { ...byMark, scale: { domain, range: row.map(({ shape }) => shape) } },
        fill: { ...byMark, scale: { domain, range: row.map(({ colour }) => colour) } },
        size: { field: 'size', type: 'quantitative' as const, scale: null },
        tooltip: { field: 'tooltip', type: 'nominal' as const },
      },
    },
  ]
}

// One of the panels that share their time axis: equity, drawdown, capital used, buy & hold. The page fills `points`, and `worst` with at most one row.

interface PanelInput {
  readonly yTitle: string
  readonly height: number
  /** CSS colour. */
  readonly colour: string
  /** Filled down to zero, which is then on the scale. */
  readonly filled: boolean
  /** Only the lowest of the panels names its times. */
  readonly showsTimes: boolean
}

function panelSpec({ yTitle, height, colour, filled, showsTimes }: PanelInput): ChartSpec {
  const x = { ...time, axis: { title: null, tickCount: 6, labels: showsTimes } }
  const y = {
    field: 'value',
    type: 'quantitative' as const,
    scale: { zero: filled, nice: true },
    // equally wide in every panel, so that equal times are below each other
    axis: { title: axisTitle(yTitle), minExtent: 64, maxExtent: 64, tickCount: 4 },
  }
  const line = { type: 'line' as const, color: colour, strokeWidth: 1.6, strokeJoin: 'round' as const }
  return {
    ...CHART_FRAME,
    height,
    layer: [
      {
        name: 'points',
        data: { name: 'points' },
        mark: filled ? { type: 'area', color: colour, fillOpacity: 0.28, line } : line,
        encoding: { x, y },
      },
      {
        name: 'worst',
        data: { name: 'worst' },
        mark: {
          type: 'point',
          shape: 'diamond',
          filled: true,
          size: 90,
          color: 'var(--loss)',
          opacity: 1,
          stroke: 'var(--paper)',
          strokeWidth: 1,
        },
        encoding: { x, y, tooltip: { field: 'tooltip', type: 'nominal' } },
      },
    ],
  }
}

/** Pinned trials over each other, the first of the ranking, and the amount held, dashed. `points`: { time, value in percent, slot: '0' … '3', 'first' or 'held' }. */
function comparedSpec(): ChartSpec {
  const domain = ['0', '1', '2', '3', 'first', 'held']
  return {
    ...CHART_FRAME,
    height: 200,
    layer: [
      zeroLine('y'),
      {
        name: 'points',
        data: { name: 'points' },
        mark: { type: 'line', strokeWidth: 1.8, strokeJoin: 'round' },
        encoding: {
          x: { ...time, axis: { title: null, tickCount: 6 } },
          y: {
            field: 'value',
            type: 'quantitative',
            scale: { zero: true, nice: true },
            axis: { title: axisTitle('Return, %'), minExtent: 44, maxExtent: 44, tickCount: 5 },
          },
          stroke: {
            field: 'slot',
            type: 'nominal',
            scale: {
              domain,
              range: ['best', 'accent', 'gain', 'loss', 'muted', 'hold'].map((name) => `var(--${name})`),
            },
            legend: null,
          },
          strokeDash: {
            field: 'slot',
            type: 'nominal',
            scale: {
              domain,
              range: [
                [1, 0],
                [8, 2],
                [4, 2, 1, 2],
                [2, 2],
                [1, 0],
                [5, 4],
              ],
            },
            legend: null,
          },
        },
      },
    ],
  }
}

// How much is chance: net profit over the values of one field, and over the starts of the first day. The page fills the data.

/** Marks the value or the start that was reported. */
const OWN = {
  name: 'now',
  data: { name: 'now' },
  mark: {
    type: 'point' as const,
    shape: 'diamond',
    filled: true,
    size: 130,
    color: 'var(--best)',
    opacity: 1,
    stroke: 'var(--paper)',
    strokeWidth: 1,
  },
}
const SHADED = { type: 'rect' as const, color: 'var(--best)', opacity: 0.14, tooltip: false }
const tooltip = { field: 'tooltip', type: 'nominal' as const }
// labels grow when the page fills in other points, and would push the title out
const axisOf = (title: string) => ({ title: axisTitle(title), minExtent: 64, maxExtent: 64, tickCount: 4 })
const across = { field: 'value', type: 'quantitative' as const, scale: { zero: false, nice: false } }

/** `points` from low to high, `band` the values near the one set, `now` that one. */
function neighboursSpec({ quoteAsset }: { readonly quoteAsset: string }): ChartSpec {
  const x = { ...across, axis: { title: null, tickCount: 6 } }
  const y = { type: 'quantitative' as const, scale: { zero: true, nice: true } }
  const axis = axisOf(`Net profit, ${quoteAsset}`)
  return {
    ...CHART_FRAME,
    height: 150,
    layer: [
      zeroLine('y'),
      {
        name: 'band',
        data: { name: 'band' },
        mark: SHADED,
        encoding: { x: { ...x, field: 'from' }, x2: { field: 'to' } },
      },
      {
        name: 'points',
        data: { name: 'points' },
        mark: {
          type: 'area',
          color: 'var(--accent)',
          fillOpacity: 0.35,
          line: { color: 'var(--accent)', strokeWidth: 1.2 },
        },
        encoding: { x, y: { ...y, field: 'high', axis }, y2: { field: 'low' }, tooltip },
      },
      { ...OWN, encoding: { x, y: { ...y, field: 'high', axis }, tooltip } },
    ],
  }
}

/** `points` over the time of day, `band` their middle half, `now` the reported one. */
function startsSpec({ quoteAsset }: { readonly quoteAsset: string }): ChartSpec {
  const x = { ...time, axis: { title: null, tickCount: 6, format: '%H:%M' } }
  const y = {
    type: 'quantitative' as const,
    scale: { zero: false, nice: true },
    axis: axisOf(`Net profit, ${quoteAsset}`),
  }
  return {
    ...CHART_FRAME,
    height: 110,
    layer: [
      {
        name: 'band',
        data: { name: 'band' },
        mark: SHADED,
        encoding: { y: { ...y, field: 'from' }, y2: { field: 'to' } },
      },
      {
        name: 'points',
        data: { name: 'points' },
        mark: { type: 'line', interpolate: 'step-after', color: 'var(--accent)', strokeWidth: 1.2 },
        encoding: { x, y: { ...y, field: 'profit' } },
      },
      { ...OWN, encoding: { x, y: { ...y, field: 'profit' }, tooltip } },
    ],
  }
}

/** The same as a histogram: `bins`, `band`, `now`. */
function startBinsSpec({ quoteAsset }: { readonly quoteAsset: string }): ChartSpec {
  const x = { ...across, axis: { title: axisTitle(`Net profit, ${quoteAsset}`), tickCount: 6 } }
  return {
    ...CHART_FRAME,
    height: 80,
    layer: [
      {
        name: 'band',
        data: { name: 'band' },
        mark: SHADED,
        encoding: { x: { ...x, field: 'from' }, x2: { field: 'to' } },
      },
      {
        name: 'bins',
        data: { name: 'bins' },
        mark: { type: 'bar', color: 'var(--accent)', binSpacing: 1 },
        encoding: {
          x: { ...x, field: 'from', bin: 'binned' },
          x2: { field: 'to' },
          y: { field: 'count', type: 'quantitative', axis: axisOf('Starts') },
          tooltip,
        },
      },
      {
        name: 'now',
        data: { name: 'now' },
        mark: { type: 'rule', color: 'var(--best)', strokeWidth: 2 },
        encoding: { x: { ...x, field: 'profit' }, tooltip },
      },
    ],
  }
}
