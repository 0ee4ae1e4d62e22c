/**
 * Zstandard frames (RFC 8878), decoded by Node. Its decoder stops at the size that is asked for, so no size in the data decides how
 * much memory is allocated. Node before 24 takes a frame that is cut short for a whole one, and Node before 26 reads the first of
 * several frames only: the number of bytes shows either.
 */
import { zstdDecompressSync } from 'node:zlib'

/** The `size` bytes that `packed` holds. @throws Error when it is damaged or holds another number of bytes */
export function decodeZstd(packed: Uint8Array, size: number): Uint8Array {
  const bytes = unpackAtMost(packed, size)
  if (bytes.length !== size) throw new Error(`ZSTD data of ${bytes.length} bytes, expected ${size}`)
  return bytes
}

function unpackAtMost(packed: Uint8Array, size: number): Uint8Array {
  try {
    return zstdDecompressSync(packed, { maxOutputLength: Math.max(1, size) })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`ZSTD data cannot be unpacked to ${size} bytes (${reason})`, { cause: error })
  }
}
