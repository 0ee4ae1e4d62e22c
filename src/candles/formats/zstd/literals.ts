/** The literals of a block (RFC 8878, 3.1.1.3.1): the bytes that its sequences copy one after the other. */
import { openBackward } from './bits.ts'
import { decodeHuffman, type HuffmanTable, readHuffmanTable } from './huffman.ts'

export interface Literals {
  readonly bytes: Uint8Array
  /** Where the section ends: the index of the first byte after it. */
  readonly end: number
  /** The Huffman code, which a later block may use again. */
  readonly code: HuffmanTable | null
}

/**
 * Bytes 0 … limit − 1 are the block. `most` = how many literals the block may hold. `known` = the code of an earlier block of the frame.
 * @throws Error when they are damaged
 */
export function readLiterals(block: Uint8Array, limit: number, most: number, known: HuffmanTable | null): Literals {
  const kind = block[0] & 3
  const format = (block[0] >> 2) & 3
  if (kind < 2) {
    const headBytes = format === 3 ? 3 : format === 1 ? 2 : 1
    const size =
      headBytes === 1 ? block[0] >> 3 : (block[0] >> 4) + (block[1] << 4) + (headBytes === 3 ? block[2] << 12 : 0)
    const end = headBytes + (kind === 0 ? size : 1)
    if (end > limit || size > most) throw new Error('ZSTD literals are cut short')
    const bytes = kind === 0 ? block.slice(headBytes, end) : new Uint8Array(size).fill(block[headBytes])
    return { bytes, end, code: known }
  }
  const headBytes = format < 2 ? 3 : format + 2
  const width = format < 2 ? 10 : format === 2 ? 14 : 18
  const head =
    block[0] +
    block[1] * 2 ** 8 +
    block[2] * 2 ** 16 +
    (headBytes > 3 ? block[3] * 2 ** 24 : 0) +
    (headBytes > 4 ? block[4] * 2 ** 32 : 0)
  const size = Math.floor(head / 2 ** 4) % 2 ** width
  const end = headBytes + (Math.floor(head / 2 ** (4 + width)) % 2 ** width)
  if (end > limit || size > most) throw new Error('ZSTD literals are cut short')
  const described = kind === 2 ? readHuffmanTable(block, headBytes, end) : { table: known, end: headBytes }
  if (described.table === null) throw new Error('ZSTD literals refer to a code that was never given')
  const bytes = new Uint8Array(size)
  decodeStreams(block, { start: described.end, end, isSingle: format === 0 }, described.table, bytes)
  return { bytes, end, code: described.table }
}

interface Streams {
  readonly start: number
  readonly end: number
  readonly isSingle: boolean
}

/** The literals are one stream, or four that decode to equal numbers of bytes; the last of the four may decode to fewer. */
function decodeStreams(
  block: Uint8Array,
  { start, end, isSingle }: Streams,
  code: HuffmanTable,
  out: Uint8Array,
): void {
  if (isSingle) {
    decodeHuffman(openBackward(block, start, end), code, out)
    return
  }
  const share = (out.length + 3) >> 2
  let from = start + 6
  for (let i = 0; i < 4; i++) {
    const size = block[start + 2 * i] + (block[start + 2 * i + 1] << 8)
    const to = i === 3 ? end : from + size
    if (to > end || 3 * share > out.length) throw new Error('ZSTD literals are damaged')
    decodeHuffman(openBackward(block, from, to), code, out.subarray(i * share, i === 3 ? out.length : (i + 1) * share))
    from = to
  }
}
