/** Lines over the days of a study and those that it held out: return since the start, or the fall from the running peak. */
import { axisTitle, CHART_FRAME, type ChartSpec, chartData, zeroLine } from './theme.ts'

/** Drawn in this order, the bot on top. */
export const SLOTS = ['hold', 'plain', 'bot'] as const
export type Slot = (typeof SLOTS)[number]

interface Line {
  readonly slot: Slot
  /** Time in ms UTC, oldest first; `y` in percent. */
  readonly points: readonly { readonly time: number; readonly y: number }[]
}

interface Times {
  /** ms UTC. */
  readonly from: number
  readonly to: number
}

/** A strip of the plot with one tooltip for all lines at that time. */
interface Strip extends Times {
  readonly tooltip: string
}

export interface DrawnLines {
  readonly lines: readonly Line[]
  readonly strips: readonly Strip[]
  /** Days that the choice had not seen; shaded. */
  readonly unseen: readonly Times[]
}

interface OverTimeInput extends DrawnLines {
  readonly yTitle: string
  readonly height: number
}

/** The bot is drawn last, on top, and thickest; the held amount is dashed and the plain ladder dotted, so that they can be distinguished in print. */
export function overTimeSpec({ yTitle, height, lines, strips, unseen }: OverTimeInput): ChartSpec {
  const present = SLOTS.filter((slot) => lines.some((line) => line.slot === slot))
  const rows = present.flatMap((slot) =>
    lines.filter((line) => line.slot === slot).flatMap(({ points }) => points.map((point) => ({ ...point, slot }))),
  )
  const data = chartData(['time', 'y', 'slot'], rows)
  const bands = chartData(['from', 'to', 'tooltip'], strips)
  const shaded = chartData(['from', 'to'], unseen)
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
      {
        name: 'unseen',
        data: { values: [...shaded.values] },
        mark: { type: 'rect', fill: 'var(--line)', fillOpacity: 0.75, tooltip: false },
        encoding: { x: { field: shaded.field.from, ...time }, x2: { field: shaded.field.to } },
      },
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
            // as wide in both charts, so that the same day stands below the same day
            axis: { title: axisTitle(yTitle), tickCount: 4, minExtent: 34, maxExtent: 34 },
            scale: { zero: true, nice: true },
          },
          detail: { field: data.field.slot, type: 'nominal' },
          stroke: {
            field: data.field.slot,
            type: 'nominal',
            scale: perSlot((slot) => `var(--series-${slot})`),
            legend: null,
          },
          strokeWidth: { condition: { test: `datum['${data.field.slot}'] === 'bot'`, value: 2.5 }, value: 1.5 },
          strokeDash: {
            field: data.field.slot,
            type: 'nominal',
            scale: perSlot((slot) => ({ bot: [1, 0], hold: [5, 3], plain: [2, 2] })[slot]),
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
