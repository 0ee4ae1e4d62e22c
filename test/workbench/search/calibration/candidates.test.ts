import { describe, expect, it } from 'vitest'
import { generateCandles } from '../../../../src/candles/synthetic/generate.ts'
import { CONFIG_FIELDS, findBoundProblem } from '../../../../src/contract/bot.ts'
import { sliceCandles } from '../../../../src/engine/candles.ts'
import { NO_SYMBOL_RULES } from '../../../../src/engine/conventions.ts'
import { runJump } from '../../../../src/engine/jump/jump.ts'
import { prepareCandles } from '../../../../src/engine/jump/prepared.ts'
import { drawCandidates } from '../../../../src/workbench/search/calibration/candidates.ts'
import type { ConfigSpace } from '../../../../src/workbench/search/draw-configs.ts'
import { configFingerprint } from '../../../../src/workbench/study/fingerprint.ts'
import { OWN, SPACE } from './hidden-service.ts'

const candles = generateCandles({ seed: 3, interval: '5m', from: Date.UTC(2024, 0, 1), days: 20 })
const drawnFrom = (space: ConfigSpace, of = candles, seed = 1) =>
  drawCandidates({ space, prepared: prepareCandles(of), symbol: NO_SYMBOL_RULES, seed, pause: async () => {} })

const SPACES: Readonly<Record<string, ConfigSpace>> = {
  'an ordinary grid': SPACE,
  'one point without rungs': {
    ...SPACE,
    base: {
      ...SPACE.base,
      dcaMaxSafetyOrders: 0,
      dcaPriceScalePercent: 1,
      dcaVolumeScale: 1,
      takeProfit: 1,
      stopLoss: 0,
    },
    axes: [],
  },
  'a base order that takes all the money': {
    ...SPACE,
    base: { ...SPACE.base, dcaInitialOrderSize: 1000 },
  },
  'a grid of which no point is feasible': { ...SPACE, where: [{ measure: 'ladderCost', bounds: { max: 1 } }] },
  'the largest ladder there is': {
    ...SPACE,
    base: { ...SPACE.base, investment: 1e12, dcaTotalBudget: 1e12, dcaInitialOrderSize: 1e12 },
    axes: [
      { field: 'dcaMaxSafetyOrders', values: [100] },
      { field: 'dcaPriceScalePercent', values: [100] },
      { field: 'dcaVolumeScale', values: [100] },
      { field: 'takeProfit', values: [1000] },
      { field: 'stopLoss', values: [100] },
    ],
  },
}

describe('the configs that a test may try', () => {
  for (const [name, space] of Object.entries(SPACES)) {
    it(`are different, and inside the contract’s bounds: ${name}`, async () => {
      const candidates = await drawnFrom(space)
      const problems = candidates.flatMap((config) =>
        CONFIG_FIELDS.flatMap((field) => findBoundProblem(field, config[field]) ?? []),
      )
      expect(problems).toEqual([])
      expect(new Set(candidates.map(configFingerprint)).size).toBe(candidates.length)
      expect(candidates.length).toBeGreaterThanOrEqual(20)
      expect(candidates.length).toBeLessThanOrEqual(40)
    })
  }

  it('trade under the usual settings, with stops and without, and are of several rungs that grow', async () => {
    const candidates = await drawnFrom(SPACE)
    const deals = candidates.map(
      (config) => runJump({ candles, config, ...OWN, symbol: NO_SYMBOL_RULES }).metrics.closedDeals,
    )
    expect(Math.min(...deals)).toBeGreaterThanOrEqual(10)
    expect(Math.max(...deals)).toBeLessThanOrEqual(500)
    expect(candidates.filter(({ stopLoss }) => stopLoss > 0).length).toBeGreaterThan(10)
    expect(candidates.filter(({ stopLoss }) => stopLoss === 0).length).toBeGreaterThan(10)
    expect(candidates.every((config) => config.dcaMaxSafetyOrders >= 2 && config.dcaVolumeScale > 1)).toBe(true)
  })

  it('are the same for the same seed, and others for another', async () => {
    const names = async (seed: number) => (await drawnFrom(SPACE, candles, seed)).map(configFingerprint)
    expect(await names(1)).toEqual(await names(1))
    expect(await names(1)).not.toEqual(await names(2))
  })

  it('are the same whatever the study’s own settings are, so that what was paid for is asked for again', async () => {
    const costs = { feePercent: 0.2, slippagePercent: 0.05 }
    const where = [{ measure: 'ladderCost', bounds: { max: 700 } }] as const
    const one = await drawnFrom({ ...SPACE, where })
    expect(await drawnFrom({ ...SPACE, where, costs })).toEqual(one)
  })

  it('are there even where nothing trades', async () => {
    const none = sliceCandles(candles, 0, 0)
    expect((await drawnFrom(SPACE, none)).length).toBeGreaterThan(0)
  })
})
