/** Net profit against drawdown, one point per trial, with the Pareto front and buy & hold for comparison. */
import { chartData } from './columns.ts'
import { axisTitle, CHART_FRAME, type ChartSpec, HALO, zeroLine } from './theme.ts'

export interface ScatterPoint {
  readonly x: number
  readonly y: number
  /** `outside`: finished, but outside of the objective's bounds. */
  readonly kind: 'best' | 'trial' | 'outside'
  readonly tooltip: string
}

export interface ScatterInput {
  readonly xTitle: string
  readonly yTitle: string
  readonly points: readonly ScatterPoint[]
  /** Corners of the Pareto front, x ascending. */
  readonly front: readonly { readonly x: number; readonly y: number }[]
  readonly hold: HoldPoint | null
}

export interface HoldPoint {
  readonly x: number
  readonly y: number
  readonly label: string
  readonly tooltip: string
}

/** How far buy & hold may extend the chart, as a fraction of the trials' range. */
const mostExtra = 0.6

/**
 * The position of buy & hold in the chart. Far from all trials it would press them into a corner: then it is put at the border,
 * and an arrow in its label shows the direction.
 */
export function pinned(hold: HoldPoint, points: readonly { readonly x: number; readonly y: number }[]): HoldPoint {
  const right = Math.max(...points.map(({ x }) => x))
  const [bottom, top] = [Math.min(0, ...points.map(({ y }) => y)), Math.max(0, ...points.map(({ y }) => y))]
  const room = top - bottom || 1
  const beyondX = hold.x > (1 + mostExtra) * right && right > 0
  const beyondY = hold.y < bottom - mostExtra * room ? 'below' : hold.y > top + mostExtra * room ? 'above' : null
  if (!beyondX && beyondY === null) return hold
  const arrow = ARROWS[`${beyondX}-${beyondY ?? 'level'}`]
  return {
    ...hold,
    x: beyondX ? 1.05 * right : hold.x,
    y: beyondY === 'below' ? bottom - 0.05 * room : beyondY === 'above' ? top + 0.05 * room : hold.y,
    label: `${hold.label} ${arrow}`,
  }
}

const ARROWS: Readonly<Record<string, string>> = {
  'true-below': '↘',
  'true-level': '→',
  'true-above': '↗',
  'false-below': '↓',
  'false-above': '↑',
}

/** Layers in order: zero, front, points, marks of best and buy & hold with their labels. */
export function scatterSpec({ xTitle, yTitle, points, front, hold }: ScatterInput): ChartSpec {
  const data = chartData(['x', 'y', 'kind', 'tooltip'], points)
  const corners = chartData(['x', 'y'], front)
  const crowded = points.length > 400
  const x = { type: 'quantitative' as const, axis: { title: axisTitle(xTitle) }, scale: { zero: true, nice: true } }
  const y = { type: 'quantitative' as const, axis: { title: axisTitle(yTitle) }, scale: { zero: false, nice: true } }
  return {
    ...CHART_FRAME,
    height: 380,
    layer: [
      zeroLine('y'),
      {
        name: 'front',
        data: { values: [...corners.values] },
        mark: { type: 'line', interpolate: 'step-after', color: 'var(--accent)', strokeWidth: 1.5, opacity: 0.7 },
        encoding: { x: { field: corners.field.x, ...x }, y: { field: corners.field.y, ...y } },
      },
      {
        name: 'points',
        data: { values: [...data.values] },
        mark: { type: 'point', filled: true, size: crowded ? 26 : 54, stroke: 'var(--paper)', strokeWidth: 0.75 },
        encoding: {
          x: { field: data.field.x, ...x },
          y: { field: data.field.y, ...y },
          fill: {
            field: data.field.kind,
            type: 'nominal',
            scale: { domain: ['best', 'trial', 'outside'], range: ['var(--best)', 'var(--accent)', 'var(--faint)'] },
            legend: null,
          },
          opacity: { condition: { test: `datum['${data.field.kind}'] === 'trial'`, value: 0.7 }, value: 1 },
          tooltip: { field: data.field.tooltip, type: 'nominal' },
        },
      },
      ...(hold === null ? [] : labelledPoint('hold', hold, 'diamond', points)),
      ...points
        .filter(({ kind }) => kind === 'best')
        .flatMap((best) => labelledPoint('best', { ...best, label: 'Best' }, 'circle', points)),
    ],
  }
}

/** One larger mark with its name beside it, on the side where the chart has room. */
function labelledPoint(
  name: 'best' | 'hold',
  point: HoldPoint,
  shape: 'circle' | 'diamond',
  others: readonly { readonly x: number }[],
): Extract<ChartSpec, { layer: unknown }>['layer'] {
  const data = chartData(['x', 'y', 'tooltip', 'label'], [point])
  const farthest = Math.max(point.x, ...others.map(({ x }) => x))
  const onRight = point.x < 0.7 * farthest
  const position = {
    x: { field: data.field.x, type: 'quantitative' as const },
    y: { field: data.field.y, type: 'quantitative' as const },
  }
  const color = name === 'best' ? 'var(--best)' : 'var(--hold)'
  return [
    {
      name,
      data: { values: [...data.values] },
      mark: {
        type: 'point',
        shape,
        filled: true,
        size: 120,
        fill: color,
        stroke: 'var(--paper)',
        strokeWidth: 1.5,
        opacity: 1,
      },
      encoding: { ...position, tooltip: { field: data.field.tooltip, type: 'nominal' } },
    },
    {
      name: `${name}-label`,
      data: { values: [...data.values] },
      mark: {
        type: 'text',
        align: onRight ? 'left' : 'right',
        dx: onRight ? 11 : -11,
        baseline: 'middle',
        fontWeight: 600,
        color,
        ...HALO,
        tooltip: false,
      },
      encoding: { ...position, text: { field: data.field.label, type: 'nominal' } },
    },
  ]
}
