/** Gemini's files of CryptoDataDownload: other column names than those of its other exchanges, and a date before the address. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importFile, readCandleFile } from '../../src/candles/import.ts'
import type { Candles } from '../../src/engine/candles.ts'
import { temporaryFolder } from '../support/folder.ts'
import { plainCandles, rejectionOf } from './arbitrary-candles.ts'

const hour = 3_600_000
const candles = plainCandles(Date.UTC(2020, 11, 29), 40, hour)
const address = 'https://www.CryptoDataDownload.com'
const header = 'Unix Timestamp,Date,Symbol,Open,High,Low,Close,Volume'

/** Newest first; times in s where `unit` is 1000. */
function rowsOf({ openTime, open, high, low, close, volume }: Candles, symbol: string, unit = 1): string[] {
  const text = (time: number) => new Date(time).toISOString().slice(0, 19).replace('T', ' ')
  const rows = Array.from(openTime, (time, i) =>
    [time / unit, text(time), symbol, open[i], high[i], low[i], close[i], volume[i]].join(','),
  )
  return rows.toReversed()
}

function fileOf(name: string, lines: readonly string[]): string {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
  return path
}

it.each([
  ['gemini_BTCUSD_1hr.csv', [`Created on 12-30-2020,${address}`, header], 'BTCUSD', 'gemini/BTC-USD'],
  ['gemini_BTCUSD_1hr.csv', [`Timestamps are UTC timezone,${address}`, header], 'BTCUSD', 'gemini/BTC-USD'],
  ['Gemini_ETHBTC_1h.csv', [address, header], 'ETHBTC', 'gemini/ETH-BTC'],
  ['Gemini_ZECETH_1h.csv', [address, header.toLowerCase()], 'ZECETH', 'gemini/ZEC-ETH'],
])('%s under "%s" is imported by one command', async (name, head, symbol, market) => {
  for (const unit of [1, 1000]) {
    const path = fileOf(name, [...head, ...rowsOf(candles, symbol, unit)])
    expect(await readCandleFile(path, {})).toMatchObject({
      market,
      interval: '1h',
      candles,
      layout: 'cryptodatadownload',
      wasOrdered: false,
    })
    expect(await importFile(temporaryFolder(), path, {})).toMatchObject({ market, added: 40, missing: 0 })
  }
})

it('newer files, with both volumes, take the one of the base asset', async () => {
  const columns = 'unix,date,symbol,open,high,low,close,Volume BTC,Volume USD'
  const rows = rowsOf(candles, 'BTC/USD').map((row) => `${row},123.5`)
  const path = fileOf('Gemini_BTCUSD_1h.csv', [address, columns, ...rows])
  expect(await readCandleFile(path, {})).toMatchObject({ market: 'gemini/BTC-USD', interval: '1h', candles })
})

it('a minute file of a year names its interval too, and seconds may begin among milliseconds', async () => {
  const minutes = plainCandles(Date.UTC(2020, 0, 1), 2, 120_000)
  const [newest, oldest] = rowsOf(minutes, 'BTCUSD')
  const lines = [address, header, newest, oldest.replace(/^(\d{10})000,/, '$1.0,')]
  const path = fileOf('gemini_BTCUSD_2020_1min.csv', lines)
  expect(await readCandleFile(path, {})).toMatchObject({
    market: 'gemini/BTC-USD',
    interval: '1m',
    candles: { openTime: minutes.openTime },
  })
})

it('without the address it is a table with named columns, whose number is the time', async () => {
  const path = fileOf('gemini_BTCUSD_1hr.csv', [header, ...rowsOf(candles, 'BTCUSD')])
  expect(await readCandleFile(path, {})).toMatchObject({ market: 'gemini/BTC-USD', layout: 'named-columns', candles })
})

it('days that begin at midnight in New York are told, not moved', async () => {
  const days = plainCandles(Date.UTC(2020, 6, 1, 4), 20, 24 * hour)
  const path = fileOf('Gemini_BTCUSD_d.csv', [address, header, ...rowsOf(days, 'BTCUSD')])
  const refused = await rejectionOf(importFile(temporaryFolder(), path, {}))
  expect(refused.problems.at(0)).toContain('a 1d candle cannot open at 2020-07-01T04:00:00.000Z')
})
