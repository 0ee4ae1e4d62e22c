/** Net profit over the values of one field, everything else equal. The page fills `points`, and `now` with the value that is set. */
import { axisTitle, CHART_FRAME, type ChartSpec, zeroLine } from './theme.ts'

export function neighboursSpec({ quoteAsset }: { readonly quoteAsset: string }): ChartSpec {
  const x = {
    field: 'value',
    type: 'quantitative' as const,
    scale: { zero: false, nice: false },
    axis: { title: null, tickCount: 6 },
  }
  const y = {
    field: 'netProfit',
    type: 'quantitative' as const,
    scale: { zero: true, nice: true },
    axis: { title: axisTitle(`Net profit, ${quoteAsset}`), tickCount: 4 },
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
