/** The stored months of one market and interval, read as one set of candles, and the stretches that they form. */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import {
  Batch,
  Column,
  type DataType,
  Endianness,
  field,
  float64,
  type Schema,
  Table,
  TimeUnit,
  type TypedArray,
  tableFromIPC,
  tableToIPC,
  timestamp,
  Version,
} from '@uwdata/flechette'
import { INTERVALS, type Interval, isInterval } from '../../contract/market.ts'
import { type Candles, sliceCandles } from '../../engine/candles.ts'
import { Failure } from '../../errors.ts'
import {
  bytesOf,
  type CandlePeriod,
  candleRows,
  combineDigests,
  digestMonth,
  EARLIEST_TIME,
  emptyCandles,
  findMissingEdge,
  integersOf,
  LATEST_TIME,
  type Month,
  monthOf,
  VALUE_COLUMNS,
} from '../months.ts'
import { listMonths } from './commit.ts'

// One stored month: an uncompressed Arrow IPC file that pandas, Polars, DuckDB and R open as it is.
//
//     timestamp  timestamp[ms, UTC]   open time
//     open, high, low, close, volume  float64
//
// Its schema metadata name the candles (`dcalab.market`, `.interval`, `.synthetic`) and describe them (`.count`, `.first`,
// `.last`, `.sha256`, `.crc32`), so that a folder is listed from the first kilobytes of its files. The checksum is checked on
// every read (0.4 ms a month), so the stored SHA-256 need not be computed again.

interface MonthHead {
  readonly market: string
  readonly interval: Interval
  readonly synthetic: boolean
  readonly count: number
  /** Open times of the first and the last candle, ms UTC. */
  readonly first: number
  readonly last: number
  readonly sha256: string
  readonly crc32: number
}

/** The bytes of a month's file. `candles` must be of one month and not empty. */
export function encodeMonth(
  candles: Candles,
  { market, interval, synthetic }: { market: string; interval: Interval; synthetic: boolean },
): Uint8Array {
  const { openTime } = candles
  const metadata = new Map<string, string>([
    ['dcalab.format', '1'],
    ['dcalab.market', market],
    ['dcalab.interval', interval],
    ['dcalab.synthetic', String(synthetic)],
    ['dcalab.count', String(openTime.length)],
    ['dcalab.first', String(openTime[0])],
    ['dcalab.last', String(openTime[openTime.length - 1])],
    ['dcalab.sha256', digestMonth(candles)],
    ['dcalab.crc32', String(checksum(candles))],
  ])
  const time = timestamp(TimeUnit.MILLISECOND, 'UTC')
  const value = float64()
  const columns = [
    arrowColumn(time, integersOf(openTime)),
    ...VALUE_COLUMNS.map((name) => arrowColumn(value, candles[name])),
  ]
  const fields = [field('timestamp', time, false), ...VALUE_COLUMNS.map((name) => field(name, value, false))]
  const schema = { version: Version.V5, endianness: Endianness.Little, fields, metadata }
  const bytes = tableToIPC(new Table(schema, columns), { format: 'file' })
  if (bytes === null) throw new Error('an Arrow file without bytes') // it is null only with a sink, which we do not pass
  return bytes
}

/** Reads the description of a month from the first kilobytes of its file. @throws Failure candlesInvalid */
function readMonthHead(path: string, month: Month): MonthHead {
  return guarded(path, () => {
    const start = readStart(path, 16_384)
    const view = new DataView(start.buffer, start.byteOffset, start.byteLength)
    // "ARROW1", two bytes of padding, then the schema as a message: −1, its length, its bytes.
    if (Buffer.from(start.subarray(0, 6)).toString('latin1') !== 'ARROW1') throw new Error('it is not an Arrow file')
    const schemaEnd = 16 + view.getInt32(12, true)
    if (view.getInt32(8, true) !== -1 || schemaEnd > start.length) throw new Error('its schema is not one of ours')
    return headOf(tableFromIPC(start.subarray(8, schemaEnd)).schema, month)
  })
}

/** Reads month files one after the other into one buffer, so that a year costs the memory of a month. */
interface MonthReader {
  /**
   * The candles of a file, as views into the reader's buffer: copy them before the next call.
   * @throws Failure candlesInvalid when the file is not what was stored
   */
  read(path: string, month: Month): { readonly head: MonthHead; readonly candles: Candles }
}

export function createMonthReader(): MonthReader {
  let buffer = new ArrayBuffer(0)
  let times = new Float64Array(0)
  const read = (path: string): Uint8Array => {
    const file = openSync(path, 'r')
    try {
      const { size } = fstatSync(file)
      if (size > 2 ** 31) throw new Error('it is larger than any month of candles')
      if (buffer.byteLength < size) buffer = new ArrayBuffer(size)
      const bytes = new Uint8Array(buffer, 0, size)
      let done = 0
      while (done < size) {
        const got = readSync(file, bytes, done, size - done, done)
        if (got === 0) throw new Error('it became shorter while it was read')
        done += got
      }
      return bytes
    } finally {
      closeSync(file)
    }
  }
  const timesOf = (integers: BigInt64Array): Float64Array => {
    if (times.length < integers.length) times = new Float64Array(integers.length)
    return numbersOf(integers, times)
  }
  return { read: (path, month) => guarded(path, () => decodeMonth(read(path), month, timesOf)) }
}

/** Writes into the first places of `times`, which must be long enough. @returns a view of them */
function numbersOf(integers: BigInt64Array, times: Float64Array): Float64Array {
  const halves = new Int32Array(integers.buffer, integers.byteOffset, integers.length * 2)
  for (let i = 0; i < integers.length; i++) times[i] = halves[2 * i + 1] * 2 ** 32 + (halves[2 * i] >>> 0)
  return times.subarray(0, integers.length)
}

function decodeMonth(
  bytes: Uint8Array,
  month: Month,
  timesOf: (integers: BigInt64Array) => Float64Array,
): { head: MonthHead; candles: Candles } {
  const table = tableFromIPC(bytes)
  const head = headOf(table.schema, month)
  const values = (name: string): TypedArray => {
    const column = table.getChild(name)
    if (column === undefined || column === null) throw new Error(`it has no column ${name}`)
    const [batch] = column.data
    if (column.data.length !== 1 || batch.nullCount !== 0 || batch.length !== head.count) {
      throw new Error(`its column ${name} does not hold ${head.count} values`)
    }
    return batch.values
  }
  const numbers = (name: string): Float64Array => {
    const column = values(name)
    if (!(column instanceof Float64Array)) throw new Error(`its column ${name} is not float64`)
    return column
  }
  const times = values('timestamp')
  if (!(times instanceof BigInt64Array)) throw new Error('its column timestamp is not timestamp[ms]')
  const candles: Candles = {
    intervalMs: INTERVALS[head.interval],
    openTime: timesOf(times),
    open: numbers('open'),
    high: numbers('high'),
    low: numbers('low'),
    close: numbers('close'),
    volume: numbers('volume'),
  }
  if (checksum(candles) !== head.crc32) throw new Error('its candles are not those that were stored')
  return { head, candles }
}

function headOf(schema: Schema, month: Month): MonthHead {
  const text = (key: string): string => {
    const value = schema.metadata?.get(`dcalab.${key}`)
    if (value === undefined) throw new Error(`its metadata lacks dcalab.${key}`)
    return value
  }
  const whole = (key: string): number => {
    const value = Number(text(key))
    if (!Number.isSafeInteger(value) || value < 0) throw new Error(`its metadata dcalab.${key} is no whole number`)
    return value
  }
  const interval = text('interval')
  if (text('format') !== '1') throw new Error(`its format is ${text('format')}; this version reads format 1`)
  if (!isInterval(interval)) throw new Error(`its interval is ${interval}`)
  const head: MonthHead = {
    market: text('market'),
    interval,
    synthetic: text('synthetic') === 'true',
    count: whole('count'),
    first: whole('first'),
    last: whole('last'),
    sha256: text('sha256'),
    crc32: whole('crc32'),
  }
  if (head.count === 0 || monthOf(head.first) !== month || monthOf(head.last) !== month) {
    throw new Error(`it has no candles of ${month}`)
  }
  return head
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('candlesInvalid', `cannot read the stored candles ${path}: ${reason}`, {
      cause,
      hint: 'delete this file and import its month again',
    })
  }
}

function readStart(path: string, length: number): Uint8Array {
  const file = openSync(path, 'r')
  try {
    const bytes = new Uint8Array(length)
    return bytes.subarray(0, readSync(file, bytes, 0, length, 0))
  } finally {
    closeSync(file)
  }
}

function checksum(candles: Candles): number {
  let sum = crc32(bytesOf(candles.openTime))
  for (const name of VALUE_COLUMNS) sum = crc32(bytesOf(candles[name]), sum)
  return sum
}

function arrowColumn(type: DataType, values: TypedArray): Column<unknown> {
  return new Column([new Batch({ length: values.length, nullCount: 0, type, validity: new Uint8Array(0), values })])
}

export interface StoredMonth {
  readonly month: Month
  readonly path: string
  readonly head: MonthHead
}

/** The months in a folder that overlap the period, oldest first. @throws Failure candlesInvalid */
export function readMonthHeads(folder: string, interval: Interval, period: CandlePeriod = {}): StoredMonth[] {
  const first = monthOf(Math.max(period.from ?? EARLIEST_TIME, EARLIEST_TIME))
  const last = monthOf(Math.min(period.to ?? LATEST_TIME, LATEST_TIME) - 1)
  return listMonths(folder)
    .filter(({ month }) => month >= first && month <= last)
    .map(({ month, path }) => {
      const head = readMonthHead(path, month)
      if (head.interval === interval) return { month, path, head }
      throw new Failure('candlesInvalid', `${path} holds ${head.interval} candles`, {
        hint: `move it to the folder ${head.interval}, or delete it and import its month again`,
      })
    })
}

interface StoredRange {
  readonly candles: Candles
  readonly hash: string
  readonly synthetic: boolean
}

/** Makes columns for so many candles; where candles are needed in another memory than usual. A column of no length is left out. */
export type MakeColumns = (intervalMs: number, count: number) => Candles

/**
 * Returns the candles of the period, or a sentence why its first or last candle is missing.
 * @throws Failure candlesInvalid when a file was damaged or changed by another program
 */
export function loadMonths(
  folder: string,
  interval: Interval,
  { makeColumns = emptyCandles, ...period }: CandlePeriod & { readonly makeColumns?: MakeColumns },
): StoredRange | string {
  const intervalMs = INTERVALS[interval]
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = period
  const months = readMonthHeads(folder, interval, period).filter(({ head }) => head.first < to && head.last >= from)
  // The heads show most missing edges without reading a year of candles; the exact check follows below.
  const outermost = Float64Array.from(months.flatMap(({ head }) => [head.first, head.last]))
  const early = findMissingEdge(outermost, intervalMs, period)
  if (early !== undefined) return early

  const most = months.reduce((sum, { head }) => sum + head.count, 0)
  const columns = makeColumns(intervalMs, most)
  const digests: { month: Month; digest: string }[] = []
  const reader = createMonthReader()
  let count = 0
  for (const { month, path } of months) {
    const { head, candles } = reader.read(path, month)
    const used = sliceCandles(candles, from, to)
    const rows = used.openTime.length
    if (rows === 0) continue
    if (count + rows > most) throw new Error(`${path} grew while it was read`)
    columns.openTime.set(used.openTime, count)
    for (const name of VALUE_COLUMNS) if (columns[name].length > 0) columns[name].set(used[name], count)
    count += rows
    digests.push({ month, digest: rows === head.count ? head.sha256 : digestMonth(used) })
  }
  const candles = candleRows(columns, 0, count)
  return (
    findMissingEdge(candles.openTime, intervalMs, period) ?? {
      candles,
      hash: combineDigests(intervalMs, digests),
      synthetic: months.some(({ head }) => head.synthetic),
    }
  )
}

// Stored candles that belong together. A market may be stored for 2017 and for 2024 with nothing between: these are two
// stretches, and begin, end and missing candles are reported for each, because one figure for both would mislead. A whole
// calendar month (UTC) without a candle ends a stretch; a shorter gap is an outage and counts as missing candles inside it.

/** The stretch for a time: the one that contains it, else the last one that ended before it; undefined before the first. */
export function findStretch<Stretch extends { readonly from: number; readonly to: number }>(
  stretches: readonly Stretch[],
  at: number,
): Stretch | undefined {
  return stretches
    .filter(({ from }) => from <= at)
    .toSorted((a, b) => a.to - b.to)
    .at(-1)
}
