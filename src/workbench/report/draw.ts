/** Compiles Vega-Lite specs and reads what Vega makes of them, so that the page needs neither compiler nor parser. */
import { parse, type Spec } from 'vega'
import { compile } from 'vega-lite'
import { CHARTS, isPicture, type StillChart } from './charts/charts.ts'
import { inspectorCharts } from './charts/inspector-charts.ts'
import { SLOTS } from './charts/over-time.ts'
import type { ScatterInput } from './charts/scatter.ts'
import { fillShape, shapeOf } from './charts/shapes.ts'

const DAY = { from: 0, to: 1 }

const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif'

const CHART_CONFIG = {
  background: 'transparent',
  font,
  aria: false, // one summary per chart, on its container; labels per mark would make a screen reader read generated names
  view: { stroke: null },
  axis: {
    domainColor: 'var(--line-strong)',
    gridColor: 'var(--line)',
    tickColor: 'var(--line-strong)',
    labelColor: 'var(--muted)',
    titleColor: 'var(--muted)',
    labelFontSize: 11.5,
    titleFontSize: 11.5,
    titleFontWeight: 500,
    labelPadding: 6,
    titlePadding: 10,
    tickSize: 4,
  },
  axisX: { grid: false, labelFlush: false, labelOverlap: 'greedy', labelSeparation: 8, tickCount: 8 },
  axisY: { domain: false, ticks: false, tickCount: 6 },
  text: { font, fontSize: 11.5, color: 'var(--ink)' },
} as const

/**
 * The Vega spec of a chart. Throws where Vega-Lite warns: a warning means that something is not drawn as intended, and nobody
 * would read it, because our specs come from code.
 */
export function compileChart(spec: StillChart): unknown {
  if (isPicture(spec)) throw new Error('a heat map is no Vega-Lite spec')
  const complain = (...messages: unknown[]): never => {
    throw new Error(`vega-lite: ${messages.join(' ')}`)
  }
  const logger = {
    warn: complain,
    error: complain,
    info: () => logger,
    debug: () => logger,
    level: () => logger,
  }
  return compile(spec, {
    config: CHART_CONFIG,
    logger: logger as never, // its type overloads `level` as getter and setter, which a plain object cannot have; nothing reads the level here
  }).spec
}

/** What Vega runs of a chart, for a page, whose policy allows no eval: expressions are syntax trees. */
export function chartText(chart: StillChart): string {
  const text = JSON.stringify(parse(compileChart(chart) as Spec, undefined, { ast: true })) // compiled by Vega-Lite
  const nameless: string[] = []
  // Vega counts data without a name over all charts: the same chart would have another text
  return text.replace(/"_:vega:_\d+"/g, (name) => {
    if (!nameless.includes(name)) nameless.push(name)
    return `"_:vega:_${nameless.indexOf(name)}"`
  })
}

/** By name of the shape, for the build. Throws where something of a chart would be lost in it. */
export function compileUsual(): ReadonlyMap<string, string> {
  return new Map(
    Array.from(usualShapes(), ([name, spec]) => {
      const text = chartText(spec)
      if (fillShape(text, Array(99).fill('')).includes('@@'))
        throw new Error(`a mark of shape ${name} is inside of a text`)
      return [name, text]
    }),
  )
}

/** Those that reports have most often. Others are compiled when a report is made. */
export function usualShapes(): ReadonlyMap<string, StillChart> {
  const lines = [[...SLOTS], ['bot'] as const].flatMap((slots) =>
    [[], [DAY]].map((unseen) => ({
      lines: slots.map((slot) => ({ slot, points: [{ time: 0, y: slot.length }] })),
      strips: [{ ...DAY, tooltip: '' }],
      unseen,
    })),
  )
  const charts = [
    ...Object.values(inspectorCharts({ asset: 'USDT' })),
    ...lines.flatMap((drawn) => [CHARTS.equity.spec(drawn), CHARTS.drawdown.spec(drawn)]),
    ...usualScatters().map(CHARTS.scatter.spec),
    CHARTS.importance.spec([{ name: '', sharePercent: 1, chancePercent: 2 }]),
    CHARTS.parallel.spec({ axes: [{ title: [''], ticks: [{ at: 0, label: '' }] }], points: [] }),
  ]
  return new Map(charts.map(shapeOf).map(({ name, spec }) => [name, spec]))
}

/** With limits on one axis, the other, both or none; buy & hold in the plot, at one of its borders, or nowhere. */
function usualScatters(): ScatterInput[] {
  const rule = (axis: 'x' | 'y') => ({ axis, value: axis.length, label: axis })
  const bounds = [[], [rule('x')], [rule('y')], [rule('x'), { ...rule('y'), value: 2 }]]
  const xs = [1, 'right'] as const
  const holds = xs.flatMap((x) => ([1, 'top', 'bottom'] as const).map((y) => ({ x, y, label: 'h', tooltip: 't' })))
  return bounds.flatMap((drawn) =>
    [null, ...holds].map((hold) => ({
      ...{ xTitle: 'x', yTitle: 'y', points: [], front: [{ x: 1, y: 1 }], bounds: drawn, hold },
      best: { x: 1, y: 1, label: 'b' },
    })),
  )
}
