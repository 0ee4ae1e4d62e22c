/**
 * The mean result over two parameters, all others varying; colours by class, the number in the cell if it fits, and below it
 * the number of trials if that differs between cells.
 */
import { chartData } from './columns.ts'
import type { Tone } from './heat-classes.ts'
import { axisTitle, CHART_FRAME, type ChartSpec } from './theme.ts'

export interface HeatCell {
  readonly x: string
  readonly y: string
  readonly tone: Tone
  readonly label: string
  /** `n 4`; null in all cells when all have the same number of trials. */
  readonly count: string | null
}

export interface HeatMapInput {
  readonly xTitle: string
  readonly yTitle: string
  /** Left to right. */
  readonly xOrder: readonly string[]
  /** Bottom to top. */
  readonly yOrder: readonly string[]
  readonly cells: readonly HeatCell[]
}

const TONES: readonly Tone[] = ['n5', 'n4', 'n3', 'n2', 'n1', 'p1', 'p2', 'p3', 'p4', 'p5']

/** Above this many columns the numbers would overlap on a phone. */
const mostLabelledColumns = 8

export function heatMapSpec({ xTitle, yTitle, xOrder, yOrder, cells }: HeatMapInput): ChartSpec {
  const data = chartData(['x', 'y', 'tone', 'label', 'count'], cells)
  const counted = cells.some(({ count }) => count !== null)
  const x = {
    field: data.field.x,
    type: 'ordinal' as const,
    sort: [...xOrder],
    axis: { title: axisTitle(xTitle), labelAngle: 0, domain: false, ticks: false },
    scale: { padding: 0 },
  }
  const y = {
    field: data.field.y,
    type: 'ordinal' as const,
    sort: [...yOrder].reverse(),
    axis: { title: axisTitle(yTitle), domain: false, ticks: false },
    scale: { padding: 0 },
  }
  const toneScale = (prefix: string) => ({ domain: [...TONES], range: TONES.map((tone) => `var(--${prefix}-${tone})`) })
  return {
    ...CHART_FRAME,
    height: yOrder.length * (yOrder.length > 8 ? 30 : 40), // a step height would make Vega-Lite warn that it drops fit-y
    data: { values: [...data.values] },
    layer: [
      {
        name: 'cells',
        mark: { type: 'rect', cornerRadius: 3, stroke: 'var(--paper)', strokeWidth: 2 },
        encoding: {
          x,
          y,
          fill: { field: data.field.tone, type: 'nominal', scale: toneScale('heat'), legend: null },
        },
      },
      ...(xOrder.length > mostLabelledColumns
        ? []
        : [
            cellText('labels', data.field.label, { fontSize: 11, dy: counted ? -5 : 0 }),
            ...(counted ? [cellText('counts', data.field.count, { fontSize: 9, dy: 8 })] : []),
          ]),
    ],
  }

  function cellText(name: string, field: string, look: { readonly fontSize: number; readonly dy: number }) {
    return {
      name,
      mark: { type: 'text' as const, ...look },
      encoding: {
        x,
        y,
        text: { field, type: 'nominal' as const },
        color: { field: data.field.tone, type: 'nominal' as const, scale: toneScale('heat-ink'), legend: null },
      },
    }
  }
}
