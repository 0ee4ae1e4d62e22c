/** A new user and a service that nobody has read before: from nothing to a finished study, with what the program itself says and writes. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { PAGED_API_KEY, PAGED_SECRET_KEY, type PagedService, pagedService } from '../support/paged-service.ts'
import { program } from '../support/program.ts'

let folder: string
let service: PagedService
beforeAll(async () => {
  folder = temporaryFolder()
  service = await pagedService()
})
afterAll(() => service.close())

const study = {
  name: 'at-a-stranger',
  market: { exchange: 'farm', baseAsset: 'BTC', quoteAsset: 'USDT' },
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
  grid: { dcaPriceScalePercent: [0.5, 1, 1.5, 2], takeProfit: [1, 2, 3, 4, 5] },
}

it('from nothing to a finished study of 20 trials: at most 12 commands, two edits of the draft, 60 lines of dialect', async () => {
  const draft = join(folder, 'my-service.mjs')
  const file = join(folder, 'study.json')
  writeFileSync(file, JSON.stringify(study))
  let commands = 0
  let edits = 0
  const drafted = new Set<string>()
  const noteDrafted = () => {
    for (const line of readFileSync(draft, 'utf8').split('\n')) drafted.add(line)
  }
  const settings = {
    DCALAB_BASE_URL: service.url,
    DCALAB_API_KEY: PAGED_API_KEY,
    DCALAB_SECRET_KEY: PAGED_SECRET_KEY,
    DCALAB_USER_EMAIL: 'you@example.com',
  }
  const desk = { strange: program(folder, settings), taught: program(folder, { ...settings, DCALAB_DIALECT: draft }) }
  const asks = async (who: 'strange' | 'taught', ...args: string[]) => {
    commands++
    return desk[who](args)
  }
  const edit = (from: RegExp | string, to: string) => {
    const text = readFileSync(draft, 'utf8')
    expect(text).toMatch(from)
    writeFileSync(draft, text.replace(from, to))
  }

  const met = await asks('strange', 'service', 'check')
  expect(met.code).toBe(5)
  expect(met.out).toContain('`dcalab service draft my-service.mjs` drafts')
  expect((await asks('strange', 'service', 'draft', draft, '--exchange', 'farm')).code).toBe(0)
  noteDrafted()
  edits++
  edit(
    /jobRequest: [\s\S]*?\n {2}\}\),\n/,
    `jobRequest: ({ name, exchange, baseAsset, quoteAsset, from, to, interval, strategyType, ...bot }) => ({
    ...{ tag: name, venue: exchange, market: \`\${baseAsset}-\${quoteAsset}\`, bot },
    since: Date.parse(from) / 1000,
    until: Date.parse(to) / 1000,
  }),
`,
  )
  expect((await asks('taught', 'service', 'check', '--exchange', 'farm')).code).toBe(0)
  const first = await asks('taught', 'run', file, '--max', '1')
  expect(first.code).toBe(5)
  expect(first.err).toContain('dcalab service draft')
  expect((await asks('taught', 'service', 'draft', draft)).out).toContain('job, jobState drafted')
  noteDrafted()
  expect((await asks('taught', 'service', 'draft', draft)).out).toContain('nothing new')
  noteDrafted()
  // What the service's own page says of its words, and where it puts a reason.
  edits++
  edit(
    /\n {4}return 'unknown'/,
    "\n    if (word === 'SIMMERING') return 'pending'\n    if (word === 'ROTTEN') return 'failed'\n    return 'unknown'",
  )
  edit('      request: ', '      error: job.trouble,\n      request: ')
  const understood = await asks('taught', 'service', 'check', '--exchange', 'farm')
  expect([understood.code, understood.out]).toEqual([
    0,
    expect.stringContaining('all fields of a job that a run needs are read'),
  ])
  const last = await asks('taught', 'run', file, '--json')
  expect(last.code).toBe(0)
  const summary = JSON.parse(last.out)
  expect(summary).toMatchObject({
    trials: { total: 20, done: 16, failed: 4, pending: 0 },
    best: { metrics: { netProfit: 30, roiPercent: 3, closedDeals: 41, feesPaid: 1.5 } },
    stoppedBy: null,
  })
  expect(summary.best.metrics.maxDrawdownPercent).toBeCloseTo(3.4, 10)
  expect(summary.best.metrics.winRatePercent).toBeCloseTo(58.5, 10)
  expect(service.jobs).toHaveLength(20)
  // The story is over; page after page the list shows what the study made.
  const listed = await desk.taught(['service', 'jobs', 'list', '--json'])
  expect([listed.code, listed.err]).toEqual([0, ''])
  expect(JSON.parse(listed.out)).toHaveLength(20)
  expect(service.requests.some((request) => /[?&]page=3/.test(request))).toBe(true)
  const lines = readFileSync(draft, 'utf8').trimEnd().split('\n')
  const ofDraft = lines.filter((line) => drafted.has(line)).length
  expect({ commands, edits }).toEqual({ commands: 8, edits: 2 })
  expect(lines.length).toBeLessThanOrEqual(60)
  expect(ofDraft / lines.length).toBeGreaterThanOrEqual(2 / 3)
  expect((await desk.taught(['store', 'check'])).out).toContain('1 study, ')
  const failures = await desk.taught(['sql', "select failure from trials where state = 'failed'", '--json'])
  expect(failures.out).toContain('the candles end too early')
})
