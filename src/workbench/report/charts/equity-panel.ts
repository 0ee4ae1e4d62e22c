/** One of the panels that share their time axis: equity, drawdown, capital in use, buy & hold. The page fills `points`, and `worst` with at most one row. */
import { axisTitle, CHART_FRAME, type ChartSpec, zeroLine } from './theme.ts'

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

export function equityPanelSpec({ yTitle, height, colour, filled, showsTimes }: PanelInput): ChartSpec {
  const x = {
    field: 'time',
    type: 'temporal' as const,
    scale: { type: 'utc' as const, nice: false as const },
    axis: { title: null, tickCount: 6, labels: showsTimes },
  }
  const y = {
    field: 'value',
    type: 'quantitative' as const,
    scale: { zero: filled, nice: true },
    // as wide in every panel, so that the same time stands below the same time
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

/** Pinned trials over each other, and dashed the amount held. `points` { time, value in percent, slot: '0' … '3' or 'held' }. */
export function comparedSpec(): ChartSpec {
  const domain = ['0', '1', '2', '3', 'held']
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
          x: {
            field: 'time',
            type: 'temporal',
            scale: { type: 'utc', nice: false },
            axis: { title: null, tickCount: 6 },
          },
          y: {
            field: 'value',
            type: 'quantitative',
            scale: { zero: true, nice: true },
            axis: { title: axisTitle('Return, %'), minExtent: 44, maxExtent: 44, tickCount: 5 },
          },
          stroke: {
            field: 'slot',
            type: 'nominal',
            scale: { domain, range: ['best', 'accent', 'gain', 'loss', 'hold'].map((name) => `var(--${name})`) },
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
