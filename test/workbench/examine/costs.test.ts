/** `dcalab examine --costs`: every result of a study under a grid of fees and slippages, each computed a second way by the reference engine. */
import { beforeAll, describe, expect, it } from 'vitest'
import { loadCandles } from '../../../src/candles/folder/folder.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { runReferenceOnce } from '../../../src/engine/reference.ts'
import { FAILURES } from '../../../src/errors.ts'
import type { CostCell } from '../../../src/workbench/store/observe-job.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import type { TrialRecord } from '../../../src/workbench/store/records.ts'
import { examinedWorld, openWorld, WORLD_STUDY, type World } from './examined-world.ts'

const { name } = WORLD_STUDY

interface Said {
  readonly costs: readonly {
    readonly feePercent: number
    readonly slippagePercent: number
    readonly results: number
    readonly profitable: number
    readonly best: { readonly id: string; readonly netProfit: number }
  }[]
  readonly results: readonly { readonly trial: string; readonly costs: readonly CostCell[] }[]
}

let world: World
let said: Said
let trials: readonly TrialRecord[]
const json = async (...args: readonly string[]) => JSON.parse((await world.dcalab([...args, '--json'])).out)
const sent = async () => (await json('sql', 'select count(*) as n from attempts'))[0].n

beforeAll(async () => {
  world = await examinedWorld()
  const before = await sent()
  said = await json('examine', name, '--costs')
  expect(await sent()).toBe(before)
  const { store } = openWorld(world, world.path)
  trials = listTrials(store, { study: name })
  store.close()
})

describe('a whole study', () => {
  it('has every result under every cost, as the reference engine computes it', () => {
    const [{ market, period }] = trials
    const { candles } = loadCandles(world.candles, { market: `${market.exchange}/T-USDT`, ...period })
    expect(said.results.map(({ trial }) => trial)).toEqual(trials.map(({ fingerprint }) => fingerprint))
    for (const [at, { config, conventions }] of trials.entries()) {
      const { costs } = said.results[at]
      expect(new Set(costs.map(({ feePercent, slippagePercent }) => `${feePercent} ${slippagePercent}`)).size).toBe(15)
      for (const { feePercent, slippagePercent, ...cell } of costs) {
        const { metrics } = runReferenceOnce({
          ...{ candles, config, symbol: NO_SYMBOL_RULES, costs: { feePercent, slippagePercent } },
          conventions: conventions as Parameters<typeof runReferenceOnce>[0]['conventions'],
        })
        expect(cell).toEqual({
          netProfit: expect.closeTo(metrics.netProfit, 8),
          netProfitPerUsedPercent: expect.closeTo(metrics.netProfitPerUsedPercent ?? Number.NaN, 8),
          maxDrawdownPercent: expect.closeTo(metrics.maxDrawdownPercent, 8),
          closedDeals: metrics.closedDeals,
        })
      }
    }
  })

  it('under its own costs a result earns what it earned', () => {
    for (const [at, { costs, metrics }] of trials.entries()) {
      const own = said.results[at].costs.find(
        (cell) => cell.feePercent === costs?.feePercent && cell.slippagePercent === costs.slippagePercent,
      )
      expect(own?.netProfit).toBeCloseTo(metrics?.netProfit ?? Number.NaN, 8)
    }
  })

  it('the table’s rows and the answer of SQL are sums over those cells', async () => {
    const rows = await json('sql', '--example', 'cost-sensitivity', '--param', `study=${name}`)
    expect(rows).toHaveLength(15)
    for (const [at, row] of said.costs.entries()) {
      const cells = said.results.map(({ costs }) => costs[at].netProfit)
      const profitable = cells.filter((profit) => profit > 0).length
      expect(row).toMatchObject({ results: trials.length, profitable, best: { netProfit: Math.max(...cells) } })
      expect(rows[at]).toMatchObject({
        ...{ fee_percent: row.feePercent, slippage_percent: row.slippagePercent, results: trials.length, profitable },
        average_net_profit: expect.closeTo(cells.reduce((sum, profit) => sum + profit, 0) / cells.length, 1),
      })
    }
  })

  it('is a table for people', async () => {
    const { out } = await world.dcalab(['examine', name, '--costs'])
    expect(out).toContain('slippage %')
    expect(out.split('\n').filter((line) => line.startsWith('synthetic/T-USDT'))).toHaveLength(15)
  })
})

it('one configuration is computed alone', async () => {
  const one = await json('examine', trials[2].fingerprint, '--costs')
  expect(one.results).toEqual([said.results[2]])
})

it('a reading of the reply again keeps it', async () => {
  await world.dcalab(['store', 'reread'])
  const [{ kept }] = await json('sql', 'select count(cost_sensitivity_json) as kept from results')
  expect(kept).toBe(trials.length)
})

it('results on other candles than those stored here are left out, and it is said', async () => {
  const { path } = world
  const { store } = openWorld(world, path)
  store.db
    .prepare('update result set candles_hash = ? where job_id = (select min(job_id) from result)')
    .run('f'.repeat(64))
  store.close()
  const { out, err } = await world.dcalab(['examine', name, '--costs', '--json'])
  expect(JSON.parse(out).results).toHaveLength(trials.length - 1)
  expect(err).toContain('note: 1 result left out: computed on other candles than those stored here\n')
})

it('a study without a result on a market says so', async () => {
  const { code, err } = await world.dcalab(['examine', name, '--costs', '--market', 'synthetic/X-USDT'])
  expect([code, err]).toEqual([2, expect.stringContaining(`${name} has no result on "synthetic/X-USDT"`)])
})

it('results on a market without candles here are left out, and it is said; without any, so is that', async () => {
  const move = (where: string) => {
    const { store } = openWorld(world, world.path)
    store.db.exec(`update trial set market = 'synthetic/X-USDT', base_asset = 'X' ${where}`)
    store.close()
  }
  move(`where fingerprint = '${trials[1].fingerprint}'`)
  const { out, err } = await world.dcalab(['examine', name, '--costs', '--json'])
  expect(JSON.parse(out).results).toHaveLength(trials.length - 2)
  expect(err).toContain('note: synthetic/X-USDT is left out: ')
  move('')
  const { code } = await world.dcalab(['examine', name, '--costs', '--json'])
  expect(code).toBe(FAILURES.candlesMissing.exitCode)
})
