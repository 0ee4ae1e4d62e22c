/**
 * Twenty candle files drawn up from the guide's page alone, by somebody who had not read the reader: each is read as it was meant, or the error names
 * the flag that answers it, and with that flag it is read. None is read wrongly.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Spelling } from '../../src/candles/formats/sniff/read-spelled.ts'
import { readCandleFile } from '../../src/candles/import.ts'
import { Failure } from '../../src/errors.ts'
import { temporaryFolder } from '../support/folder.ts'

interface Row {
  readonly t: Date
  readonly o: number
  readonly h: number
  readonly l: number
  readonly c: number
  readonly v: number
}

const hour = 3_600_000
const rowsOf = (count: number, step = hour, from = Date.UTC(2021, 4, 10)): readonly Row[] =>
  Array.from({ length: count }, (_, n) => {
    const o = 1200 + 13.25 * n
    const c = o + (n % 3 === 0 ? -6.5 : 4.75)
    return { t: new Date(from + n * step), o, h: Math.max(o, c) + 2.25, l: Math.min(o, c) - 1.5, c, v: 3.5 + n }
  })
const pad = (n: number) => String(n).padStart(2, '0')
const d = (t: Date, form: string) =>
  form.replaceAll(/YYYY|MM|DD|hh|mm|M(?=[/ ])|D(?=[/,])/g, (part) => {
    const [month, day] = [t.getUTCMonth() + 1, t.getUTCDate()]
    const found = { YYYY: t.getUTCFullYear(), MM: pad(month), DD: pad(day), M: month, D: day }
    return String({ ...found, hh: pad(t.getUTCHours()), mm: pad(t.getUTCMinutes()) }[part])
  })
const us = (x: number) => x.toLocaleString('en-US', { minimumFractionDigits: 2 })
const eu = (x: number) => x.toFixed(2).replace('.', ',')
const plain = (row: Row) => [row.o, row.h, row.l, row.c, row.v].map(String)
const commas = (row: Row) => [row.o, row.h, row.l, row.c, row.v].map(eu)
const text = (
  head: string | null,
  rows: readonly Row[],
  cells: (row: Row) => readonly string[],
  mark: string,
  end = '\n',
) => [...(head === null ? [] : [head]), ...rows.map((row) => cells(row).join(mark)), ''].join(end)
const quoted = (cells: readonly string[]) => cells.map((cell) => `"${cell}"`)
const twelve = (t: Date) =>
  `${t.getUTCHours() % 12 || 12}:${pad(t.getUTCMinutes())} ${t.getUTCHours() < 12 ? 'AM' : 'PM'}`

const DAYS = rowsOf(40, 24 * hour)
const HOURS = rowsOf(60)

/** `asks`: the flag that the error names; `answer`: what is then given. */
const FILES: readonly {
  readonly name: string
  readonly rows: readonly Row[]
  readonly content: string | Buffer
  readonly asks?: string
  readonly answer?: Spelling
}[] = [
  {
    name: 'a US spreadsheet',
    rows: HOURS,
    content: text(
      'Date,Time,Open,High,Low,Close,Volume',
      HOURS,
      (r) => [d(r.t, 'M/D/YYYY'), twelve(r.t), ...plain(r)],
      ',',
    ),
  },
  {
    name: 'Spanish',
    rows: HOURS,
    content: text(
      'Fecha;Apertura;Máximo;Mínimo;Cierre;Volumen',
      HOURS,
      (r) => [d(r.t, 'DD/MM/YYYY hh:mm'), ...commas(r)],
      ';',
    ),
  },
  {
    name: 'Portuguese',
    rows: DAYS,
    content: text(
      'Data;Abertura;Máxima;Mínima;Fechamento;Volume',
      DAYS,
      (r) => [d(r.t, 'DD/MM/YYYY'), ...commas(r)],
      ';',
    ),
  },
  {
    name: 'pandas with an unnamed index',
    rows: HOURS,
    content: text(',open,high,low,close,volume', HOURS, (r) => [d(r.t, 'YYYY-MM-DD hh:mm:00+00:00'), ...plain(r)], ','),
  },
  {
    name: 'MetaTrader 4',
    rows: HOURS,
    content: text(null, HOURS, (r) => [d(r.t, 'YYYY.MM.DD'), d(r.t, 'hh:mm'), ...plain(r)], ',', '\r\n'),
  },
  {
    name: 'MetaTrader 5',
    rows: HOURS,
    content: text(
      '<DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>',
      HOURS,
      (r) => [d(r.t, 'YYYY.MM.DD'), d(r.t, 'hh:mm:00'), ...plain(r), '0', '12'],
      '\t',
    ),
  },
  {
    name: 'a chart’s export',
    rows: HOURS,
    content: text(
      'time,open,high,low,close,Volume,Plot,Plot',
      HOURS,
      (r) => [String(r.t.getTime() / 1000), ...plain(r), String(r.o), ''],
      ',',
    ),
  },
  {
    name: 'adjusted closes',
    rows: DAYS,
    content: text(
      'Date,Open,High,Low,Close,Adj Close,Volume',
      DAYS,
      (r) => {
        const [o, h, l, c, v] = plain(r)
        return [d(r.t, 'YYYY-MM-DD'), o ?? '', h ?? '', l ?? '', c ?? '', String(r.c / 2), v ?? '']
      },
      ',',
    ),
  },
  {
    name: 'without names: seconds, prices, volume, trades',
    rows: HOURS,
    content: text(null, HOURS, (r) => [String(r.t.getTime() / 1000), ...plain(r), '17'], ','),
  },
  {
    name: 'microseconds',
    rows: HOURS,
    content: text('timestamp|open|high|low|close|volume', HOURS, (r) => [`${r.t.getTime()}000`, ...plain(r)], '|'),
  },
  {
    name: 'quoted nanoseconds',
    rows: HOURS,
    content: text('"ts","o","h","l","c","v"', HOURS, (r) => quoted([`${r.t.getTime()}000000`, ...plain(r)]), ','),
  },
  {
    name: 'spaces around bars',
    rows: HOURS,
    content: text(
      'time | open | high | low | close | volume',
      HOURS,
      (r) => [d(r.t, 'YYYY-MM-DD hh:mm'), ...plain(r)],
      ' | ',
    ),
  },
  {
    name: 'UTF-16 with the big end first',
    rows: HOURS,
    content: Buffer.from(
      `\ufeff${text('Datum;Eröffnung;Hoch;Tief;Schluss;Volumen', HOURS, (r) => [d(r.t, 'DD.MM.YYYY hh:mm'), ...commas(r)], ';')}`,
      'utf16le',
    ).swap16(),
  },
  {
    name: 'quoted decimal commas between commas',
    rows: HOURS,
    content: text(
      '"Date","Open","High","Low","Close","Volume"',
      HOURS,
      (r) => quoted([d(r.t, 'YYYY-MM-DDThh:mm:00Z'), ...commas(r)]),
      ',',
    ),
  },
  {
    name: 'a ticker and a period beside packed times',
    rows: HOURS,
    content: text(
      '<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>',
      HOURS,
      (r) => ['ETHUSD', '60', d(r.t, 'YYYYMMDD'), d(r.t, 'hhmm00'), ...plain(r)],
      ',',
    ),
  },
  {
    name: 'thousands with commas and long months, newest first',
    rows: DAYS,
    content: text(
      '"Date","Price","Open","High","Low","Vol."',
      [...DAYS].reverse(),
      (r) =>
        quoted([
          `${['May', 'Jun'][r.t.getUTCMonth() - 4]} ${d(r.t, 'DD, YYYY')}`,
          us(r.c),
          us(r.o),
          us(r.h),
          us(r.l),
          String(r.v),
        ]),
      ',',
    ),
  },
  {
    name: 'three days below 13',
    rows: HOURS,
    content: text('date,open,high,low,close,volume', HOURS, (r) => [d(r.t, 'DD/MM/YYYY hh:mm'), ...plain(r)], ','),
  },
  {
    name: 'one day below 13',
    rows: rowsOf(8),
    content: text('date,open,high,low,close,volume', rowsOf(8), (r) => [d(r.t, 'DD/MM/YYYY hh:mm'), ...plain(r)], ','),
    asks: '--dates',
    answer: { dates: 'dmy' },
  },
  {
    name: 'names of nobody’s',
    rows: HOURS,
    content: text(
      'when;first;top;bottom;last',
      HOURS,
      (r) => [d(r.t, 'YYYY-MM-DD hh:mm'), ...plain(r).slice(0, 4)],
      ';',
    ),
    asks: '--columns',
    answer: { columns: 'time=when,open=first,high=top,low=bottom,close=last' },
  },
  {
    name: 'a zone by its letters',
    rows: HOURS,
    content: text(
      'date,open,high,low,close,volume',
      HOURS,
      (r) => [`${d(new Date(r.t.getTime() - 4 * hour), 'YYYY-MM-DD hh:mm')} EDT`, ...plain(r)],
      ',',
    ),
    asks: '--zone',
    answer: { zone: 'America/New_York' },
  },
]

it.each(FILES)('$name', async ({ content, rows, asks, answer }) => {
  const path = join(temporaryFolder(), 'candles.csv')
  writeFileSync(path, content)
  if (asks !== undefined) {
    const failure = await readCandleFile(path, {}).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Failure)
    expect(JSON.stringify(failure)).toContain(asks)
  }
  const { candles } = await readCandleFile(path, answer === undefined ? {} : { spelling: answer })
  expect([...candles.openTime]).toEqual(rows.map(({ t }) => t.getTime()))
  for (const [column, of] of Object.entries({ open: 'o', high: 'h', low: 'l', close: 'c' } as const))
    expect([...candles[column as 'open']], column).toEqual(rows.map((row) => row[of]))
})
