/** Pictures of how much is chance: net profit over the values of one field, and over the starts of the first day. The page fills them. */
import { axisTitle, CHART_FRAME, type ChartSpec, zeroLine } from './theme.ts'

/** Of the value or the start that is reported. */
const OWN = {
  name: 'now',
  data: { name: 'now' },
  mark: {
    type: 'point' as const,
    shape: 'diamond',
    filled: true,
    size: 130,
    color: 'var(--best)',
    opacity: 1,
    stroke: 'var(--paper)',
    strokeWidth: 1,
  },
}
const SHADED = { type: 'rect' as const, color: 'var(--best)', opacity: 0.14, tooltip: false }
const tooltip = { field: 'tooltip', type: 'nominal' as const }
// labels grow when the page fills in other points, and would push the title out
const axisOf = (title: string) => ({ title: axisTitle(title), minExtent: 64, maxExtent: 64, tickCount: 4 })
const across = { field: 'value', type: 'quantitative' as const, scale: { zero: false, nice: false } }

/** `points` from low to high, `band` the values near the one set, `now` that one. */
export function neighboursSpec({ quoteAsset }: { readonly quoteAsset: string }): ChartSpec {
  const x = { ...across, axis: { title: null, tickCount: 6 } }
  const y = { type: 'quantitative' as const, scale: { zero: true, nice: true } }
  const axis = axisOf(`Net profit, ${quoteAsset}`)
  return {
    ...CHART_FRAME,
    height: 150,
    layer: [
      zeroLine('y'),
      {
        name: 'band',
        data: { name: 'band' },
        mark: SHADED,
        encoding: { x: { ...x, field: 'from' }, x2: { field: 'to' } },
      },
      {
        name: 'points',
        data: { name: 'points' },
        mark: {
          type: 'area',
          color: 'var(--accent)',
          fillOpacity: 0.35,
          line: { color: 'var(--accent)', strokeWidth: 1.2 },
        },
        encoding: { x, y: { ...y, field: 'high', axis }, y2: { field: 'low' }, tooltip },
      },
      { ...OWN, encoding: { x, y: { ...y, field: 'high', axis }, tooltip } },
    ],
  }
}

/** `points` over the time of day, `band` their middle half, `now` the reported one. */
export function startsSpec({ quoteAsset }: { readonly quoteAsset: string }): ChartSpec {
  const x = {
    field: 'time',
    type: 'temporal' as const,
    scale: { type: 'utc' as const, nice: false as const },
    axis: { title: null, tickCount: 6, format: '%H:%M' },
  }
  const y = {
    type: 'quantitative' as const,
    scale: { zero: false, nice: true },
    axis: axisOf(`Net profit, ${quoteAsset}`),
  }
  return {
    ...CHART_FRAME,
    height: 110,
    layer: [
      {
        name: 'band',
        data: { name: 'band' },
        mark: SHADED,
        encoding: { y: { ...y, field: 'from' }, y2: { field: 'to' } },
      },
      {
        name: 'points',
        data: { name: 'points' },
        mark: { type: 'line', interpolate: 'step-after', color: 'var(--accent)', strokeWidth: 1.2 },
        encoding: { x, y: { ...y, field: 'profit' } },
      },
      { ...OWN, encoding: { x, y: { ...y, field: 'profit' }, tooltip } },
    ],
  }
}

/** The same as a histogram: `bins`, `band`, `now`. */
export function startBinsSpec({ quoteAsset }: { readonly quoteAsset: string }): ChartSpec {
  const x = { ...across, axis: { title: axisTitle(`Net profit, ${quoteAsset}`), tickCount: 6 } }
  return {
    ...CHART_FRAME,
    height: 80,
    layer: [
      {
        name: 'band',
        data: { name: 'band' },
        mark: SHADED,
        encoding: { x: { ...x, field: 'from' }, x2: { field: 'to' } },
      },
      {
        name: 'bins',
        data: { name: 'bins' },
        mark: { type: 'bar', color: 'var(--accent)', binSpacing: 1 },
        encoding: {
          x: { ...x, field: 'from', bin: 'binned' },
          x2: { field: 'to' },
          y: { field: 'count', type: 'quantitative', axis: axisOf('Starts') },
          tooltip,
        },
      },
      {
        name: 'now',
        data: { name: 'now' },
        mark: { type: 'rule', color: 'var(--best)', strokeWidth: 2 },
        encoding: { x: { ...x, field: 'profit' }, tooltip },
      },
    ],
  }
}
