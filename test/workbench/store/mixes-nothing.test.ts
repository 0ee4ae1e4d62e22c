/** What a reader would add up first is of one service, one market, one revision: by every view, every export and every question of the cookbook. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shortNames } from '../../../src/workbench/store/choose-service.ts'
import { COOKBOOK } from '../../../src/workbench/store/cookbook/cookbook.ts'
import { exportView } from '../../../src/workbench/store/export/export.ts'
import { exportFolder } from '../../../src/workbench/store/export/folder.ts'
import { readView, type WantedRows } from '../../../src/workbench/store/export/view-rows.ts'
import { listTrials, readWhole } from '../../../src/workbench/store/readers.ts'
import type { WholeTrial } from '../../../src/workbench/store/records.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { VIEW_ROWS } from '../../../src/workbench/store/views.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { AXES, BTC, knownStudy, LADDER, LATER_LADDER, runToTheEnd } from './known-results.ts'
import { openTemporary } from './setup.ts'
import { CURRENT, MOST, OWN, openThreeServices } from './three-services.ts'

type Row = Readonly<Record<string, string | number | bigint | null>>

let store: Store
let current: readonly WholeTrial[]
beforeAll(async () => {
  store = await openThreeServices()
  current = listTrials(store, { study: 'both' }).map((trial) => readWhole(store, trial))
})
afterAll(() => store.close())

const ask = (sql: string) => store.db.prepare<[], Row>(sql).all()
const of = (asset: string) => current.filter(({ market }) => market.baseAsset === asset)
const sum = (values: readonly (number | null | undefined)[]) =>
  values.reduce<number>((all, value) => all + (value ?? 0), 0)
const netProfits = (asset: string) => sum(of(asset).map(({ metrics }) => metrics?.netProfit))

const OF_RESULTS = ['answers', 'results', 'deals', 'equity_daily', 'monthly_returns'] as const

describe('every view of results', () => {
  it.each(OF_RESULTS)('%s says whose, where and which version', (view) => {
    const says = ['study', 'revision', 'service', 'market', 'period_from', 'period_to']
    const missing = [...says, ...(view === 'answers' ? [] : ['is_current'])].filter(
      (name) => !(name in VIEW_ROWS[view].columns),
    )
    expect(missing).toEqual([])
  })

  it.each(OF_RESULTS)(
    '%s has of a study one service and one period, with every trial of its current revision',
    (view) => {
      const where = view === 'answers' ? '' : 'and is_current'
      const rows = ask(
        `select distinct service, period_from, market from ${view} where study = 'both' ${where} order by market`,
      )
      const one = { service: 'bots.example#1234', period_from: '2024-01-30T00:00:00.000Z' }
      expect(rows).toEqual(['binance/BTC-USDT', 'binance/ETH-USDT'].map((market) => ({ ...one, market })))
      const trials = ask(`select distinct fingerprint from ${view} where study = 'both' ${where}`)
      expect(trials.map(({ fingerprint }) => fingerprint).sort()).toEqual(
        current.map(({ fingerprint }) => fingerprint).sort(),
      )
    },
  )

  it('there is more in the store than that: three services, a rerun, an earlier revision', () => {
    const rows = ask("select distinct service, revision, period_from from results where study = 'both'")
    expect(new Set(rows.map(({ service }) => service)).size).toBe(3)
    expect(new Set(rows.map(({ revision }) => revision))).toEqual(new Set([1, 2, 3]))
    expect(new Set(rows.map(({ period_from }) => period_from)).size).toBe(2)
  })

  it.each(['BTC', 'ETH'])('its sums over %s are those of the trials that the program shows', (asset) => {
    const market = `market = 'binance/${asset}-USDT' and study = 'both'`
    const [answers] = ask(`select sum(net_profit) as net_profit, count(*) as n from answers where ${market}`)
    expect(answers).toEqual({ net_profit: expect.closeTo(netProfits(asset), 9), n: 6 })
    const [results] = ask(
      `select sum(net_profit) as net_profit, count(*) as n from results where ${market} and is_current`,
    )
    expect(results).toEqual(answers)
    const [months] = ask(`select sum(profit_quote) as net_profit from monthly_returns where ${market} and is_current`)
    expect(months.net_profit).toBeCloseTo(netProfits(asset), 9)
    const [days] = ask(
      `select sum(equity_quote) as equity, count(*) as n from equity_daily where ${market} and is_current`,
    )
    const equity = of(asset).flatMap(({ metrics }) => metrics?.dailyEquity ?? [])
    expect(days).toEqual({ equity: expect.closeTo(sum(equity.map((day) => day.equity)), 9), n: equity.length })
    const [deals] = ask(`select sum(profit_quote) as profit, count(*) as n from deals where ${market} and is_current`)
    const traded = of(asset).flatMap(({ deals }) => deals ?? [])
    expect(deals).toEqual({ profit: expect.closeTo(sum(traded.map(({ profit }) => profit)), 9), n: traded.length })
  })

  it('a study that pays for nothing itself has the answers of those it shares', () => {
    const [row] = ask("select count(*) as n, count(distinct service) as services from answers where study = 'user'")
    expect(row).toEqual({ n: 6, services: 1 })
  })

  it.each(['results', 'deals', 'equity_daily', 'monthly_returns'] as const)(
    'nor is %s of it empty: an export of a study has what belongs to its answers, whoever paid',
    (view) => {
      const rows = [...readView(store, { study: 'user', view, identity: MOST.identity }).rows]
      const [{ n }] = ask(
        `select count(*) as n from ${view} join (select identity, job_id from answers where study = 'user') using (identity, job_id)`,
      )
      expect(rows).toHaveLength(Number(n))
      expect(rows.length).toBeGreaterThan(0)
      expect([...readView(store, { study: 'user', view, all: true }).rows].length).toBeGreaterThanOrEqual(rows.length)
    },
  )

  it('is_current leaves each result of an answer once, however many studies it belongs to', async () => {
    // What study `user` shares is in no current revision of the study that paid for it.
    const revised = openTemporary().store
    for (const study of [LADDER, knownStudy('user', BTC, AXES), LATER_LADDER]) await runToTheEnd(revised, study)
    const ids = (sql: string) => revised.db.prepare(sql).pluck().all()
    expect(ids('select job_id from results where is_current order by 1')).toEqual(
      ids('select distinct job_id from answers order by 1'),
    )
    revised.close()
  })
})

const WITH_SERVICE = Object.keys(VIEW_ROWS).filter((view) => {
  const { columns } = VIEW_ROWS[view]
  return 'service' in columns && 'study' in columns && 'identity' in columns
})

describe('an export', () => {
  const exported = (wanted: WantedRows) => {
    const { columns, rows } = readView(store, wanted)
    return Array.from(rows, (row) => Object.fromEntries(columns.map(({ name }, i) => [name, row[i]])))
  }

  it.each(WITH_SERVICE)(
    'of %s is of the service that is chosen, and so of the current revision and its period',
    (view) => {
      for (const { identity } of [MOST, OWN]) {
        const rows = exported({ study: 'both', view, identity })
        expect([view, [...new Set(rows.map((row) => row.identity))]]).toEqual([
          view,
          rows.length === 0 ? [] : [identity],
        ])
        const periods = new Set(rows.flatMap(({ period_from }) => period_from ?? []))
        if (view !== 'attempts') expect([...periods]).toEqual(periods.size === 0 ? [] : ['2024-01-30T00:00:00.000Z'])
      }
    },
  )

  it('has all of what another service has done of the current revision, ranked by itself', () => {
    const rows = exported({ study: 'both', identity: OWN.identity })
    expect(rows).toHaveLength(7)
    const results = exported({ study: 'both', view: 'results', identity: OWN.identity })
    expect(sum(rows.map((row) => Number(row.net_profit)))).toBeCloseTo(
      sum(results.map((row) => Number(row.net_profit))),
      9,
    )
    expect(
      rows.every(({ objective_over_markets, rank }) => (rank === null) === (objective_over_markets === null)),
    ).toBe(true)
  })

  it('of all has every service and revision, each row with its own', () => {
    const rows = exported({ all: true })
    expect(rows).toHaveLength(Number(store.db.prepare("select count(*) from job where state = 'done'").pluck().get()))
    expect(new Set(rows.map(({ service }) => service)).size).toBe(3)
  })
})

describe('a folder of Parquet files', () => {
  const read = async (path: string, view: string) => {
    const files = readdirSync(join(path, view)).map((name) => readFileSync(join(path, view, name)))
    const rows = await Promise.all(files.map((bytes) => parquetReadObjects({ file: new Uint8Array(bytes).buffer })))
    return rows.flat().map((row) => JSON.stringify(row, plain))
  }
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)
  const work = { showProgress: () => {}, signal: new AbortController().signal }

  it.each([
    ['of the services that are shown', {}],
    ['of one service', { identity: OWN.identity }],
    ['of every service and revision', { all: true }],
  ])('%s has of every view the rows of its export, each once', async (_, asked) => {
    const path = temporaryFolder()
    await exportFolder(store, { path, all: false, ...asked, ...work })
    for (const [view, { columns }] of Object.entries(VIEW_ROWS)) {
      const { identity, ...rest } = { identity: undefined, ...asked }
      const of = identity !== undefined && 'identity' in columns ? { identity } : {}
      const file = join(temporaryFolder(), 'whole.parquet')
      await exportView(store, { view, path: file, force: false, ...of, ...rest, ...work })
      const whole = await parquetReadObjects({ file: new Uint8Array(readFileSync(file)).buffer })
      expect([view, (await read(path, view)).toSorted()]).toEqual([
        view,
        whole.map((row) => JSON.stringify(row, plain)).toSorted(),
      ])
    }
  })

  it('sums over it are those of the trials that the program shows', async () => {
    const path = temporaryFolder()
    await exportFolder(store, { path, all: false, ...work })
    const answers = (await read(path, 'answers')).map((row) => JSON.parse(row))
    for (const asset of ['BTC', 'ETH']) {
      const rows = answers.filter(({ study, market }) => study === 'both' && market === `binance/${asset}-USDT`)
      expect(new Set(rows.map(({ service }) => service))).toEqual(new Set(['bots.example#1234']))
      expect(sum(rows.map(({ net_profit }) => net_profit))).toBeCloseTo(netProfits(asset), 9)
    }
  })
})

describe('the cookbook', () => {
  /** Of definitions, of local screens, of what was sent. */
  const OF_OTHERS = [
    'what-a-revision-changed',
    'near-the-winner-in-a-screen',
    'screen-against-service',
    'cost-of-each-insight',
    'units-per-day',
  ]

  it.each(Object.keys(COOKBOOK).filter((name) => !OF_OTHERS.includes(name)))(
    '%s is of one service, and says which',
    (name) => {
      const { parameters, sql } = COOKBOOK[name]
      const usual = Object.fromEntries(Object.entries(parameters).map(([parameter, { usual }]) => [parameter, usual]))
      const rows = store.db
        .prepare<[Row], Row>(sql)
        .all({ ...usual, study: 'both', ...('days' in parameters ? { days: 2 } : {}) })
      const statement = store.db.prepare(sql)
      expect(statement.columns().map((column) => column.name)).toContain('service')
      expect(new Set(rows.map(({ service }) => service)).size).toBeLessThanOrEqual(1)
      expect(CURRENT.markets).toHaveLength(2)
    },
  )
})

it('the short name of a service is the same in SQL, in whatever order services come', () => {
  const digits = fc.stringMatching(/^[01]{1,8}$/)
  const identities = fc.uniqueArray(
    fc.oneof(
      digits.map((text) => `embedded:${text}`),
      fc
        .tuple(
          fc.constantFrom('http://a.example', 'https://a.example', 'https://b.example:8080', 'https://c/d'),
          digits,
        )
        .map(([origin, key]) => `${origin}#${key}`),
      fc.constantFrom('other', 'https://no.key'),
    ),
    { minLength: 1, maxLength: 7 },
  )
  const { store } = openTemporary()
  const add = store.db.prepare(
    "insert into service (identity, simulated, origin, first_seen_at) values (?, 0, 'o', '2026-01-01T00:00:00.000Z')",
  )
  fc.assert(
    fc.property(identities, (names) => {
      store.db.exec('delete from service')
      for (const name of names) add.run(name)
      const found = store.db.prepare<[], string[]>('select identity, name from service').raw().all()
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(shortNames(names)))
    }),
    { numRuns: 60 },
  )
  store.close()
})
