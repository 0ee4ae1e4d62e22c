/**
 * The two ways in which Zstandard reads bits (RFC 8878, 4.1 and 4.2): table descriptions forwards, everything else backwards,
 * from the end of a stream to its start. The buffer has `PADDING` zero bytes behind the block, so that four bytes can always be
 * read at once.
 */

export const PADDING = 8

/** A stream that is read from its end. Bits are counted from the start of the buffer. */
export interface BackwardBits {
  readonly bytes: Uint8Array
  /** The first bit of the stream. */
  readonly floor: number
  /** Bits from here on have been read. It is below `floor` when more bits were read than the stream has; these are zeros. */
  at: number
}

/** @throws Error unless the last byte has the bit that marks the end */
export function openBackward(bytes: Uint8Array, start: number, end: number): BackwardBits {
  const last = end > start ? bytes[end - 1] : 0
  if (last === 0) throw new Error('a ZSTD stream has no end mark')
  return { bytes, floor: 8 * start, at: 8 * (end - 1) + 31 - Math.clz32(last) }
}

/** The next `count` bits, at most 31. @throws Error when the stream has fewer */
export function readBits(stream: BackwardBits, count: number): number {
  if (count <= 25) {
    stream.at -= count
    if (stream.at < stream.floor) throw new Error('a ZSTD stream ends early')
    return bitsAt(stream.bytes, stream.at, count)
  }
  const high = readBits(stream, count - 16)
  return high * 65_536 + readBits(stream, 16)
}

/** The next bits, with zeros for those below the start of the stream. */
export function readPaddedBits(stream: BackwardBits, count: number): number {
  const there = Math.min(count, Math.max(0, stream.at - stream.floor))
  stream.at -= count
  return bitsAt(stream.bytes, stream.at + count - there, there) << (count - there)
}

/** Up to 25 bits of the buffer from bit `at` on. */
export function bitsAt(bytes: Uint8Array, at: number, count: number): number {
  const i = at >> 3
  const word = bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24)
  return (word >>> (at & 7)) & ((1 << count) - 1)
}
