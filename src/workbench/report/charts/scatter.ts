/** Net profit against drawdown, one point per trial, with the Pareto front and buy & hold for comparison. */
import { axisTitle, CHART_FRAME, type ChartSpec, chartData, HALO, zeroLine } from './theme.ts'

interface ScatterPoint {
  readonly x: number
  readonly y: number
  /** `outside`: finished, but outside of the objective's bounds, or not ranked for another reason. */
  readonly kind: 'trial' | 'outside'
}

/** A point with a name. */
interface NamedPoint {
  readonly x: number
  readonly y: number
  readonly label: string
}

export interface HoldPoint extends NamedPoint {
  readonly tooltip: string
}

/** Where it would press all trials into a corner, at the border instead: no place of the axes is its own there. */
interface PinnedPoint extends Omit<HoldPoint, 'x' | 'y'> {
  readonly x: number | 'right'
  readonly y: number | 'top' | 'bottom'
}

/** A bound of the objective, as a line across the chart. */
interface BoundRule {
  readonly axis: 'x' | 'y'
  readonly value: number
  readonly label: string
}

export interface ScatterInput {
  readonly xTitle: string
  readonly yTitle: string
  readonly points: readonly ScatterPoint[]
  /** Corners of the Pareto front, x ascending. */
  readonly front: readonly { readonly x: number; readonly y: number }[]
  readonly bounds: readonly BoundRule[]
  readonly best: NamedPoint | null
  readonly hold: PinnedPoint | null
}

/** The name of the data that the page fills with its trials. */
export const POINTS = 'points'

/** The columns of those data. */
export const POINT_COLUMNS = ['x', 'y', 'kind'] as const

/** How far buy & hold may extend the chart, as a fraction of the trials' range. */
const mostExtra = 0.6

const ARROWS: Readonly<Record<string, string>> = {
  'true-below': '↘',
  'true-level': '→',
  'true-above': '↗',
  'false-below': '↓',
  'false-above': '↑',
}

/**
 * The position of buy & hold in the chart. Far from all trials it would press them into a corner: then it is put at the border,
 * and an arrow in its label shows the direction.
 */
export function pinned(hold: HoldPoint, points: readonly { readonly x: number; readonly y: number }[]): PinnedPoint {
  const right = Math.max(...points.map(({ x }) => x))
  const [bottom, top] = [Math.min(0, ...points.map(({ y }) => y)), Math.max(0, ...points.map(({ y }) => y))]
  const room = top - bottom || 1
  const beyondX = hold.x > (1 + mostExtra) * right && right > 0
  const beyondY = hold.y < bottom - mostExtra * room ? 'below' : hold.y > top + mostExtra * room ? 'above' : null
  if (!beyondX && beyondY === null) return hold
  const arrow = ARROWS[`${beyondX}-${beyondY ?? 'level'}`]
  return {
    ...hold,
    x: beyondX ? 'right' : hold.x,
    y: beyondY === 'below' ? 'bottom' : beyondY === 'above' ? 'top' : hold.y,
    label: `${hold.label} ${arrow}`,
  }
}

/** Layers in order: zero, bounds, points, front, marks of best and buy & hold with their labels. */
export function scatterSpec(input: ScatterInput): ChartSpec {
  const { xTitle, yTitle, points, front, bounds, best, hold } = input
  const count = points.length
  const farthest = points.reduce((most, point) => Math.max(most, point.x), 0)
  const data = chartData(POINT_COLUMNS, points)
  const corners = chartData(['x', 'y'], front)
  const x = { type: 'quantitative' as const, axis: { title: axisTitle(xTitle) }, scale: { zero: true, nice: true } }
  const y = { type: 'quantitative' as const, axis: { title: axisTitle(yTitle) }, scale: { zero: false, nice: true } }
  return {
    ...CHART_FRAME,
    height: 380,
    layer: [
      zeroLine('y'),
      ...bounds.flatMap(boundLayers),
      {
        name: 'points',
        data: { name: POINTS, values: [...data.values] },
        mark: {
          type: 'point',
          filled: true,
          size: pointSize(count),
          stroke: 'var(--paper)',
          strokeWidth: count > 2000 ? 0 : 0.75,
        },
        encoding: {
          x: { field: data.field.x, ...x },
          y: { field: data.field.y, ...y },
          fill: {
            field: data.field.kind,
            type: 'nominal',
            scale: { domain: ['trial', 'outside'], range: ['var(--accent)', 'var(--faint)'] },
            legend: null,
          },
          shape: {
            field: data.field.kind,
            type: 'nominal',
            scale: { domain: ['trial', 'outside'], range: ['circle', 'cross'] },
            legend: null,
          },
          opacity: {
            condition: { test: `datum['${data.field.kind}'] === 'trial'`, value: count > 2000 ? 0.2 : 0.7 },
            value: 1,
          }, // of many, darker where more lie
        },
      },
      {
        name: 'front',
        data: { values: [...corners.values] },
        mark: { type: 'line', interpolate: 'step-after', color: 'var(--ink)', strokeWidth: 1.25, opacity: 0.8 },
        encoding: { x: { field: corners.field.x, ...x }, y: { field: corners.field.y, ...y } },
      },
      ...(hold === null ? [] : labelledPoint('hold', hold, farthest)),
      ...(best === null ? [] : labelledPoint('best', { ...best, tooltip: '' }, farthest)),
    ],
  }
}

/** Of a mark, in square pixels: many trials need small ones. */
export function pointSize(count: number): number {
  return count > 2000 ? 12 : count > 400 ? 26 : 54
}

type Layers = Extract<ChartSpec, { layer: unknown }>['layer']

function boundLayers({ axis, value, label }: BoundRule, index: number): Layers {
  const data = chartData(['value', 'label'], [{ value, label }])
  const at = { field: data.field.value, type: 'quantitative' as const }
  const isVertical = axis === 'x'
  return [
    {
      name: `bound-${index}`,
      data: { values: [...data.values] },
      mark: { type: 'rule', color: 'var(--loss)', strokeDash: [6, 4], strokeWidth: 1.25 },
      encoding: { [axis]: at },
    },
    {
      name: `bound-${index}-label`,
      data: { values: [...data.values] },
      mark: {
        type: 'text',
        color: 'var(--loss)',
        align: 'right',
        baseline: 'bottom',
        dx: -5,
        dy: isVertical ? 14 : -4,
        ...HALO,
        tooltip: false,
      },
      encoding: {
        [axis]: at,
        ...(isVertical ? { y: { value: 0 } } : { x: { value: 'width' } }),
        text: { field: data.field.label, type: 'nominal' },
      },
    },
  ]
}

const MARK_STYLES = {
  // a ring, which leaves the trial itself to be seen
  best: { shape: 'circle', filled: false, size: 170, color: 'var(--best)', strokeWidth: 2.5, opacity: 1 },
  hold: {
    shape: 'diamond',
    filled: true,
    size: 120,
    fill: 'var(--hold)',
    stroke: 'var(--paper)',
    strokeWidth: 1.5,
    opacity: 1,
  },
} as const

/** One larger mark with its name beside it, on the side where the chart has room. */
function labelledPoint(name: 'best' | 'hold', point: PinnedPoint, farthest: number): Layers {
  const { x, y, tooltip, label } = point
  const isAtRight = x === 'right'
  const isAtEnd = y === 'top' || y === 'bottom'
  const data = chartData(
    ['x', 'y', 'tooltip', 'label'],
    [{ x: isAtRight ? null : x, y: isAtEnd ? null : y, tooltip, label }],
  )
  const onRight = !isAtRight && x < 0.7 * Math.max(x, farthest)
  const position = {
    x: isAtRight ? { value: 'width' as const } : { field: data.field.x, type: 'quantitative' as const },
    y: isAtEnd
      ? { value: y === 'top' ? 0 : ('height' as const) }
      : { field: data.field.y, type: 'quantitative' as const },
  }
  return [
    {
      name,
      data: { values: [...data.values] },
      mark: { type: 'point', ...MARK_STYLES[name] },
      encoding: { ...position, tooltip: { field: data.field.tooltip, type: 'nominal' } },
    },
    {
      name: `${name}-label`,
      data: { values: [...data.values] },
      mark: {
        type: 'text',
        align: onRight ? 'left' : 'right',
        dx: onRight ? 12 : -12,
        baseline: 'middle',
        fontWeight: 600,
        color: `var(--${name})`,
        ...HALO,
        tooltip: false,
      },
      encoding: { ...position, text: { field: data.field.label, type: 'nominal' } },
    },
  ]
}
