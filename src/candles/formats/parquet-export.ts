/** Writes candles as one Parquet file: rows in time order and typed columns, so that pandas, polars, DuckDB and Spark need no parsing. */
import { parquetWriteBuffer } from 'hyparquet-writer'
import type { Candles } from '../../engine/candles.ts'
import { integersOf } from '../int64-times.ts'
import { VALUE_COLUMNS } from '../months.ts'

/** Rows of one group, which a reader can skip by its times without unpacking it: about ten weeks of minutes. */
const rowsPerGroup = 100_000

/**
 * Compressed by Snappy, which every reader supports. `timestamp` is the open time, ms UTC; the other columns are float64. The
 * file's metadata name market and interval, as those of a stored month do.
 */
export function encodeParquet(
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
