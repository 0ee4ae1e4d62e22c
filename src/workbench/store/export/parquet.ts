/** Rows as a Parquet file, one row group after the other, so that memory does not grow with the file. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import type { Cell, ColumnType, TypedColumn } from './view-rows.ts'

/** Undefined numbers are null; times are instants in UTC, to the millisecond; text is UTF-8. */
const TYPES: Readonly<Record<ColumnType, Omit<SchemaElement, 'name'>>> = {
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  yesNo: { type: 'BOOLEAN' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
}

export interface RowWriter {
  write(rows: readonly (readonly Cell[])[]): void
  end(): void
  /** Closes the file, also after a failure. */
  close(): void
}

/** A new file at `path`. Every `write` is a row group. Compressed by Snappy, which every reader supports. */
export function parquetFile(path: string, columns: readonly TypedColumn[]): RowWriter {
  const handle = openSync(path, 'wx')
  const writer = new ByteWriter()
  const flush = () => {
    writeAll(handle, writer.getBytes())
    writer.index = 0 // `offset` goes on: it is the place in the file
  }
  const file = new ParquetWriter({
    writer: Object.assign(writer, { flush, finish: flush }),
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, type }): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...TYPES[type] })),
    ],
    codec: 'SNAPPY',
    createdBy: 'dca-lab',
  })
  return {
    write: (rows) =>
      void file.write({
        columnData: columns.map(({ name, type }, i) => ({ name, data: rows.map((row) => parquetValue(row[i], type)) })),
        rowGroupSize: rows.length,
      }),
    end: () => void file.finish(),
    close: () => closeSync(handle),
  }
}

function writeAll(handle: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(handle, bytes, written)
}

function parquetValue(cell: Cell, type: ColumnType): unknown {
  if (cell === null) return null
  if (type === 'integer') return BigInt(cell)
  if (type === 'number') return Number(cell)
  if (type === 'yesNo') return cell === 1n
  return type === 'time' ? new Date(String(cell)) : String(cell)
}
