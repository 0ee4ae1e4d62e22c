/** `dcalab candles` as a person uses it: one command per file, tables and JSON, exit codes, and a kill in the middle. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { behindTalk } from '../support/behind-messages.ts'
import { type Desk, ended } from '../support/dcalab.ts'
import { deskInProcess } from '../support/program.ts'
import { share } from '../support/share.ts'
import { sharedData } from '../support/shared-data.ts'
import { STUDY_BASE } from '../support/study-base.ts'

const octobot = sharedData('original/octobot_ExchangeHistoryDataCollector_1711122002.311132.data') ?? ''
const start = Date.UTC(2021, 4, 1)
const minute = 60_000
const header = 'timestamp,open,high,low,close,volume\n'

let at: Desk
beforeAll(() => {
  at = deskInProcess()
})

/** `count` made-up minutes from `first` on, in a file of the desk. */
function place(name: string, first: number, count: number, price = 100): string {
  const rows = Array.from(
    { length: count },
    (_, i) => `${start + (first + i) * minute},${price},${price + 2},${price - 1},${price + 1},0.1\n`,
  )
  writeFileSync(join(at.folder, name), header + rows.join(''))
  return name
}

const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await at.dcalab(['candles', ...args, '--json'])
  return {
    code,
    shown: stdout === '' ? undefined : JSON.parse(stdout),
    failed: stderr === '' ? undefined : JSON.parse(behindTalk(stderr)),
  }
}

it('imports many files at once; a bad one is told and keeps no good one out', async () => {
  const good = [place('x_A-B_1m_1.csv', 0, 30), place('x_A-B_1m_2.csv', 30, 30)]
  writeFileSync(join(at.folder, 'bad.csv'), 'hello')
  const { code, shown, failed } = await json('import', good[0], 'bad.csv', good[1])
  expect(code).toBe(2)
  expect(shown).toMatchObject([
    { market: 'x/A-B', added: 30 },
    { market: 'x/A-B', added: 30 },
  ])
  expect(failed.error).toMatchObject({ code: 'candlesInvalid', message: '1 of 3 files could not be imported' })
  expect(failed.error.details.problems).toEqual([
    { place: 'bad.csv', message: 'the layout of bad.csv is not known: its first line is "hello"' },
  ])
})

it('reports a conflicting candle, and the policy decides', async () => {
  place('x_C-D_1m_1.csv', 0, 10)
  place('x_C-D_1m_2.csv', 5, 10, 200)
  await json('import', 'x_C-D_1m_1.csv')
  const refused = await json('import', 'x_C-D_1m_2.csv', '--conflict', 'refuse')
  expect(refused).toMatchObject({ code: 2, failed: { error: { details: { conflicting: 5 } } } })
  expect((await json('import', 'x_C-D_1m_2.csv')).shown).toMatchObject({ added: 5, conflicting: 5 })
  expect((await json('import', 'x_C-D_1m_2.csv', '--conflict', 'replace')).shown).toMatchObject({
    added: 0,
    same: 5,
    conflicting: 5,
  })
  expect((await json('import', 'x_C-D_1m_2.csv')).shown).toMatchObject({ added: 0, same: 10, conflicting: 0 })
})

it('checks a bad file whole, with exit code 2', async () => {
  place('x_E-F_1m.csv', 0, 30, -5)
  const { code, shown } = await json('check', 'x_E-F_1m.csv')
  expect(code).toBe(2)
  expect(shown).toMatchObject({ file: 'x_E-F_1m.csv', market: 'x/E-F', count: 30, missing: 0, gaps: [], duplicates: 0 })
  expect(shown.findings).toContainEqual({ code: 'price', severity: 'refuse', count: 30, first: '2021-05-01T00:00:00Z' })
})

it('says at once that a file begins with an open that never was, and so do a check and a backtest', async () => {
  const path = join(at.folder, 'x_I-J_1m.csv')
  writeFileSync(
    path,
    readFileSync(join(at.folder, place('x_I-J_1m.csv', 0, 200)), 'utf8').replace(',100,102', ',376,376'),
  )
  const { code, stdout, stderr } = await at.dcalab(['candles', 'import', path, '--json'])
  expect(code).toBe(0)
  const stray = { code: 'strayOpen', severity: 'note', count: 1, first: '2021-05-01T00:00:00Z' }
  expect(JSON.parse(stdout)).toMatchObject({ added: 200, findings: [stray] })
  expect(stderr).toMatch(/^note: x\/I-J 1m: strayOpen × 1, first 2021-05-01T00:00:00Z \(.*\)\n$/)
  expect((await json('check', path)).shown.findings).toContainEqual(stray)
  writeFileSync(join(at.folder, 'bot.json'), JSON.stringify({ config: { ...STUDY_BASE, dcaPriceScalePercent: 1 } }))
  const ran = await at.dcalab(['backtest', 'bot.json', '--candles', path, '--json'])
  expect(ran.stderr).toMatch(/^note: x_I-J_1m.csv 1m: strayOpen × 1, first 2021-05-01T00:00:00Z /)
  expect(JSON.parse(ran.stdout).candles.count).toBe(200)
  expect((await json('check', 'x/I-J')).shown.findings).toContainEqual(stray)
})

it('resamples, answers a range, and exports to files that import again', async () => {
  await json('import', place('x_G-H_1m.csv', 0, 60))
  expect((await json('resample', 'x/G-H', '--into', '15m')).shown).toMatchObject({
    interval: '15m',
    added: 4,
    missing: 0,
  })
  const range = await at.dcalab([
    'candles',
    'export',
    'x/G-H',
    '--interval',
    '15m',
    '--from',
    '2021-05-01T00:15Z',
    '--to',
    '2021-05-01T00:45Z',
  ])
  expect(range.stdout).toBe(
    `${header}${start + 15 * minute},100,102,99,101,1.5\n${start + 30 * minute},100,102,99,101,1.5\n`,
  )
  expect((await json('export', 'x/G-H', '--out', 'all.arrow')).shown).toMatchObject({ path: 'all.arrow', count: 60 })
  expect((await json('import', 'all.arrow')).shown).toMatchObject({ market: 'x/G-H', added: 0, same: 60 })
  expect(
    (await json('check', 'x/G-H', '--from', '2021-05-01T00:30Z', '--to', '2021-05-01T01:00Z')).shown,
  ).toMatchObject({
    interval: '1m',
    count: 30,
  })
  expect((await json('export', 'x/G-H', '--from', '2021-04-30')).failed.error.code).toBe('candlesMissing')
  for (const impossible of ['2021-02-30', '2021-04-31T00:00Z'])
    expect((await json('check', 'x/G-H', '--from', impossible)).failed.error).toMatchObject({
      code: 'usage',
      message: `--from expects a date and time that exist, found "${impossible}"`,
    })
})

it('says of a coarser interval that it hides an outage', async () => {
  await json('import', place('x_M-N_1m.csv', 0, 32))
  await json('import', place('x_M-N_1m.csv', 50, 40))
  const { code, stderr } = await at.dcalab(['candles', 'resample', 'x/M-N', '--into', '15m'])
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('note: of 18 missing 1m candles, 15m ones show only where a whole one is missing'),
  ])
})

it('lists candles of two times of one market in two rows, and an outage of hours in one', async () => {
  await json('import', place('x_K-L_1m.csv', 0, 30))
  await json('import', place('x_K-L_1m.csv', 90, 30))
  await json('import', place('x_K-L_1m.csv', 1_000_000, 10))
  const ofMarket = ({ market }: { market: string }) => market === 'x/K-L'
  const rows = (await json('list')).shown.filter(ofMarket)
  const about = { market: 'x/K-L', interval: '1m', hash: expect.any(String), synthetic: false }
  expect(rows).toEqual([
    { ...about, from: '2021-05-01T00:00:00Z', to: '2021-05-01T02:00:00Z', count: 60, missing: 60 },
    { ...about, from: '2023-03-26T10:40:00Z', to: '2023-03-26T10:50:00Z', count: 10, missing: 0 },
  ])
  expect(rows[0].hash).not.toBe(rows[1].hash)
  const { stdout } = await at.dcalab(['candles', 'list'])
  expect(stdout.split('\n').filter((line) => line.startsWith('x/K-L'))).toHaveLength(2)
})

it('keeps the rules of a market', async () => {
  await json('symbols', '--market', 'x/A-B', '--tick', '0.01')
  const { shown } = await json('symbols', '--market', 'x/A-B', '--lot', '0.001')
  expect(shown).toEqual([{ market: 'x/A-B', tick: 0.01, lot: 0.001, minNotional: null }])
  expect((await json('symbols', '--tick', '1')).code).toBe(2)
})

it('a study check warns of base orders below the smallest order of the market', async () => {
  await json('symbols', '--market', 'binance/BTC-USDT', '--min-notional', '26')
  await at.dcalab(['study', 'init', 'small', '--market', 'binance/BTC-USDT'])
  const { code, stdout } = await at.dcalab(['study', 'check', 'studies/small.yaml', '--json'])
  expect(code).toBe(0)
  const { trials, warnings } = JSON.parse(stdout)
  expect(warnings).toContainEqual({
    code: 'baseOrderBelowMinimum',
    message: `${trials.distinct} of ${trials.distinct} trials begin with less than 26, the smallest order of binance/BTC-USDT, and never trade`,
    path: 'dcaInitialOrderSize',
  })
})

it('a study check warns of safety orders below the smallest order of the market', async () => {
  await json('symbols', '--market', 'binance/BTC-USDT', '--min-notional', '20')
  const { dcaMaxSafetyOrders, ...base } = STUDY_BASE
  const shrinking = {
    name: 'shrinking',
    market: { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' },
    period: { from: '2021-05-01', to: '2021-05-02' },
    base: { ...base, dcaInitialOrderSize: 25, dcaVolumeScale: 0.9, dcaPriceScalePercent: 1 },
    grid: { dcaMaxSafetyOrders: [0, 2, dcaMaxSafetyOrders + 1, 6] },
    objective: { maximize: 'netProfit' },
  }
  writeFileSync(join(at.folder, 'shrinking.json'), JSON.stringify(shrinking))
  const { stdout } = await at.dcalab(['study', 'check', 'shrinking.json', '--json'])
  // 22.5, 20.25, 18.2 …: the third rung and all below it.
  expect(JSON.parse(stdout).warnings).toContainEqual({
    code: 'rungsBelowMinimum',
    message:
      '2 of 4 trials have safety orders of less than 20, the smallest order of binance/BTC-USDT: these and all below them are never placed',
    path: 'dcaMaxSafetyOrders',
  })
})

it('refuses to fetch what no source has, before a request leaves', async () => {
  const fetch = async (...args: string[]) =>
    (await json('fetch', '--from', '2024-01-01', '--to', '2024-01-02', ...args)).failed.error
  expect(await fetch('--market', 'nowhere/A-B')).toMatchObject({ code: 'usage' })
  expect(await fetch('--market', 'binance/A-B', '--source', 'yahoo')).toMatchObject({ code: 'usage' })
  expect(await fetch('--market', 'kraken/BTC-USD')).toMatchObject({ code: 'candlesMissing' })
  expect(await fetch('--market', 'coinbase/BTC-USD', '--interval', '3m')).toMatchObject({ code: 'usage' })
})

describe.skipIf(octobot === '')('a file of four markets', () => {
  it('answers an array, and --market on it is wrong use', async () => {
    expect((await json('import', octobot)).shown).toHaveLength(4)
    const refused = await json('import', octobot, '--market', 'binance/BTC-USDT')
    expect(refused).toMatchObject({ code: 2, shown: undefined, failed: { error: { code: 'usage' } } })
    expect((await json('check', octobot)).shown).toMatchObject([
      { count: 500 },
      { count: 500 },
      { count: 500 },
      { count: 500 },
    ])
  })
})

it('killed with any number of its months written, an import of six months leaves none of them or all', async () => {
  const half = place('x_K-L_1m.csv', 0, 260_000)
  for (const written of share({ usual: [0, 3], long: [0, 1, 2, 3, 4, 5, 6] })) {
    const folder = `killed-${written}`
    const child = at.start(['candles', 'import', half, '--candles-dir', folder, '--json'])
    const end = ended(child)
    while (child.exitCode === null && stagedIn(join(at.folder, folder, 'x/K-L/1m')) < written) await delay(1)
    child.kill('SIGKILL')
    await end
    const { code, stdout } = await at.dcalab(['candles', 'list', '--candles-dir', folder, '--json'])
    expect(code).toBe(0)
    const held: { count: number }[] = JSON.parse(stdout)
    const count = held.reduce((sum, one) => sum + one.count, 0)
    expect([0, 260_000]).toContain(count)
    const again = await json('import', half, '--candles-dir', folder)
    expect(again).toMatchObject({ code: 0, shown: { added: 260_000 - count, same: count } })
  }
})

/** How many months of a change are written already; they hold together once all are. */
function stagedIn(folder: string): number {
  if (existsSync(join(folder, '.committed'))) return 6
  try {
    return readdirSync(join(folder, '.staged')).length
  } catch {
    return 0
  }
}
