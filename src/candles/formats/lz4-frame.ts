/**
 * LZ4 frames, as Arrow and Feather files hold them. Our packages decode only single blocks. In frames written by Arrow a match
 * may reach back into the block before, so blocks are decoded one after the other into one output. Format:
 * https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md and lz4_Block_format.md.
 */

const magic = 0x184d2204

/** The `size` bytes that a frame holds. @throws Error when it is damaged or holds another number of bytes */
export function decodeLz4Frame(frame: Uint8Array, size: number): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  if (frame.length < 11 || view.getUint32(0, true) !== magic) throw new Error('not an LZ4 frame')
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
