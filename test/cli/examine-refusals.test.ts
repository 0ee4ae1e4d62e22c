/** What `dcalab examine` cannot know it refuses, with a reason in words beside every number that is missing. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { behindTalk } from '../support/behind-messages.ts'
import { projectRoot } from '../support/dcalab.ts'
import { type ExaminedJson, unexplained } from '../support/examined.ts'
import { temporaryFolder } from '../support/folder.ts'
import {
  OTHER_API_KEY,
  OTHER_OWNER,
  OTHER_SECRET_KEY,
  type OtherService,
  otherDialectService,
} from '../support/other-dialect-service.ts'
import { type Program, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'

const folder = temporaryFolder()
let dcalab: Program
const { takeProfit, ...base } = STUDY_BASE
const market = { exchange: 'synthetic', baseAsset: 'T', quoteAsset: 'USDT' }
const grid = { dcaPriceScalePercent: [0.5, 1], takeProfit: [0.6, 1] }

async function runStudy(name: string, changes: object): Promise<void> {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify({ name, market, base, grid, ...changes }))
  expect(await dcalab(['run', file])).toMatchObject({ code: 0 })
}

async function examined(target: string, ...more: readonly string[]): Promise<ExaminedJson> {
  const { code, out } = await dcalab(['examine', target, '--json', ...more])
  expect(code).toBe(0)
  return JSON.parse(out)
}

const days = (from: string, to: string) => ({ period: { from, to } })
const generate = (where: string, ...more: readonly string[]) =>
  dcalab(['candles', 'generate', '--interval', '15m', '--candles-dir', join(folder, where), ...more])
const ofT = ['--market', 'synthetic/T-USDT', '--from', '2024-01-01', '--volatility', '90']

beforeAll(async () => {
  dcalab = program(folder, { XDG_STATE_HOME: folder })
  expect((await generate('candles', ...ofT, '--days', '20')).code).toBe(0)
})

describe('a trial by itself', () => {
  it('is compared with no other: every place and lead says how to ask for it', async () => {
    await runStudy('plain', days('2024-01-02', '2024-01-12'))
    const { trial } = await examined('plain')
    const alone = await examined(trial.slice(0, 12))
    expect(alone.study).toBe('plain')
    const reason = 'only for a whole study: dcalab examine plain'
    expect(alone.checks).toMatchObject({
      nextSpan: null,
      nextSpanReason: reason,
      walkForward: null,
      walkForwardReason: reason,
      ambiguity: { rankPessimistic: null, rankOptimistic: null, rankReason: reason, of: 0, leavesTopTenth: false },
      capital: { profitFollowsCapital: null, reason },
      noise: { lead: null, leadStandardError: null, leadReason: reason },
    })
    expect(alone.checks.starts).not.toBeNull()
    expect(unexplained(alone)).toEqual([])
  })

  it('of a study that was removed says that it belongs to none', async () => {
    await runStudy('removed', days('2024-01-05', '2024-01-06'))
    const { trial, checks } = await examined('removed')
    // A day is cut nowhere, and has no standard error.
    expect(checks).toMatchObject({
      nextSpanReason: 'the period is too short for two halves of whole days',
      noise: null,
      noiseReason: 'there are fewer than two days',
    })
    expect((await dcalab(['study', 'rm', 'removed'])).code).toBe(0)
    const alone = await examined(trial)
    expect(alone.study).toBeNull()
    expect(alone.checks).toMatchObject({
      nextSpanReason: 'the trial belongs to no stored study',
      walkForwardReason: 'the trial belongs to no stored study',
      ambiguity: { rankReason: 'the trial belongs to no stored study' },
    })
    expect(unexplained(alone)).toEqual([])
    const { out } = await dcalab(['examine', trial, '--all'])
    expect(out).toContain('the trial belongs to no stored study')
  })
})

describe('a short period', () => {
  it('of two days has no starts and no thirds, and no ratio is made of it', async () => {
    await runStudy('two-days', days('2024-01-05', '2024-01-07'))
    const said = await examined('two-days')
    expect(said.checks).toMatchObject({
      starts: null,
      startsReason: 'the period is too short (2 days or less)',
      thirds: null,
      thirdsReason: 'there are fewer than three days',
      sharpe: null,
      sharpeReason: '2 daily returns, at least 30 needed',
      overfitting: null,
      overfittingReason: '2 daily returns, at least 200 needed',
    })
    expect(unexplained(said)).toEqual([])
  })

  it('of five days has both, and is refused a Sharpe ratio all the same', async () => {
    await runStudy('five-days', days('2024-01-05', '2024-01-10'))
    const said = await examined('five-days')
    expect(said.checks.starts).toMatchObject({ of: 96, botsAfterTenDays: null })
    expect(said.checks.thirds?.thirds).toHaveLength(3)
    expect(said.checks.sharpeReason).toBe('5 daily returns, at least 30 needed')
    expect(unexplained(said)).toEqual([])
  })
})

it('a study of one configuration is compared with nothing', async () => {
  const one = { dcaPriceScalePercent: [0.5], takeProfit: [takeProfit] }
  await runStudy('single', { ...days('2024-01-02', '2024-01-12'), grid: one })
  const said = await examined('single')
  expect(said.checks).toMatchObject({
    nextSpan: null,
    nextSpanReason: 'too few configurations have different results in both halves',
    capital: { profitFollowsCapital: null, reason: 'all configurations use or earn the same' },
    noise: { lead: null, leadReason: 'every other configuration within the limits traded identically' },
  })
  expect(unexplained(said)).toEqual([])
})

describe('a study with a hold-out', () => {
  const held = { ...days('2024-01-02', '2024-01-16'), validate: { holdout: '4d' } }

  it('says no number of it, whatever its candles are', async () => {
    await runStudy('held', held)
    const said = await examined('held')
    // The same candles up to the hold-out, and none after it.
    expect((await generate('cut', ...ofT, '--days', '11')).code).toBe(0)
    const cut = await examined('held', '--candles-dir', join(folder, 'cut'))
    expect(cut.candlesHash).toBe(said.candlesHash)
    expect(cut.checks).toEqual(said.checks)
    expect(unexplained(said)).toEqual([])
  })
})

describe('candles', () => {
  it('that are not here leave nothing to examine: the refusal says what is missing', async () => {
    mkdirSync(join(folder, 'empty'))
    const { code, out, err } = await dcalab(['examine', 'plain', '--json', '--candles-dir', join(folder, 'empty')])
    expect([code, out]).toEqual([2, ''])
    expect(JSON.parse(behindTalk(err)).error).toMatchObject({
      code: 'candlesMissing',
      message: expect.stringContaining('no candles of synthetic/T-USDT'),
    })
  })

  it('other than those of the service are named so', async () => {
    expect((await generate('others', ...ofT, '--days', '20', '--seed', '5')).code).toBe(0)
    const here = await examined('plain')
    const others = await examined('plain', '--candles-dir', join(folder, 'others'))
    expect(here.checks.localRun).toMatchObject({ difference: 0, sameCandles: true })
    expect(others.checks.localRun).toMatchObject({ sameCandles: false, termsFrom: 'result' })
    expect(Math.abs(others.checks.localRun?.differencePercent ?? 0)).toBeGreaterThan(0.2)
  })
})

it('a result that was pruned is examined as before', async () => {
  const before = await examined('plain')
  dcalab.advance(3 * 86_400_000)
  expect(
    JSON.parse((await dcalab(['store', 'clean', '--older-than', '1d', '--json'])).out).series.results,
  ).toBeGreaterThan(0)
  const after = await examined('plain')
  expect(after.checks).toEqual(before.checks)
  expect(unexplained(after)).toEqual([])
})

it('a trial without a result is refused, with where it stands', async () => {
  writeFileSync(
    join(folder, 'planned.json'),
    JSON.stringify({ name: 'planned', market, base, grid, ...days('2024-01-04', '2024-01-12') }),
  )
  expect((await dcalab(['run', join(folder, 'planned.json'), '--max', '0'])).code).toBeLessThan(4)
  expect(await dcalab(['examine', 'planned'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('planned has no finished trial yet'),
  })
  expect(await dcalab(['examine', 'nothing-of-that-name'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('neither a study of this store nor the id of a configuration'),
  })
})

describe('a service that neither says by what it computes nor spells anything as the document does', () => {
  let service: OtherService
  let foreign: Program
  beforeAll(async () => {
    service = await otherDialectService()
    foreign = program(folder, {
      XDG_STATE_HOME: folder,
      DCALAB_STORE: join(folder, 'foreign.sqlite'),
      DCALAB_BASE_URL: service.url,
      DCALAB_API_KEY: OTHER_API_KEY,
      DCALAB_SECRET_KEY: OTHER_SECRET_KEY,
      DCALAB_USER_EMAIL: OTHER_OWNER,
      DCALAB_DIALECT: join(projectRoot, 'studies/example-dialect.mjs'),
    })
    const study = {
      name: 'foreign',
      market: { exchange: 'elsewhere', baseAsset: 'BTC', quoteAsset: 'USDT' },
      base,
      grid,
      ...days('2024-01-01', '2024-01-15'),
    }
    writeFileSync(join(folder, 'foreign.json'), JSON.stringify(study))
    expect((await foreign(['run', join(folder, 'foreign.json'), '--rate', '6000'])).code).toBe(0)
  })
  afterAll(() => service.close())

  const elsewhere = ['--market', 'elsewhere/BTC-USDT', '--from', '2024-01-01', '--days', '16']

  it('is examined by what the study says', async () => {
    expect((await generate('candles', ...elsewhere)).code).toBe(0)
    const { code, out } = await foreign(['examine', 'foreign', '--json'])
    expect(code).toBe(0)
    const said: ExaminedJson = JSON.parse(out)
    expect(said.checks.localRun).toMatchObject({ termsFrom: 'study', sameCandles: null })
    expect(unexplained(said)).toEqual([])
  })
})
