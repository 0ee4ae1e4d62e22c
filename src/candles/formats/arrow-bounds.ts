/**
 * Checks whether the counts in an Arrow file are possible. Its metadata are flatbuffers without checksums, and the library trusts
 * every count: one wrong byte in a damaged file makes it loop two thousand million times. Here each vector that the library reads
 * must be inside the file and must not have more entries than a table of candles needs. Layout: File.fbs, Schema.fbs and
 * Message.fbs of Apache Arrow.
 */

const mostColumns = 1000
const mostBatches = 100_000
const magic = 'ARROW1'

/** @throws Error (RangeError where an offset points outside) unless every count fits the file */
export function checkArrowBounds(bytes: Uint8Array): void {
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
