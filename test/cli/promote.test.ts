/** Promotion from the terminal: the verdict is shown before anything is sent, only --yes or a person goes on, what is barred wants its grade (H53), under the trading pair (H54). */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import {
  API_KEY,
  goodBody,
  type Hit,
  json,
  type ScriptedService,
  SECRET_KEY,
  scriptedService,
} from '../workbench/api/world.ts'

const trade = { DCALAB_TRADE_API_KEY: 'tRaDe-canary-0001', DCALAB_TRADE_SECRET_KEY: 'tRaDe-secret-0002' }

let folder: string
let service: ScriptedService
let dcalab: Program
beforeAll(async () => {
  folder = temporaryFolder()
  const bots = new Map<string, unknown>()
  service = await scriptedService((hit, response, index) => {
    if (hit.method === 'POST' && hit.url === '/api/bots') {
      bots.set('bot-1', { ...JSON.parse(hit.body), id: 'bot-1', state: 'created' })
    }
    if (hit.url.startsWith('/api/bots?')) return json(response, 200, { bots: [...bots.values()], next: null })
    if (hit.url.startsWith('/api/bots') && !hit.url.endsWith('validate')) return json(response, 200, bots.get('bot-1'))
    if (hit.method === 'POST' && hit.url === '/api/backtest/jobs') return json(response, 201, finished(hit, index))
    json(response, 200, goodBody(hit))
  })
  writeFileSync(join(folder, 'study.json'), JSON.stringify(study))
  dcalab = program(folder, {
    DCALAB_BASE_URL: service.url,
    DCALAB_API_KEY: API_KEY,
    DCALAB_SECRET_KEY: SECRET_KEY,
    DCALAB_USER_EMAIL: 'researcher@localhost',
    XDG_STATE_HOME: folder,
    ...trade,
  })
})
afterAll(async () => {
  await service.close()
})

const study = {
  name: 'winner',
  market: { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-21' },
  base: STUDY_BASE,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [0.5, 1, 1.5] },
}

function finished(hit: Hit, index: number): unknown {
  const { name } = JSON.parse(hit.body)
  const candles = { interval: '1m', count: 28_800, missing: 0, synthetic: String(name).includes('generated') }
  return {
    id: `job-${index}`,
    name,
    state: 'completed',
    result: { metrics: { netProfit: index, closedDeals: 4 }, candles },
  }
}

const keysOf = (hits: readonly Hit[]) => [...new Set(hits.map(({ headers }) => headers['x-api-key']))]

it('run, limits, jobs and status spend under the key that cannot trade', async () => {
  expect((await dcalab(['run', join(folder, 'study.json')])).code).toBe(0)
  await dcalab(['service', 'limits'])
  await dcalab(['service', 'jobs', 'resolve'])
  expect(service.hits.length).toBeGreaterThan(3)
  expect(keysOf(service.hits)).toEqual([API_KEY])
})

it('a plan alone sends nothing, and shows the verdict', async () => {
  const before = service.hits.length
  const { code, out } = await dcalab(['promote', 'winner', '--dry-run'])
  expect(code).toBe(0)
  expect(out).toContain('NOT JUDGED: NO CANDLES TO JUDGE IT ON. ')
  expect(service.hits.length).toBe(before)
})

it('without --yes and without a person nothing is sent either, though the verdict is shown', async () => {
  const before = service.hits.length
  const { code, out, err } = await dcalab(['promote', 'winner', '--accept', 'notJudged'])
  expect(code).toBe(2)
  expect(out).toContain('NOT JUDGED')
  expect(err).toContain('--yes')
  expect(service.hits.length).toBe(before)
})

it('what was not judged wants that accepted by its name; then the bot is made under the trading pair alone', async () => {
  const before = service.hits.length
  const refused = await dcalab(['promote', 'winner', '--yes'])
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('add --accept notJudged')])
  expect(service.hits.length).toBe(before)
  const { code } = await dcalab(['promote', 'winner', '--yes', '--accept', 'notJudged'])
  expect(code).toBe(0)
  expect(service.hits.some(({ method, url }) => method === 'POST' && url === '/api/bots')).toBe(true)
  expect(keysOf(service.hits.slice(before))).toEqual([trade.DCALAB_TRADE_API_KEY])
  for (const key of [...Object.values(trade), API_KEY, SECRET_KEY]) expect(dcalab.said()).not.toContain(key)
})

it('generated candles on a service that is not ours stop a promotion, until the grade is accepted by its name', async () => {
  const file = join(folder, 'generated.json')
  writeFileSync(file, JSON.stringify({ ...study, name: 'generated', grid: { dcaPriceScalePercent: [0.6, 1.1] } }))
  await dcalab(['run', file])
  const before = service.hits.length

  const refused = await dcalab(['promote', 'generated', '--yes'])
  expect(refused.out).toContain('DO NOT USE: ITS DATA ARE FAULTY. The service computed on synthetic candles.')
  expect(refused.code).toBe(2)
  expect(refused.err).toContain('--accept doNotUse')
  const mistyped = await dcalab(['promote', 'generated', '--yes', '--accept', 'doNot'])
  expect(mistyped).toMatchObject({
    code: 2,
    err: expect.stringContaining("'doNot' is invalid. Allowed choices are doNotUse"),
  })
  expect(service.hits.length).toBe(before)

  const shown = JSON.parse((await dcalab(['promote', 'generated', '--dry-run', '--json'])).out)
  expect(shown.verdict.grade).toBe('doNotUse')
  expect((await dcalab(['promote', 'generated', '--yes', '--accept', 'doNotUse'])).code).toBe(0)
})
