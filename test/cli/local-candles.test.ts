/** What `study check` and `run` say of the candles that the embedded service would test on. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { ladderShape } from '../../src/engine/ladder.ts'
import { parseStudy, planTrials } from '../../src/workbench/study/parse.ts'
import type { Desk } from '../support/dcalab.ts'
import { deskInProcess } from '../support/program.ts'

let at: Desk
beforeEach(async () => {
  at = deskInProcess()
  await at.dcalab(['study', 'init', 'coarse'])
  const path = join(at.folder, file)
  writeFileSync(path, readFileSync(path, 'utf8').replace('closedDeals: { min: 30 }', 'closedDeals: { min: 0 }'))
})

const file = 'studies/coarse.yaml'
const market = ['--market', 'binance/BTC-USDT', '--from', '2024-01-01', '--seed', '1']
const warning = '4h candles: the fill order inside them is unknown; import minutes'
const warningsOf = (text: string): unknown => JSON.parse(text).warnings

it('a check says which candles are missing, and promises no submission', async () => {
  const empty = await at.dcalab(['study', 'check', file])
  expect(empty).toMatchObject({ code: 0, stderr: '' })
  expect(empty.stdout).toContain('no candles of binance/BTC-USDT are stored; data/candles holds none; import some')
  expect(empty.stdout).toContain('needed, once the candles are there')
  expect(empty.stdout).not.toContain('all submitted by')

  await at.dcalab([
    'candles',
    'generate',
    '--market',
    'binance/BTD-USDT',
    ...market.slice(2),
    '--interval',
    '1h',
    '--days',
    '3',
  ])
  const misspelt = (await at.dcalab(['study', 'check', file])).stdout
  expect(misspelt).toContain('did you mean binance/BTD-USDT? ')
  await at.dcalab(['candles', 'generate', ...market, '--interval', '1h', '--days', '3'])
  const short = await at.dcalab(['study', 'check', file, '--json'])
  expect(warningsOf(short.stdout)).toContainEqual({
    code: 'candlesMissing',
    message: expect.stringContaining('stored: 2024-01-01T00:00:00.000Z to 2024-01-04T00:00:00.000Z'),
    path: 'period',
  })
})

it('a check asks nothing of the folder when a configured service has candles of its own', async () => {
  const { stdout } = await at.dcalab(['study', 'check', file], {
    DCALAB_BASE_URL: 'http://127.0.0.1:9',
    DCALAB_API_KEY: 'k',
    DCALAB_SECRET_KEY: 's',
  })
  expect(stdout).toContain('all submitted by')
  expect(stdout).not.toContain('candlesMissing')
})

it('check and run name the interval and warn when it is coarse; no session key stays listed', async () => {
  const elsewhere = ['--candles-dir', 'elsewhere']
  await at.dcalab(['candles', 'generate', ...market, '--interval', '4h', '--days', '31', ...elsewhere])
  const checked = await at.dcalab(['study', 'check', file, ...elsewhere])
  expect(checked.stdout).toContain(', 4h candles\n')
  expect(checked.stdout).toContain(`warning coarseCandles: ${warning} (interval)`)
  expect(checked.stdout).toContain('all submitted by')

  const ran = await at.dcalab(['run', file, '--max', '2', ...elsewhere])
  expect(ran.stderr).toContain(`note: ${warning}`)
  expect(ran.stdout).toMatch(/^best: .*, on 4h candles$/m)
  const listed = await at.dcalab(['serve', 'keys', 'list', '--json'])
  expect(JSON.parse(listed.stdout)).toEqual([])
})

it('a check of candles of 15 minutes passes without a warning', async () => {
  await at.dcalab(['candles', 'generate', ...market, '--interval', '15m', '--days', '31'])
  const { stdout } = await at.dcalab(['study', 'check', file])
  expect(stdout).toContain(', 15m candles\n')
  expect(stdout).not.toContain('coarseCandles')
})

it('a new study with a fitted base order spends the capital, and not more, on its dearest safety orders', async () => {
  await at.dcalab(['study', 'init', 'fitted', '--fit-budget'])
  const baseOf = (name: string) =>
    Number(/dcaInitialOrderSize: ([\d.]+)/.exec(readFileSync(join(at.folder, `studies/${name}.yaml`), 'utf8'))?.[1])
  expect(baseOf('fitted')).not.toBe(baseOf('coarse'))
  const study = parseStudy(readFileSync(join(at.folder, 'studies/fitted.yaml'), 'utf8'), { file: 'fitted.yaml' })
  const costs = planTrials({ ...study, where: [] }).trials.map(
    ({ config }) => ladderShape(config, study.conventions, study.costs).cost,
  )
  expect(Math.max(...costs)).toBeCloseTo(1000, 3)
})
