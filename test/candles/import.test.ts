import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkCandles } from '../../src/candles/check.ts'
import { listCandles, loadCandles } from '../../src/candles/folder/folder.ts'
import { importFile, readCandleFile } from '../../src/candles/import.ts'
import { hashCandles } from '../../src/candles/months.ts'
import { INTERVALS, isInterval } from '../../src/contract/market.ts'
import type { Candles } from '../../src/engine/candles.ts'
import { readCsvCandles } from '../support/csv-candles.ts'
import { temporaryFolder } from '../support/folder.ts'
import { sharedData } from '../support/shared-data.ts'
import { anyMarket, plainCandles, RUNS, rejectionOf } from './arbitrary-candles.ts'

const manifest = sharedData('MANIFEST.json')
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
  it('reads back every candle that was written, plain or gzip', async () => {
    await fc.assert(
      fc.asyncProperty(anyMarket, fc.boolean(), async ({ candles, interval }, packed) => {
        const path = fileOf(packed ? 'x.csv.gz' : 'x.csv', lines(candles))
        const read = await readCandleFile(path, { market: 'binance/BTC-USDT', interval })
        expect(read.candles).toEqual(candles)
      }),
      { numRuns: RUNS },
    )
  })

  it('reads rows in any order, folds exact repetitions, and says so', async () => {
    const candles = plainCandles(may, 50, minute)
    const rows = lines(candles)
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(rows, { minLength: 50 }), fc.subarray(rows), async (shuffled, repeated) => {
        const read = await readCandleFile(fileOf('x_A-B_1m.csv', [...shuffled, ...repeated]), {})
        expect(read).toMatchObject({ candles, duplicates: repeated.length })
      }),
      { numRuns: RUNS },
    )
    expect(await readCandleFile(fileOf('x_A-B_1m.csv', rows.toReversed()), {})).toMatchObject({
      candles,
      wasOrdered: false,
    })
  })

  it('knows seconds, milliseconds and microseconds by their size', async () => {
    const candles = plainCandles(may, 50, minute)
    for (const [unit, scale] of [
      ['s', 0.001],
      ['ms', 1],
      ['µs', 1000],
    ] as const) {
      expect(await readCandleFile(fileOf('x_A-B_1m.csv', lines(candles, scale)), {})).toMatchObject({
        candles,
        timeUnit: unit,
      })
    }
  })

  it('takes Windows line ends, a byte order mark, empty lines and a missing last line end', async () => {
    const candles = plainCandles(may, 20, minute)
    expect((await readCandleFile(fileOf('x_A-B_1m.csv', lines(candles), '\r\n'), {})).candles).toEqual(candles)
    expect((await readCandleFile(fileOf('x_A-B_1m.csv', lines(candles), '\n\n'), {})).candles).toEqual(candles)
    const path = join(temporaryFolder(), 'x.csv')
    writeFileSync(path, `\uFEFF${[header, ...lines(candles)].join('\n')}`)
    expect(await readCandleFile(path, {})).toMatchObject({ candles, interval: '1m', market: null })
  })
})

describe('market and interval', () => {
  const rows = lines(plainCandles(may, 20, 5 * minute))

  it('are those of the options, else of the file name, else of the spacing', async () => {
    expect(await readCandleFile(fileOf('bybit_SOL-USDC_5m_2021.csv.gz', rows), {})).toMatchObject({
      market: 'bybit/SOL-USDC',
      interval: '5m',
    })
    expect(await readCandleFile(fileOf('candles.csv', rows), {})).toMatchObject({ market: null, interval: '5m' })
    const options = { market: 'kraken/A-B', interval: '5m' } as const
    expect(await readCandleFile(fileOf('bybit_SOL-USDC_5m_2021.csv', rows), options)).toMatchObject(options)
  })

  it('thin markets skip candles, so a finer interval may be told', async () => {
    const thin = lines(plainCandles(may, 20, 2 * minute)).toSpliced(3, 1)
    expect((await readCandleFile(fileOf('x_A-B_1m.csv', thin), {})).interval).toBe('1m')
    expect((await rejectionOf(readCandleFile(fileOf('x_A-B_1m.csv', rows), {}))).message).toMatch(/5m candle/)
    expect((await rejectionOf(readCandleFile(fileOf('x_A-B_1h.csv', rows), {}))).message).toMatch(/too close for 1h/)
  })

  it('an import without a market, or with a name that is none, stores nothing', async () => {
    const folder = temporaryFolder()
    expect((await rejectionOf(importFile(folder, fileOf('candles.csv', rows), {}))).message).toMatch(
      /does not name its market/,
    )
    const named = { market: '../../etc/X-Y' }
    expect((await rejectionOf(importFile(folder, fileOf('candles.csv', rows), named))).code).toBe('usage')
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
  ])('a Binance Vision file named %s is of %s', async (name, market) => {
    const path = join(temporaryFolder(), name)
    writeFileSync(path, klinesOf('1.00000000'))
    expect(await readCandleFile(path, {})).toMatchObject({ market, interval: '1h', layout: 'binance-vision' })
  })
})

/** Two hours of a market that stands at `price`. */
function klinesOf(price: string): string {
  const values = Array.from({ length: 5 }, () => price).join(',')
  return [1733011200000, 1733014800000].map((time) => `${time},${values},${time + 3_599_999},1,2,3,4,0\n`).join('')
}

describe('klines of USD-M futures in a file with a plain name', () => {
  const klineHeader =
    'open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore\n'

  it.each(['', klineHeader])('are asked for their market, not taken for spot', async (head) => {
    const path = join(temporaryFolder(), 'BTCUSDT-1h-2024-12.csv')
    writeFileSync(path, head + klinesOf('94401.10'))
    const folder = temporaryFolder()
    const refused = await rejectionOf(importFile(folder, path, {}))
    expect(refused.message).toMatch(/BTCUSDT-1h-2024-12.csv does not name its market: .*eight decimals of spot/)
    expect(refused.hint).toContain('--market, such as binance_usdm/BTC-USDT')
    expect(listCandles(folder)).toEqual([])
    const market = 'binance_usdm/BTC-USDT'
    expect(await importFile(folder, path, { market })).toMatchObject({ market, added: 2 })
    writeFileSync(path, head + klinesOf('94401.10000000'))
    expect(await importFile(folder, path, {})).toMatchObject({ market: 'binance/BTC-USDT', added: 2 })
  })

  it.each([
    ['futures/um/BTCUSDT-1h-2024-12.csv', 'binance_usdm/BTC-USDT'],
    ['spot/BTCUSDT-1h-2024-12.csv', 'binance/BTC-USDT'],
    ['spotless/BTCUSDT-1h-2024-12.csv', null],
    ['binance_BTC-USDT_1h_2024.csv', 'binance/BTC-USDT'],
  ])('%s says by its path what they are of: %s', async (name, market) => {
    const path = join(temporaryFolder(), name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, klinesOf('94401.1'))
    expect((await readCandleFile(path, {})).market).toBe(market)
  })

  it.skipIf(manifest === undefined)('as Binance ships them, under the name it gives them', async () => {
    const path = join(temporaryFolder(), 'BTCUSDT-5m-2025-10.csv')
    cpSync(sharedData('original/binancevision_usdm_header_BTCUSDT-5m-2025-10.csv') ?? '', path)
    expect(await readCandleFile(path, {})).toMatchObject({ market: null, interval: '5m', layout: 'binance-vision' })
  })

  it
    .skipIf(manifest === undefined)
    .each(['header_BTCUSDT-1h-2023-03', 'us_BTCUSDT-1h-2025-01', 'noheader_ADABTC-1m-2021-11-27'])(
    'and those of spot (%s) are of spot under theirs',
    async (name) => {
      const path = join(temporaryFolder(), `${name.replace(/^[a-z]+_/, '')}.csv`)
      cpSync(sharedData(`original/binancevision_spot_${name}.csv`) ?? '', path)
      expect((await readCandleFile(path, {})).market).toMatch(/^binance\/(?:BTC-USDT|ADA-BTC)$/)
    },
  )
})

describe('importing', () => {
  it('reports what came in, and the same again adds nothing', async () => {
    const folder = temporaryFolder()
    const path = fileOf('x_A-B_1m.csv', lines(plainCandles(may, 20, minute)).toSpliced(5, 2))
    const about = { market: 'x/A-B', interval: '1m', from: may, to: may + 20 * minute, missing: 2, synthetic: false }
    const findings = [{ code: 'gap', severity: 'note', count: 1, first: may + 5 * minute }]
    const report = { ...about, findings, assumed: null }
    expect(await importFile(folder, path, {})).toEqual({ ...report, added: 18, same: 0, conflicting: 0 })
    expect(await importFile(folder, path, {})).toEqual({ ...report, added: 0, same: 18, conflicting: 0 })
  })
})

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
  it.each(recorded)('$file: imports whole, with exactly the gaps it is known to have', async (known) => {
    const path = sharedData(known.file) ?? ''
    const { interval } = known
    if (!isInterval(interval)) throw new Error(`${interval} is no interval`)
    const folder = temporaryFolder()
    const [report] = [await importFile(folder, path, {})].flat()
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
})

describe('files of others', () => {
  const imported = async (name: string, text: string, options: Parameters<typeof readCandleFile>[1] = {}) => {
    const path = join(temporaryFolder(), name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return readCandleFile(path, options)
  }
  const hours = JSON.stringify([0, 1, 2].map((hour) => [may + hour * 60 * minute, 10, 12, 9, 11, 5]))

  it.each(['BTC_USDT_USDT-1h-futures.json', 'BTC_USDT_USDT-1h-mark.json'])(
    'candles of %s are not those of the spot market',
    async (name) => {
      expect((await imported(`user_data/data/binance/futures/${name}`, hours)).market).toBeNull()
      expect((await imported('user_data/data/binance/BTC_USDT-1h.json', hours)).market).toBe('binance/BTC-USDT')
    },
  )

  it.each(['', '-'])('a column of volumes that are all "%s" is no volume', async (cell) => {
    const rows = ['01/17/2024', '01/16/2024'].map((day) => `"${day}","11","10","12","9","${cell}","-0.68%"`)
    const text = ['"Date","Price","Open","High","Low","Vol.","Change %"', ...rows, ''].join('\n')
    const { candles } = await imported('EUR_USD.csv', text, { market: 'x/EUR-USD', interval: '1d' })
    expect([...candles.volume]).toEqual([0, 0])
    const days = Array.from({ length: 2_100 }, (_, at) => new Date(may + at * 1440 * minute).toISOString().slice(0, 10))
    const later = days.map((day, at) => `${day},10,12,9,11,${at < 2_099 ? cell : 7}`)
    const known = await imported('later.csv', ['date,open,high,low,close,volume', ...later, ''].join('\n'), {
      market: 'x/EUR-USD',
      interval: '1d',
    })
    expect(known.candles.volume.at(-1)).toBe(7)
  })

  it('half hours of a zone stay in their order when its clocks go back', async () => {
    const local = ['01:30', '02:00', '02:30', '02:00', '02:30', '03:00', '03:30']
    const rows = local.map((time) => `2024-10-27 ${time},10,12,9,11,5`)
    const text = ['date,open,high,low,close,volume', ...rows, ''].join('\n')
    const spelling = { zone: 'Europe/Berlin' }
    const { candles } = await imported('zone.csv', text, { market: 'x/A-B', interval: '30m', spelling })
    const first = Date.parse('2024-10-26T23:30:00Z')
    expect([...candles.openTime]).toEqual(local.map((_, at) => first + at * 30 * minute))
  })

  it('eight digits that are dates are no minutes of a day', async () => {
    const text = '20240101,100,110,90,105,1000\n20240102,105,112,99,101,900\n'
    const { candles } = await imported('daily.csv', text, { market: 'x/A-B' })
    expect([...candles.openTime]).toEqual([Date.UTC(2024, 0, 1), Date.UTC(2024, 0, 2)])
  })
})
