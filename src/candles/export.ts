/** Candles out of the folder, for other programs: CSV (plain or gzip) that we read back to the last digit, or one Arrow file. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Interval, isInterval } from '../contract/market.ts'
import type { Candles } from '../engine/candles.ts'
import { Failure } from '../errors.ts'
import type { LoadedCandles } from './folder.ts'
import { encodeMonth } from './month-file.ts'

/** What a file's name says about its format. @throws Failure usage for other names */
function formatOf(path: string): 'csv' | 'csv.gz' | 'arrow' {
  if (path.endsWith('.csv')) return 'csv'
  if (path.endsWith('.csv.gz')) return 'csv.gz'
  if (path.endsWith('.arrow') || path.endsWith('.feather')) return 'arrow'
  throw new Failure('usage', `${path} names no format we write`, {
    hint: 'end it in .csv, .csv.gz, .arrow or .feather',
  })
}

/** Writes the file whole or not at all. @returns its size in bytes. @throws Failure usage, storeUnusable */
export function exportCandles(path: string, loaded: LoadedCandles): number {
  const format = formatOf(path)
  const bytes = format === 'arrow' ? arrowOf(loaded) : Buffer.from([...csvOf(loaded)].join(''))
  const content = format === 'csv.gz' ? gzipSync(bytes) : bytes
  const temporary = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(path), { recursive: true })
    try {
      writeFileSync(temporary, content)
      renameSync(temporary, path)
    } finally {
      rmSync(temporary, { force: true }) // gone after the rename
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('storeUnusable', `cannot write ${path}: ${reason}`, { cause })
  }
  return content.length
}

const rowsAtOnce = 10_000

/** CSV text in parts. Synthetic candles carry a column that says so, and that an import reads. */
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

function arrowOf({ candles, info }: { readonly candles: Candles; readonly info: LoadedCandles['info'] }): Uint8Array {
  const { market, synthetic } = info
  return encodeMonth(candles, { market, interval: asInterval(info.interval), synthetic })
}

function asInterval(name: string): Interval {
  if (isInterval(name)) return name
  throw new Error(`the folder answered the interval ${name}`)
}
