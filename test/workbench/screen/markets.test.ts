/** A screen of several markets, held against a plain second implementation: every config on every market, reduced, ranked. */
import { describe, expect, it } from 'vitest'
import { screenGrid } from '../../../src/workbench/screen/screen-markets.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import { createGrid } from '../../../src/workbench/study/grid.ts'
import { REDUCERS } from '../../../src/workbench/study/study.ts'
import { createDice, seedsFrom } from '../../engine/jump/cases.ts'
import { share } from '../../support/share.ts'
import { screenAndBruteForce, screenSome } from './agreement.ts'
import { bruteForce, jumpOn } from './brute-force.ts'
import { someObjective, someScreenCase } from './cases.ts'
import { localCrew } from './worker-group.ts'

/** Of each way below. */
const GRIDS = share({ usual: 2, long: 40 })

const WAYS = [2, 3].flatMap((markets) => REDUCERS.map((across) => ({ markets, across })))

describe('a screen of several markets finds what brute force finds', () => {
  it.each(WAYS)('on $markets, by the $across: to the last bit and the last tie', async (way) => {
    for (const seed of seedsFrom(1, GRIDS)) {
      const { found, expected, simulated, configs } = await screenAndBruteForce(seed, way)
      expect(found).toEqual(expected)
      expect(simulated.length).toBe(way.markets)
      for (const count of simulated) expect(count).toBeLessThanOrEqual(configs)
    }
  })

  it('the same for any number of workers, whoever is first', async () => {
    for (const seed of seedsFrom(1, share({ usual: 2, long: 40 }))) {
      const asked = { markets: 2 + (seed % 2), across: REDUCERS[seed % 3] }
      const [alone, ...others] = await Promise.all([1, 2, 5].map((workers) => screenSome(seed, { ...asked, workers })))
      for (const { screening } of others) expect({ seed, screening }).toEqual({ seed, screening: alone.screening })
    }
  })

  it('tells for each market what all trials with a value came to', async () => {
    for (const seed of seedsFrom(1, 5)) {
      const { screened, screening } = await screenSome(seed, { markets: 2 })
      const { configs } = bruteForce(screened, jumpOn(screened))
      screening.markets.forEach(({ parameters }, market) => {
        for (const { field, value, trials, profitable } of parameters) {
          const profits = configs
            .filter(({ config }) => Object.entries(config).some(([name, is]) => name === field && is === value))
            .map(({ markets }) => markets[market].metrics.netProfit)
          const counted = { trials: profits.length, profitable: profits.filter((profit) => profit > 0).length }
          expect({ seed, market, field, value, trials, profitable }).toEqual({ seed, market, field, value, ...counted })
        }
      })
    }
  })
})

describe('where a market has no candles', () => {
  it('the others alone are reduced, and a configuration keeps its own name', async () => {
    for (const seed of seedsFrom(1, 5)) {
      const dice = createDice(seed)
      const whole = someScreenCase(dice, someObjective(dice), 'small', 3)
      const { study, inputs, setting } = whole
      const present = { ...setting, markets: setting.markets.slice(1) }
      const screening = await screenGrid({
        workerGroup: localCrew(present, { size: 2, dice }),
        setting: present,
        top: 10,
      })
      const pair = {
        ...whole,
        inputs: inputs.slice(1),
        study: { ...study, markets: study.markets.slice(1) },
        setting: present,
      }
      const { distinct } = bruteForce(pair, jumpOn(pair))
      const shown = (top: readonly { readonly fingerprint: string; readonly value: number | null }[]) =>
        top.map(({ fingerprint, value }) => ({ fingerprint, value }))
      expect({ seed, top: shown(screening.top) }).toEqual({ seed, top: shown(distinct.slice(0, 10)) })
    }
  })

  it('one market that is left is no study of one market', async () => {
    const dice = createDice(2)
    const { setting } = someScreenCase(dice, { direction: 'maximize', metric: 'netProfit', where: [] }, 'small', 2)
    const present = { ...setting, markets: setting.markets.slice(0, 1) }
    const { top } = await screenGrid({ workerGroup: localCrew(present, { size: 1, dice }), setting: present, top: 3 })
    expect(top.length).toBeGreaterThan(0)
    for (const { fingerprint, config } of top) expect(fingerprint).toBe(configFingerprint(config))
  })
})

it('configs that are asked for are measured as those of the top, points of the grid or not', async () => {
  const dice = createDice(4)
  const objective = { direction: 'maximize', metric: 'roiPercent', where: [], across: 'mean' } as const
  const { study, setting } = someScreenCase(dice, objective, 'small', 2)
  const crew = localCrew(setting, { size: 2, dice })
  const { top } = await screenGrid({ workerGroup: crew, setting, top: 5 })
  const measure = async (configs: readonly (typeof top)[number]['config'][]) => {
    const reply = await crew.ask({ kind: 'measureConfigs', configs })
    if (reply.kind !== 'measure') throw new Error('expected measured configs')
    return reply.configs
  }
  expect(await measure(top.map(({ config }) => config))).toEqual(top)
  const elsewhere = { ...createGrid(study).configAt(0), dcaInitialOrderSize: 17 }
  const [{ value }] = await measure([elsewhere])
  expect(value).not.toBeNull()
})
