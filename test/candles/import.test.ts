import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkCandles } from '../../src/candles/check.ts'
import { listCandles, loadCandles } from '../../src/candles/folder.ts'
import { hashCandles } from '../../src/candles/hash.ts'
import { importFile, readCandleFile } from '../../src/candles/import.ts'
import { INTERVALS, isInterval } from '../../src/contract/market.ts'
import { type Candles, sliceCandles } from '../../src/engine/candles.ts'
import { readCsvCandles } from '../support/csv-candles.ts'
import { sharedData } from '../support/shared-data.ts'
import { anyMarket, failureOf, plainCandles, RUNS, temporaryFolder } from './arbitrary-candles.ts'

const header = 'timestamp,open,high,low,close,volume'
const minute = 60_000
const may = Date.UTC(2021, 4, 1)

function lines(candles: Candles, timeScale = 1): string[] {
  const { openTime, open, high, low, close, volume } = candles
  return Array.from(openTime, (time, i) => [time * timeScale, open[i], high[i], low[i], close[i], volume[i]].join(','))
}

function fileOf(name: string, rows: readonly string[], newline = '\n'): string {
  const path = join(temporaryFolder(), name)
  const text = [header, ...rows, ''].join(newline)
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text)
  return path
}

describe('normalised CSV', () => {
  it('reads back every candle that was written, plain or gzip', () => {
    fc.assert(
      fc.property(anyMarket, fc.boolean(), ({ candles, interval }, packed) => {
        const path = fileOf(packed ? 'x.csv.gz' : 'x.csv', lines(candles))
        const read = readCandleFile(path, { market: 'binance/BTC-USDT', interval })
        expect(read.candles).toEqual(candles)
      }),
      { numRuns: RUNS },
    )
  })

  it('reads rows in any order, folds exact repetitions, and says so', () => {
    const candles = plainCandles(may, 50, minute)
    const rows = lines(candles)
    fc.assert(
      fc.property(fc.shuffledSubarray(rows, { minLength: 50 }), fc.subarray(rows), (shuffled, repeated) => {
        const read = readCandleFile(fileOf('x_A-B_1m.csv', [...shuffled, ...repeated]), {})
        expect(read).toMatchObject({ candles, duplicates: repeated.length })
      }),
      { numRuns: RUNS },
    )
    expect(readCandleFile(fileOf('x_A-B_1m.csv', rows.toReversed()), {})).toMatchObject({ candles, wasOrdered: false })
  })

  it('knows seconds, milliseconds and microseconds by their size', () => {
    const candles = plainCandles(may, 50, minute)
    for (const [unit, scale] of [
      ['s', 0.001],
      ['ms', 1],
      ['µs', 1000],
    ] as const) {
      expect(readCandleFile(fileOf('x_A-B_1m.csv', lines(candles, scale)), {})).toMatchObject({
        candles,
        timeUnit: unit,
      })
    }
  })

  it('takes Windows line ends, a byte order mark, empty lines and a missing last line end', () => {
    const candles = plainCandles(may, 20, minute)
    expect(readCandleFile(fileOf('x_A-B_1m.csv', lines(candles), '\r\n'), {}).candles).toEqual(candles)
    expect(readCandleFile(fileOf('x_A-B_1m.csv', lines(candles), '\n\n'), {}).candles).toEqual(candles)
    const path = join(temporaryFolder(), 'x.csv')
    writeFileSync(path, `\uFEFF${[header, ...lines(candles)].join('\n')}`)
    expect(readCandleFile(path, {})).toMatchObject({ candles, interval: '1m', market: null })
  })
})

describe('market and interval', () => {
  const rows = lines(plainCandles(may, 20, 5 * minute))

  it('are those of the options, else of the file name, else of the spacing', () => {
    expect(readCandleFile(fileOf('bybit_SOL-USDC_5m_2021.csv.gz', rows), {})).toMatchObject({
      market: 'bybit/SOL-USDC',
      interval: '5m',
    })
    expect(readCandleFile(fileOf('candles.csv', rows), {})).toMatchObject({ market: null, interval: '5m' })
    const options = { market: 'kraken/A-B', interval: '5m' } as const
    expect(readCandleFile(fileOf('bybit_SOL-USDC_5m_2021.csv', rows), options)).toMatchObject(options)
  })

  it('thin markets skip candles, so a finer interval may be told', () => {
    const thin = lines(plainCandles(may, 20, 2 * minute)).toSpliced(3, 1)
    expect(readCandleFile(fileOf('x_A-B_1m.csv', thin), {}).interval).toBe('1m')
    expect(failureOf(() => readCandleFile(fileOf('x_A-B_1m.csv', rows), {})).message).toMatch(/5m candle/)
    expect(failureOf(() => readCandleFile(fileOf('x_A-B_1h.csv', rows), {})).message).toMatch(/too close for 1h/)
  })

  it('an import without a market, or with a name that is none, stores nothing', () => {
    const folder = temporaryFolder()
    expect(failureOf(() => importFile(folder, fileOf('candles.csv', rows), {})).message).toMatch(
      /nothing tells the market/,
    )
    const named = { market: '../../etc/X-Y' }
    expect(failureOf(() => importFile(folder, fileOf('candles.csv', rows), named)).code).toBe('usage')
    expect(listCandles(folder)).toEqual([])
  })

  it.each([
    ['BTCUSDT-1h-2024-12.csv', 'binance/BTC-USDT'],
    ['ADABTC-1h-2021-11-27.csv', 'binance/ADA-BTC'],
    ['ETHFDUSD-1h-2024-12.csv', 'binance/ETH-FDUSD'],
    ['1INCHUSDT-1h-2024-12.csv', 'binance/1INCH-USDT'],
    ['BTCXYZ-1h-2024-12.csv', null],
    ['USDT-1h-2024-12.csv', null],
    ['klines.csv', null],
  ])('a Binance Vision file named %s is of %s', (name, market) => {
    const path = join(temporaryFolder(), name)
    const rest = '1733014799999,1,2,3,4,0'
    writeFileSync(path, `1733011200000,1,1,1,1,1,${rest}\n1733014800000,1,1,1,1,1,${rest}\n`)
    expect(readCandleFile(path, {})).toMatchObject({ market, interval: '1h', layout: 'binance-vision' })
  })
})

describe('importing', () => {
  it('reports what came in, and the same again adds nothing', () => {
    const folder = temporaryFolder()
    const path = fileOf('x_A-B_1m.csv', lines(plainCandles(may, 20, minute)).toSpliced(5, 2))
    const report = { market: 'x/A-B', interval: '1m', from: may, to: may + 20 * minute, missing: 2, synthetic: false }
    expect(importFile(folder, path, {})).toEqual({ ...report, added: 18, same: 0, conflicting: 0 })
    expect(importFile(folder, path, {})).toEqual({ ...report, added: 0, same: 18, conflicting: 0 })
  })
})

const manifest = sharedData('MANIFEST.json')

interface Recorded {
  readonly file: string
  readonly rows: number
  readonly interval: string
  readonly missing: number
  /** [open time of the last candle before the gap, how many are missing]. */
  readonly gaplist: readonly (readonly [string, number])[]
  readonly zerovol: number
  readonly flat: number
}

/** The recordings beside the project; none where they are absent. */
const recorded: readonly Recorded[] =
  manifest === undefined ? [] : (JSON.parse(readFileSync(manifest, 'utf8')) as { candles: Recorded[] }).candles // its own README says so

describe.skipIf(manifest === undefined)('real recordings', () => {
  it.each(recorded)('$file: imports whole, with exactly the gaps it is known to have', (known) => {
    const path = sharedData(known.file) ?? ''
    const { interval } = known
    if (!isInterval(interval)) throw new Error(`${interval} is no interval`)
    const folder = temporaryFolder()
    const report = importFile(folder, path, {})
    const [, exchange, pair] = /^([a-z]+)_([A-Z-]+)_/.exec(basename(path)) ?? []
    expect(report).toMatchObject({ market: `${exchange}/${pair}`, interval, added: known.rows, missing: known.missing })

    const loaded = loadCandles(folder, { market: report.market })
    const expected = readCsvCandles(path, INTERVALS[interval])
    expect(hashCandles(loaded.candles)).toBe(hashCandles(expected)) // every column of every row
    expect(loaded.info.hash).toBe(hashCandles(expected))

    const check = checkCandles(loaded.candles)
    const gaps = known.gaplist.map(([before, count]) => ({
      from: Date.parse(`${before.replace(' ', 'T')}Z`) + INTERVALS[interval],
      count,
    }))
    expect(check.gaps).toEqual(gaps)
    const countOf = (code: string) => check.findings.find((finding) => finding.code === code)?.count ?? 0
    expect(countOf('zeroVolume')).toBe(known.zerovol)
    expect(countOf('flat')).toBe(known.flat)
    expect(check.findings.filter(({ severity }) => severity === 'refuse')).toEqual([])
  })

  it('Binance Vision files equal their normalised twin, in ms and in µs', () => {
    const twin = readCandleFile(sharedData('candles/binance_BTC-USDT_1h_2024-11_2025-03.csv.gz') ?? '', {}).candles
    for (const [name, unit, rows] of [
      ['ms_BTCUSDT-1h-2024-12', 'ms', 744],
      ['us_BTCUSDT-1h-2025-01', 'µs', 744],
    ] as const) {
      const read = readCandleFile(sharedData(`original/binancevision_spot_${name}.csv`) ?? '', {})
      expect(read).toMatchObject({ market: 'binance/BTC-USDT', interval: '1h', timeUnit: unit })
      const { openTime } = read.candles
      expect(openTime).toHaveLength(rows)
      expect(read.candles).toEqual(sliceCandles(twin, openTime[0], openTime[rows - 1] + 1))
    }
  })

  it('Binance Vision files with a header, of futures, and with tiny prices are read as they stand', () => {
    const read = (name: string) => readCandleFile(sharedData(`original/binancevision_${name}.csv`) ?? '', {})
    const march = read('spot_header_BTCUSDT-1h-2023-03')
    const long = readCandleFile(sharedData('candles/binance_BTC-USDT_1h_2017-08_2024-04.csv.gz') ?? '', {}).candles
    expect(march.candles.close).toEqual(sliceCandles(long, Date.UTC(2023, 2, 1), Date.UTC(2023, 3, 1)).close)
    expect(checkCandles(march.candles).gaps).toEqual([{ from: Date.UTC(2023, 2, 24, 13), count: 1 }])
    expect(read('usdm_header_BTCUSDT-5m-2025-10').candles.openTime).toHaveLength(8928)
    const ada = read('spot_noheader_ADABTC-1m-2021-11-27')
    expect(ada).toMatchObject({ market: 'binance/ADA-BTC', interval: '1m' })
    expect(ada.candles.open[0]).toBe(0.00002853)
  })

  it.each([
    'cryptodatadownload_Binance_BTCUSDT_d.csv',
    'freqtrade_BTC_USDT-5m.json',
    'freqtrade_UNITTEST_BTC-5m.feather',
  ])('a layout that is not built yet says which are: %s', (name) => {
    const failure = failureOf(() => readCandleFile(sharedData(`original/${name}`) ?? '', {}))
    expect(failure).toMatchObject({ code: 'candlesInvalid' })
    expect(failure.message).toMatch(/layout of .* is not known/)
  })
})
