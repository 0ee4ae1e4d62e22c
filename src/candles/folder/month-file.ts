/**
 * One stored month: an uncompressed Arrow IPC file that pandas, Polars, DuckDB and R open as it is.
 *
 *     timestamp  timestamp[ms, UTC]   open time
 *     open, high, low, close, volume  float64
 *
 * Its schema metadata name the candles (`dcalab.market`, `.interval`, `.synthetic`) and describe them (`.count`, `.first`,
 * `.last`, `.sha256`, `.crc32`), so that a folder is listed from the first kilobytes of its files. The checksum is checked on
 * every read (0.4 ms a month), so the stored SHA-256 need not be computed again.
 */
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
import type { Candles } from '../../engine/candles.ts'
import { Failure } from '../../errors.ts'
import { bytesOf, digestMonth } from '../hash.ts'
import { integersOf, type Month, monthOf, numbersOf, VALUE_COLUMNS } from '../months.ts'

export interface MonthHead {
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
export function readMonthHead(path: string, month: Month): MonthHead {
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
