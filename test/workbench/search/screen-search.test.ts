import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Market } from '../../../src/contract/market.ts'
import { createRandom } from '../../../src/engine/random.ts'
import { createScreenSearch } from '../../../src/workbench/search/screen-search.ts'
import type { ScreenTask } from '../../../src/workbench/search/screen-state.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import type { TestedProposal } from '../../../src/workbench/study/proposals.ts'
import type { Objective } from '../../../src/workbench/study/study.ts'
import { falling, grid, netProfit, numberOf, profit, setup, space, task, type Values } from './screening.ts'
import { createMemory, MARKETS, play } from './scripted.ts'

const reasonsOf = (history: readonly TestedProposal[]) => history.map(({ reason, batch }) => `${batch} ${reason}`)
const ranks = (from: number, to: number, batch: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${batch} top ${from + at}`)
const samples = (count: number, batch: number) => Array.from({ length: count }, (_, at) => `${batch} control ${at + 1}`)

describe('where twin and service agree', () => {
  it('sends the samples, then ten and ten, and keeps the rest when the best is in the first ten', async () => {
    const { search, service, stateOf } = setup({ localEngine: falling, service: falling })
    const { history, stoppedBy } = await play(search, service)
    expect(stoppedBy).toBe('enough')
    expect(reasonsOf(history)).toEqual([...samples(8, 1), ...ranks(1, 10, 2), ...ranks(11, 20, 3)])
    const { winner, finalists, agreement } = stateOf(history)
    expect(winner?.config).toEqual(grid.configAt(0))
    expect(finalists.map(({ value }) => value)).toEqual([99, 98, 97, 96])
    expect(agreement).toMatchObject({ passed: true, signs: 1, bounds: null, rho: 1, n: 8 })
  })

  it('goes on to the last configuration when the second ten hold the best', async () => {
    const service = (number: number) => profit(number === 15 ? 500 : 100 - number)
    const { search, service: answers, stateOf } = setup({ localEngine: falling, service })
    const { history, stoppedBy } = await play(search, answers)
    expect(stoppedBy).toBeNull()
    const paid = new Set(history.map(({ config }) => configFingerprint(config)))
    expect(paid.size).toBe(40)
    expect(stateOf(history).winner?.value).toBe(500)
  })

  it('a tie between the tens is the lower fingerprint’s, wherever it was sent', async () => {
    const { search, service, stateOf } = setup({ localEngine: falling, service: () => profit(7) })
    const { history } = await play(search, service)
    const { winner, batches } = stateOf(history)
    const lowest = batches
      .flat()
      .map(({ fingerprint }) => fingerprint)
      .sort()
    expect(winner?.fingerprint).toBe(lowest[0])
  })
})

describe('the agreement test', () => {
  const disagreeing = { localEngine: falling, service: (number: number) => profit(number - 100) }

  it('stops the search after samples and the first ten, and a later run says the same', async () => {
    const { search, service, stateOf } = setup(disagreeing)
    const { history, stoppedBy } = await play(search, service)
    expect(stoppedBy).toBe('agreement')
    expect(history).toHaveLength(18)
    expect(stateOf(history).agreement?.failed).toEqual(['median', 'signs'])
    expect(await search.propose(history)).toEqual({ kind: 'end', stoppedBy: 'agreement' })
  })

  it('does not stop a run that goes on anyway', async () => {
    const { search, service } = setup(disagreeing, task({ anyway: true }))
    const { history, stoppedBy } = await play(search, service)
    expect(history.length).toBeGreaterThan(18)
    expect(stoppedBy).toBeNull() // the twin's best are the service's worst, so that the second ten are better
  })

  it('fails when the samples are better than the chosen, although every sign is right', async () => {
    const { search, service, stateOf } = setup({ localEngine: falling, service: (number) => profit(1 + number) })
    const { history, stoppedBy } = await play(search, service)
    expect(stoppedBy).toBe('agreement')
    expect(stateOf(history).agreement).toMatchObject({ failed: ['median'], signs: 1 })
  })

  it('counts failed trials as worst', async () => {
    const { search, service, stateOf } = setup({
      localEngine: falling,
      service: (number) => (number < 10 ? null : falling(number)),
    })
    const { history, stoppedBy } = await play(search, service)
    expect(stoppedBy).toBe('agreement')
    expect(stateOf(history).agreement).toMatchObject({ median: null, failed: ['median', 'signs'] })
  })
})

describe('calibration', () => {
  it('asks its tests first, one at a time and on the first market alone, and screens once', async () => {
    const given = task({ markets: MARKETS.slice(0, 2) })
    const { search, service, localEngine } = setup(
      { localEngine: falling, service: falling, tests: [70, 71, 72] },
      given,
    )
    const { history } = await play(search, service)
    expect(
      history.slice(0, 4).map(({ reason, batch, markets }) => ({ reason, batch, markets: markets.length })),
    ).toEqual([
      { reason: 'test 1', batch: 1, markets: 1 },
      { reason: 'test 2', batch: 2, markets: 1 },
      { reason: 'test 3', batch: 3, markets: 1 },
      { reason: 'control 1', batch: 4, markets: 2 },
    ])
    expect(localEngine.screens).toBe(1)
  })

  it('counts tests as configurations, and leaves the samples and one of the best their place', async () => {
    const plan = { method: 'screen', configs: 12, samples: 8, calibrate: 'auto', seed: 1 } as const
    const { search, service } = setup(
      { localEngine: falling, service: falling, tests: [70, 71, 72, 73, 74, 75] },
      task({ plan }),
    )
    const { history, stoppedBy } = await play(search, service)
    expect(reasonsOf(history)).toEqual(['1 test 1', '2 test 2', '3 test 3', ...samples(8, 4), '5 top 1'])
    expect(stoppedBy).toBeNull()
  })

  it('pays nothing more for a test that is a sample, too', async () => {
    const without = setup({ localEngine: falling, service: falling })
    const { history: unprobed } = await play(without.search, without.service)
    const tests = [numberOf(unprobed[0].config)]
    const { search, service, stateOf } = setup({ localEngine: falling, service: falling, tests })
    const { history } = await play(search, service)
    expect(history.slice(0, 2).map(({ role, config }) => ({ role, number: numberOf(config) }))).toEqual([
      { role: 'test', number: tests[0] },
      { role: 'sample', number: tests[0] },
    ])
    expect(stateOf(history).paid).toEqual(without.stateOf(unprobed).paid)
  })
})

it('pays nothing where the twin finds nothing inside the bounds', async () => {
  const { search, service } = setup({ localEngine: falling, service: falling, best: [] })
  const { history, stoppedBy } = await play(search, service)
  expect(history).toEqual([])
  expect(stoppedBy).toBeNull()
  expect(search.describe(history).lines[0]).toBe('the screen found nothing within the limits; no backtest was sent')
})

it('without samples the chosen alone show whether twin and service agree', async () => {
  const plan = { method: 'screen', configs: 25, samples: 0, calibrate: 'off', seed: 1 } as const
  const { search, service, stateOf } = setup({ localEngine: falling, service: falling }, task({ plan }))
  const { history, stoppedBy } = await play(search, service)
  expect(stoppedBy).toBe('enough')
  expect(reasonsOf(history)).toEqual([...ranks(1, 10, 1), ...ranks(11, 20, 2)])
  expect(stateOf(history).agreement).toMatchObject({ passed: true, samples: null, rho: null, n: 0 })
})

describe('several markets', () => {
  const on = (value: readonly number[]) => (_: number, market: Market) => profit(value[MARKETS.indexOf(market)])

  it.each([
    { across: 'mean', value: 20 },
    { across: 'median', value: 10 },
    { across: 'worst', value: 5 },
  ] as const)('the objective is the $across over them', async ({ across, value }) => {
    const given = task({ markets: MARKETS, objective: { ...netProfit, across } })
    const { search, service, stateOf } = setup({ localEngine: falling, service: on([45, 5, 10]) }, given)
    const { history } = await play(search, service)
    expect(stateOf(history).winner?.value).toBe(value)
  })

  it('a configuration of which one market failed or broke a bound is no winner', async () => {
    const objective: Objective = { ...netProfit, where: [{ metric: 'maxDrawdownPercent', bounds: { max: 20 } }] }
    const given = task({ markets: MARKETS.slice(0, 2), objective })
    const service = (number: number, market: Market) => {
      if (number === 0 && market === MARKETS[1]) return null
      return { netProfit: 100 - number, maxDrawdownPercent: number === 1 && market === MARKETS[0] ? 30 : 10 }
    }
    const { search, service: answers, stateOf } = setup({ localEngine: falling, service }, given)
    const { history } = await play(search, answers)
    expect(stateOf(history).winner?.config).toEqual(grid.configAt(2))
    expect(stateOf(history).agreement?.bounds).toBeGreaterThan(0.9)
    expect(stateOf(history).agreement?.bounds).toBeLessThan(1)
  })
})

describe('laws, whatever twin and service answer', () => {
  const anyGame = fc
    .record({
      seed: fc.integer({ min: 0, max: 1_000_000 }),
      configs: fc.integer({ min: 1, max: 45 }),
      samples: fc.nat({ max: 10 }),
      tests: fc.option(fc.array(fc.nat({ max: 99 }), { maxLength: 6 }), { nil: undefined }),
      best: fc.uniqueArray(fc.nat({ max: 99 }), { minLength: 0, maxLength: 60 }),
      markets: fc.integer({ min: 1, max: 3 }),
      direction: fc.constantFrom('maximize', 'minimize'),
      isBounded: fc.boolean(),
      agreeing: fc.double({ min: 0, max: 1, noNaN: true }),
      failing: fc.constantFrom(0, 0.05, 0.5),
      anyway: fc.boolean(),
    })
    .filter(({ samples, configs }) => samples < configs)
    .map((game) => ({ ...game, ...scriptOf(game) }))

  it('asks nothing twice, pays for no more than it may, and confirms the best in their order', async () => {
    await fc.assert(
      fc.asyncProperty(anyGame, async ({ values, given, best }) => {
        const { search, service, localEngine } = setup(values, given)
        const { history, steps, stoppedBy } = await play(search, service)
        const { plan, markets } = given
        const asked = history.map(({ config, role, reason }) =>
          role === 'test' ? reason : `${role} ${numberOf(config)}`,
        )
        expect(new Set(asked).size).toBe(asked.length)
        const paid = new Set(history.map(({ config }) => numberOf(config)))
        expect(paid.size).toBeLessThanOrEqual(plan.configs)
        for (const told of history) expect(told.markets).toEqual(told.role === 'test' ? markets.slice(0, 1) : markets)
        const chosen = history.filter(({ role }) => role === 'chosen')
        expect(chosen.map(({ config }) => numberOf(config))).toEqual(best.slice(0, chosen.length))
        const batches = steps.flatMap(({ advice }) => (advice.kind === 'propose' ? [advice.proposals] : []))
        const rolesOf = batches.map((proposals) => [...new Set(proposals.map(({ role }) => role))].join())
        expect(rolesOf.join(' ')).toMatch(/^(test ?)*(sample ?)?(chosen ?)*$/)
        expect(
          Math.max(0, ...batches.filter(([{ role }]) => role === 'chosen').map(({ length }) => length)),
        ).toBeLessThanOrEqual(10)
        const chosenBatches = rolesOf.filter((roles) => roles === 'chosen').length
        if (stoppedBy === 'agreement')
          expect({ chosenBatches, anyway: given.anyway }).toEqual({ chosenBatches: 1, anyway: false })
        if (stoppedBy === 'enough') expect(chosenBatches).toBe(2)
        if (stoppedBy === null && best.length > chosen.length) expect(paid.size).toBe(plan.configs)
        expect(localEngine.screens).toBe(1)
      }),
      { numRuns: 500 },
    )
  })

  it('killed before any step and started again with the same history and memory, it proposes the same', async () => {
    await fc.assert(
      fc.asyncProperty(anyGame, async ({ values, given }) => {
        const whole = setup(values, given)
        const { steps } = await play(whole.search, whole.service)
        const isKept = steps.map(({ advice }) => advice.kind === 'end' || advice.proposals[0].role !== 'test')
        for (const [at, { before, advice }] of steps.entries()) {
          // Killed before its rows were written: what was kept by then is the same, or the screen is not kept yet.
          for (const rows of [new Map<string, string>(), ...(isKept[at] ? [whole.memory.rows] : [])]) {
            const again = setup(values, given)
            const { propose } = createScreenSearch(
              { task: given, space },
              { localEngine: again.localEngine, memory: createMemory(new Map(rows)) },
            )
            expect(await propose(before)).toEqual(advice)
            expect(again.localEngine.screens).toBe(rows.size === 0 && isKept[at] ? 1 : 0)
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  it('the winner and the finalists are the best five of the chosen that are inside the bounds on every market', async () => {
    await fc.assert(
      fc.asyncProperty(anyGame, async ({ values, given, best }) => {
        const { search, service, stateOf } = setup(values, given)
        const { history } = await play(search, service)
        if (best.length === 0) return
        const { winner, finalists } = stateOf(history)
        const chosen = history.filter(({ role }) => role === 'chosen').map(({ config }) => config)
        const ranked = chosen
          .flatMap((config) => {
            const answers = given.markets.map((market) => service(config, market)).filter((answer) => answer !== null)
            const isWhole = answers.length === given.markets.length
            const isIn =
              given.objective.where.length === 0 || answers.every((answer) => answer.maxDrawdownPercent <= 20)
            const profits = answers.map((answer) => answer.netProfit).sort((a, b) => a - b)
            const value = profits.length % 2 === 1 ? profits[(profits.length - 1) / 2] : (profits[0] + profits[1]) / 2
            return isWhole && isIn ? [{ name: configFingerprint(config), value }] : []
          })
          .sort(
            (a, b) =>
              (given.objective.direction === 'maximize' ? b.value - a.value : a.value - b.value) ||
              (a.name < b.name ? -1 : 1),
          )
        const found = (winner === null ? [] : [winner, ...finalists]).map(({ fingerprint, value }) => ({
          name: fingerprint,
          value,
        }))
        expect(found).toEqual(ranked.slice(0, 5))
      }),
      { numRuns: 200 },
    )
  })
})

interface Game {
  readonly seed: number
  readonly configs: number
  readonly samples: number
  readonly tests: readonly number[] | undefined
  readonly best: readonly number[]
  readonly markets: number
  readonly direction: 'maximize' | 'minimize'
  readonly isBounded: boolean
  readonly agreeing: number
  readonly failing: number
  readonly anyway: boolean
}

/** Random values of a twin, and of a service that is like it by the share `agreeing`. Few different ones, so that there are ties. */
function scriptOf(game: Game): { readonly values: Values; readonly given: ScreenTask } {
  const { uniform } = createRandom(game.seed)
  const drawn = Array.from({ length: 100 * MARKETS.length }, () => {
    const twin = { netProfit: Math.round(20 * uniform() - 10), maxDrawdownPercent: 30 * uniform() }
    const other = { netProfit: Math.round(20 * uniform() - 10), maxDrawdownPercent: 30 * uniform() }
    const isFailed = uniform() < game.failing
    return { localEngine: twin, service: isFailed ? null : uniform() < game.agreeing ? twin : other }
  })
  const at = (number: number, market: Market) => drawn[100 * MARKETS.indexOf(market) + number]
  const { configs, samples, seed } = game
  const where: Objective['where'] = game.isBounded ? [{ metric: 'maxDrawdownPercent', bounds: { max: 20 } }] : []
  return {
    values: {
      localEngine: (number, market) => at(number, market).localEngine,
      service: (number, market) => at(number, market).service,
      best: game.best,
      ...(game.tests === undefined ? {} : { tests: game.tests }),
    },
    given: task({
      plan: { method: 'screen', configs, samples, calibrate: 'auto', seed },
      objective: { direction: game.direction, metric: 'netProfit', where },
      markets: MARKETS.slice(0, game.markets),
      anyway: game.anyway,
    }),
  }
}
