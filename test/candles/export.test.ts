import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { parquetMetadata } from 'hyparquet'
import { expect, it } from 'vitest'
import { exportCandles } from '../../src/candles/export.ts'
import { loadCandles, storeCandles } from '../../src/candles/folder/folder.ts'
import { importFile, readCandleFile } from '../../src/candles/import.ts'
import { temporaryFolder } from '../support/folder.ts'
import { anyMarket, failureOf, plainCandles, RUNS, rejectionOf, snapshot } from './arbitrary-candles.ts'

const market = 'binance/BTC-USDT'

it('an export that is imported elsewhere gives the same bytes, in every format', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyMarket,
      fc.constantFrom('x.csv', 'x.csv.gz', 'x.arrow', 'x.feather', 'x.parquet'),
      async ({ candles, interval }, name) => {
        const folder = temporaryFolder()
        storeCandles(folder, { market, interval, candles, synthetic: false, conflict: 'refuse' })
        const path = join(temporaryFolder(), name)
        exportCandles(path, loadCandles(folder, { market, interval }))
        const other = temporaryFolder()
        await importFile(other, path, { market, interval })
        expect(snapshot(other)).toEqual(snapshot(folder))
      },
    ),
    { numRuns: RUNS },
  )
})

it('synthetic candles stay synthetic on the way out and in, and Arrow and Parquet files know their market', async () => {
  const folder = temporaryFolder()
  const candles = plainCandles(Date.UTC(2021, 4, 1), 30, 60_000)
  storeCandles(folder, { market: 'synthetic/A-B', interval: '1m', candles, synthetic: true, conflict: 'refuse' })
  const out = temporaryFolder()
  for (const name of ['a.csv', 'a.arrow', 'a.parquet']) {
    exportCandles(join(out, name), loadCandles(folder, { market: 'synthetic/A-B' }))
    expect(await readCandleFile(join(out, name), {})).toMatchObject({ candles, synthetic: true })
  }
  for (const name of ['a.arrow', 'a.parquet']) {
    expect(await readCandleFile(join(out, name), {})).toMatchObject({ market: 'synthetic/A-B', interval: '1m' })
  }
  // A folder with recorded candles of that market does not take them.
  const recorded = temporaryFolder()
  storeCandles(recorded, { market, interval: '1m', candles, synthetic: false, conflict: 'refuse' })
  const failure = await rejectionOf(importFile(recorded, join(out, 'a.csv'), { market }))
  expect(failure.message).toMatch(/cannot take synthetic ones/)
})

it('a Parquet file has typed columns, its times in order, UTC, with bounds for every group of rows', () => {
  const folder = temporaryFolder()
  const candles = plainCandles(Date.UTC(2021, 0, 1), 250_000, 60_000)
  storeCandles(folder, { market, interval: '1m', candles, synthetic: false, conflict: 'refuse' })
  const path = join(temporaryFolder(), 'year.parquet')
  exportCandles(path, loadCandles(folder, { market }))
  const metadata = parquetMetadata(new Uint8Array(readFileSync(path)).buffer)
  const [, timestamp, ...values] = metadata.schema
  expect(timestamp).toMatchObject({ name: 'timestamp', type: 'INT64', repetition_type: 'REQUIRED' })
  expect(timestamp.logical_type).toEqual({ type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' })
  expect(values.map(({ name, type }) => `${name} ${type}`)).toEqual(
    ['open', 'high', 'low', 'close', 'volume'].map((name) => `${name} DOUBLE`),
  )
  const bounds = metadata.row_groups.map(({ columns }) => columns[0].meta_data?.statistics)
  const times = bounds.flatMap((group) => [group?.min_value, group?.max_value].map(Number))
  expect(times).toEqual([0, 99_999, 100_000, 199_999, 200_000, 249_999].map((i) => candles.openTime[i]))
})

it('a name that tells no format and a place that cannot be written leave nothing behind', () => {
  const folder = temporaryFolder()
  const candles = plainCandles(Date.UTC(2021, 4, 1), 3, 60_000)
  storeCandles(folder, { market, interval: '1m', candles, synthetic: false, conflict: 'refuse' })
  const loaded = loadCandles(folder, { market })
  const out = temporaryFolder()
  expect(failureOf(() => exportCandles(join(out, 'a.xlsx'), loaded)).code).toBe('usage')
  writeFileSync(join(out, 'file'), '')
  expect(failureOf(() => exportCandles(join(out, 'file', 'a.csv'), loaded)).code).toBe('storeUnusable')
  expect(readdirSync(out)).toEqual(['file'])
})

it('two containers whose processes have one number export to one file: neither touches what the other has not finished', () => {
  const folder = temporaryFolder()
  const candles = plainCandles(Date.UTC(2021, 4, 1), 30, 60_000)
  storeCandles(folder, { market, interval: '1m', candles, synthetic: false, conflict: 'refuse' })
  const path = join(temporaryFolder(), 'all.csv')
  const ofTheOther = ['tmp', 'part'].map((end) => `${path}.${process.pid}.${end}`)
  for (const file of ofTheOther) writeFileSync(file, 'half')
  exportCandles(path, loadCandles(folder, { market }))
  expect(ofTheOther.map((file) => readFileSync(file, 'utf8'))).toEqual(['half', 'half'])
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(32)
})
