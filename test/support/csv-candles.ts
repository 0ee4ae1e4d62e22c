/** Reads the gzip CSV candle files beside the project; small on purpose, the importer in `src/candles` is what users have. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Candles } from '../../src/engine/candles.ts'

/**
 * Candles of a gzip CSV with one header line and the columns timestamp (open time, ms UTC), open, high, low, close, volume; others are not read.
 * Throws where the header differs or a cell is not a number: a test on misread candles proves nothing.
 */
export function readCsvCandles(path: string, intervalMs: number): Candles {
  const lines = gunzipSync(readFileSync(path)).toString('utf8').trimEnd().split('\n')
  const header = lines.shift()
  if (!/^timestamp,open,high,low,close,volume(,synthetic)?$/.test(header?.trim() ?? ''))
    throw new Error(`${path}: unknown header ${header}`)
  const columns = Array.from({ length: 6 }, () => new Float64Array(lines.length))
  lines.forEach((line, row) => {
    const cells = line.split(',')
    columns.forEach((column, index) => {
      column[row] = Number(cells[index])
      if (!Number.isFinite(column[row])) throw new Error(`${path}: line ${row + 2} holds ${line}`)
    })
  })
  const [openTime, open, high, low, close, volume] = columns
  return { intervalMs, openTime, open, high, low, close, volume }
}
