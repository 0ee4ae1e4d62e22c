/**
 * Arrow IPC files, Feather version 2 among them (freqtrade), plain or compressed by LZ4 or ZSTD. Our own month files name their
 * market and interval.
 */
import { CompressionType, setCompressionCodec, tableFromIPC } from '@uwdata/flechette'
import { LARGEST_FILE } from './file-bytes.ts'
import type { ProblemList, RawFile, RowRules } from './row-collector.ts'
import { decodeZstd, rowsOfTable } from './table.ts'

// Checks whether the counts in an Arrow file are possible. Its metadata are flatbuffers without checksums, and the library trusts
// every count: one wrong byte in a damaged file makes it loop two thousand million times. Here each vector that the library reads
// must be inside the file and must not have more entries than a table of candles needs. Layout: File.fbs, Schema.fbs and
// Message.fbs of Apache Arrow.

const mostColumns = 1000
const mostBatches = 100_000
const magic = 'ARROW1'

/** @throws Error (RangeError where an offset points outside) unless every count fits the file */
function checkArrowBounds(bytes: Uint8Array): void {
  const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = bytes.length - magic.length
  if (end < 20 || Buffer.from(bytes.subarray(end)).toString('latin1') !== magic) throw new Error('it is cut short')
  const footer = end - 4 - file.getInt32(end - 4, true)
  if (footer < 8 || footer >= end - 4) throw new Error('its footer is damaged')
  checkSchema(file, fieldAt(file, footer, 6))
  checkVector(file, footer, 12, 4, mostColumns)
  for (const field of [8, 10]) {
    const blocks = checkVector(file, footer, field, 24, mostBatches)
    for (let i = 0; i < blocks.count; i++) checkMessage(bytes, Number(file.getBigInt64(blocks.start + 24 * i, true)))
  }
}

function checkSchema(flat: DataView, schema: number | undefined): void {
  if (schema === undefined) throw new Error('it has no schema')
  checkVector(flat, schema, 8, 4, mostColumns)
  const fields = checkVector(flat, schema, 6, 4, mostColumns)
  for (let i = 0; i < fields.count; i++) {
    const field = fields.start + 4 * i
    checkVector(flat, field, 16, 4, mostColumns)
    if (checkVector(flat, field, 14, 4, mostColumns).count > 0) throw new Error('its columns are nested')
  }
}

/** A record batch, or a dictionary batch, which holds one. */
function checkMessage(bytes: Uint8Array, offset: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isMarked = view.getInt32(offset, true) === -1
  const start = offset + (isMarked ? 8 : 4)
  const length = view.getInt32(start - 4, true)
  if (length < 8 || start + length > bytes.length) throw new Error('a message in it is damaged')
  const flat = new DataView(bytes.buffer, bytes.byteOffset + start, length)
  const kind = fieldAt(flat, 0, 6)
  const header = fieldAt(flat, 0, 8)
  if (kind === undefined || header === undefined) throw new Error('a message in it is damaged')
  const batch = flat.getUint8(kind) === 2 ? fieldAt(flat, header, 6) : header
  if (batch === undefined) throw new Error('a message in it is damaged')
  checkVector(flat, batch, 6, 16, mostColumns)
  checkVector(flat, batch, 8, 16, 4 * mostColumns)
  checkVector(flat, batch, 12, 8, mostColumns)
}

/** Returns where the vector in a table's field begins and how many entries it has; 0 when the field is absent. */
function checkVector(
  flat: DataView,
  table: number,
  field: number,
  stride: number,
  most: number,
): { start: number; count: number } {
  const at = fieldAt(flat, table, field)
  if (at === undefined) return { start: 0, count: 0 }
  const vector = at + flat.getInt32(at, true)
  const count = flat.getInt32(vector, true)
  const start = vector + 4
  if (count < 0 || count > most || start + count * stride > flat.byteLength) {
    throw new Error(`its metadata claim ${count} entries where ${most} are the most we read`)
  }
  return { start, count }
}

/** Position of a field in the table that the offset at `reference` points to; undefined when the table does not have it. */
function fieldAt(flat: DataView, reference: number, field: number): number | undefined {
  const table = reference + flat.getInt32(reference, true)
  const vtable = table - flat.getInt32(table, true)
  if (field >= flat.getInt16(vtable, true)) return undefined
  const offset = flat.getInt16(vtable + field, true)
  return offset === 0 ? undefined : table + offset
}

// LZ4 frames, as Arrow and Feather files hold them. Our packages decode only single blocks. In frames written by Arrow a match
// may reach back into the block before, so blocks are decoded one after the other into one output. Format:
// https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md and lz4_Block_format.md.

const lz4Magic = 0x184d2204

/** The `size` bytes that a frame holds. @throws Error when it is damaged or holds another number of bytes */
export function decodeLz4Frame(frame: Uint8Array, size: number): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  if (frame.length < 11 || view.getUint32(0, true) !== lz4Magic) throw new Error('not an LZ4 frame')
  const flags = frame[4]
  const hasBlockChecksums = (flags & 0x10) !== 0
  const hasContentSize = (flags & 0x08) !== 0
  const hasDictionary = (flags & 0x01) !== 0
  if (flags >> 6 !== 1 || hasDictionary) throw new Error('an LZ4 frame of a kind we do not read')
  const output = new Uint8Array(size)
  let written = 0
  for (let at = 7 + (hasContentSize ? 8 : 0); ; ) {
    if (at + 4 > frame.length) throw new Error('an LZ4 frame that is cut short')
    const head = view.getUint32(at, true)
    at += 4
    if (head === 0) break
    const length = head & 0x7fffffff
    if (at + length > frame.length) throw new Error('an LZ4 frame that is cut short')
    const block = frame.subarray(at, at + length)
    const isStored = head >>> 31 === 1
    written = isStored ? store(block, output, written) : decodeBlock(block, output, written)
    at += length + (hasBlockChecksums ? 4 : 0)
  }
  if (written !== size) throw new Error(`an LZ4 frame of ${written} bytes, expected ${size}`)
  return output
}

function store(block: Uint8Array, output: Uint8Array, written: number): number {
  if (written + block.length > output.length) throw tooLong()
  output.set(block, written)
  return written + block.length
}

/** Appends the decoded block to `output` and returns the new end. */
function decodeBlock(block: Uint8Array, output: Uint8Array, written: number): number {
  let at = 0
  let end = written
  /** A length of 15 continues in the following bytes, up to the first one below 255. */
  const longer = (length: number): number => {
    let total = length
    for (let byte = 255; byte === 255; total += byte) {
      if (at >= block.length) throw new Error('an LZ4 block that is cut short')
      byte = block[at++]
    }
    return total
  }
  while (at < block.length) {
    const token = block[at++]
    const literals = token >> 4 === 15 ? longer(15) : token >> 4
    if (at + literals > block.length) throw new Error('an LZ4 block that is cut short')
    end = store(block.subarray(at, at + literals), output, end)
    at += literals
    if (at === block.length) break // the last sequence ends with its literals
    if (at + 2 > block.length) throw new Error('an LZ4 block that is cut short')
    const distance = block[at] + block[at + 1] * 256
    at += 2
    const length = 4 + ((token & 15) === 15 ? longer(15) : token & 15)
    if (distance === 0 || distance > end) throw new Error('an LZ4 match that reaches back too far')
    if (end + length > output.length) throw tooLong()
    // Copied byte by byte where the match overlaps its own output: LZ4 repeats a pattern in this way.
    if (distance >= length) output.copyWithin(end, end - distance, end - distance + length)
    else for (let i = 0; i < length; i++) output[end + i] = output[end + i - distance]
    end += length
  }
  return end
}

function tooLong(): Error {
  return new Error('an LZ4 frame that holds more than it says')
}

setCompressionCodec(CompressionType.LZ4_FRAME, {
  decode: (bytes, size) => decodeLz4Frame(bytes, checkedSize(size)),
  encode: refuseToEncode,
})
setCompressionCodec(CompressionType.ZSTD, {
  decode: (bytes, size) => decodeZstd(bytes, checkedSize(size)),
  encode: refuseToEncode,
})

/** @throws Error when the bytes are no Arrow file with candle columns */
export function readArrowFile(bytes: Uint8Array, rules: RowRules, problems: ProblemList): RawFile {
  checkArrowBounds(bytes)
  const table = tableFromIPC(bytes, { useBigInt: true })
  const { names } = table
  const stated = (key: string): string | null => table.schema.metadata?.get(`dcalab.${key}`) ?? null
  const column = (name: string): ArrayLike<unknown> => {
    const child = table.getChild(name)
    for (const { length, values } of child.data) {
      // A value takes at least a byte, so a damaged length is found before a loop runs up to it.
      if (values !== undefined && values.length < length) throw new Error(`its column ${name} holds less than it says`)
    }
    return child.toArray()
  }
  const rows = rowsOfTable({ count: table.numRows, names, column }, rules, problems)
  return {
    layout: 'arrow',
    series: [
      {
        ...rows,
        market: stated('market'),
        symbol: null,
        interval: stated('interval'),
        synthetic: stated('synthetic') === 'true',
      },
    ],
    holdsConflicts: false,
  }
}

/** The size comes from the file, so it is checked before memory is allocated. */
function checkedSize(size: number): number {
  if (Number.isSafeInteger(size) && size >= 0 && size <= LARGEST_FILE) return size
  throw new Error(`a compressed column that claims ${size} bytes`)
}

function refuseToEncode(): never {
  throw new Error('what we write is not compressed')
}
