/** Candle files as people’s programs write them: each is read as it was meant, asked about by the flag that answers, or refused; none is read wrongly. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Spelling } from '../../src/candles/formats/sniff/read-spelled.ts'
import { readCandleFile } from '../../src/candles/import.ts'
import { Failure } from '../../src/errors.ts'
import { temporaryFolder } from '../support/folder.ts'

const hourMs = 3_600_000
const start = Date.UTC(2021, 4, 10)

interface Plain {
  readonly time: Date
  readonly prices: readonly string[]
  readonly volume: string
}

/** 60 hours from the 10th of May: days above 12 and below, prices of one to four places. */
function hours(count = 60, stepMs = hourMs, from = start): readonly Plain[] {
  return Array.from({ length: count }, (_, i) => {
    const open = 1853.34 + 7.25 * i
    const close = open + (i % 2 === 0 ? 5.5 : -4.75)
    const prices = [open, Math.max(open, close) + 1.05, Math.min(open, close) - 2.15, close].map((price) =>
      price.toFixed(2),
    )
    return { time: new Date(from + i * stepMs), prices, volume: (12.5 + i).toFixed(4) }
  })
}

const two = (n: number): string => String(n).padStart(2, '0')
const day = (t: Date): string => two(t.getUTCDate())
const month = (t: Date): string => two(t.getUTCMonth() + 1)
const clock = (t: Date): string => `${two(t.getUTCHours())}:${two(t.getUTCMinutes())}`
const iso = (t: Date): string => t.toISOString().slice(0, 10)
const half = (t: Date): string =>
  `${t.getUTCHours() % 12 || 12}:${two(t.getUTCMinutes())} ${t.getUTCHours() < 12 ? 'AM' : 'PM'}`
const dmy = (t: Date, mark = '.'): string => [day(t), month(t), t.getUTCFullYear()].join(mark)
const mdy = (t: Date): string => `${month(t)}/${day(t)}/${t.getUTCFullYear()}`
const comma = (price: string): string => price.replace('.', ',')
const grouped = (price: string): string => price.replace(/^(\d)(\d{3})\./, '$1,$2.')
const german = (price: string): string => price.replace(/^(\d)(\d{3})\./, '$1.$2,')

const table = (head: string, row: (one: Plain) => readonly string[], mark: string, rows = hours()): string =>
  [...(head === '' ? [] : [head]), ...rows.map((one) => row(one).join(mark))].join('\n')
const quoted = (cells: readonly string[]): readonly string[] => cells.map((cell) => `"${cell}"`)

const MEANT: readonly (readonly [string, string | Buffer, RegExp])[] = [
  [
    'quotes',
    table(
      '"time","open","high","low","close","volume"',
      ({ time, prices, volume }) => quoted([time.toISOString(), ...prices, volume]),
      ',',
    ),
    /comma-separated, columns time/,
  ],
  [
    'semicolons',
    table(
      'time;open;high;low;close;volume',
      ({ time, prices, volume }) => [time.toISOString(), ...prices, volume],
      ';',
    ),
    /semicolon-separated/,
  ],
  [
    'tabs',
    table(
      'Date\tOpen\tHigh\tLow\tClose\tVolume',
      ({ time, prices, volume }) => [`${iso(time)} ${clock(time)}`, ...prices, volume],
      '\t',
    ),
    /tab-separated/,
  ],
  [
    'bars',
    table('ts|o|h|l|c|v', ({ time, prices, volume }) => [String(time.getTime() / 1000), ...prices, volume], '|'),
    /times in s/,
  ],
  [
    'German',
    table(
      'Datum;Eröffnung;Hoch;Tief;Schluss;Volumen',
      ({ time, prices, volume }) => [`${dmy(time)} ${clock(time)}`, ...prices.map(german), comma(volume)],
      ';',
    ),
    /columns Datum, Eröffnung, Hoch, Tief, Schluss, Volumen; .*UTC; decimal comma/,
  ],
  [
    'German in Windows-1252',
    Buffer.from(
      table(
        'Datum;Eröffnung;Hoch;Tief;Schluss;Volumen',
        ({ time, prices, volume }) => [`${dmy(time)} ${clock(time)}`, ...prices.map(comma), comma(volume)],
        ';',
      ),
      'latin1',
    ),
    /Windows-1252/,
  ],
  [
    'UTF-16',
    Buffer.from(
      `\ufeff${table('time,open,high,low,close,volume', ({ time, prices, volume }) => [time.toISOString(), ...prices, volume], ',')}`,
      'utf16le',
    ),
    /UTF-16/,
  ],
  [
    'no header',
    table('', ({ time, prices, volume }) => [time.toISOString(), ...prices, volume], ','),
    /taken as time, open, high, low, close, volume/,
  ],
  [
    'no header, date and time',
    table('', ({ time, prices, volume }) => [iso(time).replaceAll('-', '.'), clock(time), ...prices, volume], ','),
    /taken as date, time, open/,
  ],
  [
    'no volume',
    table('time,open,high,low,close', ({ time, prices }) => [time.toISOString(), ...prices], ','),
    /no volume, 0 taken/,
  ],
  [
    'MetaTrader 5',
    table(
      '<DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>',
      ({ time, prices, volume }) => [iso(time).replaceAll('-', '.'), `${clock(time)}:00`, ...prices, '7', volume, '1'],
      '\t',
    ),
    /columns <DATE>, <TIME>/,
  ],
  [
    'two columns',
    table(
      'Date,Time,Open,High,Low,Close,Volume',
      ({ time, prices, volume }) => [mdy(time), clock(time), ...prices, volume],
      ',',
    ),
    /month\/day\/year/,
  ],
  [
    'American',
    table(
      'Date,Open,High,Low,Close,Volume',
      ({ time, prices, volume }) => [`${mdy(time)} ${half(time)}`, ...prices, volume],
      ',',
    ),
    /month\/day\/year taken as UTC/,
  ],
  [
    'British',
    table(
      'Date,Open,High,Low,Close,Volume',
      ({ time, prices, volume }) => [`${dmy(time, '/')} ${clock(time)}`, ...prices, volume],
      ',',
    ),
    /day\/month\/year taken as UTC/,
  ],
  [
    'written months',
    table(
      '"Date","Price","Open","High","Low","Vol."',
      ({ time, prices: [o = '', h = '', l = '', c = ''], volume }) =>
        quoted([`May ${day(time)}, 2021 ${clock(time)}`, c, o, h, l, volume].map(grouped)),
      ',',
    ),
    /columns Date, Open, High, Low, Price, Vol\./,
  ],
  [
    'groups of thousands',
    table(
      '"time","open","high","low","close","volume"',
      ({ time, prices, volume }) => quoted([time.toISOString(), ...prices.map(grouped), volume]),
      ',',
    ),
    /comma-separated/,
  ],
  [
    'offsets',
    table(
      'time;open;high;low;close;volume',
      ({ time, prices, volume }) => {
        const t = new Date(time.getTime() + 2 * hourMs)
        return [`${iso(t)} ${clock(t)}:00+02:00`, ...prices, volume]
      },
      ';',
    ),
    /with their offsets/,
  ],
  [
    'Dukascopy',
    table(
      'Local time,Open,High,Low,Close,Volume',
      ({ time, prices, volume }) => {
        const t = new Date(time.getTime() + 2 * hourMs)
        return [`${dmy(t)} ${clock(t)}:00.000 GMT+0200`, ...prices, volume]
      },
      ',',
    ),
    /with their offsets/,
  ],
  [
    'a title and a comment',
    `Ether in Dollar\n# exported\n\n${table('time;open;high;low;close;volume', ({ time, prices, volume }) => [time.toISOString(), ...prices, volume], ';')}`,
    /semicolon/,
  ],
  [
    'sep=',
    `sep=;\n${table('time;open;high;low;close;volume', ({ time, prices, volume }) => [time.toISOString(), ...prices, volume], ';')}`,
    /semicolon/,
  ],
  [
    'Russian',
    table(
      'дата;время;открытие;максимум;минимум;закрытие;объём',
      ({ time, prices, volume }) => [dmy(time), clock(time), ...prices.map(comma), comma(volume)],
      ';',
    ),
    /decimal comma/,
  ],
  [
    'Chinese',
    table(
      '时间,开盘,最高,最低,收盘,成交量',
      ({ time, prices, volume }) => [
        `${time.getUTCFullYear()}年${month(time)}月${day(time)}日 ${clock(time)}`,
        ...prices,
        volume,
      ],
      ',',
    ),
    /columns 时间/,
  ],
  [
    'French',
    table(
      'Date;Ouverture;Plus haut;Plus bas;Clôture;Volume',
      ({ time, prices, volume }) => [`${dmy(time, '/')} ${clock(time)}`, ...prices.map(comma), comma(volume)],
      ';',
    ),
    /day\/month\/year taken as UTC; decimal comma/,
  ],
  [
    'packed times',
    table(
      'time;open;high;low;close;volume',
      ({ time, prices, volume }) => [
        `${iso(time).replaceAll('-', '')}${clock(time).replace(':', '')}00`,
        ...prices,
        volume,
      ],
      ';',
    ),
    /taken as UTC/,
  ],
  [
    'newest first',
    table(
      'Datum;Eröffnung;Hoch;Tief;Schluss;Volumen',
      ({ time, prices, volume }) => [`${dmy(time)} ${clock(time)}`, ...prices.map(comma), comma(volume)],
      ';',
      [...hours()].reverse(),
    ),
    /decimal comma/,
  ],
  [
    'a day below 13, by its steps',
    table(
      'Date;Open;High;Low;Close;Volume',
      ({ time, prices, volume }) => [mdy(time), ...prices, volume],
      ';',
      hours(10, 24 * hourMs, Date.UTC(2021, 4, 2)),
    ),
    /month\/day\/year/,
  ],
]

describe('a file is read as it was meant', () => {
  it.each(MEANT)('%s', async (name, content, says) => {
    const file = await readCandleFile(write(content), {})
    const isDaily = name.startsWith('a day')
    const meant = isDaily ? hours(10, 24 * hourMs, Date.UTC(2021, 4, 2)) : hours()
    const { candles } = file
    expect([...candles.openTime]).toEqual(meant.map(({ time }) => time.getTime()))
    const read = ['open', 'high', 'low', 'close'] as const
    for (const [i, price] of read.entries())
      expect([...candles[price]]).toEqual(meant.map(({ prices }) => Number(prices[i])))
    expect([...candles.volume]).toEqual(meant.map(({ volume }) => (name === 'no volume' ? 0 : Number(volume))))
    expect(file.assumed).toMatch(says)
    expect(file.layout).toBe('spelled')
  })
})

const short = hours(6)

/** Each opens where the one before closed. */
function chained(): readonly Plain[] {
  let open = 2500
  return hours(20).map((one, i) => {
    const close = open + [5, -3, 8, -6, 2][i % 5]
    const prices = [open, Math.max(open, close) + 1, Math.min(open, close) - 1, close].map((price) => price.toFixed(2))
    open = close
    return { ...one, prices }
  })
}
const twins = (price: number): string => `${price},500`
const ASKED: readonly (readonly [string, string, RegExp, Spelling, number])[] = [
  [
    '06/05 within one day',
    table(
      'Date;Open;High;Low;Close;Volume',
      ({ time, prices, volume }) => [`05/06/2021 ${clock(time)}`, ...prices, volume],
      ';',
      short,
    ),
    /--dates dmy or --dates mdy/,
    { dates: 'mdy' },
    Date.UTC(2021, 4, 6),
  ],
  [
    'thousands or thousandths',
    table(
      'time;open;high;low;close',
      ({ time }) => [time.toISOString(), twins(20), twins(22), twins(19), twins(21)],
      ';',
      short,
    ),
    /--decimal comma or --decimal point/,
    { decimal: 'comma' },
    start,
  ],
  [
    'names nobody knows',
    table('wann;von;oben;unten;bis', ({ time, prices }) => [time.toISOString(), ...prices], ';', short),
    /--columns/,
    { columns: 'time=wann,open=von,high=3,low=4,close=bis' },
    start,
  ],
  [
    'a zone in the name',
    table(
      'Date (EST);Open;High;Low;Close',
      ({ time, prices }) => [`${iso(time)} ${clock(time)}`, ...prices],
      ';',
      short,
    ),
    /--zone/,
    { zone: 'America/New_York' },
    start + 4 * hourMs,
  ],
  ...['Date (UTC+8)', 'Time (EET)', 'Local time', 'Время (МСК)', '时间（UTC+8）', 'Time (America/New_York)'].map(
    (name) =>
      [
        `times called ${name}`,
        table(
          `${name};open;high;low;close`,
          ({ time, prices }) => [`${iso(time)} ${clock(time)}`, ...prices],
          ';',
          short,
        ),
        /--zone/,
        { zone: 'Asia/Tokyo' },
        start - 9 * hourMs,
      ] as const,
  ),
  [
    'a zone in a column of its own',
    table(
      'Date,Time,UTC Offset,Open,High,Low,Close',
      ({ time, prices }) => [iso(time), clock(time), '+02:00', ...prices],
      ',',
      short,
    ),
    /--zone/,
    { zone: 'Etc/GMT-2' },
    start - 2 * hourMs,
  ],
  [
    'a zone in a title',
    `ETH, timezone: Asia/Tokyo\n${table('Date,Time,Open,High,Low,Close', ({ time, prices }) => [iso(time), clock(time), ...prices], ',', short)}`,
    /--zone/,
    { zone: 'Asia/Tokyo' },
    start - 9 * hourMs,
  ],
  [
    'a close before the open, without names',
    table('', ({ time, prices: [o = '', h = '', l = '', c = ''] }) => [time.toISOString(), c, h, l, o], ',', chained()),
    /--columns/,
    { columns: 'time=1,open=5,high=3,low=4,close=2' },
    start,
  ],
]

describe('what two readings fit is a question with the flag that answers it', () => {
  it.each(ASKED)('%s', async (_, content, asks, answer, first) => {
    const path = write(content)
    const failure = await readCandleFile(path, {}).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Failure)
    expect((failure as Failure).hint).toMatch(asks) // by the line before
    expect((await readCandleFile(path, { spelling: answer })).candles.openTime[0]).toBe(first)
  })
})

const REFUSED: readonly (readonly [string, string, RegExp])[] = [
  ...['Close Time', 'Time (close)', 'Date (end)'].map(
    (name) =>
      [
        `times called ${name}`,
        table(`${name};open;high;low;close`, ({ time, prices }) => [time.toISOString(), ...prices], ';', short),
        /at which candles end|known as time/,
      ] as const,
  ),
  [
    'a web page',
    '<!DOCTYPE html><html><head><title>x</title></head><body><h1>404</h1> Not found</body></html>',
    /is a web page, not a table: "x 404 Not found"/,
  ],
  ['words', 'dear reader,\nthis is a letter,\nnot a table,\n', /layout of .* is not known/],
  [
    'another order of prices without a header',
    table('', ({ time, prices: [o = '', h = '', l = '', c = ''] }) => [time.toISOString(), h, o, c, l], ';'),
    /do not read as time, open, high, low, close, volume|hold no candles/,
  ],
]

it.each(REFUSED)('%s is refused', async (_, content, says) => {
  await expect(readCandleFile(write(content), {})).rejects.toThrow(says)
})

it('an hour that a zone repeats is two hours, in either order', async () => {
  // 31 October 2021 in Berlin: 02:00 comes twice.
  const local = ['00:00', '01:00', '02:00', '02:00', '03:00', '04:00']
  const lines = local.map((time, i) => `31.10.2021 ${time};${100 + i};${101 + i};${99 + i};${100 + i}`)
  const times = local.map((_, i) => Date.UTC(2021, 9, 30, 22 + i))
  for (const rows of [lines, [...lines].reverse()]) {
    const { candles } = await readCandleFile(write(`Datum;Open;High;Low;Close\n${rows.join('\n')}`), {
      spelling: { zone: 'Europe/Berlin' },
    })
    expect([...candles.openTime]).toEqual(times)
  }
})

it('what says how text is spelled is refused for a file that is no text, whose times would be shifted without a word', async () => {
  const rows = hours().map(({ time, prices }) => [time.getTime(), ...prices.map(Number), 1])
  const path = write(JSON.stringify(rows))
  expect((await readCandleFile(path, {})).candles.openTime).toHaveLength(60)
  await expect(readCandleFile(path, { spelling: { zone: 'Europe/Berlin' } })).rejects.toThrow(/is freqtrade JSON/)
})

it('of two columns of time the one that says it is the open counts', async () => {
  const both = table(
    'unix,open_time,open,high,low,close,volume',
    ({ time, prices }) => [String(time.getTime() + 60_000), String(time.getTime()), ...prices, '1'],
    ',',
  )
  expect((await readCandleFile(write(both), {})).candles.openTime[0]).toBe(start)
})

it('a file that names its market is taken as another only where that is said', async () => {
  const [name, market] = ['binance_DOGE-USDT_1h.csv', 'binance/BTC-USDT']
  const plain = table(
    'open_time,open,high,low,close,volume',
    ({ time, prices }) => [String(time.getTime()), ...prices, '1'],
    ',',
  )
  const path = write(plain, name)
  expect(await readCandleFile(path, {})).toMatchObject({ market: 'binance/DOGE-USDT', assumed: null })
  const said = 'names binance/DOGE-USDT as its market, which --market overrides'
  expect(await readCandleFile(path, { market })).toMatchObject({ market, assumed: said })
  expect(await readCandleFile(path, { market: 'binance/DOGE-USDT' })).toMatchObject({ assumed: null })
  const column = table(
    'symbol,open_time,open,high,low,close,volume',
    ({ time, prices }) => ['DOGE/USDT', String(time.getTime()), ...prices, '1'],
    ',',
  )
  const pair = await readCandleFile(write(column), { market })
  expect(pair.assumed).toContain('names DOGE-USDT as its market')
})

function write(content: string | Buffer, name = 'candles.csv'): string {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, content)
  return path
}
