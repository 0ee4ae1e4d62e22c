/** A stored result is computed again on the local candles and is identical in every stored number; where it cannot be, that is said. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, expect, it } from 'vitest'
import { candleReader, replayTrial } from '../../src/workbench/evidence/replay/replay.ts'
import { listTrials, readWhole } from '../../src/workbench/store/readers.ts'
import { openStore } from '../../src/workbench/store/store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { testSystem } from '../support/system.ts'

const MARKET = 'synthetic/T-USDT'
const folder = temporaryFolder()
const storePath = join(folder, 'workbench.sqlite')
const { takeProfit: _, ...base } = STUDY_BASE
const study = {
  name: 'ladder',
  market: { exchange: 'synthetic', baseAsset: 'T', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-03' },
  base,
  objective: { maximize: 'netProfit' },
  grid: {
    dcaPriceScalePercent: { from: 0.2, to: 2, step: 0.2 },
    takeProfit: { from: 0.3, to: 1.8, step: 0.3 },
  },
}

let dcalab: Program
let best: string

beforeAll(async () => {
  dcalab = program(folder, { XDG_STATE_HOME: folder })
  await generate(join(folder, 'candles'), '1')
  await dcalab(['candles', 'symbols', '--market', MARKET, '--tick', '0.01', '--lot', '0.0001', '--min-notional', '5'])
  const file = join(folder, 'study.json')
  writeFileSync(file, JSON.stringify(study))
  expect((await dcalab(['run', file])).code).toBe(0)
  best = JSON.parse((await dcalab(['leaderboard', 'ladder', '--top', '1', '--json'])).out)[0].fingerprint
})

const generate = (into: string, seed: string) => {
  const made = ['candles', 'generate', '--market', MARKET, '--from', '2024-01-01', '--days', '2', '--seed', seed]
  return dcalab([...made, '--candles-dir', into])
}

async function replay(...args: string[]) {
  const { code, out } = await dcalab(['service', 'verify', best, ...args, '--json'])
  return { code, ...JSON.parse(out) }
}

function change(sql: string): void {
  const db = new Database(storePath)
  db.prepare(sql).run()
  db.close()
}

it('60 results of the embedded service, computed under the rules of a symbol, are identical in every stored number', () => {
  const store = openStore(storePath, { system: testSystem() })
  const read = candleReader(join(folder, 'candles'))
  const trials = listTrials(store, { study: 'ladder' }).map((trial) => readWhole(store, trial))
  const replays = trials.map((trial) => replayTrial(trial, read))
  store.close()
  expect(replays).toHaveLength(60)
  expect(replays.filter(({ equal, missing }) => equal !== true || missing.length > 0)).toEqual([])
  const rules = { tick: 0.01, lot: 0.0001, minNotional: 5 }
  expect(trials.filter(({ symbol }) => JSON.stringify(symbol) !== JSON.stringify(rules))).toEqual([])
  expect(trials.reduce((sum, { deals }) => sum + (deals?.length ?? 0), 0)).toBeGreaterThan(200)
})

it('a single result is named and said to be equal', async () => {
  const equal = { code: 0, trial: best, service: 'embedded', equal: true, differences: [], missing: [] }
  expect(await replay()).toEqual(equal)
  expect((await dcalab(['service', 'verify', best.slice(0, 12)])).out).toContain('identical in every stored number')
})

it('what a result of before the tenth layout lacks is not stated, which is no difference', async () => {
  const columns = [
    'net_profit_pessimistic',
    'net_profit_optimistic',
    'net_profit_per_used_percent',
    'exposed_hold_percent',
  ]
  const job = `(select id from job where fingerprint = '${best}')`
  const read = new Database(storePath, { readonly: true })
  const row = read.prepare(`select ${columns.join(', ')} from result where job_id = ${job}`).get()
  read.close()
  const set = (values: readonly string[]) =>
    change(`update result set ${columns.map((name, at) => `${name} = ${values[at]}`).join(', ')} where job_id = ${job}`)
  set(columns.map(() => 'null'))
  expect(await replay()).toMatchObject({
    code: 0,
    equal: true,
    differences: [],
    missing: [
      'netProfitPerUsedPercent: not reported by the service',
      'exposedHoldPercent: not reported by the service',
      'netProfitPessimistic: not reported by the service',
      'netProfitOptimistic: not reported by the service',
    ],
  })
  set(Object.values(Object(row)).map(String))
})

it('a metric, a deal and a day that are stored otherwise are named, each with both values', async () => {
  const job = `(select id from job where fingerprint = '${best}')`
  change(
    `update result set net_profit = net_profit + 1, daily_equity_json = replace(daily_equity_json, '2024-01-02', '2024-01-09') where job_id = ${job}`,
  )
  change(`update deal set profit = profit + 1 where n = 2 and job_id = ${job}`)
  const { code, equal, differences } = await replay()
  expect({ code, equal }).toEqual({ code: 2, equal: false })
  expect(differences.map(({ metric }: { metric: string }) => metric)).toEqual([
    'netProfit',
    'dailyEquity[1]',
    'deals[1]',
  ])
  expect(differences[0].stored).toBeCloseTo(differences[0].now + 1, 9)
  change(
    `update result set net_profit = net_profit - 1, daily_equity_json = replace(daily_equity_json, '2024-01-09', '2024-01-02') where job_id = ${job}`,
  )
})

it('candles that are not there, or are others, are said instead of a comparison', async () => {
  const absent = await replay('--candles-dir', join(folder, 'nowhere'))
  expect(absent).toMatchObject({ code: 2, equal: null, differences: [] })
  expect(absent.missing[0]).toContain(`no candles of ${MARKET} 1m`)
  await generate(join(folder, 'others'), '2')
  const others = await replay('--candles-dir', join(folder, 'others'))
  expect(others).toMatchObject({ code: 2, equal: null })
  expect(others.missing[0]).toMatch(/^candles: the result used candles [0-9a-f]{12}, stored: [0-9a-f]{12}/)
})

it('symbol rules that the result does not state are said to be missing', async () => {
  change(`update result set symbol_json = null where job_id = (select id from job where fingerprint = '${best}')`)
  expect(await replay()).toMatchObject({
    code: 2,
    equal: null,
    missing: ['symbol rules: the result does not state them'],
  })
})
