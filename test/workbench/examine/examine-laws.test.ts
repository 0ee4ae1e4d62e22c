/** What holds of every examination: neither the order in a study file nor the unit of prices is a reason to believe a result more or less. */
import { beforeAll, describe, expect, it } from 'vitest'
import { loadCandles, storeCandles } from '../../../src/candles/folder/folder.ts'
import type { Candles } from '../../../src/engine/candles.ts'
import { examineResult } from '../../../src/workbench/evidence/examine/examine.ts'
import { makeEvaluation } from '../../../src/workbench/evidence/examine/make-evaluation.ts'
import type { Study } from '../../../src/workbench/study/study.ts'
import { createDice, type Dice, seedsFrom } from '../../engine/jump/cases.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { share } from '../../support/share.ts'
import { copyOf, examinedWorld, openWorld, type World } from './examined-world.ts'

let world: World
let copies = 0
beforeAll(async () => {
  world = await examinedWorld()
  plain = await examineWith(bounded)
})

/** Of the bounded study. */
let plain: Awaited<ReturnType<typeof examineWith>>

async function examineWith(change: (study: Study) => Study, candles = world.candles) {
  const { store, evaluation } = openWorld({ candles }, copyOf(world, `law-${copies++}`), { change })
  const { checks, reasons } = await examineResult(store, evaluation)
  store.close()
  return { checks, reasons, compared: evaluation.field?.configs.length }
}

const shuffled = <T>(dice: Dice, list: readonly T[]): T[] =>
  list
    .map((item) => ({ item, at: dice.between(0, 1) }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item)

function inOtherOrder(study: Study, seed: number): Study {
  const dice = createDice(seed)
  const axes = study.axes.map((axis) => ({ ...axis, values: shuffled(dice, axis.values) }))
  const { objective } = study
  return { ...study, axes: shuffled(dice, axes), objective: { ...objective, where: shuffled(dice, objective.where) } }
}

const levels = (from: number, step: number, count: number) =>
  Array.from({ length: count }, (_, level) => Number((from + level * step).toFixed(4)))

const BOUNDED_AXES: Study['axes'] = [
  { field: 'takeProfit', values: [0.6, 1, 1.4, 1.8] },
  { field: 'dcaPriceScalePercent', values: [0.5, 0.75, 1] },
  { field: 'stopLoss', values: [0, 9, 30] },
  { field: 'dcaMaxSafetyOrders', values: [2, 3, 4] },
]

/** Small enough to be compared whole; ranked inside bounds by another metric. */
const bounded = (study: Study): Study => ({
  ...study,
  axes: BOUNDED_AXES,
  objective: {
    ...study.objective,
    metric: 'netProfitPerUsedPercent',
    where: [
      { metric: 'closedDeals', bounds: { min: 3 } },
      { metric: 'maxDrawdownPercent', bounds: { max: 60 } },
    ],
  },
})

/** Too many points to be compared whole: some are drawn. */
const large = (study: Study): Study => ({
  ...study,
  walkForward: null,
  axes: [
    { field: 'takeProfit', values: levels(0.5, 0.1, 15) },
    { field: 'dcaPriceScalePercent', values: levels(0.5, 0.1, 15) },
    { field: 'dcaVolumeScale', values: levels(1, 0.1, 12) },
  ],
})

describe('the order of axes, of their values and of bounds in the study file', () => {
  it.each(share({ usual: [1], long: seedsFrom(1, 12) }))(
    'changes not a bit of what is found, shuffled by seed %i',
    async (seed) => {
      expect(plain.compared).toBe(108)
      expect(await examineWith((study) => inOtherOrder(bounded(study), seed))).toEqual(plain)
    },
  )

  it('changes nothing either where configurations are drawn from a large space', async () => {
    const drawn = await examineWith(large)
    expect(drawn.compared).toBeGreaterThanOrEqual(1000)
    expect(drawn.compared).toBeLessThan(1100)
    expect(await examineWith((study) => inOtherOrder(large(study), 4))).toEqual(drawn)
  })

  it('a drawn field has no second to lead, and its walk-forward lacks the examined one, which the days of the tests chose', async () => {
    const { checks, compared = 0 } = await examineWith((study) => ({ ...large(study), walkForward: study.walkForward }))
    expect(checks.noise).toMatchObject({ lead: null, leadReason: expect.stringContaining('more configurations') })
    expect(checks.walkForward).toMatchObject({ configs: compared - 1 })
  })

  it('is distinguished from another value, which changes what is found', async () => {
    const [takeProfit, ...axes] = BOUNDED_AXES
    const wider = { ...takeProfit, values: [...takeProfit.values, 2.6] }
    const other = await examineWith((study) => ({ ...bounded(study), axes: [wider, ...axes] }))
    expect(other.checks.capital).not.toEqual(plain.checks.capital)
  })
})

describe('the unit of prices', () => {
  it.each(share({ usual: [13], long: [-20, -3, 1, 2, 13, 30] }))(
    'changes no answer: all prices times 2^%i',
    async (exponent) => {
      const scaled = await examineWith(bounded, scaledFolder(2 ** exponent))
      expect(scaled.reasons).toEqual(plain.reasons)
      const { localRun, ...rest } = plain.checks
      expect(scaled.checks).toMatchObject(JSON.parse(JSON.stringify(withoutNulls(rest))))
      expect(scaled.checks.localRun).toEqual({ ...localRun, sameCandles: false })
    },
  )
})

function withoutNulls(checks: object): object {
  return Object.fromEntries(Object.entries(checks).filter(([, check]) => check !== null))
}

function scaledFolder(factor: number): string {
  const folder = temporaryFolder()
  const market = 'synthetic/T-USDT'
  const { candles } = loadCandles(world.candles, { market, interval: '15m' })
  const times = (column: Float64Array<ArrayBufferLike>) => column.map((price) => price * factor)
  const { open, high, low, close } = candles
  const scaled: Candles = { ...candles, open: times(open), high: times(high), low: times(low), close: times(close) }
  storeCandles(folder, { market, interval: '15m', candles: scaled, synthetic: true, conflict: 'refuse' })
  return folder
}

describe('a result that says little', () => {
  const open = () => openWorld(world, copyOf(world, `law-${copies++}`))

  it('without its net profit is compared with no twin, and examined all the same', async () => {
    const { store, evaluation } = open()
    const metrics = { ...evaluation.trial.metrics, netProfit: null, closedDeals: null }
    const trial = { ...evaluation.trial, metrics, metricFlags: { netProfit: 'not told' } }
    const { checks, reasons } = await examineResult(store, { ...evaluation, trial })
    store.close()
    expect([checks.localRun, reasons.localRun]).toEqual([null, 'the service does not report the net profit'])
    expect(Object.values(checks).filter((check) => check !== null).length).toBeGreaterThan(10)
  })

  it.each([
    ['without a metric', { metrics: null }, 'has no result that could be examined'],
    ['that failed', { state: 'failed' }, 'has no result that could be examined'],
    ['that states no terms', { conventions: null, costs: null }, 'fees and fill rules of trial'],
  ] as const)('%s is refused, with what to do', (_, changes, message) => {
    const { store, evaluation } = open()
    const request = { store, study: null, compared: false, known: undefined, pace: evaluation.pace }
    const make = () =>
      makeEvaluation({ ...request, trial: { ...evaluation.trial, ...changes }, candlesFolder: world.candles })
    expect(make).toThrow(message)
    expect(make).toThrow(expect.objectContaining({ hint: expect.stringContaining('dcalab ') }))
    store.close()
  })
})
