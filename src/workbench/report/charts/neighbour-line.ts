/** Net profit over the values of one field, everything else equal. The page fills `points`, `now` with the value that is set, and `beyond` with those off the scale. */
import { axisTitle, CHART_FRAME, type ChartSpec, zeroLine } from './theme.ts'

export function neighboursSpec({ quoteAsset }: { readonly quoteAsset: string }): ChartSpec {
  const x = {
    field: 'value',
    type: 'quantitative' as const,
    scale: { zero: false, nice: false },
    axis: { title: null, tickCount: 6 },
  }
  const y = {
    field: 'shown',
    type: 'quantitative' as const,
    scale: { zero: true, nice: true },
    // labels grow when the page fills in other points, and would push the title out
    axis: { title: axisTitle(`Net profit, ${quoteAsset}`), minExtent: 64, maxExtent: 64, tickCount: 4 },
  }
  const tooltip = { field: 'tooltip', type: 'nominal' as const }
  return {
    ...CHART_FRAME,
    height: 130,
    layer: [
      zeroLine('y'),
      {
        name: 'points',
        data: { name: 'points' },
        mark: {
          type: 'line',
          color: 'var(--accent)',
          strokeWidth: 1.6,
          point: { filled: true, fill: 'var(--accent)', size: 34 },
        },
        encoding: { x, y, tooltip },
      },
      {
        name: 'beyond',
        data: { name: 'beyond' },
        mark: { type: 'point', filled: true, size: 110, color: 'var(--loss)', opacity: 1 },
        encoding: {
          x,
          y,
          tooltip,
          shape: {
            field: 'side',
            type: 'nominal',
            scale: { domain: ['above', 'below'], range: ['triangle-up', 'triangle-down'] },
            legend: null,
          },
        },
      },
      {
        name: 'now',
        data: { name: 'now' },
        mark: {
          type: 'point',
          shape: 'diamond',
          filled: true,
          size: 130,
          color: 'var(--best)',
          opacity: 1,
          stroke: 'var(--paper)',
          strokeWidth: 1,
        },
        encoding: { x, y, tooltip },
      },
    ],
  }
}
