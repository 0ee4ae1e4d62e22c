/** Lines over the study's days: return since the start, or the fall from the running peak. */
import { chartData } from './columns.ts'
import { axisTitle, CHART_FRAME, type ChartSpec, zeroLine } from './theme.ts'

/** Colour slot on the page: the best five trials, then buy & hold. */
export type Slot = 's1' | 's2' | 's3' | 's4' | 's5' | 'hold'

export interface Line {
  readonly slot: Slot
  /** Time in ms UTC, oldest first; `y` in percent. */
  readonly points: readonly { readonly time: number; readonly y: number }[]
}

/** A strip of the plot with one tooltip for all lines at that time. */
export interface Strip {
  readonly from: number
  readonly to: number
  readonly tooltip: string
}

export interface DrawnLines {
  readonly lines: readonly Line[]
  readonly strips: readonly Strip[]
}

export interface OverTimeInput extends DrawnLines {
  readonly yTitle: string
  readonly height: number
}

const SLOTS: readonly Slot[] = ['hold', 's5', 's4', 's3', 's2', 's1']

/** The best trial is drawn last, on top, and thickest; buy & hold is dashed, so that it can be distinguished in print. */
export function overTimeSpec({ yTitle, height, lines, strips }: OverTimeInput): ChartSpec {
  const present = SLOTS.filter((slot) => lines.some((line) => line.slot === slot))
  const rows = present.flatMap((slot) =>
    lines.filter((line) => line.slot === slot).flatMap(({ points }) => points.map((point) => ({ ...point, slot }))),
  )
  const data = chartData(['time', 'y', 'slot'], rows)
  const bands = chartData(['from', 'to', 'tooltip'], strips)
  const time = {
    type: 'temporal' as const,
    scale: { type: 'utc' as const },
    axis: { title: null, tickCount: 6 },
  }
  const perSlot = <Value>(range: (slot: Slot) => Value) => ({ domain: [...present], range: present.map(range) })
  return {
    ...CHART_FRAME,
    height,
    layer: [
      zeroLine('y'),
      {
        name: 'lines',
        data: { values: [...data.values] },
        mark: { type: 'line', interpolate: 'linear', strokeJoin: 'round' },
        encoding: {
          x: { field: data.field.time, ...time },
          y: {
            field: data.field.y,
            type: 'quantitative',
            axis: { title: axisTitle(yTitle) },
            scale: { zero: true, nice: true },
          },
          detail: { field: data.field.slot, type: 'nominal' },
          stroke: {
            field: data.field.slot,
            type: 'nominal',
            scale: perSlot((slot) => `var(--series-${slot})`),
            legend: null,
          },
          strokeWidth: { condition: { test: `datum['${data.field.slot}'] === 's1'`, value: 2.5 }, value: 1.5 },
          strokeDash: {
            field: data.field.slot,
            type: 'nominal',
            scale: perSlot((slot) => (slot === 'hold' ? [5, 3] : [1, 0])),
            legend: null,
          },
        },
      },
      {
        name: 'strips', // invisible until the pointer is over one: the page's style sheet fills that strip
        data: { values: [...bands.values] },
        mark: { type: 'rect', fill: 'transparent' },
        encoding: {
          x: { field: bands.field.from, ...time },
          x2: { field: bands.field.to },
          tooltip: { field: bands.field.tooltip, type: 'nominal' },
        },
      },
    ],
  }
}
