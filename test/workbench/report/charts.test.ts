/** Chart specs: pure data, golden, compiled without a warning, and one mark per row whatever the names. */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { parse, View } from 'vega'
import { describe, expect, it } from 'vitest'
import { CHARTS, parallelSpec, type StillChart } from '../../../src/workbench/report/charts/charts.ts'
import { pinned, scatterSpec } from '../../../src/workbench/report/charts/scatter.ts'
import { fillShape, shapeOf } from '../../../src/workbench/report/charts/shapes.ts'
import { axisTitle, CHART_FRAME, type ChartSpec, chartData } from '../../../src/workbench/report/charts/theme.ts'
import { chartText, compileChart, usualShapes } from '../../../src/workbench/report/draw.ts'
import { readFacts } from '../../../src/workbench/report/facts.ts'
import { tooltipText } from '../../../src/workbench/report/format.ts'
import { CONTENTS, emptied } from '../../../src/workbench/report/lay-report.ts'
import { binsOf } from '../../../src/workbench/report/model/every-start.ts'
import { classOf, heatClasses } from '../../../src/workbench/report/model/heat.ts'
import { examinedSection } from './examined-section.ts'
import { withBot } from './kept-bots.ts'
import { sectionOf } from './sections.ts'

function chartsOf(section: Parameters<typeof readFacts>[0]): Record<string, StillChart> {
  const facts = readFacts(section)
  const parts = CONTENTS.map(([name, title, part]) => part(facts, { prefix: '', name, title, level: 2 }))
  return Object.fromEntries(parts.flatMap(({ charts }) => charts.map(({ id, spec }) => [id, spec])))
}

/** Marks that a layer draws, counted in the scene graph. */
async function marksDrawn(spec: StillChart, layer: string): Promise<number> {
  // compiled by Vega-Lite, so it is what Vega parses
  const view = new View(parse(compileChart(spec) as Parameters<typeof parse>[0]), { renderer: 'none' })
  await view.runAsync()
  const found: number[] = []
  const walk = (item: unknown): void => {
    if (typeof item !== 'object' || item === null) return
    const { name, items } = item as { name?: unknown; items?: unknown } // a scene graph node, read only where it has these
    if (!Array.isArray(items)) return
    if (name === `${layer}_marks`) found.push(items.length)
    for (const child of items) walk(child)
  }
  walk((view.scenegraph() as unknown as { root: unknown }).root) // its type leaves the root out
  view.finalize()
  return found.reduce((sum, count) => sum + count, 0)
}

describe('the specs of a study with six trials are as written down', () => {
  const charts = chartsOf(withBot(examinedSection()))
  const names = Object.keys(CHARTS)
  const golden = new URL('../../golden/report/', import.meta.url)
  const written = readdirSync(golden).map((file) => file.replace('.json', ''))
  it.each(names)('%s is drawn by a part of the page', (name) => {
    expect(Object.keys(charts)).toContain(`plot-${name}`)
  })
  it.each(names)('%s has a golden file: read it, once a run of this test has written it', (name) => {
    expect(written).toContain(name)
  })
  it('and nothing else is drawn or written down, in the order of the rows', () => {
    expect(Object.keys(charts)).toEqual(names.map((name) => `plot-${name}`))
    expect(written.toSorted()).toEqual(names.toSorted())
  })
  it.each(Object.keys(charts))('%s', async (id) => {
    const text = `${JSON.stringify(charts[id], null, 2)}\n`
    await expect(text).toMatchFileSnapshot(fileURLToPath(new URL(`${id.replace('plot-', '')}.json`, golden)))
  })
})

describe('marks drawn are rows given', () => {
  const charts = chartsOf(sectionOf())
  it.each([
    ['plot-scatter', 'points', 96],
    ['plot-scatter', 'best', 1],
    ['plot-scatter', 'hold', 1],
    ['plot-scatter', 'bound_0', 1],
    ['plot-parallel', 'axes', 7],
    ['plot-parallel', 'lines', 96 * 7],
    ['plot-importance', 'bars', 3],
    ['plot-importance', 'chance', 3],
    ['plot-equity', 'strips', 28],
  ])('%s draws its %s', async (id, layer, count) => {
    expect(await marksDrawn(charts[id], `${layer}`.replace('-', '_'))).toBe(count)
  })
})

describe('a chart that is filled into the compiled chart of its shape is itself compiled', () => {
  const charts = Object.entries(chartsOf(withBot(examinedSection()))).filter(([id]) => id !== 'plot-heat')
  const filled = (chart: StillChart) => {
    const { spec, fills } = shapeOf(chart)
    return signed(fillShape(chartText(spec), fills))
  }
  /** Vega reads a negative number as a sign before a number. */
  const signed = (text: string) =>
    text.replace(
      /"\(-(\d+)\)","ast":\{"type":"UnaryExpression","operator":"-","argument":(\{"type":"Literal","value":)(\1,"raw":")(\1"\}),"prefix":true\}/g,
      '"-$1","ast":$2-$3-$4',
    )
  it.each(charts)('%s', (_, chart) => {
    expect(filled(chart)).toBe(signed(chartText(chart)))
    expect(filled(emptied(chart))).toBe(signed(chartText(emptied(chart))))
  })
  it.each(['"]+alert(1)+datum["', "'\\", '@@0@@', '4000000000000000', '</script>', 'constructor'])(
    'with titles %s',
    (name) => {
      const titled = scatterSpec({
        ...{ xTitle: axisTitle(name), yTitle: 'y', points: [], front: [{ x: 1, y: 1 }], bounds: [], hold: null },
        best: { x: 1, y: 1, label: name },
      })
      expect(filled(titled)).toBe(signed(chartText(titled)))
    },
  )
  it('and those of a usual report are among the usual shapes', () => {
    const usual = usualShapes()
    const missing = charts.filter(([, chart]) => !usual.has(shapeOf(emptied(chart)).name)).map(([id]) => id)
    expect(missing).toEqual(['plot-bot-deals', 'plot-bot-equity'])
  })
})

const HOSTILE_NAMES: readonly string[] = [
  ...['a.b', 'a[0]', 'a["b"]', "a['b']", '\\', 'a\\.b', '', ' ', '.', '..', '[', ']', '[0]', 'datum', 'parent', 'this'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'null', 'undefined', 'NaN'],
  ...['"', "'", '`', '"]+alert(1)+datum["', "'];alert(1);['", '\u0024{alert(1)}', '{{x}}', '</script>', '<!--<script>'],
  ...['<img src=x onerror=alert(1)>', 'javascript:alert(1)', '&lt;', '\u2028', '\u0000', '\ud800', 'é', '🦄', '\t\n'],
  ...['count', 'sum(x)', '*', 'x,y', 'c0', 'c1', '_vgsid_', 'a'.repeat(5000), '\u202eabc', '%s%n', '../../x'],
]

describe('hostile names', () => {
  it('are at least fifty', () => {
    expect(new Set(HOSTILE_NAMES).size).toBeGreaterThanOrEqual(50)
  })

  it('H58: never become fields: a chart over columns of any names draws every row', async () => {
    for (const name of HOSTILE_NAMES) {
      const other = `${name}2`
      const rows = [1, 2, 3, 4].map((value) => ({ [name]: value, [other]: String(value) }))
      const data = chartData([name, other], rows)
      const spec: ChartSpec = {
        ...CHART_FRAME,
        height: 100,
        layer: [
          {
            name: 'points',
            data: { values: [...data.values] },
            mark: 'point',
            encoding: {
              x: { field: data.field[name], type: 'quantitative', axis: { title: axisTitle(name) } },
              y: { field: data.field[other], type: 'nominal', axis: { title: axisTitle(other) } },
              tooltip: { field: data.field[name], type: 'quantitative' },
            },
          },
        ],
      }
      expect(await marksDrawn(spec, 'points'), JSON.stringify(name)).toBe(4)
    }
  })

  it('are titles, values and tooltips as they stand', async () => {
    for (const name of HOSTILE_NAMES) {
      const points = [1, 2, 3].map((value) => ({ x: value, y: -value, kind: 'trial' as const }))
      const named = { x: 1, y: 1, label: name }
      const scatter = scatterSpec({
        ...{ xTitle: name, yTitle: name, points, front: points },
        ...{ bounds: [{ axis: 'x' as const, value: 2, label: name }], best: named, hold: { ...named, tooltip: name } },
      })
      expect(await marksDrawn(scatter, 'points'), JSON.stringify(name)).toBe(3)
      const axes = [{ title: [name, name], ticks: [{ at: 0, label: name }] }]
      const parallel = parallelSpec({ axes, points: [{ axis: 0, at: 0.5, trial: 0 }] })
      expect(await marksDrawn(parallel, 'titles'), JSON.stringify(name)).toBe(1)
    }
  })

  it('cannot add lines to a tooltip', () => {
    expect(tooltipText('t', [['a\nb\tc', 'd\re']])).toBe('t\na b c\td e')
  })
})

describe('heat classes', () => {
  const values = fc.array(
    fc.double({ noNaN: true, min: -1e6, max: 1e6 }).map((value) => Math.round(value * 1e6) / 1e6 + 0),
    { minLength: 1, maxLength: 30 },
  )

  it('hold every value, join without a gap, and never put both signs into one class', () => {
    fc.assert(
      fc.property(values, fc.constantFrom('higher' as const, 'lower' as const), (all, better) => {
        const classes = heatClasses(all, better)
        expect(classes.length).toBeLessThanOrEqual(10)
        expect(new Set(classes.map(({ tone }) => tone)).size).toBe(classes.length)
        for (const [index, { from, to }] of classes.entries()) {
          if (index > 0) expect(from).toBe(classes[index - 1].to)
          expect(from * to >= 0 || Math.min(-from, to) < 1e-9 * (to - from)).toBe(true)
        }
        for (const value of all) {
          const { from, to } = classOf(classes, value)
          const slack = 1e-6 * (Math.abs(value) + to - from)
          expect(value).toBeGreaterThanOrEqual(from - slack)
          expect(value).toBeLessThanOrEqual(to + slack)
        }
      }),
    )
  })

  it('darken gains upwards and losses downwards', () => {
    expect(heatClasses([-10, 25], 'higher').map(({ tone }) => tone)).toEqual(['n2', 'n1', 'p1', 'p2', 'p3', 'p4', 'p5'])
    expect(heatClasses([1, 6], 'lower').at(0)?.tone).toBe('p5')
    // Counts of trials have no halves.
    expect(heatClasses([4, 6], 'higher', true).map(({ from, to }) => [from, to])).toEqual([
      [4, 5],
      [5, 6],
    ])
    expect(heatClasses([1, 6], 'higher').at(0)?.tone).toBe('p1')
  })
})

it('bins count every value once and have a border at zero', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, min: -1e5, max: 1e5 }), { minLength: 1, maxLength: 200 }), (all) => {
      const bins = binsOf(all, { lower: -1, upper: 1 })
      expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(all.length)
      expect(bins.length).toBeLessThanOrEqual(50)
      expect(bins.every(({ from, to }) => from * to >= 0)).toBe(true)
    }),
  )
})

it('buy & hold is drawn where it is, or at the border with an arrow when it would press the trials into a corner', () => {
  const points = [
    { x: 2, y: 10 },
    { x: 5, y: -10 },
  ]
  const near = { x: 6, y: -15, label: 'Buy & hold', tooltip: '' }
  expect(pinned(near, points)).toBe(near)
  const far = pinned({ ...near, x: 50, y: -400 }, points)
  expect(far.label).toBe('Buy & hold ↘')
  expect([far.x, far.y]).toEqual(['right', 'bottom'])
  expect(pinned({ ...near, y: 400 }, points)).toMatchObject({ x: 6, y: 'top', label: 'Buy & hold ↑' })
})
