/** The guide's road to the first unit of a service that nobody has read before, walked at two kinds of service: no unit is lost, none is paid twice. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'
import { testSystem } from '../support/system.ts'

type Fields = Readonly<Record<string, unknown>>

interface Job {
  readonly order: Fields
  readonly at: number
}

/** How a service spells what the document leaves open. */
interface Kind {
  readonly posted: (n: number) => Fields
  readonly item: (job: Job, n: number, isOver: boolean) => Fields
  readonly list: (items: readonly Fields[], query: URLSearchParams) => Fields
  readonly single: (item: Fields) => Fields
  /** A job is in no list for so long, ms. */
  readonly hiddenMs: number
}

const minute = 60_000
const pageSize = 3
const takeProfitOf = ({ order }: Job) => Number(Object(order.bot).takeProfit)

/** A cursor in an envelope; the answer to a submission names no job. */
const CURSOR: Kind = {
  posted: () => ({ data: { accepted: true } }),
  item: (job, n, isOver) => ({
    ...{ ticket: `T-${n + 1}`, label: job.order.label, status: isOver ? 'FINISHED' : 'QUEUED' },
    ...{ created: Math.floor(job.at / 1000), order: job.order },
    ...(isOver ? { report: { netProfit: `${takeProfitOf(job)}.50 USDT`, trades: 41 } } : {}),
  }),
  list: (items, query) => {
    const from = Number(query.get('cursor') ?? 0)
    const next = from + pageSize < items.length ? String(from + pageSize) : null
    return { data: { entries: items.slice(from, from + pageSize), cursor: next } }
  },
  single: (item) => ({ data: item }),
  hiddenMs: 0,
}

/** Pages by number, amounts with a comma; the answer to a submission is all that is seen of it for half an hour, and it shows less than the list. */
const PAGES: Kind = {
  posted: (n) => ({ result: { code: 0, run: { uid: `run-${n + 1}`, state: 'queued' } } }),
  item: (job, n, isOver) => ({
    ...{ uid: `run-${n + 1}`, label: job.order.label, state: isOver ? 'done' : 'running' },
    ...{ createdAt: new Date(job.at).toISOString(), order: job.order },
    ...(isOver ? { stats: { profit: `1.00${takeProfitOf(job)},50 USDT`, trades: 41 } } : {}),
  }),
  list: (items, query) => {
    const page = Number(query.get('page') ?? 1)
    const pages = Math.max(1, Math.ceil(items.length / pageSize))
    return { result: { runs: items.slice((page - 1) * pageSize, page * pageSize), page, pages } }
  },
  single: (run) => ({ result: { code: 0, run } }),
  hiddenMs: 30 * minute,
}

const study = {
  name: 'first-unit',
  market: { exchange: 'farm', baseAsset: 'BTC', quoteAsset: 'USDT' },
  period: { from: '2025-01-01', to: '2025-03-01' },
  base: {
    ...{ investment: 10_000, dcaTotalBudget: 10_000, dcaInitialOrderSize: 20, dcaMaxSafetyOrders: 3, stopLoss: 0 },
    ...{ dcaPriceScalePercent: 1, dcaPriceStepMultiplier: 1.2, dcaVolumeScale: 1.3 },
  },
  objective: { maximize: 'netProfit' },
  grid: { takeProfit: [1, 2, 3] },
}

function serviceOf(kind: Kind, now: () => number) {
  const jobs: Job[] = []
  const answer = (status: number, body: unknown) =>
    new Response(JSON.stringify(body), {
      status,
      headers: { 'content-type': 'application/json', date: new Date(now()).toUTCString() },
    })
  const show = (job: Job, n: number) => kind.item(job, n, now() - job.at > minute)
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname, searchParams } = new URL(String(input))
    const [, , room, part, id] = pathname.split('/')
    if (room === 'markets') return answer(200, { data: { symbols: [{ pair: 'BTC/USDT' }] } })
    if (room !== 'backtest') return answer(200, { data: { entries: [], cursor: null } })
    if (part === 'limits') return answer(200, { data: { limit: 100, remaining: 100 - jobs.length } })
    if (init?.method === 'POST') {
      const order: Fields = JSON.parse(String(init.body))
      if (order.label === undefined || order.bot === undefined) return answer(400, { message: 'wanted: label, bot' })
      jobs.push({ order, at: now() })
      return answer(200, kind.posted(jobs.length - 1))
    }
    const shown = jobs.map(show)
    if (id === undefined) {
      const listed = shown.filter((_, n) => now() - jobs[n].at >= kind.hiddenMs)
      return answer(200, kind.list(listed.toReversed(), searchParams))
    }
    const item = shown.find(({ ticket, uid }) => ticket === id || uid === id)
    return item === undefined ? answer(404, {}) : answer(200, kind.single(item))
  }
  return { jobs, fetch }
}

it.each([
  ['a cursor in an envelope, and an answer without an id', CURSOR],
  ['pages by number, commas, and a list that lags behind', PAGES],
])('%s: the guide’s road loses no unit', async (_what, kind) => {
  const folder = temporaryFolder()
  const [draft, file] = [join(folder, 'my-service.mjs'), join(folder, 'study.json')]
  writeFileSync(file, JSON.stringify(study))
  let now = () => 0
  const service = serviceOf(kind, () => now())
  const world = testSystem({ sleep: 'jump', wall: '2026-01-01T00:00:00Z', seed: 1, fetch: service.fetch })
  now = world.clock.wall
  const settings = {
    DCALAB_BASE_URL: 'https://bots.example',
    DCALAB_API_KEY: 'k'.repeat(16),
    DCALAB_SECRET_KEY: 's'.repeat(16),
    DCALAB_USER_EMAIL: 'you@example.com',
  }
  const desk = { world, onTerminal: true, talkOnTerminal: true, redraws: false }
  const strange = program(folder, settings, desk)
  const taught = program(folder, { ...settings, DCALAB_DIALECT: draft }, desk)
  expect((await strange(['service', 'check'])).code).toBe(5)
  expect((await strange(['service', 'draft', draft, '--exchange', 'farm'])).code).toBe(0)
  const text = readFileSync(draft, 'utf8')
  expect(text).toContain('jobRequest: ')
  writeFileSync(
    draft,
    text.replace(
      /jobRequest: [\s\S]*?\n {2}\}\),\n/,
      'jobRequest: ({ name, exchange, baseAsset, quoteAsset, from, to, interval, strategyType, ...bot }) => ({ label: name, venue: exchange, baseAsset, quoteAsset, from, to, bot }),\n',
    ),
  )
  expect((await taught(['service', 'check', '--exchange', 'farm'])).code).toBe(0)
  const first = await taught(['run', file, '--max', '1'])
  expect([first.code, first.err]).toEqual([5, expect.stringContaining('dcalab service draft')])
  let last = first
  let rounds = 0
  for (; last.code !== 0 && rounds < 3; rounds++) {
    expect((await taught(['service', 'draft', draft])).code).toBe(0)
    last = await taught(['run', file])
    await world.advance(40 * minute)
  }
  expect([last.code, last.out]).toEqual([0, expect.stringContaining('3 of 3 done')])
  expect(service.jobs).toHaveLength(3)
  // Results that came before their metrics were drafted are read once more, without a request.
  expect((await taught(['service', 'draft', draft])).code).toBe(0)
  expect(readFileSync(draft, 'utf8')).toContain('      name: job.label')
  expect((await taught(['store', 'reread'])).code).toBe(0)
  const stored = await taught(['sql', 'select fingerprint, net_profit from answers order by net_profit', '--json'])
  const profits = kind === PAGES ? [1001.5, 1002.5, 1003.5] : [1.5, 2.5, 3.5]
  expect(JSON.parse(stored.out).map((row: { net_profit: number }) => row.net_profit)).toEqual(profits)
})
