/** `dcalab serve` as another program meets it, and its keys. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { IssuedKeys } from '../../src/service/keys.ts'
import { ask, refusalOf, untilEnded } from '../service/world.ts'
import { type Desk, firstLine } from '../support/dcalab.ts'
import { deskInProcess, program } from '../support/program.ts'
import { selectObjects } from '../support/run-select.ts'
import { STUDY_BASE } from '../support/study-base.ts'

let at: Desk
beforeAll(() => {
  at = deskInProcess()
})

const STUDY = {
  name: 'served',
  market: { exchange: 'synthetic', baseAsset: 'S', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-03' },
  base: STUDY_BASE,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [1] },
}

function written(name: string, text: string): string {
  const path = join(at.folder, name)
  writeFileSync(path, text)
  return path
}

const limits = '/api/backtest/limits'
const keysOf = (text: string): IssuedKeys => JSON.parse(text) // the shape is part of the surface

const threeCommas = 'preset: three-commas\nsafetyOrderSize: 15\n'

describe('dcalab serve', () => {
  it.each([
    ['in words', () => '{ preset: three-commas, safetyOrderSize: 15 }'],
    ['in a file', () => written('conventions.yaml', threeCommas)],
  ])('computes jobs and bots under conventions given %s, as a study would say them', async (_where, given) => {
    const made = ['candles', 'generate', '--market', 'synthetic/S-USDT', '--from', '2024-01-01', '--days', '2']
    expect((await at.dcalab(made)).code).toBe(0)
    const study = written('study.json', JSON.stringify(STUDY))
    const child = at.start(['serve', '--json', '--now', '2024-01-01', '--conventions', given()])
    try {
      const { url, apiKey, secretKey }: { url: string } & IssuedKeys = JSON.parse(await firstLine(child))
      const there = { DCALAB_BASE_URL: url, DCALAB_API_KEY: apiKey, DCALAB_SECRET_KEY: secretKey }
      const store = ['--store', `${url.split(':').at(-1)}.sqlite`]
      const run = await at.dcalab(['run', study, '--json', ...store], there)
      expect(run, run.stderr).toMatchObject({ code: 0 })
      expect(JSON.parse(run.stdout).trials).toMatchObject({ done: 1, failed: 0 })
      const sql = 'select conventions_json from results'
      const [row] = selectObjects(join(at.folder, store[1]), sql)
      expect(JSON.parse(row.conventions_json)).toMatchObject({ takeProfitBasis: 'net', safetyOrderSize: 15 })
    } finally {
      child.kill('SIGTERM')
    }
  })

  it('computes one job at two fees as `backtest` does with those costs, digit for digit', async () => {
    const made = ['candles', 'generate', '--market', 'synthetic/S-USDT', '--from', '2024-01-01', '--days', '2']
    expect((await at.dcalab(made)).code).toBe(0)
    const child = at.start(['serve', '--json', '--fee-percent', '0.2'])
    try {
      const { url, ...keys }: { url: string } & IssuedKeys = JSON.parse(await firstLine(child))
      const market = { strategyType: 'DCA_SPOT', exchange: 'synthetic', baseAsset: 'S', quoteAsset: 'USDT' }
      const config = { ...STUDY_BASE, leverage: 1, dcaPriceScalePercent: 1 }
      const found: unknown[] = []
      for (const feePercent of [0.1, 0.5]) {
        const costs = { feePercent, slippagePercent: 0 }
        const body = { ...market, ...config, from: '2024-01-01', to: '2024-01-03', settings: { costs } }
        expect((await ask({ url }, { path: '/api/backtest/jobs', keys, body })).status).toBe(201)
        const jobs = await untilEnded({ url }, keys)
        const file = written('config.json', JSON.stringify({ config, costs, period: STUDY.period }))
        const local = await at.dcalab(['backtest', file, '--candles', 'synthetic/S-USDT', '--json'])
        expect(local, local.stderr).toMatchObject({ code: 0 })
        const { metrics } = JSON.parse(local.stdout)
        expect(jobs[0].result?.metrics).toEqual(metrics)
        found.push(metrics.netProfit)
      }
      expect(found[0]).not.toBe(found[1])
    } finally {
      child.kill('SIGTERM')
    }
  })

  it('undisclosed computes as it is told and tells nobody: a study runs there as on a stranger’s service', async () => {
    const made = ['candles', 'generate', '--market', 'synthetic/S-USDT', '--from', '2024-01-01', '--days', '2']
    expect((await at.dcalab(made)).code).toBe(0)
    const asked = { ...STUDY, grid: { dcaPriceScalePercent: [2] }, costs: { feePercent: 0.5 } }
    const study = written('study.json', JSON.stringify(asked))
    const child = at.start(['serve', '--json', '--undisclosed', '--fee-percent', '0.3'])
    try {
      const { url, apiKey, secretKey }: { url: string } & IssuedKeys = JSON.parse(await firstLine(child))
      const there = { DCALAB_BASE_URL: url, DCALAB_API_KEY: apiKey, DCALAB_SECRET_KEY: secretKey }
      const store = ['--store', `${url.split(':').at(-1)}.sqlite`]
      const run = await at.dcalab(['run', study, '--json', ...store], there)
      expect(run, run.stderr).toMatchObject({ code: 0 })
      expect(run.stderr).toContain('unknown')
      const sql =
        'select identity, state, fees_paid, volume, fee_percent, conventions_json, engine_version ' +
        'from results join (select job_id, state from trials) using (job_id)'
      const [row] = selectObjects(join(at.folder, store[1]), sql)
      expect(row).toMatchObject({ state: 'done', fee_percent: null, conventions_json: null, engine_version: null })
      expect(row.identity).toContain(url)
      expect(row.fees_paid / row.volume).toBeCloseTo(0.003, 9)
    } finally {
      child.kill('SIGTERM')
    }
  })

  it('announces itself in one line, describes itself, and obeys its windows, its clock and its keys', async () => {
    const settings = ['--window', 'fixed', '--window-phase', '06:30', '--allowance', '7', '--now', '2024-01-30']
    const child = at.start(['serve', '--json', ...settings, '--speed', '10'])
    try {
      const { url, ...keys }: { url: string } & IssuedKeys = JSON.parse(await firstLine(child))
      const service = { url }
      const read = (pair: IssuedKeys) => ask(service, { path: limits, keys: pair })
      expect(JSON.parse((await read(keys)).text)).toMatchObject({ limit: 7, windowType: 'fixed' })
      expect(JSON.parse((await ask(service, { path: '/openapi.json' })).text)).toMatchObject({ openapi: '3.1.0' })
      expect((await ask(service, { path: '/' })).text).toContain('/api/backtest/jobs')

      const issue = async (...args: string[]) =>
        keysOf((await at.dcalab(['serve', 'keys', 'issue', ...args, '--json'])).stdout)
      expect(refusalOf(await read(await issue('--address', '10.0.0.1')))).toBe('403 ApiKeyAddress')
      expect((await read(await issue('--address', '10.0.0.1', '127.0.0.1'))).status).toBe(200)
      const trader = await issue('--scope', 'CanTrade', '--email', 'trader@localhost')
      expect(refusalOf(await read(trader))).toBe('403 ApiKeyScope')
      const reader = await issue('--scope', 'read')
      expect((await read(reader)).status).toBe(200)
      expect((await at.dcalab(['serve', 'keys', 'revoke', reader.apiKey.slice(0, 11)])).code).toBe(0)
      expect(refusalOf(await read(reader))).toBe('401 ApiKeyInvalid')

      const listed = await at.dcalab(['serve', 'keys', 'list'])
      expect(listed.stdout).toContain('trader@localhost')
      for (const pair of [keys, trader, reader]) expect(listed.stdout).not.toContain(pair.secretKey)
    } finally {
      child.kill('SIGTERM')
    }
  })

  it.each([
    [['--window-phase', '06:30'], 'needs --window fixed'],
    [['--window', 'fixed', '--window-phase', '25:00'], 'time of day'],
    [['--rate-window', 'round'], 'sliding, fixed'],
    [['--now', 'yesterday'], 'expects an instant'],
    [['--now', '2024-02-30'], 'expects an instant'],
    [['--speed', '0'], '--speed expects a number of at least 0.001'],
    [['--speed', '1e7'], '--speed expects'],
    [['--speed', '1000001'], 'at most 1000000'],
    [['--fee-percent', '50'], '--fee-percent expects a percentage from 0 to below 50, found 50'],
    [['--slippage-percent', '100'], '--slippage-percent expects a percentage from 0 to below 50'],
    [['--chaos', 'wild'], 'calm, flaky, hostile'],
    [['--port', '70000'], 'at most 65535'],
    [['--conventions', 'three-commas'], '--conventions:1:1: safetyOrderSize: required where'],
    [['--conventions', 'absent.yaml'], 'expected a preset (default, three-commas) or a mapping'],
    [['--conventions', '{ preset: three-commas, spacing: up }'], '2 problems'],
  ])('refuses %j with a reason', async (flags, reason) => {
    const { code, err, out } = await program(at.folder)(['serve', ...flags])
    expect(code).toBe(2)
    expect(err).toContain(reason)
    expect(out).toBe('')
  })
})
