/** What was chosen on one span beside what it made on the next: a pair of bars for each fold, and one for the hold-out once it was opened. */
import { chartData } from './columns.ts'
import { axisTitle, CHART_FRAME, type ChartSpec, HALO, zeroLine } from './theme.ts'

export interface FoldBars {
  /** When its test begins; distinct. */
  readonly label: string
  /** The objective of the chosen on the span it was chosen on, and on the next; null = it has none. */
  readonly train: number | null
  readonly test: number | null
  /** What the market did in the test: "▲ 3 %". */
  readonly market: string
  readonly tooltip: string
}

export interface WalkForwardInput {
  readonly yTitle: string
  /** In the order of time. */
  readonly folds: readonly FoldBars[]
}

const KINDS = ['chosen on', 'next span'] as const

/** The bars of the span that was chosen on are hollow, so that the pair can be told apart without colours. */
export function walkForwardSpec({ yTitle, folds }: WalkForwardInput): ChartSpec {
  const data = chartData(
    ['label', 'kind', 'value', 'tooltip'],
    folds.flatMap(({ label, train, test, tooltip }) => [
      { label, kind: KINDS[0], value: train, tooltip },
      { label, kind: KINDS[1], value: test, tooltip },
    ]),
  )
  const markets = chartData(
    ['label', 'market'],
    folds.map(({ label, market }) => ({ label, market })),
  )
  const x = {
    type: 'ordinal' as const,
    sort: folds.map(({ label }) => label),
    axis: { title: null, labelAngle: 0, ticks: false, labelOverlap: false },
    scale: { paddingInner: 0.3, paddingOuter: 0.15 },
  }
  return {
    ...CHART_FRAME,
    height: 220,
    layer: [
      zeroLine('y'),
      {
        name: 'folds',
        data: { values: [...data.values] },
        transform: [{ filter: `isValid(datum['${data.field.value}'])` }],
        mark: { type: 'bar', strokeWidth: 1.5, stroke: 'var(--accent)' },
        encoding: {
          x: { field: data.field.label, ...x },
          xOffset: { field: data.field.kind, type: 'nominal', sort: [...KINDS], scale: { paddingInner: 0.08 } },
          y: { field: data.field.value, type: 'quantitative', axis: { title: axisTitle(yTitle) } },
          fill: {
            field: data.field.kind,
            type: 'nominal',
            scale: { domain: [...KINDS], range: ['var(--paper)', 'var(--accent)'] },
            legend: null,
          },
          tooltip: { field: data.field.tooltip, type: 'nominal' },
        },
      },
      {
        name: 'markets',
        data: { values: [...markets.values] },
        mark: { type: 'text', baseline: 'top', color: 'var(--muted)', tooltip: false, ...HALO },
        encoding: {
          x: { field: markets.field.label, ...x },
          y: { value: -18 },
          text: { field: markets.field.market, type: 'nominal' },
        },
      },
    ],
  }
}
