/** A histogram of trials or deals, with landmarks such as the best trial or buy & hold. */

import { chartData, tooltipText } from './columns.ts'
import { niceStep } from './heat-classes.ts'
import { axisTitle, CHART_FRAME, type ChartSpec, HALO } from './theme.ts'

export interface Bin {
  readonly from: number
  readonly to: number
  readonly count: number
}

export interface Landmark {
  readonly value: number
  readonly label: string
  readonly kind: 'best' | 'median' | 'hold'
}

export interface DistributionInput {
  readonly xTitle: string
  /** What the bins count, in the plural: trials, deals. */
  readonly counted: string
  readonly bins: readonly Bin[]
  readonly landmarks: readonly Landmark[]
  readonly formatValue: (value: number) => string
}

/**
 * Bins of one nice width with zero at a border: the width of Freedman and Diaconis (1981), 2 · IQR / ∛n, kept
 * between 15 (fewer for few values) and 40 bins. `quartiles` are of the values. Empty without values.
 */
export function binsOf(
  values: readonly number[],
  quartiles: { readonly lower: number; readonly upper: number },
): Bin[] {
  if (values.length === 0) return []
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const range = [high - low, Math.abs(high), 1].find((candidate) => candidate > 1e-9) ?? 1 // equal values still need a width
  const wanted = (2 * (quartiles.upper - quartiles.lower)) / Math.cbrt(values.length)
  const fewest = Math.min(15, Math.max(4, Math.ceil(2 * Math.sqrt(values.length))))
  const width = niceStep(Math.min(range / fewest, Math.max(range / 40, wanted)))
  const first = Math.floor(low / width)
  const last = Math.floor(high / width)
  const counts = Array.from({ length: last - first + 1 }, () => 0)
  for (const value of values) counts[Math.floor(value / width) - first]++
  return counts.map((count, index) => ({ from: (first + index) * width, to: (first + index + 1) * width, count }))
}

/** How far a landmark may extend the chart, as a fraction of the bins' range. */
const mostExtra = 0.6

/** A landmark far from all bins would make them too narrow. It is put at the border, with an arrow in its direction. */
export function pinnedLandmarks(landmarks: readonly Landmark[], bins: readonly Bin[]): Landmark[] {
  const [low, high] = [bins[0].from, bins[bins.length - 1].to]
  const room = high - low
  return landmarks.map((landmark) => {
    const { value, label } = landmark
    if (value < low - mostExtra * room) return { ...landmark, value: low - 0.05 * room, label: `← ${label}` }
    if (value > high + mostExtra * room) return { ...landmark, value: high + 0.05 * room, label: `${label} →` }
    return landmark
  })
}

const COLOURS = { best: 'var(--best)', median: 'var(--muted)', hold: 'var(--hold)' } as const

export function distributionSpec({ xTitle, counted, bins, landmarks, formatValue }: DistributionInput): ChartSpec {
  const data = chartData(
    ['from', 'to', 'count', 'sign', 'tooltip'],
    bins.map((bin) => ({
      ...bin,
      sign: bin.from < 0 ? 'loss' : 'gain',
      tooltip: tooltipText(`${formatValue(bin.from)} to ${formatValue(bin.to)}`, [[counted, String(bin.count)]]),
    })),
  )
  const countTitle = axisTitle(counted.charAt(0).toUpperCase() + counted.slice(1))
  const x = { type: 'quantitative' as const, axis: { title: axisTitle(xTitle) }, scale: { zero: false, nice: false } }
  return {
    ...CHART_FRAME,
    height: 240,
    layer: [
      {
        name: 'bars',
        data: { values: [...data.values] },
        mark: { type: 'bar', binSpacing: 1 },
        encoding: {
          x: { field: data.field.from, ...x, bin: 'binned' },
          x2: { field: data.field.to },
          y: {
            field: data.field.count,
            type: 'quantitative',
            axis: { title: countTitle, tickMinStep: 1, format: 'd' },
          },
          fill: {
            field: data.field.sign,
            type: 'nominal',
            scale: { domain: ['loss', 'gain'], range: ['var(--loss-soft)', 'var(--gain-soft)'] },
            legend: null,
          },
          tooltip: { field: data.field.tooltip, type: 'nominal' },
        },
      },
      ...landmarks.flatMap((landmark) => landmarkLayers(landmark, bins, landmarks)),
    ],
  }
}

/** A vertical rule and a label above the plot for each landmark, each label on a line of its own. */
function landmarkLayers(
  landmark: Landmark,
  bins: readonly Bin[],
  landmarks: readonly Landmark[],
): Extract<ChartSpec, { layer: unknown }>['layer'] {
  const { value, label, kind } = landmark
  const ends = [...bins.flatMap(({ from, to }) => [from, to]), ...landmarks.map((landmark) => landmark.value)]
  const [low, high] = [Math.min(...ends), Math.max(...ends)]
  const isOnRight = (each: Landmark) => each.value - low < 0.6 * (high - low)
  const onRight = isOnRight(landmark)
  const data = chartData(['value', 'label'], [{ value, label }])
  const x = { field: data.field.value, type: 'quantitative' as const }
  // the outermost of each side is highest, so that no rule goes through a label that lies beyond it
  const fromAbove = landmarks.toSorted(
    (a, b) => Number(isOnRight(a)) - Number(isOnRight(b)) || (isOnRight(a) ? a.value - b.value : b.value - a.value),
  )
  const lift = -10 - 18 * (landmarks.length - 1 - fromAbove.indexOf(landmark))
  return [
    {
      name: `${kind}-rule`,
      data: { values: [...data.values] },
      mark: { type: 'rule', color: COLOURS[kind], strokeWidth: 1.5, strokeDash: kind === 'best' ? [1, 0] : [4, 3] },
      encoding: { x, y: { value: lift }, y2: { value: 'height' } },
    },
    {
      name: `${kind}-label`,
      data: { values: [...data.values] },
      mark: {
        type: 'text',
        align: onRight ? 'left' : 'right',
        baseline: 'middle',
        dx: onRight ? 6 : -6,
        color: COLOURS[kind],
        fontWeight: 600,
        ...HALO,
      },
      encoding: { x, y: { value: lift }, text: { field: data.field.label, type: 'nominal' } },
    },
  ]
}
