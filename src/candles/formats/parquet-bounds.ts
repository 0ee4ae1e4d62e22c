/**
 * Checks whether the counts in the page headers of a Parquet file are possible. The library allocates these sizes before it reads
 * the page, so one wrong byte could make it ask for all the memory. Headers are structs of Thrift's compact protocol:
 * https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift, PageHeader.
 */

export interface ColumnChunk {
  /** Where the pages of the column begin and end in the file. */
  readonly start: number
  readonly end: number
  /** Rows of its row group; columns of candles are flat, so no page can hold more values. */
  readonly rows: number
  /** Bytes of all its pages, unpacked. */
  readonly unpacked: number
}

/** @throws Error when a page of the column claims more than the column has */
export function checkPages(bytes: Uint8Array, { start, end, rows, unpacked }: ColumnChunk): void {
  if (!(start >= 4 && end <= bytes.length)) throw new Error('its metadata point outside of it')
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

const i32 = 5
const structType = 12
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
