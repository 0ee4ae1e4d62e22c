/** Net profit as the service stated it against net profit as the page computes it: a trial a mark, on the line where both are equal. The page fills all data. */
import { axisTitle, CHART_FRAME, type ChartSpec } from './theme.ts'

export function twinsSpec({ quoteAsset }: { readonly quoteAsset: string }): ChartSpec {
  const at = (field: string, title: string) => ({
    field,
    type: 'quantitative' as const,
    scale: { zero: false, nice: true },
    axis: { title: axisTitle(title), tickCount: 6, grid: true },
  })
  const x = at('service', `Stated by the service, ${quoteAsset}`)
  const y = at('here', `Computed here, ${quoteAsset}`)
  return {
    ...CHART_FRAME,
    height: 300,
    layer: [
      {
        name: 'equal',
        data: { name: 'equal' },
        mark: { type: 'line', color: 'var(--muted)', strokeWidth: 1, strokeDash: [5, 4], tooltip: false },
        encoding: { x, y },
      },
      {
        name: 'twins',
        data: { name: 'twins' },
        mark: { type: 'point', filled: true, size: 40, opacity: 0.85, cursor: 'pointer' },
        encoding: {
          x,
          y,
          shape: {
            field: 'isExact',
            type: 'nominal',
            scale: { domain: [true, false], range: ['circle', 'diamond'] },
            legend: null,
          },
          color: {
            field: 'isExact',
            type: 'nominal',
            scale: { domain: [true, false], range: ['var(--accent)', 'var(--loss)'] },
            legend: null,
          },
          tooltip: { field: 'tooltip', type: 'nominal' },
        },
      },
    ],
  }
}
