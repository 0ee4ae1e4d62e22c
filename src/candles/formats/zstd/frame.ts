/**
 * Zstandard frames (RFC 8878), decoded into a buffer of known size. Every loop is limited by the bits that exist or by the bytes
 * that are asked for, and no size in the data decides how much memory is allocated. So damaged data soon end in an error.
 */
import { PADDING } from './bits.ts'
import type { HuffmanTable } from './huffman.ts'
import { readLiterals } from './literals.ts'
import { type Memory, type Output, writeSequences } from './sequences.ts'
import { xxh64 } from './xxh64.ts'

const magic = 0xfd2fb528
/** Sixteen magic numbers mark frames that decoders skip. */
const skippable = 0x184d2a50
const largestBlock = 128 * 1024
/** A block that repeats one byte takes four bytes. */
const smallestBlock = 4

/** The `size` bytes that one or more frames hold. @throws Error when they are damaged or hold another number of bytes */
export function decodeZstd(packed: Uint8Array, size: number): Uint8Array {
  if (size > (packed.length / smallestBlock) * largestBlock)
    throw new Error(`${packed.length} bytes of ZSTD cannot hold ${size}`)
  const bytes = new Uint8Array(size)
  const scratch = new Uint8Array(largestBlock + PADDING)
  let written = 0
  for (let at = 0; at < packed.length; ) {
    const head = wordAt(packed, at)
    if (head >>> 4 === skippable >>> 4) {
      at += 8 + wordAt(packed, at + 4)
      if (at > packed.length) throw new Error('a ZSTD frame is cut short')
      continue
    }
    if (head !== magic) throw new Error('it is not a ZSTD frame')
    const output = { bytes, start: written, at: written }
    at = decodeFrame(packed, at + 4, output, scratch)
    written = output.at
  }
  if (written !== size) throw new Error(`ZSTD frames of ${written} bytes, expected ${size}`)
  return bytes
}

/** @returns where the frame ends */
function decodeFrame(packed: Uint8Array, start: number, output: Output, scratch: Uint8Array): number {
  const { window, contentSize, hasChecksum, end } = readHeader(packed, start)
  const limit = contentSize === null ? output.bytes.length : output.start + contentSize
  if (limit > output.bytes.length) throw new Error('a ZSTD frame holds more than its page')
  const mostPerBlock = Math.min(window, largestBlock)
  const memory: FrameMemory = { sequences: { tables: null, distances: [1, 4, 8] }, code: null }
  let at = end
  for (let isLast = false; !isLast; ) {
    if (at + 3 > packed.length) throw new Error('a ZSTD frame is cut short')
    const head = packed[at] | (packed[at + 1] << 8) | (packed[at + 2] << 16)
    isLast = (head & 1) === 1
    const kind = (head >> 1) & 3
    const size = head >> 3
    const bodyEnd = at + 3 + (kind === 1 ? 1 : size)
    if (kind === 3 || size > mostPerBlock) throw new Error('a ZSTD block is damaged')
    if (bodyEnd > packed.length) throw new Error('a ZSTD frame is cut short')
    const body = packed.subarray(at + 3, bodyEnd)
    const most = Math.min(limit, output.at + mostPerBlock)
    if (kind === 2) decodeBlock(body, output, most, memory, scratch)
    else copyBlock(body, size, output, most)
    at = bodyEnd
  }
  if (contentSize !== null && output.at !== limit) throw new Error('a ZSTD frame holds less than it says')
  if (!hasChecksum) return at
  if (at + 4 > packed.length) throw new Error('a ZSTD frame is cut short')
  const sum = xxh64(output.bytes.subarray(output.start, output.at))
  if (Number(BigInt.asUintN(32, sum)) !== wordAt(packed, at)) throw new Error('the checksum of a ZSTD frame is wrong')
  return at + 4
}

interface FrameMemory {
  readonly sequences: Memory
  code: HuffmanTable | null
}

function copyBlock(body: Uint8Array, size: number, output: Output, most: number): void {
  if (output.at + size > most) throw new Error('a ZSTD block holds more than its page')
  if (body.length === size) output.bytes.set(body, output.at)
  else output.bytes.fill(body[0], output.at, output.at + size)
  output.at += size
}

function decodeBlock(body: Uint8Array, output: Output, most: number, memory: FrameMemory, scratch: Uint8Array): void {
  if (body.length < 2) throw new Error('a ZSTD block is damaged')
  scratch.set(body)
  scratch.fill(0, body.length, body.length + PADDING)
  const literals = readLiterals(scratch, body.length, most - output.at, memory.code)
  memory.code = literals.code
  const section = { block: scratch, start: literals.end, end: body.length }
  writeSequences(section, literals.bytes, output, most, memory.sequences)
}

interface Header {
  /** How many bytes a match may reach back. A decoded block is not longer than this either. */
  readonly window: number
  readonly contentSize: number | null
  readonly hasChecksum: boolean
  readonly end: number
}

function readHeader(packed: Uint8Array, start: number): Header {
  if (start >= packed.length) throw new Error('a ZSTD frame is cut short')
  const flags = packed[start]
  const isSingle = (flags & 32) !== 0
  if ((flags & 8) !== 0) throw new Error('a ZSTD frame is of a kind that nobody has defined')
  if ((flags & 3) !== 0) throw new Error('a ZSTD frame needs a dictionary')
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][flags >> 6]
  const sizeAt = start + (isSingle ? 1 : 2)
  const end = sizeAt + sizeBytes
  if (end > packed.length) throw new Error('a ZSTD frame is cut short')
  let contentSize = sizeBytes === 2 ? 256 : 0
  for (let i = 0; i < sizeBytes; i++) contentSize += packed[sizeAt + i] * 2 ** (8 * i)
  const exponent = packed[start + 1] >> 3
  const window = isSingle ? contentSize : 2 ** (10 + exponent) * (1 + (packed[start + 1] & 7) / 8)
  return { window, contentSize: sizeBytes === 0 ? null : contentSize, hasChecksum: (flags & 4) !== 0, end }
}

function wordAt(bytes: Uint8Array, at: number): number {
  if (at + 4 > bytes.length) throw new Error('a ZSTD frame is cut short')
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0
}
