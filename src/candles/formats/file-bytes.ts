/** A file's content, unpacked where it is gzip or zip, with a limit on what it may unpack to. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { Failure } from '../../errors.ts'
import { readOnlyEntry } from './zip.ts'

/** About 15 million rows, or 28 years of minutes. Unpacking stops here, whatever size the file states. */
export const LARGEST_FILE = 2 ** 30

export interface FileContent {
  readonly bytes: Uint8Array
  /** The name of the file inside its zip archive, or null. */
  readonly innerName: string | null
}

/** @throws Failure candlesInvalid when the file cannot be read, is empty or damaged, or exceeds `limit` bytes unpacked */
export function readFileContent(path: string, limit = LARGEST_FILE): FileContent {
  const content = unpack(path, readWhole(path, limit), limit)
  if (content.bytes.length === 0) throw new Failure('candlesInvalid', `${path} is empty`)
  return content
}

/** Unpacks a file that was not read from the disk but downloaded. `path` names it in failures. */
export function unpack(path: string, packed: Uint8Array, limit = LARGEST_FILE): FileContent {
  const magic = packed.length < 4 ? 0 : packed[0] * 256 + packed[1]
  if (magic === 0x1f8b) return { bytes: gunzip(path, packed, limit), innerName: null }
  if (magic === 0x504b && packed[2] < 8) return unzip(path, packed, limit)
  return { bytes: packed, innerName: null }
}

function readWhole(path: string, limit: number): Uint8Array {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const stat = fstatSync(file)
    if (stat.isDirectory()) throw new Failure('candlesInvalid', `${path} is a folder; name the files in it`)
    if (stat.size > limit) throw tooLarge(path, limit)
    return readFileSync(file)
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const reason = missing ? 'there is no such file' : cause instanceof Error ? cause.message : String(cause)
    throw new Failure('candlesInvalid', `cannot read ${path}: ${reason}`, {
      cause,
      hint: 'name an existing file',
    })
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function gunzip(path: string, packed: Uint8Array, limit: number): Uint8Array {
  try {
    return gunzipSync(packed, { maxOutputLength: limit })
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(path, limit)
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('candlesInvalid', `${path} is damaged gzip: ${reason}`, {
      cause,
      hint: 'fetch or pack the file again; the candle folder is unchanged',
    })
  }
}

function unzip(path: string, packed: Uint8Array, limit: number): FileContent {
  try {
    const { name, bytes } = readOnlyEntry(packed, limit)
    return { bytes, innerName: name }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('candlesInvalid', `${path} is a zip archive we cannot read: ${reason}`, {
      cause,
      hint: 'fetch or pack the file again, with one candle file in it; the candle folder is unchanged',
    })
  }
}

function tooLarge(path: string, limit: number): Failure {
  return new Failure(
    'candlesInvalid',
    `${path} holds more than ${Math.floor(limit / 2 ** 20)} MiB, the most we read at once`,
    { hint: 'split it, by month for example, and import the parts' },
  )
}
