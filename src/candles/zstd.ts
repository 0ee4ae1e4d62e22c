/**
 * ZSTD: Node's own decoder where there is one (22.15 and later), else fzstd's, which reads good data well but may never come
 * back from a frame that is damaged inside.
 */
import * as zlib from 'node:zlib'
import { decompressZstd } from 'hyparquet-compressors'

type Decode = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array
// The types are those of Node 20, which has no such function.
const native = (zlib as { readonly zstdDecompressSync?: Decode }).zstdDecompressSync

/** The `size` bytes that a frame holds. @throws Error when it is damaged or holds another number of bytes */
export function decodeZstd(frame: Uint8Array, size: number): Uint8Array {
  const output =
    native === undefined
      ? decompressZstd(frame, new Uint8Array(size))
      : native(frame, { maxOutputLength: Math.max(1, size) })
  if (output.length !== size) throw new Error(`a ZSTD frame of ${output.length} bytes, expected ${size}`)
  return output
}
