/** The charts of the inspector: as written down, and every row given is drawn. */
import { fileURLToPath } from 'node:url'
import { parse, type Spec, View } from 'vega'
import { expect, it } from 'vitest'
import { inspectorCharts } from '../../../src/workbench/report/charts/inspector-charts.ts'
import { compileChart } from '../../../src/workbench/report/draw.ts'

const charts = inspectorCharts({ asset: 'USDT' })

it.each(Object.entries(charts))('%s is as written down', async (name, spec) => {
  const golden = fileURLToPath(new URL(`../../golden/inspector/${name}.json`, import.meta.url))
  await expect(`${JSON.stringify(spec, null, 2)}\n`).toMatchFileSnapshot(golden)
})

const MINUTE = 60_000
const bar = { time: 0, end: MINUTE, open: 2, high: 4, low: 1, close: 3 }

it('every mark of a deal has a shape of its own', async () => {
  const marks = ['base', 'safetyOrder', 'takeProfit', 'stopLoss'].map((mark, i) => ({
    time: i * MINUTE,
    price: 2,
    mark,
    tooltip: mark,
    size: 60,
  }))
  const drawn = await itemsOf('deals', 'marks_marks', {
    frame: [
      { time: 0, price: 1 },
      { time: 4 * MINUTE, price: 4 },
    ],
    price: [bar],
    sticks: [],
    levels: [],
    marks,
  })
  expect(drawn).toHaveLength(4)
  expect(new Set(drawn.map(({ shape }) => shape)).size).toBe(4)
  for (const { shape, fill } of drawn) expect([typeof shape, typeof fill]).toEqual(['string', 'string'])
})

it('every line of a deal has a colour', async () => {
  const names = ['safetyOrder', 'waiting', 'average', 'takeProfit', 'stop']
  const drawn = await itemsOf('deals', 'levels_marks', {
    frame: [
      { time: 0, price: 1 },
      { time: MINUTE, price: 4 },
    ],
    price: [bar],
    sticks: [],
    levels: names.map((level) => ({ time: 0, end: MINUTE, price: 2, level })),
    marks: [],
  })
  expect(drawn.map(({ stroke }) => stroke).every((stroke) => stroke?.startsWith('var(--'))).toBe(true)
  expect(drawn).toHaveLength(names.length)
})

it('a rising candle is hollow and a falling one filled', async () => {
  const stick = { ...bar, middle: 30_000, left: 10_000, right: 50_000 }
  const drawn = await itemsOf('deals', 'bodies_marks', {
    frame: [
      { time: 0, price: 1 },
      { time: MINUTE, price: 4 },
    ],
    price: [],
    sticks: [stick, { ...stick, open: 3, close: 2 }],
    levels: [],
    marks: [],
  })
  expect(drawn.map(({ fill }) => fill)).toEqual(['var(--paper)', 'var(--muted)'])
})

it('what is drawn of deals begins and ends where the frame does', async () => {
  const view = await viewOf('deals', {
    frame: [
      { time: 7 * MINUTE, price: 90 },
      { time: 31 * MINUTE, price: 110 },
    ],
    price: [],
    sticks: [],
    levels: [],
    marks: [],
  })
  expect(view.scale('x').domain().map(Number)).toEqual([7 * MINUTE, 31 * MINUTE])
  expect(view.scale('y').domain()).toEqual([90, 110])
})

async function viewOf(name: keyof typeof charts, data: Readonly<Record<string, readonly unknown[]>>): Promise<View> {
  const view = new View(parse(compileChart(charts[name]) as Spec), { renderer: 'none' }) // compiled by Vega-Lite
  for (const [each, rows] of Object.entries(data)) view.data(each, [...rows])
  return view.runAsync()
}

interface DrawnItem {
  readonly shape?: string
  readonly fill?: string
  readonly stroke?: string
}

async function itemsOf(
  name: keyof typeof charts,
  marks: string,
  data: Readonly<Record<string, readonly unknown[]>>,
): Promise<readonly DrawnItem[]> {
  const view = await viewOf(name, data)
  const found: DrawnItem[] = []
  const walk = (item: unknown): void => {
    const { name: called, items } = Object(item) as { name?: unknown; items?: unknown } // a node of the scene graph, read only where it has these
    if (!Array.isArray(items)) return
    if (called === marks) found.push(...items)
    for (const child of items) walk(child)
  }
  walk((view.scenegraph() as unknown as { root: unknown }).root) // its type leaves the root out
  return found
}
