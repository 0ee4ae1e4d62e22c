/** Reads tables with named columns (Arrow, Feather, Parquet) as rows of candles, and unpacks what they compress by Zstandard. */

import { zstdDecompressSync } from 'node:zlib'
import { CANDLE_COLUMNS, findCandleColumns } from './column-names.ts'
import { type CollectedRows, createRowCollector, type ProblemList, type RowRules } from './row-collector.ts'
import { parseTimeText } from './written-time.ts'

/** Columns of `count` values each; values have the JavaScript type of the file's type. */
interface FileTable {
  readonly count: number
  readonly names: readonly string[]
  column(name: string): ArrayLike<unknown>
}

/** The names of the six columns in a table, in the order of `CANDLE_COLUMNS`. @throws Error when one is missing */
export function candleColumnNames(names: readonly string[]): string[] {
  const found = findCandleColumns(names)
  if ('at' in found) return CANDLE_COLUMNS.map((column) => names[found.at[column]])
  throw new Error(`its columns (${names.join(', ').slice(0, 200)}) hold no ${found.lacks}, or two`)
}

/** @throws Error when a column of a candle is missing */
export function rowsOfTable(table: FileTable, rules: RowRules, problems: ProblemList): CollectedRows {
  const columns = candleColumnNames(table.names).map((name) => table.column(name))
  const collector = createRowCollector(table.count, rules, problems)
  const cells = new Float64Array(6)
  for (let row = 0; row < table.count; row++) {
    const broken = columns.findIndex((column, i) => {
      cells[i] = i === 0 ? timeOf(column[row]) : numberOf(column[row])
      return Number.isNaN(cells[i])
    })
    if (broken === -1) collector.add(row + 1, cells)
    else {
      const shown = String(columns[broken][row]).slice(0, 40)
      problems.add(
        row + 1,
        'unreadable',
        `${CANDLE_COLUMNS[broken]} is not a ${broken === 0 ? 'time' : 'number'}: ${shown}`,
      )
    }
  }
  return collector.finish()
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'bigint' ? Number(value) : Number.NaN
}

function timeOf(value: unknown): number {
  if (value instanceof Date) return value.getTime()
  if (typeof value !== 'string') return numberOf(value)
  const bytes = Buffer.from(value)
  return parseTimeText(bytes, 0, bytes.length)
}

// Zstandard frames (RFC 8878), decoded by Node. Its decoder stops at the size that is asked for, so no size in the data decides how
// much memory is allocated. Node before 24 takes a frame that is cut short for a whole one, and Node before 26 reads the first of
// several frames only: the number of bytes shows both.

/** The `size` bytes that `packed` holds. @throws Error when it is damaged or holds another number of bytes */
export function decodeZstd(packed: Uint8Array, size: number): Uint8Array {
  const bytes = unpackAtMost(packed, size)
  if (bytes.length !== size) throw new Error(`ZSTD data of ${bytes.length} bytes, expected ${size}`)
  return bytes
}

function unpackAtMost(packed: Uint8Array, size: number): Uint8Array {
  try {
    return zstdDecompressSync(packed, { maxOutputLength: Math.max(1, size) })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`ZSTD data cannot be unpacked to ${size} bytes (${reason})`, { cause: error })
  }
}
