/** H66: one store, our simulator and a service of somebody else's: no result is reused, no unit counted and no page filled across. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { selectObjects } from '../support/run-select.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { API_KEY, goodBody, json, type ScriptedService, SECRET_KEY, scriptedService } from '../workbench/api/world.ts'
import { visibleText } from '../workbench/report/document.ts'

let folder: string
let service: ScriptedService
let simulated: Program
let real: Program
beforeAll(async () => {
  folder = temporaryFolder()
  service = await scriptedService((hit, response, index) => {
    if (hit.method !== 'POST') return json(response, 200, goodBody(hit))
    const { name } = JSON.parse(hit.body)
    json(response, 201, {
      id: `job-${index}`,
      name,
      state: 'completed',
      result: { metrics: { netProfit: 5_000 + index, closedDeals: 4 } },
    })
  })
  writeFileSync(join(folder, 'study.json'), JSON.stringify(study))
  const common = { XDG_STATE_HOME: folder }
  simulated = program(folder, common)
  real = program(folder, {
    ...common,
    DCALAB_BASE_URL: service.url,
    DCALAB_API_KEY: API_KEY,
    DCALAB_SECRET_KEY: SECRET_KEY,
  })
  const made = ['candles', 'generate', '--market', 'synthetic/T-USDT', '--from', '2024-01-01', '--days', '2']
  expect((await simulated(made)).code).toBe(0)
})
afterAll(async () => {
  await service.close()
})

const study = {
  name: 'two',
  market: { exchange: 'synthetic', baseAsset: 'T', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-03' },
  base: STUDY_BASE,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [0.5, 1, 1.5] },
}

const posts = () => service.hits.filter(({ method }) => method === 'POST').length
const host = () => new URL(service.url).host
const parse = (text: string) => JSON.parse(text)
const run = async (dcalab: Program) => parse((await dcalab(['run', join(folder, 'study.json'), '--json'])).out)
const spentOf = async (dcalab: Program) => parse((await dcalab(['status', '--json'])).out).allowance.used
const best = async () => parse((await real(['leaderboard', 'two', '--json'])).out).at(0).metrics.netProfit

async function page(...choice: string[]): Promise<string> {
  const out = join(folder, 'report.html')
  expect((await real(['report', 'two', '--out', out, ...choice])).code).toBe(0)
  return visibleText(readFileSync(out, 'utf8'))
}

it('what the simulator computed is neither reused nor counted at the real service, and the other way round', async () => {
  expect(await run(simulated)).toMatchObject({ trials: { total: 3, done: 3, reused: 0 }, allowance: { used: 3 } })
  expect(await best()).toBeLessThan(5_000)
  expect(await page()).toContain('service embedded (3 of 3 done, our own: no exchange took part)')

  expect(await run(real)).toMatchObject({ trials: { total: 3, done: 3, reused: 0 } })
  expect(posts()).toBe(3)
  expect(await spentOf(real)).toBe(3)
  expect(await spentOf(simulated)).toBe(3)
  expect(await best()).toBeGreaterThan(5_000)

  expect(await run(simulated)).toMatchObject({ trials: { total: 3, done: 3, reused: 3 } })
  expect(posts()).toBe(3)
})

it('every row says whose it is', async () => {
  const sql = 'select simulated, count(*) as n, count(distinct identity) as services from results group by 1 order by 1'
  expect(selectObjects(join(folder, 'workbench.sqlite'), sql)).toEqual([
    { simulated: 0, n: 3, services: 1 },
    { simulated: 1, n: 3, services: 1 },
  ])
})

it('a trial with a result of each is shown once one of them is chosen', async () => {
  const [{ fingerprint }] = parse((await real(['leaderboard', 'two', '--json'])).out)
  const { code, err } = await real(['show', fingerprint])
  expect(code).toBe(2)
  expect(err).toContain('--service embedded: ')
  expect(err).toContain(`--service ${host()}: `)
  expect(err).toContain('choose one: --settings or --service')
  const shown = async (...choice: string[]) =>
    parse((await real(['show', fingerprint, ...choice, '--json'])).out).simulated
  expect(await shown('--service', 'embedded')).toBe(true)
  expect(await shown('--service', 'embedded:')).toBe(true)
  expect(await shown('--service', host())).toBe(false)
  expect(await shown('--service', service.url)).toBe(false)
  expect(await shown('--settings', 'none')).toBe(false)
})

it('whose results are shown is said first, and where there are others', async () => {
  const asked = await real(['leaderboard', 'two', '--service', 'embedded'])
  expect(asked.out.split('\n').slice(1, 3)).toEqual([
    'results of embedded (3 of 3)',
    `also ${host()} (3 of 3): --service ${host()}`,
  ])
  const { out, err } = await real(['leaderboard', 'two', '--json'])
  expect(parse(out).at(0).service).toBe(host())
  expect(err).toContain(`note: results of ${host()} (3 of 3)\nnote: also embedded (3 of 3): --service embedded\n`)
  expect((await real(['status'])).out).toContain('two: also embedded (3 of 3): --service embedded\n')
})

it('a report holds the results of one service, says which, and names the other as left out', async () => {
  // The study was last run on the simulator; the settings name the other, which has finished trials.
  const theirs = await page()
  expect(theirs).toContain(service.url)
  expect(theirs).toContain('5,00')
  expect(theirs).toContain(`service ${host()} (3 of 3 done)`)
  expect(theirs).not.toContain('no exchange took part')
  expect(theirs).toContain('Also run on embedded (3 of 3 done)')
  const ours = await page('--service', 'embedded')
  expect(ours).toContain('service embedded (3 of 3 done, our own: no exchange took part)')
  expect(ours).not.toContain('5,00')
  expect(ours).toContain(`Also run on ${host()} (3 of 3 done)`)
})
