/**
 * A trial's deals on the price. The page fills its data: `price` (bars), `sticks` (the same, where single candles can be told apart), `levels`, `chosen` (the time of the
 * deal that is chosen),
 * `marks` (with a size in square pixels), and `frame`, whose two rows are the corners of what is shown.
 */
import { EXIT_NAMES, saleOf } from '../../../contract/bot.ts'
import { axisTitle, CHART_FRAME, type ChartSpec } from './theme.ts'

const time = {
  field: 'time',
  type: 'temporal' as const,
  scale: { type: 'utc' as const, nice: false as const },
  axis: { title: null, tickCount: 6, format: { hours: '%H:%M', minutes: '%H:%M' } },
}

/** @param quoteAsset of the price axis */
export function dealsSpec({ quoteAsset }: { readonly quoteAsset: string }): ChartSpec {
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

/** Colours and dashes of the levels of a deal. */
const LEVELS = {
  rung: { colour: 'var(--accent)', dash: [1, 0] },
  waiting: { colour: 'var(--faint)', dash: [1, 0] },
  average: { colour: 'var(--ink)', dash: [3, 3] },
  takeProfit: { colour: 'var(--gain)', dash: [7, 3] },
  stop: { colour: 'var(--loss)', dash: [2, 2, 7, 2] },
} as const

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
  rung: { shape: 'circle', colour: 'var(--accent)' },
}
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
