/**
 * Exports stored candles for other programs: as CSV (plain or gzip; importing it gives the same numbers), as one Arrow file or as
 * one Parquet file.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { type Interval, isInterval } from '../contract/market.ts'
import type { Candles } from '../engine/candles.ts'
import { Failure } from '../errors.ts'
import { partOf, renameOver } from '../system.ts'
import type { LoadedCandles } from './folder/folder.ts'
import { encodeMonth } from './folder/stored-months.ts'
import { integersOf, VALUE_COLUMNS } from './months.ts'

// Writes candles as one Parquet file: rows in time order and typed columns, so that pandas, polars, DuckDB and Spark need no parsing.

/** Rows of one group, which a reader can skip by its times without unpacking it: about ten weeks of minutes. */
const rowsPerGroup = 100_000

/**
 * Compressed by Snappy, which every reader supports. `timestamp` is the open time, ms UTC; the other columns are float64. The
 * file's metadata name market and interval, as those of a stored month do.
 */
function encodeParquet(
  candles: Candles,
  { market, interval, synthetic }: { market: string; interval: string; synthetic: boolean },
): Uint8Array {
  const bytes = parquetWriteBuffer({
    schema: [
      { name: 'root', num_children: 1 + VALUE_COLUMNS.length },
      {
        name: 'timestamp',
        type: 'INT64',
        repetition_type: 'REQUIRED',
        converted_type: 'TIMESTAMP_MILLIS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
      },
      ...VALUE_COLUMNS.map((name) => ({ name, type: 'DOUBLE' as const, repetition_type: 'REQUIRED' as const })),
    ],
    columnData: [
      { name: 'timestamp', data: integersOf(candles.openTime), encoding: 'PLAIN' },
      // A dictionary would replace −0 by 0.
      ...VALUE_COLUMNS.map((name) => ({ name, data: candles[name], encoding: 'PLAIN' as const })),
    ],
    codec: 'SNAPPY',
    rowGroupSize: rowsPerGroup,
    createdBy: 'dca-lab',
    kvMetadata: [
      { key: 'dcalab.market', value: market },
      { key: 'dcalab.interval', value: interval },
      { key: 'dcalab.synthetic', value: String(synthetic) },
    ],
  })
  return new Uint8Array(bytes)
}

/** The format that a file's ending asks for. @throws Failure usage for other names */
function formatOf(path: string): 'csv' | 'csv.gz' | 'arrow' | 'parquet' {
  if (path.endsWith('.csv')) return 'csv'
  if (path.endsWith('.csv.gz')) return 'csv.gz'
  if (path.endsWith('.arrow') || path.endsWith('.feather')) return 'arrow'
  if (path.endsWith('.parquet')) return 'parquet'
  throw new Failure('usage', `${path} names no format we write`, {
    hint: 'end it in .csv, .csv.gz, .arrow, .feather or .parquet',
  })
}

/** Writes the file whole or not at all. @returns its size in bytes. @throws Failure usage, storeUnusable */
export function exportCandles(path: string, loaded: LoadedCandles): number {
  const format = formatOf(path)
  const content = contentOf(format, loaded)
  try {
    mkdirSync(dirname(path), { recursive: true })
    const temporary = partOf(path)
    try {
      writeFileSync(temporary, content, { flag: 'wx' }) // `wx` does not follow a link that somebody may have put there
      renameOver(temporary, path)
    } finally {
      rmSync(temporary, { force: true }) // does nothing after the rename
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('storeUnusable', `cannot write ${path}: ${reason}`, { cause })
  }
  return content.length
}

function contentOf(format: ReturnType<typeof formatOf>, loaded: LoadedCandles): Uint8Array {
  const { candles, info } = loaded
  const { market, synthetic } = info
  const interval = asInterval(info.interval)
  if (format === 'arrow') return encodeMonth(candles, { market, interval, synthetic })
  if (format === 'parquet') return encodeParquet(candles, { market, interval, synthetic })
  const csv = Buffer.concat(Array.from(csvOf(loaded), (part) => Buffer.from(part))) // a string has 512 MB at most
  return format === 'csv.gz' ? gzipSync(csv) : csv
}

const rowsAtOnce = 10_000

/** CSV text in parts. Synthetic candles have a column `synthetic`, which an import reads. */
export function* csvOf({ candles, info }: LoadedCandles): Generator<string> {
  const label = info.synthetic ? ',1' : ''
  yield `timestamp,open,high,low,close,volume${info.synthetic ? ',synthetic' : ''}\n`
  const { openTime, open, high, low, close, volume } = candles
  for (let start = 0; start < openTime.length; start += rowsAtOnce) {
    let text = ''
    for (let i = start; i < Math.min(start + rowsAtOnce, openTime.length); i++) {
      text += `${openTime[i]},${open[i]},${high[i]},${low[i]},${close[i]},${volume[i]}${label}\n`
    }
    yield text
  }
}

function asInterval(name: string): Interval {
  if (isInterval(name)) return name
  throw new Error(`the folder answered the interval ${name}`)
}
