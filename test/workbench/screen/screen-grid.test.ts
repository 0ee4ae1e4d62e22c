import { describe, expect, it } from 'vitest'
import { metricValue } from '../../../src/contract/metrics.ts'
import { runJump } from '../../../src/engine/jump/jump.ts'
import { runReference } from '../../../src/engine/reference.ts'
import type { ScreenRequest } from '../../../src/workbench/screen/messages.ts'
import { screenGrid } from '../../../src/workbench/screen/screen-grid.ts'
import { createDice, seedsFrom } from '../../engine/jump/cases.ts'
import { share } from '../../support/share.ts'
import { screenAndBruteForce, screenSome } from './agreement.ts'
import { bruteForce, someScreenCase } from './cases.ts'
import { localCrew } from './crew.ts'

const STUDIES = 60
/** At length the same question is put to studies of other seeds as well. */
const MORE_STUDIES = share({ usual: 0, long: 1500 })

describe('a screen finds what brute force finds', () => {
  it('by the whole backtest of every trial, to the last bit and the last tie', async () => {
    for (const seed of [...seedsFrom(1, STUDIES), ...seedsFrom(100_001, MORE_STUDIES)]) {
      const { found, expected, simulated, trials } = await screenAndBruteForce(seed)
      expect(found).toEqual(expected)
      expect(simulated).toBeLessThanOrEqual(trials)
    }
  })

  it('by the engine that walks every candle, up to the last bits of sums', async () => {
    for (let seed = 1001; seed <= 1000 + STUDIES / 2; seed++) {
      const { screened, screening, top } = await screenSome(seed)
      const { trials, ranked } = bruteForce(screened, runReference)
      const { metric } = screened.study.objective
      expect({ seed, found: screening.top.length }).toEqual({ seed, found: Math.min(top, ranked.length) })
      screening.top.forEach((trial, rank) => {
        const alone = trials.find(({ fingerprint }) => fingerprint === trial.fingerprint)
        for (const metrics of [alone?.metrics, ranked[rank].metrics]) {
          if (metrics === undefined) throw new Error(`seed ${seed}: ${trial.fingerprint} is no trial of the study`)
          const [expected, found] = [
            metricValue(metrics, metric) ?? Number.NaN,
            metricValue(trial.metrics, metric) ?? Number.NaN,
          ]
          const allowed = 1e-9 * Math.max(1, metrics.volume, Math.abs(expected))
          expect({ seed, rank, near: Math.abs(expected - found) <= allowed }).toEqual({ seed, rank, near: true })
        }
      })
    }
  })
})

it('a screen answers the same for any number of workers, whoever is first', async () => {
  for (let seed = 1; seed <= 15; seed++) {
    const [alone, ...others] = await Promise.all([1, 2, 5].map((size) => screenSome(seed, size)))
    for (const { screening } of others) expect({ seed, screening }).toEqual({ seed, screening: alone.screening })
  }
})

it('a summary per parameter tells what all trials with a value came to', async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const { screened, screening } = await screenSome(seed)
    const { trials } = bruteForce(screened, (input) => runJump(input, screened.setting.prepared))
    expect(screening.parameters.length).toBe(screened.study.axes.reduce((sum, { values }) => sum + values.length, 0))
    for (const { field, value, netProfit, ...counts } of screening.parameters) {
      const profits = trials
        .filter(({ config }) => Object.entries(config).some(([name, is]) => name === field && is === value))
        .map(({ metrics }) => metrics.netProfit)
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

describe('looking closer', () => {
  const deep = {
    direction: 'maximize',
    metric: 'netProfit',
    where: [{ metric: 'maxDrawdownPercent', bounds: { max: 0 } }],
  } as const

  it('happens when too many at the top of the profits lie outside bounds that profits do not tell', async () => {
    let closer = 0
    for (let seed = 1; seed <= 3; seed++) {
      const dice = createDice(seed)
      const screened = someScreenCase(dice, deep, 'large')
      const crew = localCrew(screened.setting, { size: 2, dice })
      const screening = await screenGrid({ crew, study: screened.study, portions: screened.setting.portions, top: 3 })
      const { ranked } = bruteForce(screened, (input) => runJump(input, screened.setting.prepared))
      expect({ seed, top: screening.top }).toEqual({ seed, top: ranked.slice(0, 3) })
      if (depthsOf(crew.asked).includes('risk')) closer++
    }
    expect(closer).toBeGreaterThan(0)
  })

  it('does not happen when profits tell all', async () => {
    const dice = createDice(3)
    const where = [{ metric: 'closedDeals', bounds: { min: 1 } }] as const
    const screened = someScreenCase(dice, { direction: 'maximize', metric: 'roiPercent', where })
    const crew = localCrew(screened.setting, { size: 1, dice })
    await screenGrid({ crew, study: screened.study, portions: screened.setting.portions, top: 5 })
    expect(depthsOf(crew.asked)).toEqual(['profit'])
  })
})

describe('an interrupted screen', () => {
  it('keeps the best so far, measured, and says that it is not complete', async () => {
    const dice = createDice(11)
    const objective = { direction: 'maximize', metric: 'netProfit', where: [] } as const
    const { study, setting } = someScreenCase(dice, objective, 'large')
    const portions = { ...setting.portions, size: 20 }
    const crew = localCrew({ ...setting, portions }, { size: 2, dice })
    const interrupt = new AbortController()
    const screening = await screenGrid({
      crew,
      study,
      portions,
      top: 4,
      signal: interrupt.signal,
      onProgress: ({ done }) => done >= 60 && interrupt.abort(),
    })
    expect(screening.complete).toBe(false)
    expect(screening.points).toBeGreaterThanOrEqual(60)
    expect(screening.points).toBeLessThanOrEqual(80)
    expect(screening.top).toHaveLength(4)
  })

  it('before its first portion has nothing to tell', async () => {
    const dice = createDice(12)
    const { study, setting } = someScreenCase(dice, { direction: 'maximize', metric: 'netProfit', where: [] })
    const crew = localCrew(setting, { size: 2, dice })
    const screening = await screenGrid({ crew, study, portions: setting.portions, top: 4, signal: AbortSignal.abort() })
    expect(screening).toMatchObject({ points: 0, complete: false, top: [] })
    expect(crew.asked).toEqual([])
  })
})

function depthsOf(asked: readonly ScreenRequest[]): string[] {
  return [...new Set(asked.flatMap((request) => (request.kind === 'portion' ? [request.depth] : [])))]
}
