/** Rows as a Parquet file, one row group after the other, so that memory does not grow with the file. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import type { ColumnType, TypedColumn } from './view-rows.ts'

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

interface ColumnWriter {
  /** One array for each column, all of one length: a row group. */
  write(columns: readonly unknown[][]): void
  end(): void
  /** Closes the file, also after a failure. */
  close(): void
}

/**
 * The same, column by column; values as Parquet has them, null = undefined. Compressed by Snappy, which every reader supports.
 * @param facts about the whole file, by name, as they are at its end
 */
export function parquetColumnFile(
  path: string,
  columns: readonly TypedColumn[],
  facts: Readonly<Record<string, string>> = {},
): ColumnWriter {
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
    kvMetadata: [],
  })
  const { SNAPPY: compress } = file.compressors
  if (compress !== undefined) file.compressors.SNAPPY = (bytes) => compressed(bytes, compress)
  return {
    write: (data) =>
      void file.write({
        columnData: columns.map(({ name }, i) => ({ name, data: data[i] })),
        rowGroupSize: data[0].length,
      }),
    end: () => {
      file.kvMetadata = Object.entries(facts).map(([key, value]) => ({ key, value }))
      void file.finish()
    },
    close: () => closeSync(handle),
  }
}

function writeAll(handle: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(handle, bytes, written)
}

/** Of fingerprints and most metrics nothing can be spared, and to find that out takes longer than all else that is written. */
const sampleBytes = 8192

/** What cannot be made a tenth smaller is one literal of Snappy: its length, 7 bits at a time, then a tag with the four bytes of its length less one. */
function compressed(bytes: Uint8Array, compress: (bytes: Uint8Array) => Uint8Array): Uint8Array {
  const sample = bytes.subarray(bytes.length >> 1).subarray(0, sampleBytes)
  if (bytes.length < 2 * sampleBytes || compress(sample).length < 0.9 * sampleBytes) return compress(bytes)
  const literal = new ByteWriter(bytes.length + 10)
  literal.appendVarInt(bytes.length)
  literal.appendUint8(0xfc)
  literal.appendUint32(bytes.length - 1)
  literal.appendBytes(bytes)
  return literal.getBytes()
}
