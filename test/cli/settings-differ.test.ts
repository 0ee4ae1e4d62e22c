/**
 * A study at another fee, under other conventions and on other candles than those it was run with before: our own service computes it anew;
 * another service computes as it likes, and every command that shows its results says so.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { selectObjects } from '../support/run-select.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { API_KEY, goodBody, json, type ScriptedService, SECRET_KEY, scriptedService } from '../workbench/api/world.ts'
import { visibleText } from '../workbench/report/document.ts'

let folder: string
let dcalab: Program
beforeAll(async () => {
  folder = temporaryFolder()
  dcalab = program(folder, { XDG_STATE_HOME: folder })
  await dcalab(['candles', 'generate', '--market', 'synthetic/D-USDT', '--from', '2024-01-01', '--days', '2'])
  write('plain', {})
  write('differing', { costs: { feePercent: 0.5 }, conventions: { takeProfitBasis: 'net' }, interval: '1m' })
})

/** What every study here asks; they differ in their settings. */
const study = {
  market: { exchange: 'synthetic', baseAsset: 'D', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-03' },
  base: STUDY_BASE,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [0.5, 1, 1.5] },
}
const programOf = ({ url }: ScriptedService, store: string) =>
  program(folder, {
    XDG_STATE_HOME: folder,
    DCALAB_STORE: join(folder, `${store}.sqlite`),
    DCALAB_BASE_URL: url,
    DCALAB_API_KEY: API_KEY,
    DCALAB_SECRET_KEY: SECRET_KEY,
  })
const file = (name: string) => join(folder, `${name}.json`)
const write = (name: string, more: object) => writeFileSync(file(name), JSON.stringify({ name, ...study, ...more }))
const warnings = (text: string): { code: string; message: string }[] => JSON.parse(text).warnings
const SETTINGS_CODES = ['termsDiffer', 'termsDiffer', 'termsDiffer', 'coarseCandles']
const settingsCodes = (found: readonly { code: string }[]) =>
  found.map(({ code }) => code).filter((code) => SETTINGS_CODES.includes(code))
const run = async (at: Program, name: string) => {
  const { out, err } = await at(['run', file(name), '--json'])
  return { ...JSON.parse(out), err }
}
const check = async (at: Program, name: string) => JSON.parse((await at(['study', 'check', file(name), '--json'])).out)

describe('on our own service a study at another fee', () => {
  it('is submitted anew, whatever is known of the same trials, and both results stay', async () => {
    expect(await run(dcalab, 'plain')).toMatchObject({ trials: { done: 3, reused: 0 }, allowance: { used: 3 } })
    const before = await check(dcalab, 'differing')
    expect(before).toMatchObject({ trials: { distinct: 3, known: 0, toRun: 3 } })
    expect(settingsCodes(before.warnings)).toEqual([])

    const differing = await run(dcalab, 'differing')
    expect(differing).toMatchObject({ trials: { done: 3, reused: 0 }, allowance: { used: 6 } })
    expect(differing.err).not.toContain('the study says')
    const sql = `select fee_percent, count(*) as results, count(distinct fingerprint) as trials, round(sum(fees_paid) / sum(volume), 6) as paid
      from results group by fee_percent order by fee_percent`
    expect(selectObjects(join(folder, 'workbench.sqlite'), sql)).toEqual([
      { fee_percent: 0.1, results: 3, trials: 3, paid: 0.001 },
      { fee_percent: 0.5, results: 3, trials: 3, paid: 0.005 },
    ])
  })

  it('is finished then: neither it nor the one before submits anything again', async () => {
    for (const name of ['plain', 'differing']) {
      expect(await check(dcalab, name)).toMatchObject({ trials: { known: 3, toRun: 0 } })
      expect(await run(dcalab, name)).toMatchObject({
        trials: { done: 3, reused: 3, pending: 0 },
        allowance: { used: 6 },
      })
    }
  })

  it('has its own leaderboard and nothing to be told', async () => {
    const best = async (name: string) => {
      const { out, err } = await dcalab(['leaderboard', name, '--json'])
      expect(err).toBe('')
      return JSON.parse(out)[0].metrics.feesPaid
    }
    expect(await best('differing')).toBeGreaterThan(2 * (await best('plain')))
  })
})

describe('on a service that computes at 0.1 %, takes profit gross, and on candles of four hours', () => {
  const result = {
    metrics: { netProfit: 5, closedDeals: 3 },
    costs: { feePercent: 0.1, slippagePercent: 0 },
    conventions: { takeProfitBasis: 'gross' },
    candles: { interval: '4h', count: 12, missing: 0 },
  }
  const said = [
    'the study says feePercent 0.5; all 3 results: feePercent 0.1',
    'the study says takeProfitBasis net; all 3 results: takeProfitBasis gross',
    'the study says interval 1m; all 3 results: interval 4h',
    'all 3 results: 4h candles: the fill order inside them is unknown; import minutes',
  ]
  let service: ScriptedService
  let away: Program
  beforeAll(async () => {
    service = await scriptedService((hit, response, index) => {
      if (hit.method !== 'POST') return json(response, 200, goodBody(hit))
      const { name } = JSON.parse(hit.body)
      json(response, 201, { id: `job-${index}`, name, state: 'completed', result })
    })
    away = programOf(service, 'stating')
    expect(await run(away, 'plain')).toMatchObject({ trials: { done: 3, reused: 0 } })
  })
  afterAll(() => service.close())

  it('a run that reuses every result says so', async () => {
    const differing = await run(away, 'differing')
    expect(differing).toMatchObject({ trials: { done: 3, reused: 3 }, allowance: { used: 3 } })
    for (const sentence of said) expect(differing.err).toContain(`note: ${sentence}\n`)
  })

  it('so do the check, the leaderboard and the report', async () => {
    const { warnings: checked, trials } = await check(away, 'differing')
    expect(trials).toMatchObject({ known: 3, toRun: 0 })
    expect(settingsCodes(checked)).toEqual(SETTINGS_CODES)
    expect(checked.map(({ message }: { message: string }) => message)).toEqual(expect.arrayContaining(said))

    const board = await away(['leaderboard', 'differing', '--json'])
    expect(JSON.parse(board.out)).toHaveLength(3)
    for (const sentence of said) expect(board.err).toContain(`note: ${sentence}\n`)

    const out = join(folder, 'report.html')
    expect((await away(['report', 'differing', '--out', out])).code).toBe(0)
    const page = visibleText(readFileSync(out, 'utf8'))
    for (const sentence of said) expect(page).toContain(sentence)
  })

  it('a study without an objective ranks by profit where its candles are not here, and that is said once', async () => {
    write('nowhere', { objective: undefined, market: { ...study.market, baseAsset: 'GONE' } })
    write('here', { objective: undefined })
    const { err } = await run(away, 'nowhere')
    const note = 'no candles of synthetic/GONE-USDT are stored for stressedPerUsed: nowhere ranks by netProfit'
    expect(err.split(note)).toHaveLength(2)
    expect((await run(away, 'here')).err).not.toContain('ranks by')
    const sql = `select study, count(*) as n, sum(objective = stressed_per_used_percent) as stressed, sum(objective = net_profit) as profit
      from answers where study like '%here' group by study order by study`
    expect(JSON.parse((await away(['sql', sql, '--json'])).out)).toEqual([
      { study: 'here', n: 3, stressed: 3, profit: 0 },
      { study: 'nowhere', n: 3, stressed: null, profit: 3 },
    ])
  })

  it('the stress test of a result is not computed on other candles than its own', async () => {
    const db = new Database(join(folder, 'stating.sqlite'))
    db.prepare('update result set candles_hash = ?, stressed_per_used_percent = null').run('f'.repeat(64))
    db.close()
    expect((await run(away, 'here')).err).toContain(
      'note: some results have no stressedPerUsed, by which the study ranks: the stored candles of synthetic/D-USDT are not those that results were computed on',
    )
  })

  it('a study that asks for nothing else is told of the coarse candles alone', async () => {
    expect(settingsCodes((await check(away, 'plain')).warnings)).toEqual(['coarseCandles'])
  })
})

it('a service whose results state nothing leaves the study’s costs unknown, and that is said once each', async () => {
  const service = await scriptedService((hit, response, index) => {
    if (hit.method !== 'POST') return json(response, 200, goodBody(hit))
    const { name } = JSON.parse(hit.body)
    json(response, 201, { id: `job-${index}`, name, state: 'completed', result: { metrics: { netProfit: 5 } } })
  })
  const away = programOf(service, 'silent')
  const checked = warnings((await away(['study', 'check', file('differing'), '--json'])).out)
  expect(checked.find(({ code }) => code === 'termsDiffer')?.message).toBe(
    'the study says feePercent 0.5, slippagePercent 0; the service: unknown until a result states it',
  )
  const { err } = await away(['run', file('differing')])
  expect(err.match(/note: the study says feePercent.*unknown/g)).toHaveLength(1)
  const { err: stated } = await away(['leaderboard', 'differing'])
  expect(stated).toContain('the study says feePercent 0.5, slippagePercent 0; all 3 results: unknown: not stated')
  expect(stated).toContain('the study says interval 1m; all 3 results: unknown: not stated')
  expect(settingsCodes(warnings((await away(['study', 'check', file('plain'), '--json'])).out))).toEqual([])
  await service.close()
})
