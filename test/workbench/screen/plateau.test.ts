/** The mean over neighbours, held against a plain second implementation by the page of the method. */
import { describe, expect, it } from 'vitest'
import { NO_LEVEL, neighboursOf } from '../../../src/workbench/screen/neighbours.ts'
import { createPointColumns } from '../../../src/workbench/screen/point-columns.ts'
import { rankPlateaus } from '../../../src/workbench/screen/rank-plateaus.ts'
import { screenGrid } from '../../../src/workbench/screen/screen-grid.ts'
import { createShortlist } from '../../../src/workbench/screen/shortlist.ts'
import type { Axis } from '../../../src/workbench/study/study.ts'
import { createDice, type Dice, seedsFrom } from '../../engine/jump/cases.ts'
import { share } from '../../support/share.ts'
import { screenSome } from './agreement.ts'
import { someScreenCase } from './cases.ts'
import { localCrew } from './crew.ts'
import { plainPlateau } from './plain-plateau.ts'
import { near, plainPlateaus } from './plain-plateaus.ts'
import { type PlateauGrid, somePlateauGrid } from './plateau-grids.ts'

const GRIDS = share({ usual: 25, long: 2000 })
const GRIDS_ACROSS = share({ usual: 50, long: 2000 })
const SCREENS = share({ usual: 10, long: 400 })
const SCREENS_ACROSS = share({ usual: 6, long: 60 })

describe('the neighbours of a level', () => {
  const levels = (axis: Axis, isLog = false) => {
    const { below, above } = neighboursOf(axis, isLog)
    const valueAt = (digit: number) => (digit === NO_LEVEL ? null : axis.values[digit])
    return axis.values.map((_, digit) => [valueAt(below[digit]), valueAt(above[digit])])
  }

  it('are those next to it on a coarse axis, whatever the order of its values', () => {
    expect(levels({ field: 'takeProfit', values: [3, 1, 2] })).toEqual([
      [2, null],
      [null, 2],
      [1, 3],
    ])
  })

  it('are 5 % of the range away on a fine one, and twenty even steps are no finer than that', () => {
    const fine = levels({ field: 'takeProfit', values: Array.from({ length: 101 }, (_, at) => 1 + at / 100) })
    expect(fine[50]).toEqual([1.45, 1.55])
    expect(fine[3]).toEqual([null, 1.08])
    const tenths = [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 2.9, 3]
    expect(levels({ field: 'takeProfit', values: tenths }).map(([, above]) => above)).toEqual([
      ...tenths.slice(1),
      null,
    ])
  })

  it('are ratios where the study says log', () => {
    const values = [1, 1.01, 1.1, 10, 99, 100]
    expect(levels({ field: 'takeProfit', values }, true)).toEqual([
      [null, 10],
      [null, 10],
      [null, 10],
      [1.1, 99],
      [10, null],
      [10, null],
    ])
    expect(levels({ field: 'takeProfit', values })[0]).toEqual([null, 10])
    expect(levels({ field: 'takeProfit', values })[3]).toEqual([1.1, 99])
  })

  it('of the loosest stop is no stop at all, which is beyond every other and no part of the range', () => {
    expect(levels({ field: 'stopLoss', values: [0, 5, 10, 10.1] })).toEqual([
      [10.1, null],
      [null, 10],
      [5, 0],
      [5, 0],
    ])
    expect(levels({ field: 'stopLoss', values: [0, 5] })).toEqual([
      [5, null],
      [null, 0],
    ])
  })
})

describe('the ranking by plateaus', () => {
  it.each([
    ['one market', GRIDS, () => 1],
    ['several markets, reduced before their neighbours', GRIDS_ACROSS, (dice: Dice) => dice.whole(2, 3)],
  ] as const)(
    'of %s is that of a plain second implementation, to the last bit and the last tie, by any number of workers',
    async (_, grids, countMarkets) => {
      for (const seed of seedsFrom(1, grids)) {
        const dice = createDice(seed)
        const grid = somePlateauGrid(dice, countMarkets(dice))
        const expected = plainRanking(grid)
        for (const size of [1, 2, 5]) {
          const crew = localCrew(grid.setting, { size, dice })
          const fingerprints = new Map(grid.trials.map(({ index, fingerprint }) => [index, fingerprint]))
          const nameOf = (index: number) => fingerprints.get(index) ?? ''
          const shortlist = createShortlist(dice.whole(1, 40), nameOf)
          const points = grid.setting.points?.values.length ?? 0
          await rankPlateaus({ crew, points, portion: dice.whole(20, 200), shortlist })
          const found = shortlist.ranked().map(({ index, score }) => ({ fingerprint: nameOf(index), score: 0 + score }))
          expect({ seed, size, found }).toEqual({ seed, size, found: expected.slice(0, found.length) })
          expect(found.length === expected.length || shortlist.isFull()).toBe(true)
        }
      }
    },
  )
})

function plainRanking(grid: PlateauGrid) {
  const sign = grid.study.objective.direction === 'maximize' ? 1 : -1
  const world = {
    ...grid,
    areAlike: (one: { behaviour: string }, other: { behaviour: string }) => one.behaviour === other.behaviour,
  }
  return grid.trials
    .filter(({ config }) => {
      const result = grid.resultOf(config)
      return result !== null && result.value !== null && result.isInside
    })
    .map(({ config, fingerprint }) => ({ fingerprint, score: 0 + sign * plainPlateau(world, config) })) // 0 and not −0
    .toSorted((a, b) => b.score - a.score || (a.fingerprint < b.fingerprint ? -1 : 1))
}

describe('a screen by plateaus', () => {
  const search = { method: 'grid', score: 'plateau', logFields: [] } as const

  it.each([
    ['one market', SCREENS, {}],
    ['the mean of two', SCREENS_ACROSS, { markets: 2, across: 'mean' }],
    ['the median of three', SCREENS_ACROSS, { markets: 3, across: 'median' }],
    ['the worst of two', SCREENS_ACROSS, { markets: 2, across: 'worst' }],
  ] as const)(
    'ranks %s as the plain mean over whole backtests does, up to the last bits of sums',
    async (_, screens, asked) => {
      for (const seed of seedsFrom(1, screens)) {
        const { screened, screening, top } = await screenSome(seed, { ...asked, search })
        const { configs, best, scoreOf } = plainPlateaus(screened)
        const isNear = (score: number | null, other: number) => near(score ?? Number.NaN, other)
        expect({ seed, found: screening.top.length }).toEqual({ seed, found: Math.min(top, best.length) })
        screening.top.forEach(({ fingerprint, score, markets }, rank) => {
          const nears = [scoreOf(fingerprint), scoreOf(best[rank].fingerprint)].map((other) => isNear(score, other))
          expect({ seed, rank, nears }).toEqual({ seed, rank, nears: [true, true] })
          expect(markets).toEqual(configs.find((one) => one.fingerprint === fingerprint)?.markets)
        })
      }
    },
  )

  it('interrupted, ranks only points whose neighbours were all looked at, by the scores they have in the end', async () => {
    const objective = { direction: 'maximize', metric: 'netProfit', where: [] } as const
    const large = someScreenCase(createDice(11), objective, 'large', search).setting
    const setting = { ...large, portions: { ...large.portions, size: 20 } }
    const interrupt = new AbortController()
    const crew = () =>
      localCrew({ ...setting, points: createPointColumns(setting.study) }, { size: 2, dice: createDice(1) })
    const whole = await screenGrid({ crew: crew(), setting, top: 10_000 })
    const inTheEnd = new Map(whole.top.map(({ fingerprint, score }) => [fingerprint, score]))
    const screening = await screenGrid({
      crew: crew(),
      setting,
      top: 10,
      signal: interrupt.signal,
      onProgress: ({ pass, done, total }) => pass !== 'plateaus' && done >= 0.95 * total && interrupt.abort(),
    })
    expect(screening.complete).toBe(false)
    const known = screening.top.filter(({ fingerprint }) => inTheEnd.has(fingerprint))
    expect(known.length).toBeGreaterThan(0)
    for (const { fingerprint, score } of known) expect(score).toBe(inTheEnd.get(fingerprint))
  })

  it('answers the same for any number of workers, whoever is first', async () => {
    for (const seed of seedsFrom(1, 8)) {
      const [alone, ...others] = await Promise.all([1, 2, 5].map((workers) => screenSome(seed, { workers, search })))
      for (const { screening } of others) expect({ seed, screening }).toEqual({ seed, screening: alone.screening })
    }
  })
})
