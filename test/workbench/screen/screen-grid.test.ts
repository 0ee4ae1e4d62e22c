import { describe, expect, it } from 'vitest'
import { type MetricName, metricValue } from '../../../src/contract/metrics.ts'
import { NO_SYMBOL_RULES, type SymbolRules } from '../../../src/engine/conventions.ts'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
import { runReference } from '../../../src/engine/reference.ts'
import type { ScreenRequest } from '../../../src/workbench/screen/messages.ts'
import { screenGrid } from '../../../src/workbench/screen/screen-markets.ts'
import type { Axis } from '../../../src/workbench/study/study.ts'
import { flatCandles, PLAIN_CONFIG } from '../../engine/inputs.ts'
import { createDice, seedsFrom } from '../../engine/jump/cases.ts'
import { plainStudy } from '../../support/plain-study.ts'
import { share } from '../../support/share.ts'
import { screenAndBruteForce, screenSome } from './agreement.ts'
import { bruteForce, jumpOn } from './brute-force.ts'
import { someScreenCase } from './cases.ts'
import { localCrew } from './worker-group.ts'

const STUDIES = share({ usual: 4, long: 60 })
/** So many are asked by other numbers of workers, and for the summary of a parameter. */
const FEW = share({ usual: 3, long: 15 })
/** At length the same question is put to studies of other seeds as well. */
const MORE_STUDIES = share({ usual: 0, long: 1500 })

describe('a screen finds what brute force finds', () => {
  it('by the whole backtest of every trial, to the last bit and the last tie', async () => {
    for (const seed of [...seedsFrom(1, STUDIES), ...seedsFrom(100_001, MORE_STUDIES)]) {
      const { found, expected, simulated, configs } = await screenAndBruteForce(seed)
      expect(found).toEqual(expected)
      expect(simulated.length).toBe(1)
      expect(simulated[0]).toBeLessThanOrEqual(configs)
    }
  })

  it('by the engine that walks every candle, up to the last bits of sums', async () => {
    for (let seed = 1001; seed <= 1000 + STUDIES / 2; seed++) {
      const { screened, screening, top } = await screenSome(seed)
      const { configs, distinct } = bruteForce(screened, (input) => runReference(input))
      const { metric } = screened.study.objective
      expect({ seed, found: screening.top.length }).toEqual({ seed, found: Math.min(top, distinct.length) })
      screening.top.forEach((trial, rank) => {
        const alone = configs.find(({ fingerprint }) => fingerprint === trial.fingerprint)
        for (const metrics of [alone?.markets[0].metrics, distinct[rank].markets[0].metrics]) {
          if (metrics === undefined) throw new Error(`seed ${seed}: ${trial.fingerprint} is no trial of the study`)
          const [expected, found] = [
            metricValue(metrics, metric) ?? Number.NaN,
            metricValue(trial.markets[0].metrics, metric) ?? Number.NaN,
          ]
          const allowed = 1e-9 * Math.max(1, metrics.volume, Math.abs(expected))
          expect({ seed, rank, near: Math.abs(expected - found) <= allowed }).toEqual({ seed, rank, near: true })
        }
      })
    }
  })
})

it.each(['netProfitPessimistic', 'netProfitOptimistic', 'netProfitPerUsedPercent', 'stressedPerUsed'] as const)(
  'a screen by %s, and inside bounds of it, has the top of whole backtests',
  async (metric) => {
    let [found, ambiguous] = [0, 0]
    for (const seed of seedsFrom(2001, share({ usual: 6, long: 12 }))) {
      const ranking = { direction: 'maximize', metric, where: [] } as const
      const bounded = {
        direction: 'maximize',
        metric: 'netProfit',
        where: [{ metric, bounds: { min: -1, max: 50 } }],
      } as const
      for (const objective of [ranking, bounded]) {
        const screened = await screenAndBruteForce(seed, { objective })
        expect(screened.found).toEqual(screened.expected)
        found += screened.found.top.length
        ambiguous += screened.found.top.filter(({ markets: [{ metrics }] }) => metrics.ambiguousCandles > 0).length
      }
    }
    expect(found).toBeGreaterThan(share({ usual: 8, long: 25 }))
    expect(ambiguous).toBeGreaterThan(0) // else all three runs were one
  },
)

it('a screen answers the same for any number of workers, whoever is first', async () => {
  for (let seed = 1; seed <= FEW; seed++) {
    const [alone, ...others] = await Promise.all([1, 2, 5].map((workers) => screenSome(seed, { workers })))
    for (const { screening } of others) expect({ seed, screening }).toEqual({ seed, screening: alone.screening })
  }
})

it('a summary per parameter tells what all trials with a value came to', async () => {
  for (let seed = 1; seed <= FEW; seed++) {
    const { screened, screening } = await screenSome(seed)
    const { configs } = bruteForce(screened, jumpOn(screened))
    const [{ parameters }] = screening.markets
    expect(parameters.length).toBe(screened.study.axes.reduce((sum, { values }) => sum + values.length, 0))
    for (const { field, value, netProfit, ...counts } of parameters) {
      const profits = configs
        .filter(({ config }) => Object.entries(config).some(([name, is]) => name === field && is === value))
        .map(({ markets }) => markets[0].metrics.netProfit)
      expect({ seed, ...counts }).toMatchObject({
        seed,
        trials: profits.length,
        profitable: profits.filter((profit) => profit > 0).length,
      })
      if (netProfit === null) continue
      expect(netProfit.best).toBeCloseTo(Math.max(...profits), 6)
      expect(netProfit.average).toBeCloseTo(profits.reduce((sum, profit) => sum + profit, 0) / profits.length, 6)
    }
  }
})

describe('configurations that trade exactly alike', () => {
  /** Stops that no price touches, for each take profit. */
  function manyStops(count: number, takeProfits: readonly number[]) {
    const prepared = prepareCandles(flatCandles([100, 99, 102, 100, 103]))
    const axes: readonly Axis[] = [
      { field: 'stopLoss', values: Array.from({ length: count }, (_, at) => 99 - at / 1000) },
      { field: 'takeProfit', values: takeProfits },
    ]
    const { stopLoss, takeProfit, ...base } = PLAIN_CONFIG
    const study = plainStudy({ base, axes })
    const portions = { order: axes, size: 500 }
    const markets = [{ market: study.markets[0], prepared, symbol: NO_SYMBOL_RULES }]
    return { study, chunks: portions, markets }
  }

  it('are one row of the top, and the walk goes on until it is full', async () => {
    const setting = manyStops(300, [0.5, 1])
    const crew = localCrew(setting, { size: 2, dice: createDice(1) })
    const screening = await screenGrid({ workerGroup: crew, setting, top: 2 })
    expect(new Set(screening.top.map(({ config }) => config.takeProfit))).toEqual(new Set([0.5, 1]))
    expect(screening).toMatchObject({ folded: 2 * 299, comparedOnly: null, complete: true })
  })

  it('because a stop cuts their ladders are simulated once and counted so, where orders are rounded to tick and lot as well', async () => {
    const axes: readonly Axis[] = [
      { field: 'dcaMaxSafetyOrders', values: [3, 5, 8] },
      { field: 'stopLoss', values: [0, 1.5] }, // no second rung lies above it, with steps of 1 %
    ]
    const base = { ...PLAIN_CONFIG, dcaPriceScalePercent: 1, dcaPriceStepMultiplier: 1 }
    const { dcaMaxSafetyOrders, stopLoss, ...rest } = base
    const prepared = prepareCandles(flatCandles([100, 99, 98, 97, 102, 100, 103]))
    const simulatedUnder = async (symbol: SymbolRules, metric: MetricName) => {
      const study = plainStudy({ base: rest, axes, objective: { direction: 'maximize', metric, where: [] } })
      const setting = {
        ...{ study, chunks: { order: axes, size: 500 } },
        markets: [{ market: study.markets[0], prepared, symbol }],
      }
      const crew = localCrew(setting, { size: 1, dice: createDice(1) })
      const { points, markets } = await screenGrid({ workerGroup: crew, setting, top: 3 })
      return { points, simulated: markets[0].simulated }
    }
    const once = { points: 6, simulated: 3 + 1 }
    // In a sweep, and backtest by backtest.
    for (const metric of ['netProfit', 'netProfitPessimistic'] as const) {
      expect(await simulatedUnder(NO_SYMBOL_RULES, metric)).toEqual(once)
      expect(await simulatedUnder({ tick: 0.01, lot: 0.0001, minNotional: 1 }, metric)).toEqual(once)
    }
  })

  it('may leave the top shorter than wanted: then it is said how many of the best were compared', async () => {
    const setting = manyStops(4100, [0.5, 0.7, 1])
    const crew = localCrew(setting, { size: 2, dice: createDice(1) })
    const screening = await screenGrid({ workerGroup: crew, setting, top: 3 })
    expect(screening.top).toHaveLength(2)
    expect(screening).toMatchObject({ folded: 3 + 8192 - 2, comparedOnly: 3 + 8192, complete: true })
  })
})

describe('looking closer', () => {
  const deep = {
    direction: 'maximize',
    metric: 'netProfit',
    where: [{ metric: 'maxDrawdownPercent', bounds: { max: 0 } }],
  } as const

  it('happens when too many at the top of the profits lie outside bounds that profits do not tell', async () => {
    let closer = 0
    for (const seed of share({ usual: [2], long: [1, 2, 3] })) {
      const dice = createDice(seed)
      const screened = someScreenCase(dice, deep, 'large')
      const crew = localCrew(screened.setting, { size: 2, dice })
      const screening = await screenGrid({ workerGroup: crew, setting: screened.setting, top: 3 })
      const { distinct } = bruteForce(screened, jumpOn(screened))
      const names = (top: readonly { readonly fingerprint: string }[]) => top.map(({ fingerprint }) => fingerprint)
      expect({ seed, top: names(screening.top) }).toEqual({ seed, top: names(distinct.slice(0, 3)) })
      if (depthsOf(crew.asked).includes('risk')) closer++
    }
    expect(closer).toBeGreaterThan(0)
  })

  it('does not happen when profits tell all', async () => {
    const dice = createDice(3)
    const where = [{ metric: 'closedDeals', bounds: { min: 1 } }] as const
    const screened = someScreenCase(dice, { direction: 'maximize', metric: 'roiPercent', where })
    const crew = localCrew(screened.setting, { size: 1, dice })
    await screenGrid({ workerGroup: crew, setting: screened.setting, top: 5 })
    expect(depthsOf(crew.asked)).toEqual(['profit'])
  })
})

describe('an interrupted screen', () => {
  it('keeps the best so far, measured, and says that it is not complete', async () => {
    const dice = createDice(11)
    const objective = { direction: 'maximize', metric: 'netProfit', where: [] } as const
    const large = someScreenCase(dice, objective, 'large').setting
    const setting = { ...large, chunks: { ...large.chunks, size: 20 } }
    const crew = localCrew(setting, { size: 2, dice })
    const interrupt = new AbortController()
    const screening = await screenGrid({
      workerGroup: crew,
      setting,
      top: 4,
      signal: interrupt.signal,
      onProgress: ({ done }) => done >= 60 && interrupt.abort(),
    })
    expect(screening.complete).toBe(false)
    expect(screening.points).toBeGreaterThanOrEqual(60)
    expect(screening.points).toBeLessThanOrEqual(80)
    expect(screening.top.length + screening.folded).toBeGreaterThanOrEqual(4)
    expect(screening.comparedOnly).toBeNull()
  })

  it('before its first portion has nothing to tell', async () => {
    const dice = createDice(12)
    const { setting } = someScreenCase(dice, { direction: 'maximize', metric: 'netProfit', where: [] })
    const crew = localCrew(setting, { size: 2, dice })
    const screening = await screenGrid({ workerGroup: crew, setting, top: 4, signal: AbortSignal.abort() })
    expect(screening).toMatchObject({ points: 0, complete: false, top: [] })
    expect(crew.asked).toEqual([])
  })
})

function depthsOf(asked: readonly ScreenRequest[]): string[] {
  return [...new Set(asked.flatMap((request) => (request.kind === 'chunk' ? [request.depth] : [])))]
}
