/** Parallel coordinates: one vertical axis per column, one line per trial. Every axis has its own range, from its lowest value to its highest. */

import type { DrawnAxis, LinePoint } from '../model/parallel-axes.ts'
import { CHART_FRAME, type ChartSpec, chartData, HALO } from './theme.ts'

export interface ParallelInput {
  readonly axes: readonly DrawnAxis[]
  readonly points: readonly LinePoint[]
}

/** The name of the data, which a page leaves empty: it paints the lines itself. */
const LINES = 'lines'

/** Of a title, in pixels. */
const LINE_HEIGHT = 13

/** One of so many lines. */
export function lineOpacity(count: number): number {
  return count > 200 ? 0.18 : 0.35
}

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
