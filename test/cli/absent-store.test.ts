/** Commands that only look make nothing: neither at a mistyped path nor before the first run. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { Desk } from '../support/dcalab.ts'
import { deskInProcess } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'

let at: Desk
beforeAll(() => {
  at = deskInProcess()
})

const onlyLooking: readonly (readonly string[])[] = [
  ['status'],
  ['status', 'demo', '--json'],
  ['study', 'list'],
  ['leaderboard', 'demo'],
  ['show', '3fa94c01b2d7'],
  ['report', 'demo'],
  ['promote', 'demo', '--dry-run'],
  ['store', 'reread', '--dry-run'],
  ['sql', 'select 1'],
]

it.each(onlyLooking)('%s %s at a path that leads nowhere says so and makes no file', async (...args) => {
  const { code, stdout, stderr } = await at.dcalab(args, { DCALAB_STORE: 'typo/bench.sqlite' })
  expect(stdout + stderr).toContain('There is no store at typo/bench.sqlite yet')
  expect(code).toBe(6)
  expect(readdirSync(at.folder)).toEqual([])
})

it('before the first run the usual store is empty, and looking does not make it', async () => {
  expect(await at.dcalab(['status'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('no study has been run yet\n'),
  })
  const { studies, allowance } = JSON.parse((await at.dcalab(['status', '--json'])).stdout)
  expect({ studies, available: allowance.available }).toEqual({ studies: [], available: 100 })
  expect(await at.dcalab(['leaderboard', 'demo'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the store has no study "demo"'),
  })
  expect(await at.dcalab(['report', 'demo'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'the store has no study "demo"\nhint: it has none yet; begin one: `dcalab study init`',
    ),
  })
  expect(readdirSync(at.folder)).toEqual([])
})

it('what was screened before the first run counts as tried', async () => {
  await at.dcalab('candles generate --market synthetic/A-USDT --from 2024-01-01 --days 2'.split(' '))
  const study = {
    name: 'first',
    market: { exchange: 'synthetic', baseAsset: 'A', quoteAsset: 'USDT' },
    period: { from: '2024-01-01', to: '2024-01-03' },
    base: STUDY_BASE,
    objective: { maximize: 'netProfit' },
    grid: { dcaPriceScalePercent: [0.5, 1, 1.5] },
  }
  writeFileSync(join(at.folder, 'first.json'), JSON.stringify(study))
  expect(await at.dcalab(['screen', 'first.json', '--workers', '1'])).toMatchObject({ code: 0 })
  const { stdout } = await at.dcalab(['sql', 'select configs from tried', '--json'])
  expect(JSON.parse(stdout)).toEqual([{ configs: 3 }])
})
