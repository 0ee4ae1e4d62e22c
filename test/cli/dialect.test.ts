/** The whole program against a service that spells everything differently, read through the example dialect that is shipped. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { builtInDialect, loadDialect } from '../../src/workbench/api/reading/dialect.ts'
import { projectRoot } from '../support/dcalab.ts'
import { folderInMemory } from '../support/folder.ts'
import {
  OTHER_API_KEY,
  OTHER_OWNER,
  OTHER_SECRET_KEY,
  type OtherService,
  otherDialectService,
} from '../support/other-dialect-service.ts'
import { type Program, program } from '../support/program.ts'
import { selectObjects } from '../support/run-select.ts'

const example = join(projectRoot, 'studies/example-dialect.mjs')

let folder: string
let service: OtherService
let dcalab: Program
beforeAll(async () => {
  folder = folderInMemory()
  service = await otherDialectService()
  dcalab = program(folder, {
    DCALAB_BASE_URL: service.url,
    DCALAB_API_KEY: OTHER_API_KEY,
    DCALAB_SECRET_KEY: OTHER_SECRET_KEY,
    DCALAB_USER_EMAIL: OTHER_OWNER,
    DCALAB_DIALECT: example,
  })
  writeFileSync(join(folder, 'study.json'), JSON.stringify(study))
  writeFileSync(
    join(folder, 'bot.json'),
    JSON.stringify({ config: { ...study.base, ...market, ...point, name: 'mine' } }),
  )
})
afterAll(async () => {
  await service.close()
})

const market = { exchange: 'elsewhere', baseAsset: 'BTC', quoteAsset: 'USDT' }
const point = { dcaPriceScalePercent: 1, takeProfit: 1 }
const study = {
  name: 'another-dialect',
  market,
  period: { from: '2025-01-01', to: '2025-03-01' },
  base: {
    investment: 1000,
    dcaTotalBudget: 1000,
    dcaInitialOrderSize: 20,
    dcaMaxSafetyOrders: 3,
    dcaPriceStepMultiplier: 1.2,
    dcaVolumeScale: 1.3,
    stopLoss: 0,
  },
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [0.5, 1, 1.5], takeProfit: [1, 2, 3, 4] },
}

const json = (text: string) => JSON.parse(text)

it('the example spells every function of a dialect', async () => {
  const dialect = await loadDialect(example)
  const builtIn: readonly string[] = Object.keys(builtInDialect)
  expect(Object.keys(dialect).sort()).toEqual([...builtIn].sort())
  for (const name of Object.keys(builtInDialect)) {
    expect([name, Reflect.get(dialect, name) === Reflect.get(builtInDialect, name)]).toEqual([name, false])
  }
})

it('the example names the documented refusal of a fault in a success, and of no other body', async () => {
  const { refusal } = await loadDialect(example)
  expect(refusal({ fault: 'QUOTA_SPENT' })).toBe('ApiKeyBacktestLimit')
  expect(refusal({ fault: 'TOO_FAST' })).toBe('ApiKeyRateLimit')
  for (const body of [{ fault: 'OTHER' }, { data: { jobId: 'QUOTA_SPENT' } }, {}]) expect(refusal(body)).toBeUndefined()
})

it('the page for users describes every function and the example’s file', () => {
  const page = readFileSync(join(projectRoot, 'src/workbench/api/DIALECT.md'), 'utf8')
  for (const name of Object.keys(builtInDialect)) expect(page).toContain(`\`${name}\``)
  expect(page).toContain('studies/example-dialect.mjs')
})

it('runs a whole study: unknown states are polled on, ids survive, failures are told, every job is paid once', async () => {
  const { code, out, err } = await dcalab(['run', join(folder, 'study.json'), '--json'])
  expect(err).not.toContain('429')
  expect(code).toBe(0)
  expect(json(out)).toMatchObject({
    trials: { total: 12, done: 9, failed: 3, pending: 0 },
    allowance: { limit: 100, used: 12 },
    best: { metrics: { netProfit: 30, roiPercent: 3, maxDrawdownPercent: 3.4, winRatePercent: 58.5, sharpe: null } },
    stoppedBy: null,
  })
  expect(service.jobs.length).toBe(12)
  expect(service.requests.some((request) => request.includes('cursor='))).toBe(true)
  expect(service.requests.every((request) => !/[?&](limit|since)=/.test(request))).toBe(true)
})

it('what it cannot read is NULL with a reason, and the raw reply stays', async () => {
  const shown = await dcalab(['show', json((await dcalab(['leaderboard', study.name, '--json'])).out)[0].fingerprint])
  expect(shown.out).toContain('sharpe: expected a finite number, found "n/a"')
  expect(shown.out).toContain('realizedProfit: absent')
  const best = 'select net_profit, sharpe, orders from results order by net_profit desc limit 1'
  const [row] = selectObjects(join(folder, 'workbench.sqlite'), best)
  expect(row).toEqual({ net_profit: 30, sharpe: null, orders: null })
  const db = new Database(join(folder, 'workbench.sqlite'), { readonly: true })
  const replies = db.prepare<[], { body: Uint8Array }>('select body from reply').all()
  db.close()
  expect(replies.filter(({ body }) => gunzipSync(body).includes('"hitRate":"58.5 %"'))).toHaveLength(9)
})

it('running it again submits nothing', async () => {
  const { code, out } = await dcalab(['run', join(folder, 'study.json'), '--json'])
  expect(code).toBe(0)
  expect(json(out)).toMatchObject({ trials: { total: 12, done: 9, reused: expect.any(Number) }, stoppedBy: null })
  expect(service.jobs.length).toBe(12)
})

it('writes the report of it', async () => {
  const { code, out } = await dcalab(['report', study.name, '--out', join(folder, 'report.html'), '--json'])
  expect(code).toBe(0)
  expect(json(out).trials).toBeGreaterThanOrEqual(9)
})

it('promotes the best trial to a demo bot there, started, once', async () => {
  const promoted = await dcalab(['promote', study.name, '--yes', '--accept', 'notJudged', '--start', '--json'])
  expect(json(promoted.out)).toMatchObject({
    botId: 'B-1',
    isDemo: true,
    validated: true,
    created: true,
    started: true,
  })
  expect(
    json((await dcalab(['promote', study.name, '--yes', '--accept', 'notJudged', '--start', '--json'])).out),
  ).toMatchObject({
    reused: true,
  })
  expect(service.bots).toMatchObject([{ isDemo: true, phase: 'TRADING', takeProfit: 3 }])
})

it('works with its bots, jobs and symbols', async () => {
  expect(json((await dcalab(['bots', 'list', '--json'])).out)).toMatchObject([
    { id: 'B-1', market: 'elsewhere/BTC-USDT', isDemo: true, state: 'TRADING', userEmail: OTHER_OWNER },
  ])
  expect(json((await dcalab(['bots', 'trades', 'B-1', '--json'])).out)).toMatchObject([
    { id: 't-1', side: 'buy', price: 50000.5, quantity: 0.0004, fee: 0.02, executedAt: '2026-01-01T00:00:00.000Z' },
  ])
  expect(json((await dcalab(['bots', 'trades', 'B-1', '--orders', '--state', 'open', '--json'])).out)).toMatchObject([
    { id: 'o-2', side: 'sell', state: 'open', price: 50500 },
  ])
  expect(json((await dcalab(['bots', 'show', 'B-1', '--json'])).out)).toMatchObject({
    pnl: { netProfit: 0.75, roiPercent: 0.075 },
  })
  expect(json((await dcalab(['bots', 'create', join(folder, 'bot.json'), '--dry-run', '--json'])).out)).toMatchObject({
    valid: true,
  })
  expect(json((await dcalab(['bots', 'create', join(folder, 'bot.json'), '--json'])).out)).toMatchObject({
    botId: 'B-2',
  })
  const updated = await dcalab(['bots', 'update', 'B-2', join(folder, 'bot.json'), '--json'])
  expect(json(updated.out)).toMatchObject({ id: 'B-2', name: 'mine', isDemo: true })
  expect(json((await dcalab(['bots', 'stop', 'B-1', '--close-position', '--json'])).out)).toMatchObject({
    botId: 'B-1',
    closePosition: true,
  })
  expect(service.bots[0].phase).toBe('HALTED')
  const jobs = json((await dcalab(['service', 'jobs', 'list', '--json'])).out)
  expect(jobs.length).toBe(12)
  expect(jobs[0]).toMatchObject({ state: 'BROKEN', understood: 'failed', error: 'out of memory' })
  expect(jobs[1]).toMatchObject({ state: 'DONE', understood: 'done', market: 'elsewhere/BTC-USDT' })
  expect(json((await dcalab(['service', 'jobs', 'show', jobs[1].id, '--json'])).out)).toMatchObject({ id: jobs[1].id })
  expect(json((await dcalab(['service', 'symbols', 'elsewhere', '--json'])).out)).toMatchObject([
    { symbol: 'BTC/USDT', tickSize: 0.01 },
  ])
})

it('holds its bot against a backtest as far as it is told, and says what it is not told', async () => {
  const made = [
    '--market',
    'elsewhere/BTC-USDT',
    '--from',
    '2026-01-01',
    '--days',
    '1',
    '--interval',
    '1h',
    '--seed',
    '5',
  ]
  expect((await dcalab(['candles', 'generate', ...made])).code).toBe(0)
  const { code, out, err } = await dcalab(['bots', 'compare', 'B-1', '--json'])
  expect(code, err).toBe(0)
  const drift = json(out)
  expect(drift).toMatchObject({
    bot: 'B-1',
    trial: expect.stringMatching(/^[0-9a-f]{64}$/),
    from: '2026-01-01T00:00:00.000Z',
    orders: { different: null },
    profit: { bot: 0.75 },
    verdict: { drift: 'large', causes: ['unexplained'] },
    unknown: [{ what: 'orders', reason: expect.stringContaining('does not say its deal') }],
  })
  const { causes, gap } = drift.profit
  expect(Object.values<number>(causes).reduce((sum, part) => sum + part, 0)).toBeCloseTo(gap, 6)
})

it('doctor shows how each body was understood', async () => {
  const { code, out } = await dcalab(['service', 'check', '--json'])
  expect(code).toBe(0)
  const { endpoints } = json(out)
  const readJob = endpoints.find(({ endpoint }: { endpoint: string }) => endpoint === 'readJob')
  expect(readJob.fields).toContainEqual({ field: 'id', found: 'read', reason: null })
  expect(endpoints.every(({ state }: { state: string }) => state === 'answers')).toBe(true)
})

it('a bot there that is not a demo is neither started nor updated', async () => {
  service.bots.push({ ...service.bots[0], botId: 'B-real', isDemo: false, phase: 'IDLE' })
  const before = service.requests.length
  for (const args of [
    ['start', 'B-real'],
    ['update', 'B-real', join(folder, 'bot.json')],
  ]) {
    const { code, err } = await dcalab(['bots', ...args, '--json'])
    expect(code).toBe(2)
    expect(json(err).error.code).toBe('notADemoBot')
  }
  expect(service.requests.slice(before).every((request) => request.startsWith('GET '))).toBe(true)
  expect(service.breaches).toEqual([])
})

it('no key of it stands in anything that was printed or written', async () => {
  const refused = program(folder, {
    DCALAB_BASE_URL: service.url,
    DCALAB_API_KEY: `${OTHER_API_KEY}x`,
    DCALAB_SECRET_KEY: OTHER_SECRET_KEY,
    DCALAB_USER_EMAIL: OTHER_OWNER,
    DCALAB_DIALECT: example,
  })
  const said: string[] = [dcalab.said()]
  for (const args of [
    ['bots', 'list'],
    ['bots', 'start', 'B-1'],
    ['service', 'jobs', 'list'],
    ['service', 'symbols', 'x'],
    ['service', 'check'],
    ['service', 'limits'],
  ]) {
    const { code } = await refused([...args, '--json'])
    expect([args, code]).toEqual([args, 4])
  }
  said.push(refused.said())
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(sqlite|html|sqlite-wal)$/.test(name),
  )
  said.push(...files.map((name) => readFileSync(join(folder, name), 'latin1')))
  for (const text of said) {
    for (const key of [OTHER_API_KEY, OTHER_SECRET_KEY]) {
      for (const spelling of [
        key,
        Buffer.from(key).toString('hex'),
        Buffer.from(key).toString('base64').replaceAll('=', ''),
      ]) {
        expect(text.includes(spelling)).toBe(false)
      }
    }
  }
})
