/** Jobs and symbols as the service has them; what a study still waits for is not deleted by a slip. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import {
  API_KEY,
  BOT_PAYLOAD,
  goodBody,
  JOB_REQUEST,
  json,
  SECRET_KEY,
  scriptedService,
} from '../workbench/api/world.ts'

let folder: string
let dcalab: Program
beforeAll(async () => {
  folder = temporaryFolder()
  dcalab = program(folder)
  await dcalab(['candles', 'generate', '--market', 'synthetic/J-USDT', '--from', '2024-01-01', '--days', '2'])
})

const study = {
  name: 'small',
  market: { exchange: 'synthetic', baseAsset: 'J', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-03' },
  base: STUDY_BASE,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [0.5, 1] },
}

const parse = (text: string) => JSON.parse(text)

it('an account without jobs has none', async () => {
  expect(await dcalab(['service', 'jobs', 'list', '--json'])).toMatchObject({ code: 0, out: '[]\n' })
  expect((await dcalab(['service', 'jobs', 'list'])).err).toContain('no jobs')
})

it('lists, shows and deletes the jobs of a study; its results stay in the store', async () => {
  const file = join(folder, 'study.json')
  writeFileSync(file, JSON.stringify(study))
  expect((await dcalab(['run', file, '--json'])).code).toBe(0)
  const jobs = parse((await dcalab(['service', 'jobs', 'list', '--json'])).out)
  expect(jobs).toMatchObject([
    { state: 'completed', understood: 'done', market: 'synthetic/J-USDT', metrics: { netProfit: expect.any(Number) } },
    { state: 'completed', flags: {}, error: null },
  ])
  const few = await dcalab(['service', 'jobs', 'list', '--limit', '1'])
  expect(
    few.out
      .trim()
      .split(/^-[- ]+$/m)
      .at(-1)
      ?.trim()
      .split('\n'),
  ).toHaveLength(1)
  expect(few.err).toContain('there are more')
  const [{ id }] = jobs
  const shown = await dcalab(['service', 'jobs', 'show', id])
  const [, digits] = id.split('_')
  const { name } = jobs[0]
  for (const named of [digits.slice(0, 8), `job_${digits.slice(0, 8)}`, name])
    expect(await dcalab(['service', 'jobs', 'show', named])).toEqual(shown)
  expect((await dcalab(['service', 'jobs', 'show', 'job_'])).err).toContain('"job_" may be any of 2 jobs')
  expect((await dcalab(['service', 'jobs', 'show', 'ffff'])).code).toBe(2)
  expect(shown.out).toContain(`job      ${id}, dcalab-small-`)
  expect(shown.out).toMatch(/Net profit +-?\d/)
  const gone = await dcalab(['service', 'jobs', 'delete', digits.slice(0, 8), '--json'])
  expect(gone).toMatchObject({ code: 0, out: expect.stringContaining(id) })
  expect(
    parse((await dcalab(['service', 'jobs', 'list', '--json'])).out).map((job: { id: string }) => job.id),
  ).not.toContain(id)
  expect((await dcalab(['service', 'jobs', 'delete', id])).code).toBe(2)
  expect(parse((await dcalab(['leaderboard', 'small', '--json'])).out).length).toBe(2)
  expect(parse((await dcalab(['run', file, '--json'])).out)).toMatchObject({ trials: { done: 2, pending: 0 } })
})

it('symbols of an exchange, in one quote asset or in all; an unknown exchange is not found', async () => {
  const [symbol] = parse((await dcalab(['service', 'symbols', 'synthetic', '--quote', 'USDT', '--json'])).out)
  expect(symbol).toMatchObject({ symbol: 'J-USDT', baseAsset: 'J', quoteAsset: 'USDT', candles: [{ interval: '1m' }] })
  expect((await dcalab(['service', 'symbols', 'synthetic'])).out).toContain('J-USDT')
  expect(parse((await dcalab(['service', 'symbols', 'synthetic', '--quote', 'EUR', '--json'])).out)).toEqual([])
  expect((await dcalab(['service', 'symbols', 'nowhere', '--json'])).code).toBe(2)
})

it('a service that does not know the quote parameter is filtered here', async () => {
  const symbols = [
    { baseAsset: 'BTC', quoteAsset: 'USDT' },
    { baseAsset: 'BTC', quoteAsset: 'EUR' },
  ]
  const service = await scriptedService((hit, response) =>
    json(response, 200, hit.url.startsWith('/api/markets') ? { symbols } : goodBody(hit)),
  )
  const { out } = await elsewhere(service.url)(['service', 'symbols', 'binance', '--quote', 'EUR', '--json'])
  expect(parse(out)).toMatchObject([{ symbol: 'BTCEUR', tickSize: null, candles: [] }])
  await service.close()
})

it('a job that a study still waits for is deleted only when asked twice', async () => {
  let id = 'job-1'
  const service = await scriptedService((hit, response) => {
    if (hit.method === 'DELETE') return json(response, 204, '')
    if (hit.method === 'POST')
      return json(response, 201, {
        id,
        state: 'running',
        name: JSON.parse(hit.body).name,
        request: JSON.parse(hit.body),
      })
    if (hit.url.startsWith('/api/backtest/jobs')) {
      if (service.hits.some(({ method }) => method === 'POST'))
        return json(response, 401, { error: { code: 'ApiKeyInvalid' } })
      return json(response, 200, { jobs: [], next: null })
    }
    json(response, 200, goodBody(hit))
  })
  const there = elsewhere(service.url)
  const file = join(folder, 'waiting.json')
  writeFileSync(file, JSON.stringify({ ...study, name: 'waiting', grid: { dcaPriceScalePercent: [0.5] } }))
  expect((await there(['run', file, '--json'])).code).toBe(4) // the key is refused after the submission: the job is left running
  const slip = await there(['service', 'jobs', 'delete', id, '--json'])
  expect(slip.code).toBe(2)
  expect(parse(slip.err).error.hint).toContain('--yes')
  expect(service.hits.filter(({ method }) => method === 'DELETE')).toEqual([])
  expect((await there(['service', 'jobs', 'delete', id, '--yes'])).code).toBe(0)
  id = 'a stranger’s'
  expect((await there(['service', 'jobs', 'delete', id])).code).toBe(0)
  expect(service.hits.filter(({ method }) => method === 'DELETE').map(({ url }) => url)).toEqual([
    '/api/backtest/jobs/job-1',
    '/api/backtest/jobs/a%20stranger%E2%80%99s',
  ])
  await service.close()
})

it('a state nobody has heard of is shown in the service’s own word', async () => {
  const service = await scriptedService((hit, response) =>
    json(
      response,
      200,
      hit.url.includes('/jobs/') ? { id: 'job-1', state: 'marinating', request: JOB_REQUEST } : goodBody(hit),
    ),
  )
  const there = elsewhere(service.url)
  expect(parse((await there(['service', 'jobs', 'show', 'job-1', '--json'])).out)).toMatchObject({
    state: 'marinating',
    understood: 'unknown',
  })
  expect((await there(['service', 'jobs', 'show', 'job-1'])).out).toContain(
    'marinating (not known: it keeps being polled)',
  )
  await service.close()
})

it('H76: a submission that nobody answered is settled by word, with the service away, once it cannot arrive any more', async () => {
  let isDown = false
  const service = await scriptedService((hit, response) => {
    if (hit.method === 'POST') {
      isDown = true
      return void response.destroy()
    }
    if (isDown) return json(response, 503, { error: { message: 'away' } })
    json(response, 200, goodBody(hit))
  })
  const there = elsewhere(service.url)
  const file = join(folder, 'lost.json')
  writeFileSync(file, JSON.stringify({ ...study, name: 'lost', grid: { dcaPriceScalePercent: [0.5] } }))
  expect((await there(['run', file, '--json'])).code).toBe(5)
  await service.close()
  const listed = await there(['service', 'jobs', 'resolve', '--json'])
  expect(listed).toMatchObject({ code: 0, err: expect.stringContaining('possible jobs cannot be listed') })
  const [question] = parse(listed.out)
  expect(question).toMatchObject({
    state: 'waiting',
    study: 'lost',
    possible: null,
    absent: `dcalab service jobs resolve ${question.name} --absent`,
  })
  expect((await there(['service', 'jobs', 'resolve', question.name, '--job', 'job-1'])).code).toBe(5)
  expect(await there(['service', 'jobs', 'resolve', question.name, '--absent', '--settle', '90000'])).toMatchObject({
    code: 5,
    err: expect.stringContaining('may still arrive until'),
  })
  expect(await there(['service', 'jobs', 'resolve', question.name, '--absent', '--settle', '0'])).toMatchObject({
    code: 0,
    err: expect.stringContaining('no submission needs a decision'),
  })
  const plan = await there(['status', 'lost', '--json'])
  expect(plan.out).toContain('"unresolved": 0')
})

function elsewhere(url: string): Program {
  return program(folder, {
    DCALAB_STORE: join(folder, 'elsewhere.sqlite'),
    DCALAB_BASE_URL: url,
    DCALAB_API_KEY: API_KEY,
    DCALAB_SECRET_KEY: SECRET_KEY,
    DCALAB_USER_EMAIL: BOT_PAYLOAD.userEmail,
  })
}
