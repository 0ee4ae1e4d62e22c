/** A study asked again of another period or other markets: kept beside it, by a number of its own, and never in its place. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { behindTalk } from '../support/behind-messages.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { selectObjects } from '../support/run-select.ts'
import { STUDY_BASE } from '../support/study-base.ts'

const folder = temporaryFolder()
const file = join(folder, 'study.yaml')
const { takeProfit: _, ...base } = STUDY_BASE
const study = {
  name: 'ladder',
  market: { exchange: 'synthetic', baseAsset: 'T', quoteAsset: 'USDT' },
  period: { from: '2024-01-02', to: '2024-01-05' },
  validate: { holdout: '1d' },
  base: { ...base, dcaPriceScalePercent: 0.5 },
  objective: { maximize: 'netProfit' },
  grid: { takeProfit: [0.5, 1] },
}
const EARLIER = ['--period', '2024-01-01..2024-01-02T12:00Z']

let dcalab: Program
const json = async (...args: string[]) => {
  const { code, out, err } = await dcalab([...args, '--json'])
  return code === 0 ? JSON.parse(out) : { exit: code, ...JSON.parse(behindTalk(err)).error }
}
const revisions = async () =>
  (await json('study', 'list', 'ladder')).map((one: Record<string, unknown>) => [one.number, one.isCurrent, one.rerun])
const trialsOf = async (name: string): Promise<string[]> =>
  (await json('leaderboard', name)).map(({ fingerprint }: { fingerprint: string }) => fingerprint).sort()
const earlier = { period: { from: '2024-01-01T00:00:00.000Z', to: '2024-01-02T12:00:00.000Z' } }

beforeAll(async () => {
  dcalab = program(folder, { XDG_STATE_HOME: folder, DCALAB_USER_EMAIL: 'me@example.org' })
  for (const market of ['synthetic/T-USDT', 'synthetic/U-USDT'])
    await dcalab(['candles', 'generate', '--market', market, '--from', '2024-01-01', '--days', '4'])
  writeFileSync(file, JSON.stringify(study))
})
afterAll(() => expect(dcalab.said()).not.toContain('bug:'))

it('a rerun of a file that was never run leaves its name to the file', async () => {
  expect(await json('run', file, ...EARLIER)).toMatchObject({
    study: 'ladder',
    revision: 'ladder@2',
    trials: { total: 2, done: 2 },
    best: { config: { takeProfit: expect.any(Number) } },
  })
  expect(await revisions()).toEqual([
    [1, true, null],
    [2, false, earlier],
  ])
  expect(await trialsOf('ladder')).toEqual([])
  expect(await trialsOf('ladder@2')).toHaveLength(2)
})

it('the file’s own run is the current one under the bare name, whatever is rerun after it', async () => {
  expect(await json('run', file)).toMatchObject({ revision: null, trials: { done: 2, reused: 0 } })
  const own = await trialsOf('ladder')
  expect(own).toHaveLength(2)
  const { out } = await dcalab(['run', 'ladder', '--market', 'synthetic/U-USDT'])
  expect(out).toContain('ladder@3: 2 of 2 done')
  expect(out).toContain('results of this version: dcalab leaderboard ladder@3')
  expect(await trialsOf('ladder')).toEqual(own)
  expect(await trialsOf('ladder@3')).not.toEqual(own)
  expect((await json('study', 'list'))[0]).toMatchObject({ name: 'ladder', revision: 1 })
  expect(selectObjects(join(folder, 'workbench.sqlite'), 'select distinct market from trials')).toEqual([
    { market: 'synthetic/T-USDT' },
  ])
})

it('the same rerun has the same number and costs nothing, also by that number', async () => {
  for (const args of [[file, ...EARLIER], ['ladder', ...EARLIER], ['ladder@2']])
    expect(await json('run', ...args)).toMatchObject({ revision: 'ladder@2', trials: { done: 2, reused: 2 } })
  expect(await json('run', 'ladder')).toMatchObject({ revision: null, trials: { reused: 2 } })
  expect((await revisions()).map(([, isCurrent]: [number, boolean]) => isCurrent)).toEqual([true, false, false])
})

it('revisions say which are reruns, and of what', async () => {
  const { out } = await dcalab(['study', 'list', 'ladder'])
  expect(out).toMatch(/ladder@1 \(current\) .* 2 of 2 results: the first\n/)
  expect(out).toContain(': a rerun: period 2024-01-01T00:00:00Z to 2024-01-02T12:00:00Z\n')
  expect(out).toContain(': a rerun: on synthetic/U-USDT\n')
  expect(
    selectObjects(
      join(folder, 'workbench.sqlite'),
      'select revision, is_current from revisions where rerun_json is not null',
    ),
  ).toEqual([
    { revision: 2, is_current: 0 },
    { revision: 3, is_current: 0 },
  ])
})

it('a file that is edited to what was a rerun is the study from then on, by the same number', async () => {
  const { validate: __, ...open } = study
  writeFileSync(file, JSON.stringify({ ...open, period: { from: '2024-01-01', to: '2024-01-02T12:00Z' } }))
  expect(await json('run', file)).toMatchObject({ revision: null, trials: { reused: 2 } })
  expect((await revisions()).slice(0, 2)).toEqual([
    [1, false, null],
    [2, true, null],
  ])
  writeFileSync(file, JSON.stringify(study))
  await json('run', file)
  // An older definition of the file, run from the store: it does not come back by that.
  expect(await json('run', 'ladder@2')).toMatchObject({ revision: 'ladder@2' })
  expect((await revisions())[0]).toEqual([1, true, null])
})

it('a command says why trials of a rerun failed', async () => {
  const [failing] = await trialsOf('ladder@2')
  const db = new Database(join(folder, 'workbench.sqlite'))
  db.exec(
    `drop trigger job_moves; update job set state = 'failed', failure = 'no disk' where fingerprint = '${failing}'`,
  )
  db.close()
  const { err } = await dcalab(['run', 'ladder@2'])
  const [, sql = ''] = /1 failed; reasons: dcalab sql "([^"]+)"/.exec(err) ?? []
  expect(await json('sql', sql), err).toEqual([{ trial: failing.slice(0, 12), failure: 'no disk' }])
})

it('check and screen take the same; several markets are one rerun', async () => {
  expect(
    await json('study', 'check', 'ladder', '--market', 'synthetic/U-USDT', '--market', 'synthetic/T-USDT'),
  ).toMatchObject({ name: 'ladder', trials: { known: 4, toRun: 0 } })
  expect(await json('screen', 'ladder', '--workers', '1', ...EARLIER)).toMatchObject({
    candles: { from: '2024-01-01T00:00:00.000Z' },
    distinct: 2,
  })
})

describe('refuses', () => {
  it('a period that reaches into the closed hold-out, on any market, and sends nothing', async () => {
    for (const args of [
      ['run', file],
      ['screen', 'ladder'],
      ['study', 'check', 'ladder', '--market', 'synthetic/U-USDT'],
    ]) {
      expect(await json(...args, '--period', '2024-01-03..2024-01-04T00:01Z')).toMatchObject({
        exit: 2,
        code: 'studyInvalid',
        message: '--period 2024-01-03..2024-01-04T00:01Z overlaps the hold-out of ladder, which is not tested yet',
        hint: 'end before 2024-01-04T00:00:00.000Z, or test it once: dcalab holdout ladder --test',
      })
    }
    expect(await json('study', 'check', file, '--period', '2024-01-03..2024-01-04')).toMatchObject({ name: 'ladder' })
  })

  it.each([
    [['--period', '2024-01-03'], /expected 2025-01-01\.\.2025-03-01/],
    [['--period', '2024-01-03..2024-01-03'], /an end after its start/],
    [['--market', 'BTC'], /a market such as binance\/BTC-USDT, found "BTC"/],
  ])('%s', async (args, message) => {
    expect(await json('run', file, ...args)).toMatchObject({ exit: 2, message: expect.stringMatching(message) })
  })

  it('a rerun of a rerun, and a name that nobody knows', async () => {
    expect(await json('run', 'ladder@3', ...EARLIER)).toMatchObject({
      exit: 2,
      hint: 'name the original study: ladder',
    })
    expect(await json('run', 'nobody')).toMatchObject({
      exit: 2,
      message: expect.stringContaining('cannot read nobody'),
    })
  })
})
