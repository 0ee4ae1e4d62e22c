/**
 * The shape of a chart: its spec with marks in place of what Vega-Lite and Vega's parser only hand on (rows, titles, sizes). Two charts of one shape
 * differ in nothing else, so the usual shapes are compiled when the program is built, and a report fills in what is its own. Pure.
 */
import { createHash } from 'node:crypto'
import { CHARTS, type StillChart } from './charts.ts'
import { inspectorCharts } from './inspector-charts.ts'
import { SLOTS } from './over-time.ts'
import type { ScatterInput } from './scatter.ts'

interface Shape {
  /** A spec that can be compiled. */
  readonly spec: StillChart
  /** The same for the same shape: what its compiled text is kept under. */
  readonly name: string
  /** What stands at each mark, as JSON. */
  readonly fills: readonly string[]
}

/** Of a mark: numbers and words that are drawn as they stand. */
const DRAWN = new Set(['size', 'strokeWidth', 'opacity', 'dx', 'align', 'height'])

const FIRST_NUMBER = 4e15

export function shapeOf(chart: StillChart): Shape {
  const fills: string[] = []
  const joined = new Map<string, number>() // Vega-Lite joins equal rows and equal titles, and nothing else
  const markFor = (key: string, value: unknown): unknown => {
    const fill = JSON.stringify(value)
    const canJoin = key === 'title' || Array.isArray(value)
    const at = (canJoin ? joined.get(fill) : undefined) ?? fills.push(fill) - 1
    if (canJoin) joined.set(fill, at)
    if (typeof value === 'number') return FIRST_NUMBER + at
    return Array.isArray(value) ? [`@@${at}@@`] : `@@${at}@@`
  }
  function marked(this: unknown, key: string, value: unknown): unknown {
    const { test, type }: { readonly test?: unknown; readonly type?: unknown } = Object(this)
    const isHandedOn =
      (Array.isArray(value) && value.length > 0 && (key === 'values' || (key === 'domain' && type === 'point'))) ||
      (typeof value === 'string' && (key === 'title' || key === 'align')) ||
      (typeof value === 'number' && (DRAWN.has(key) || (key === 'value' && test !== undefined)))
    return isHandedOn ? markFor(key, value) : value
  }
  const text = JSON.stringify(chart, marked)
  return { spec: JSON.parse(text), name: createHash('sha256').update(text).digest('hex').slice(0, 16), fills }
}

/** Of rows, of words, and of numbers. Words in the code of an expression are quoted once more. */
const MARKS = /\["@@(\d+)@@"\]|(\\?)"@@(\d+)@@\\?"|\b40{12}(\d{3})\b/g

/** @param text of a shape that was compiled */
export function fillShape(text: string, fills: readonly string[]): string {
  return text.replace(MARKS, (_, rows?: string, slash?: string, words?: string, number?: string) => {
    const fill = fills[Number(rows ?? words ?? number)]
    return slash === '\\' ? JSON.stringify(fill).slice(1, -1) : fill
  })
}

const DAY = { from: 0, to: 1 }

/** Those that reports have most often. Others are compiled when a report is made. */
export function usualShapes(): ReadonlyMap<string, StillChart> {
  const lines = [[...SLOTS], ['bot'] as const].flatMap((slots) =>
    [[], [DAY]].map((unseen) => ({
      lines: slots.map((slot) => ({ slot, points: [{ time: 0, y: slot.length }] })),
      strips: [{ ...DAY, tooltip: '' }],
      unseen,
    })),
  )
  const charts = [
    ...Object.values(inspectorCharts({ asset: 'USDT' })),
    ...lines.flatMap((drawn) => [CHARTS.equity.spec(drawn), CHARTS.drawdown.spec(drawn)]),
    ...usualScatters().map(CHARTS.scatter.spec),
    CHARTS.importance.spec([{ name: '', sharePercent: 1, chancePercent: 2 }]),
    CHARTS.parallel.spec({ axes: [{ title: [''], ticks: [{ at: 0, label: '' }] }], points: [] }),
  ]
  return new Map(charts.map(shapeOf).map(({ name, spec }) => [name, spec]))
}

/** With limits on one axis, the other, both or none; buy & hold in the plot, at one of its borders, or nowhere. */
function usualScatters(): ScatterInput[] {
  const rule = (axis: 'x' | 'y') => ({ axis, value: axis.length, label: axis })
  const bounds = [[], [rule('x')], [rule('y')], [rule('x'), { ...rule('y'), value: 2 }]]
  const xs = [1, 'right'] as const
  const holds = xs.flatMap((x) => ([1, 'top', 'bottom'] as const).map((y) => ({ x, y, label: 'h', tooltip: 't' })))
  return bounds.flatMap((drawn) =>
    [null, ...holds].map((hold) => ({
      ...{ xTitle: 'x', yTitle: 'y', points: [], front: [{ x: 1, y: 1 }], bounds: drawn, hold },
      best: { x: 1, y: 1, label: 'b' },
    })),
  )
}
