/** The layouts people really have, as their programs wrote them: each imports by one command, and equals its normalised twin where there is one. */
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkCandles } from '../../src/candles/check.ts'
import { checkFile } from '../../src/candles/check-file.ts'
import { listCandles, loadCandles } from '../../src/candles/folder/folder.ts'
import { importFile, readCandleFile } from '../../src/candles/import.ts'
import { resampleCandles } from '../../src/candles/resample.ts'
import { type Candles, sliceCandles } from '../../src/engine/candles.ts'
import { temporaryFolder } from '../support/folder.ts'
import { sharedData } from '../support/shared-data.ts'
import { pickRows, rejectionOf, snapshot } from './arbitrary-candles.ts'
import { KNOWN } from './known-originals.ts'

const manifest = sharedData('MANIFEST.json')
const original = (name: string) => sharedData(`original/${name}`) ?? ''
const normalised = async (name: string) =>
  (await readCandleFile(sharedData(`candles/${name}.csv.gz`) ?? '', {})).candles
const octobot = 'octobot_ExchangeHistoryDataCollector_1711122002.311132.data'

describe.skipIf(manifest === undefined)('every original', () => {
  it('is known to these tests', () => {
    const { originals } = JSON.parse(readFileSync(manifest ?? '', 'utf8')) as { originals: { file: string }[] } // its own README says so
    expect(originals.map(({ file }) => file.replace('original/', '')).sort()).toEqual(
      [...KNOWN.map(({ file }) => file), octobot].sort(),
    )
  })

  it.each(KNOWN)('$file imports by one command', async ({ file, market, interval, rows, missing, stated = {} }) => {
    const folder = temporaryFolder()
    const report = await importFile(folder, original(file), stated)
    expect(report).toMatchObject({ market, interval, added: rows, same: 0, missing, synthetic: false })
    expect(listCandles(folder)).toMatchObject([{ market, interval, count: rows, missing }])
    const before = snapshot(folder)
    expect(await importFile(folder, original(file), stated)).toMatchObject({ added: 0, same: rows })
    expect(snapshot(folder)).toEqual(before)
    const [check] = await checkFile(original(file), stated)
    expect(check).toMatchObject({ market, interval, count: rows, missing })
    expect(check.findings.filter(({ severity }) => severity === 'refuse')).toEqual([])
  })

  it('an OctoBot file of four markets answers four reports, and one market for all is an error', async () => {
    const folder = temporaryFolder()
    const reports = await importFile(folder, original(octobot), {})
    const markets = ['BNB', 'BTC', 'ETH', 'SOL'].map((base) => `binance/${base}-USDT`)
    expect(reports).toMatchObject(markets.map((market) => ({ market, interval: '4h', added: 500, missing: 0 })))
    // The row's own time is the candle's close: the first one opens four hours before 2023-12-30 12:00.
    const { candles } = loadCandles(folder, { market: 'binance/BNB-USDT' })
    expect(candles.openTime[0]).toBe(Date.UTC(2023, 11, 30, 8))
    expect(candles.close[0]).toBe(316.7)
    const empty = temporaryFolder()
    const failure = await rejectionOf(importFile(empty, original(octobot), { market: 'binance/BTC-USDT' }))
    expect(failure).toMatchObject({ code: 'usage' })
    expect(failure.message).toContain('holds 4 markets')
    expect(listCandles(empty)).toEqual([])
  })
})

describe.skipIf(manifest === undefined)('against their normalised twins', () => {
  it('Binance Vision files are equal, in ms and in µs', async () => {
    const twin = await normalised('binance_BTC-USDT_1h_2024-11_2025-03')
    for (const [name, unit] of [
      ['ms_BTCUSDT-1h-2024-12', 'ms'],
      ['us_BTCUSDT-1h-2025-01', 'µs'],
    ] as const) {
      const { candles, timeUnit } = await readCandleFile(original(`binancevision_spot_${name}.csv`), {})
      expect(timeUnit).toBe(unit)
      expect(candles).toEqual(within(twin, candles))
    }
  })

  it('a Binance Vision file with a header has the prices and the gap of the long recording', async () => {
    const march = await readCandleFile(original('binancevision_spot_header_BTCUSDT-1h-2023-03.csv'), {})
    const long = await normalised('binance_BTC-USDT_1h_2017-08_2024-04')
    expect(march.candles.close).toEqual(within(long, march.candles).close)
    expect(checkCandles(march.candles).gaps).toEqual([{ from: Date.UTC(2023, 2, 24, 13), count: 1 }])
  })

  it('a Lean minute zip equals the first day of its recording', async () => {
    const twin = await normalised('coinbase_BTC-USD_1m_2018-04-04_2018-04-06')
    const { candles } = await readCandleFile(original('lean_coinbase_btcusd_20180404_trade.zip'), {})
    expect(candles).toEqual(within(twin, candles))
  })

  it('a Lean hour zip has the prices of the long recording', async () => {
    const twin = await normalised('binance_BTC-USDT_1h_2017-08_2024-04')
    const { candles } = await readCandleFile(original('lean_binance_hour_btcusdt_trade.zip'), {})
    expect(candles.close).toEqual(within(twin, candles).close)
  })

  it('freqtrade’s five minutes are its own minutes, resampled, volumes to the last digit', async () => {
    const minutes = await normalised('binance_BTC-USDT_1m_2021-04_2021-05')
    const { candles } = await readCandleFile(original('freqtrade_BTC_USDT-5m.json'), {})
    const resampled = resampleCandles(minutes, '5m')
    const hourOf = (candle: Candles, row: number) => new Date(candle.openTime[row]).toISOString().slice(0, 13)
    // In these hours the minutes lack trades that the five minutes have; MANIFEST.json says so.
    const thin = ['2021-04-22T02', '2021-04-23T01', '2021-04-23T02']
    expect(pickRows(resampled, (row) => !thin.includes(hourOf(resampled, row)))).toEqual(
      pickRows(candles, (row) => !thin.includes(hourOf(candles, row))),
    )
  })
})

describe.skipIf(manifest === undefined)('CryptoDataDownload', () => {
  const file = original('cryptodatadownload_Binance_BTCUSDT_d.csv')
  const twice = Date.UTC(2017, 11, 18)
  const openOf = (candles: Candles) => candles.open[candles.openTime.indexOf(twice)]

  it('writes one day twice: the first stays, or the last, or the import is refused, as the policy says', async () => {
    const keep = await readCandleFile(file, {})
    expect(keep).toMatchObject({ conflicting: 1, wasOrdered: false, timeUnit: 'ms' })
    expect(openOf(keep.candles)).toBe(18860.04)
    expect(openOf((await readCandleFile(file, { conflict: 'replace' })).candles)).toBe(18860.02)
    const refused = await rejectionOf(readCandleFile(file, { conflict: 'refuse' }))
    expect(refused.places).toEqual([`${file}:1112`])
    expect(refused.problems.at(0)).toContain('stands in line 1111')
  })

  it('is told by a check to be newest first and to hold a day twice', async () => {
    const [{ findings, timeUnit }] = await checkFile(file, {})
    expect(timeUnit).toBe('ms')
    expect(findings).toMatchObject([
      { code: 'order', severity: 'note', count: 1231 },
      { code: 'conflict', severity: 'note', count: 1, first: twice },
      { code: 'jump', severity: 'note', count: 4 },
    ])
  })
})

it.skipIf(manifest === undefined)(
  'folders name exchange and symbol where freqtrade and Lean keep them there',
  async () => {
    const root = temporaryFolder()
    const place = (name: string, path: string) => {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      cpSync(original(name), join(root, path))
      return join(root, path)
    }
    const json = place('freqtrade_BTC_USDT-5m.json', 'user_data/data/binance/BTC_USDT-5m.json')
    const zip = place('lean_coinbase_btcusd_20180404_trade.zip', 'crypto/coinbase/minute/btcusd/20180404_trade.zip')
    expect(await readCandleFile(json, {})).toMatchObject({ market: 'binance/BTC-USDT', interval: '5m' })
    expect(await readCandleFile(zip, {})).toMatchObject({ market: 'coinbase/BTC-USD', interval: '1m' })
  },
)

/** The candles of `all` from the first to the last time of `part`. */
function within(all: Candles, part: Candles): Candles {
  return sliceCandles(all, part.openTime[0], part.openTime[part.openTime.length - 1] + 1)
}
