/** Parquet files with candle columns, as pandas, polars, DuckDB and Spark write them. Our own exports name their market and interval. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type Compressors, parquetMetadataAsync, parquetRead, type RowGroup } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { LARGEST_FILE } from './file-bytes.ts'
import type { ProblemList, RawFile, RowRules } from './row-collector.ts'
import { candleColumnNames, decodeZstd, rowsOfTable } from './table.ts'

// Checks whether the counts in the page headers of a Parquet file are possible. The library allocates these sizes before it reads
// the page, so one wrong byte could make it ask for all the memory. Headers are structs of Thrift's compact protocol:
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift, PageHeader.

interface ColumnChunk {
  /** Where the pages of the column begin and end in the file. */
  readonly start: number
  readonly end: number
  /** Rows of its row group; columns of candles are flat, so no page can hold more values. */
  readonly rows: number
  /** Bytes of all its pages, unpacked. */
  readonly unpacked: number
}

/** @throws Error when a page of the column claims more than the column has */
function checkPages(bytes: Uint8Array, { start, end, rows, unpacked }: ColumnChunk): void {
  if (!(start >= 4 && end <= bytes.length)) throw new Error('its metadata names bytes beyond its end')
  let values = 0
  let size = 0
  for (let at = start; at < end; ) {
    const page = readPageHeader(bytes, at, end)
    size += page.unpacked
    if (page.isData) values += page.values
    if (page.packed < 0 || page.unpacked < 0 || page.values < 0) throw new Error('a page in it is damaged')
    if (page.bodyStart + page.packed > end || size > unpacked)
      throw new Error('a page in it claims more bytes than there are')
    if (values > rows || page.values > page.unpacked * 8 + rows)
      throw new Error('a page in it claims more rows than there are')
    at = page.bodyStart + page.packed
  }
  if (values !== rows) throw new Error(`a column in it has ${values} rows of ${rows}`)
}

interface PageHeader {
  readonly unpacked: number
  readonly packed: number
  readonly values: number
  readonly isData: boolean
  readonly bodyStart: number
}

const i32 = 5
const structType = 12

function readPageHeader(bytes: Uint8Array, start: number, end: number): PageHeader {
  const reader = createReader(bytes, start, end)
  const header = { unpacked: -1, packed: -1, values: -1, isData: false }
  reader.struct((field, type) => {
    if (field === 2 && type === i32) header.unpacked = reader.zigzag()
    else if (field === 3 && type === i32) header.packed = reader.zigzag()
    else if ((field === 5 || field === 7 || field === 8) && type === structType) {
      header.isData = field !== 7 // 7 is a dictionary
      reader.struct((inner, innerType) => {
        if (inner === 1 && innerType === i32) header.values = reader.zigzag()
        else reader.skip(innerType, 0)
      })
    } else reader.skip(type, 0)
  })
  return { ...header, bodyStart: reader.position() }
}

const deepest = 8

function createReader(bytes: Uint8Array, start: number, end: number) {
  let at = start
  const byte = (): number => {
    if (at >= end) throw new Error('a page header in it is cut short')
    return bytes[at++]
  }
  const varint = (): number => {
    let value = 0
    for (let shift = 0; shift < 63; shift += 7) {
      const next = byte()
      value += (next & 127) * 2 ** shift
      if (next < 128) return value
    }
    throw new Error('a page header in it is damaged')
  }
  const zigzag = (): number => {
    const value = varint()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
  const skipBytes = (count: number): void => {
    at += count
    if (at > end) throw new Error('a page header in it is cut short')
  }
  const struct = (field: (id: number, type: number) => void): void => {
    for (let id = 0; ; ) {
      const head = byte()
      if (head === 0) return
      id = head >> 4 === 0 ? zigzag() : id + (head >> 4)
      field(id, head & 15)
    }
  }
  /** Types 1 and 2 are a boolean in the field's head. */
  const skip = (type: number, depth: number): void => {
    if (depth > deepest) throw new Error('a page header in it is damaged')
    if (type === 1 || type === 2) return
    if (type === 3) skipBytes(1)
    else if (type >= 4 && type <= 6) varint()
    else if (type === 7) skipBytes(8)
    else if (type === 8) skipBytes(varint())
    else if (type === structType) struct((_, inner) => skip(inner, depth + 1))
    else throw new Error('a page header in it is damaged') // page headers contain no lists and no maps
  }
  return { position: () => at, zigzag, struct, skip }
}

/** Thirty years of minutes. */
const mostRows = 16_000_000

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
  const stated = (key: string): string | null =>
    metadata.key_value_metadata?.find((entry) => entry.key === `dcalab.${key}`)?.value ?? null
  const synthetic = stated('synthetic') === 'true'
  const series = [{ ...rows, market: stated('market'), symbol: null, interval: stated('interval'), synthetic }]
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
