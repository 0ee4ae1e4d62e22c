/** Parquet files with candle columns, as pandas, polars, DuckDB and Spark write them. Our own exports name their market and interval. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type Compressors, parquetMetadataAsync, parquetRead, type RowGroup } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { LARGEST_FILE } from './file-bytes.ts'
import { checkPages } from './parquet-bounds.ts'
import type { ProblemList } from './problems.ts'
import type { RawFile } from './raw-series.ts'
import type { RowRules } from './row-collector.ts'
import { candleColumnNames, rowsOfTable } from './table.ts'
import { decodeZstd } from './zstd.ts'

/** Thirty years of minutes. */
const mostRows = 16_000_000

/** @throws Error when the bytes are no Parquet file with candle columns */
export async function readParquetFile(bytes: Uint8Array, rules: RowRules, problems: ProblemList): Promise<RawFile> {
  // The library reads a whole ArrayBuffer, and our bytes may be a part of one.
  const buffer = new Uint8Array(bytes).buffer
  const metadata = await parquetMetadataAsync(buffer)
  const count = Number(metadata.num_rows)
  const unpacked = metadata.row_groups
    .flatMap(({ columns }) => columns)
    .reduce((sum, { meta_data }) => sum + Number(meta_data?.total_uncompressed_size ?? 0), 0)
  if (!(count >= 0 && count <= mostRows && unpacked <= LARGEST_FILE)) {
    throw new Error(`it claims ${count} rows in ${unpacked} bytes, more than we read at once`)
  }
  const [root, ...elements] = metadata.schema
  const names = elements.filter(({ num_children }) => num_children === undefined).map(({ name }) => name)
  if (root === undefined || names.length !== elements.length) throw new Error('its columns are nested')
  const wanted = candleColumnNames(names)
  for (const group of metadata.row_groups) checkGroup(bytes, group, wanted)
  const columns = new Map(wanted.map((name) => [name, new Array<unknown>(count)]))
  await parquetRead({
    file: buffer,
    metadata,
    columns: wanted,
    compressors: codecs,
    parsers,
    onChunk: ({ columnName, columnData, rowStart }) => {
      const column = columns.get(columnName)
      for (let i = 0; column !== undefined && i < columnData.length; i++) column[rowStart + i] = columnData[i]
    },
  })
  const rows = rowsOfTable({ count, names: wanted, column: (name) => columns.get(name) ?? [] }, rules, problems)
  const told = (key: string): string | null =>
    metadata.key_value_metadata?.find((entry) => entry.key === `dcalab.${key}`)?.value ?? null
  const synthetic = told('synthetic') === 'true'
  const series = [{ ...rows, market: told('market'), symbol: null, interval: told('interval'), synthetic }]
  return { layout: 'parquet', series, holdsConflicts: false }
}

function checkGroup(bytes: Uint8Array, { columns, num_rows }: RowGroup, wanted: readonly string[]): void {
  for (const { meta_data, file_path } of columns) {
    if (meta_data === undefined || file_path !== undefined) throw new Error('its columns lie in other files')
    if (!wanted.includes(meta_data.path_in_schema.join('.'))) continue
    const { data_page_offset, dictionary_page_offset, total_compressed_size, total_uncompressed_size } = meta_data
    // Some writers put 0 where there is no dictionary.
    const start = Number(dictionary_page_offset ? dictionary_page_offset : data_page_offset)
    const end = start + Number(total_compressed_size)
    checkPages(bytes, { start, end, rows: Number(num_rows), unpacked: Number(total_uncompressed_size) })
  }
}

/** Where Node or we have a decoder that stops at the stated size of a page, it replaces the library's, which does not. */
const codecs: Compressors = {
  ...compressors,
  ZSTD: decodeZstd,
  GZIP: (bytes, size) => gunzipSync(bytes, { maxOutputLength: Math.max(1, size) }),
  BROTLI: (bytes, size) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(1, size) }),
}

/** Returns times as ms in a number, because the default creates a `Date` for every row. */
const parsers = {
  timestampFromMilliseconds: (ms: bigint) => Number(ms),
  timestampFromMicroseconds: (us: bigint) => Number(us) / 1000,
  timestampFromNanoseconds: (ns: bigint) => Number(ns / 1000n) / 1000,
  dateFromDays: (days: number) => days * 86_400_000,
}
