/** The mean over neighbours, held against a plain second implementation by the page of the method. */
import { describe, expect, it } from 'vitest'
import { type Metrics, metricValue } from '../../../src/contract/metrics.ts'
import { runJump } from '../../../src/engine/jump/jump.ts'
import { NO_LEVEL, neighboursOf } from '../../../src/workbench/screen/neighbours.ts'
import { createPointColumns } from '../../../src/workbench/screen/point-columns.ts'
import { rankPlateaus } from '../../../src/workbench/screen/rank-plateaus.ts'
import { screenGrid } from '../../../src/workbench/screen/screen-grid.ts'
import { createShortlist } from '../../../src/workbench/screen/shortlist.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import type { Axis } from '../../../src/workbench/study/study.ts'
import { createDice, seedsFrom } from '../../engine/jump/cases.ts'
import { share } from '../../support/share.ts'
import { screenSome } from './agreement.ts'
import { bruteForce, someScreenCase } from './cases.ts'
import { localCrew } from './crew.ts'
import { plainPlateau } from './plain-plateau.ts'
import { type PlateauGrid, somePlateauGrid } from './plateau-grids.ts'

const GRIDS = share({ usual: 100, long: 2000 })
const SCREENS = share({ usual: 20, long: 400 })

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
  it('is that of a plain second implementation, to the last bit and the last tie, by any number of workers', async () => {
    for (const seed of seedsFrom(1, GRIDS)) {
      const dice = createDice(seed)
      const grid = somePlateauGrid(dice)
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
  })
})

function plainRanking(grid: PlateauGrid) {
  const sign = grid.study.objective.direction === 'maximize' ? 1 : -1
  const world = {
    ...grid,
    areAlike: (one: { behaviour: number }, other: { behaviour: number }) => one.behaviour === other.behaviour,
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

  it('ranks as the plain mean over whole backtests does, up to the last bits of sums', async () => {
    for (const seed of seedsFrom(1, SCREENS)) {
      const { screened, screening, top } = await screenSome(seed, undefined, search)
      const { objective } = screened.study
      const { trials, ranked } = bruteForce(screened, (input) => runJump(input, screened.setting.prepared))
      const known = new Map(trials.map((trial) => [configFingerprint(trial.config), trial]))
      const world = {
        study: screened.study,
        resultOf: (config: (typeof trials)[number]['config']) => {
          const trial = known.get(configFingerprint(config))
          return trial === undefined ? null : { value: metricValue(trial.metrics, objective.metric), trial }
        },
        areAlike: (one: { trial: Backtested }, other: { trial: Backtested }) =>
          countedAlike(one.trial, other.trial) && near(valueIn(one.trial), valueIn(other.trial)),
      }
      const valueIn = ({ metrics }: Backtested) => metricValue(metrics, objective.metric) ?? Number.NaN
      const scores = new Map(ranked.map(({ fingerprint, config }) => [fingerprint, plainPlateau(world, config)]))
      const sign = objective.direction === 'maximize' ? 1 : -1
      const scoreOf = (fingerprint: string) => scores.get(fingerprint) ?? Number.NaN
      const seen = new Set<string>()
      const best = ranked
        .toSorted((a, b) => sign * (scoreOf(b.fingerprint) - scoreOf(a.fingerprint)))
        .filter(({ behaviourHash }) => !seen.has(behaviourHash) && seen.add(behaviourHash))
      expect({ seed, found: screening.top.length }).toEqual({ seed, found: Math.min(top, best.length) })
      screening.top.forEach(({ fingerprint, score, metrics }, rank) => {
        expect({ seed, rank, near: near(score ?? Number.NaN, scoreOf(fingerprint)) }).toEqual({
          seed,
          rank,
          near: true,
        })
        expect({ seed, rank, near: near(score ?? Number.NaN, scoreOf(best[rank].fingerprint)) }).toEqual({
          seed,
          rank,
          near: true,
        })
        expect(metrics).toEqual(trials.find((trial) => trial.fingerprint === fingerprint)?.metrics)
      })
    }
  })

  it('interrupted, ranks only points whose neighbours were all looked at, by the scores they have in the end', async () => {
    const objective = { direction: 'maximize', metric: 'netProfit', where: [] } as const
    const { study, setting } = someScreenCase(createDice(11), objective, 'large', search)
    const portions = { ...setting.portions, size: 20 }
    const interrupt = new AbortController()
    const crew = () =>
      localCrew({ ...setting, portions, points: createPointColumns(study) }, { size: 2, dice: createDice(1) })
    const whole = await screenGrid({ crew: crew(), study, portions, top: 10_000 })
    const inTheEnd = new Map(whole.top.map(({ fingerprint, score }) => [fingerprint, score]))
    const screening = await screenGrid({
      crew: crew(),
      study,
      portions,
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
      const [alone, ...others] = await Promise.all([1, 2, 5].map((size) => screenSome(seed, size, search)))
      for (const { screening } of others) expect({ seed, screening }).toEqual({ seed, screening: alone.screening })
    }
  })
})

type Backtested = { readonly config: { readonly investment: number }; readonly metrics: Metrics }

/** Same deals as far as they are counted, and the same profit. */
function countedAlike(one: Backtested, other: Backtested): boolean {
  const counts = ({ metrics, config }: Backtested) => [
    config.investment,
    metrics.closedDeals,
    metrics.winRatePercent,
    metrics.stopLosses,
    metrics.openDeal,
    metrics.safetyOrdersFilled.average,
    metrics.timeInDealPercent,
    metrics.dealDuration.max,
  ]
  return `${counts(one)}` === `${counts(other)}` && near(one.metrics.netProfit, other.metrics.netProfit)
}

function near(one: number, other: number): boolean {
  return Math.abs(one - other) <= 2e-9 * Math.max(1, Math.abs(one))
}
