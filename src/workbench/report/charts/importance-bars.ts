/** Each parameter's part of R², with a tick at the share that chance alone would give. */
import { formatPercent, tooltipText } from '../format.ts'
import { CHART_FRAME, type ChartSpec, chartData } from './theme.ts'

export interface ImportanceBar {
  readonly name: string
  readonly sharePercent: number
  readonly chancePercent: number
}

export function importanceSpec(bars: readonly ImportanceBar[]): ChartSpec {
  const data = chartData(
    ['name', 'share', 'chance', 'labelAt', 'label', 'tooltip'],
    bars.map(({ name, sharePercent, chancePercent }) => ({
      name,
      share: sharePercent,
      chance: chancePercent,
      labelAt: Math.max(sharePercent, chancePercent), // beside a short bar it would sit on the tick
      label: formatPercent(sharePercent, 1),
      tooltip: tooltipText(name, [
        ['explains', formatPercent(sharePercent, 1)],
        ['by chance', formatPercent(chancePercent, 1)],
      ]),
    })),
  )
  const x = { type: 'quantitative' as const, scale: { domain: [0, 100] } }
  const y = {
    field: data.field.name,
    type: 'nominal' as const,
    sort: null,
    axis: { title: null, domain: false, ticks: false, labelLimit: 180, labelColor: 'var(--ink)' },
  }
  const tooltip = { field: data.field.tooltip, type: 'nominal' as const }
  return {
    ...CHART_FRAME,
    height: 30 * bars.length,
    data: { values: [...data.values] },
    layer: [
      {
        name: 'bars',
        mark: { type: 'bar', color: 'var(--accent)', height: 14, cornerRadiusEnd: 2 },
        encoding: { x: { field: data.field.share, ...x, axis: null }, y, tooltip },
      },
      {
        name: 'chance',
        mark: { type: 'tick', color: 'var(--ink)', size: 20, thickness: 1.5 },
        encoding: { x: { field: data.field.chance, ...x, axis: null }, y, tooltip },
      },
      {
        name: 'labels',
        mark: { type: 'text', align: 'left', baseline: 'middle', dx: 8, tooltip: false },
        encoding: {
          x: { field: data.field.labelAt, ...x, axis: null },
          y,
          text: { field: data.field.label, type: 'nominal' },
        },
      },
    ],
  }
}
