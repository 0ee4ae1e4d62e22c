/** The best result so far as trials were submitted one after another, and each trial as a point: what more units bought. */
import { chartData } from './columns.ts'
import { axisTitle, CHART_FRAME, type ChartSpec, zeroLine } from './theme.ts'

export interface SubmittedTrial {
  /** From 1, in the order of submission. */
  readonly place: number
  readonly value: number
  /** The best of this one and those before that meet the bounds; null before there is one. */
  readonly best: number | null
  readonly tooltip: string
}

export interface BestSoFarInput {
  readonly yTitle: string
  readonly trials: readonly SubmittedTrial[]
}

export function bestSoFarSpec({ yTitle, trials }: BestSoFarInput): ChartSpec {
  const data = chartData(['place', 'value', 'best', 'tooltip'], trials)
  const x = {
    field: data.field.place,
    type: 'quantitative' as const,
    axis: { title: 'Trials in the order of submission', tickMinStep: 1, format: 'd' },
    scale: { zero: false, nice: false },
  }
  const y = { type: 'quantitative' as const, axis: { title: axisTitle(yTitle) } }
  return {
    ...CHART_FRAME,
    height: 200,
    data: { values: [...data.values] },
    layer: [
      zeroLine('y'),
      {
        name: 'submitted',
        mark: { type: 'point', filled: true, size: 16, color: 'var(--faint)', opacity: 1 },
        encoding: {
          x,
          y: { field: data.field.value, ...y },
          tooltip: { field: data.field.tooltip, type: 'nominal' },
        },
      },
      {
        name: 'best_so_far',
        transform: [{ filter: `isValid(datum['${data.field.best}'])` }],
        mark: { type: 'line', interpolate: 'step-after', color: 'var(--best)', strokeWidth: 2.5, tooltip: false },
        encoding: { x, y: { field: data.field.best, ...y } },
      },
    ],
  }
}
