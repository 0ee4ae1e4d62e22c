/**
 * H5: what is sent is exactly what is different. Studies whose grids overlap, each written in several ways, on one store: as many
 * submissions as there are configurations that can differ in a result, counted here by other means than the program's.
 */
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import { runStudy } from '../../../src/workbench/run/run.ts'
import { openStore } from '../../../src/workbench/store/store.ts'
import { parseStudy, planTrials } from '../../../src/workbench/study/parse.ts'
import { putEmptyStore } from '../../support/empty-store.ts'
import { folderInMemory, removeFolder } from '../../support/folder.ts'
import { testSystem } from '../../support/system.ts'
import { type Data, exampleConfig, exampleStudy, writeYaml } from '../study/example.ts'
import { scriptedService } from './scripted-service.ts'

interface Axis {
  readonly first: number
  readonly step: number
  readonly count: number
  readonly asRange: boolean
}

/** Decimal steps, none of which a float hits exactly. */
const axis = (lowest: number) =>
  fc.record({
    first: fc.integer({ min: 0, max: 3 }).map((tenths) => lowest + tenths / 10),
    step: fc.constantFrom(0.1, 0.2, 0.3),
    count: fc.integer({ min: 2, max: 4 }),
    asRange: fc.boolean(),
  })

const grid = fc.record({
  takeProfit: axis(0.5),
  dcaVolumeScale: axis(1),
  dcaPriceStepMultiplier: axis(1),
  // Without orders their sizes and steps mean nothing, with one their growth does not.
  dcaMaxSafetyOrders: fc.subarray([0, 1, 2, 3], { minLength: 2 }),
})

type Grid = ReturnType<typeof grid.generate>['value']

const valuesOf = ({ first, step, count }: Axis) =>
  Array.from({ length: count }, (_, n) => Number((first + n * step).toFixed(1)))

function write(values: Axis): Data {
  const list = valuesOf(values)
  return values.asRange ? { from: list[0], to: list[list.length - 1], step: values.step } : list
}

/** What can matter of a point, in words. */
const meaning = (config: Readonly<Record<'takeProfit' | 'orders' | 'volume' | 'step', number>>) => {
  const { takeProfit, orders, volume, step } = config
  return [takeProfit, orders, orders > 0 ? volume : '-', orders > 1 ? step : '-'].join(' ')
}

function meaningsOf({ takeProfit, dcaVolumeScale, dcaPriceStepMultiplier, dcaMaxSafetyOrders }: Grid): string[] {
  return valuesOf(takeProfit).flatMap((profit) =>
    valuesOf(dcaVolumeScale).flatMap((volume) =>
      valuesOf(dcaPriceStepMultiplier).flatMap((step) =>
        dcaMaxSafetyOrders.map((orders) => meaning({ takeProfit: profit, orders, volume, step })),
      ),
    ),
  )
}

/** Twice as many grids as runs. */
export async function payOnce(numRuns: number): Promise<void> {
  let points = 0
  let sent = 0
  await fc.assert(
    fc.asyncProperty(fc.tuple(grid, grid), fc.gen(), async (grids, random) => {
      const posts = await runBoth(grids, random)
      const all = grids.flatMap(meaningsOf)
      points += all.length
      sent += posts.length
      expect(new Set(posts).size).toBe(posts.length)
      expect(posts.toSorted()).toEqual([...new Set(all)].sort())
    }),
    { numRuns },
  )
  process.stdout.write(`H5: ${2 * numRuns} grids, ${points} points, ${sent} submissions, as many as differ\n`)
  expect(sent).toBeLessThan(points * 0.75) // or nothing overlapped
}

/** What was asked for at the service, after each study was run in two spellings. */
async function runBoth(grids: readonly Grid[], random: fc.GeneratorValue): Promise<string[]> {
  const system = testSystem({ sleep: 'jump', wall: '2026-01-01T00:00:00Z' })
  const folder = folderInMemory()
  const path = join(folder, 'workbench.sqlite')
  putEmptyStore(path)
  const store = openStore(path, { system })
  try {
    const allowance = 10_000
    const service = scriptedService({ system, allowance })
    for (const [n, of] of grids.entries()) {
      const { takeProfit, dcaVolumeScale, dcaPriceStepMultiplier, dcaMaxSafetyOrders } = of
      const axes = {
        takeProfit: write(takeProfit),
        dcaVolumeScale: write(dcaVolumeScale),
        dcaPriceStepMultiplier: write(dcaPriceStepMultiplier),
        dcaMaxSafetyOrders,
      }
      const data = exampleStudy(axes, { name: `study-${n}` })
      for (const text of [writeYaml(data, random), JSON.stringify(data)]) {
        const study = parseStudy(text, { file: 'study.yaml' })
        const { trials, breaksLimit } = planTrials(study)
        expect(breaksLimit).toBe(0)
        const summary = await runStudy({ system, store, client: service, study, trials, options: { allowance } })
        expect(summary).toMatchObject({ stoppedBy: null, trials: { done: trials.length } })
      }
    }
    const constant = Object.entries(exampleConfig).filter(([field]) => !VARIED.includes(field))
    return service.book.map(({ request }) => {
      for (const [field, value] of constant) expect(request).toHaveProperty(field, value)
      return meaning(wordsOf(request))
    })
  } finally {
    store.close()
    removeFolder(folder)
  }
}

const VARIED: readonly string[] = ['takeProfit', 'dcaVolumeScale', 'dcaPriceStepMultiplier', 'dcaMaxSafetyOrders']

const wordsOf = (config: DcaSpotConfig) => ({
  takeProfit: config.takeProfit,
  orders: config.dcaMaxSafetyOrders,
  volume: config.dcaVolumeScale,
  step: config.dcaPriceStepMultiplier,
})
