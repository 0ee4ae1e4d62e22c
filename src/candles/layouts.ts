/** The CSV layouts we read, recognised by their first line. A new one is a row here when its cells are decimal numbers. */

/** What a column of a file means to us; null = not read. */
export type CsvColumn = 'openTime' | 'open' | 'high' | 'low' | 'close' | 'volume'

export interface CsvLayout {
  readonly name: 'normalised' | 'binance-vision'
  readonly columns: readonly (CsvColumn | null)[]
  readonly hasHeader: boolean
}

const ohlcv = ['openTime', 'open', 'high', 'low', 'close', 'volume'] as const
const binanceColumns = [...ohlcv, null, null, null, null, null, null]

/** For people who gave us something else. */
export const KNOWN_LAYOUTS =
  'CSV with the header timestamp,open,high,low,close,volume (open time in ms, s or µs UTC), ' +
  'and Binance Vision klines (12 columns, with or without header); each plain or gzip'

/** The layout that a first line tells, or undefined. */
export function findCsvLayout(firstLine: string): CsvLayout | undefined {
  const cells = firstLine.split(',').map((cell) => cell.trim().toLowerCase())
  const opening = cells.slice(0, 6).join(',')
  if (cells.length === 6 && opening === 'timestamp,open,high,low,close,volume') {
    return { name: 'normalised', columns: ohlcv, hasHeader: true }
  }
  if (cells.length !== 12) return undefined
  // The names after the volume have changed over the years; what we read has not.
  const hasHeader = opening === 'open_time,open,high,low,close,volume'
  const isKline = /^\d{10,16}(?:,[^,]*){5},\d{10,16}(?:,[^,]*){5}$/.test(cells.join(','))
  return hasHeader || isKline ? { name: 'binance-vision', columns: binanceColumns, hasHeader } : undefined
}
