/** A file's content, unpacked where it is gzip or zip, with a limit on what it may unpack to. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib'
import { Failure } from '../../errors.ts'

// The one file inside a zip archive. Written after the format's specification (APPNOTE 6.3): libraries trust the stated sizes and
// skip the checksums, and a price that a damaged archive cuts short is still a number.

interface ZipEntry {
  readonly name: string
  readonly bytes: Uint8Array
}

interface Listed {
  readonly name: string
  readonly flags: number
  readonly method: number
  readonly checksum: number
  readonly packedSize: number
  readonly size: number
  readonly offset: number
}

/** More than this in one archive is not a candle file. */
const mostEntries = 1000

/** @throws Error with a sentence when the archive is damaged, packed in a way we do not read, larger than `limit` or holds not exactly one file */
function readOnlyEntry(archive: Uint8Array, limit: number): ZipEntry {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength)
  const entries = listEntries(archive, view)
  for (const { name } of entries) {
    // We write no files under these names, but an archive with such a name was made to attack an unpacker, so it is refused.
    if (/(?:^|[\\/])\.\.(?:[\\/]|$)|^[\\/]|^[A-Za-z]:|\0/.test(name)) {
      throw new Error(`it holds a file that would lie elsewhere: ${JSON.stringify(name.slice(0, 60))}`)
    }
  }
  const files = entries.filter(({ name }) => !name.endsWith('/') && !name.startsWith('__MACOSX/'))
  const only = files.at(0)
  if (only === undefined) throw new Error('it holds no file')
  if (files.length > 1) throw new Error(`it holds ${files.length} files; unpack it and import them one by one`)
  return { name: only.name, bytes: unpackEntry(archive, view, only, limit) }
}

function listEntries(archive: Uint8Array, view: DataView): Listed[] {
  const { count, start } = readEndRecord(view)
  if (count > mostEntries) throw new Error(`it holds ${count} files`)
  const entries: Listed[] = []
  for (let i = 0, at = start; i < count; i++) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== 0x02014b50)
      throw new Error('its directory is damaged')
    const extra = at + 46 + view.getUint16(at + 28, true)
    const comment = extra + view.getUint16(at + 30, true)
    const next = comment + view.getUint16(at + 32, true)
    if (next > view.byteLength) throw new Error('its directory is damaged')
    entries.push({
      name: Buffer.from(archive.subarray(at + 46, extra)).toString('utf8'),
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      checksum: view.getUint32(at + 16, true),
      ...readSizes(view, at, extra, comment),
    })
    at = next
  }
  return entries
}

/** Sizes and offset of an entry. In zip64 a field of all ones means that its value is in the extra field 1, one after the other. */
function readSizes(
  view: DataView,
  at: number,
  extra: number,
  end: number,
): Pick<Listed, 'size' | 'packedSize' | 'offset'> {
  let wide = end
  let wideEnd = end
  for (let field = extra; field + 4 <= end; field += 4 + view.getUint16(field + 2, true)) {
    if (view.getUint16(field, true) !== 1) continue
    wide = field + 4
    wideEnd = Math.min(end, wide + view.getUint16(field + 2, true))
  }
  const read = (place: number): number => {
    const narrow = view.getUint32(place, true)
    if (narrow !== 0xffffffff) return narrow
    if (wide + 8 > wideEnd) throw new Error('its directory is damaged')
    wide += 8
    return Number(view.getBigUint64(wide - 8, true))
  }
  const size = read(at + 24)
  const packedSize = read(at + 20)
  return { size, packedSize, offset: read(at + 42) }
}

/** The number of entries and the position of the first one. */
function readEndRecord(view: DataView): { count: number; start: number } {
  const end = findEndRecord(view)
  const count = view.getUint16(end + 10, true)
  const start = view.getUint32(end + 16, true)
  if (count !== 0xffff && start !== 0xffffffff) return { count, start }
  const locator = end - 20
  if (locator < 0 || view.getUint32(locator, true) !== 0x07064b50) return { count, start } // not zip64
  const wide = Number(view.getBigUint64(locator + 8, true))
  if (wide + 56 > view.byteLength || view.getUint32(wide, true) !== 0x06064b50)
    throw new Error('its directory is damaged')
  return { count: Number(view.getBigUint64(wide + 32, true)), start: Number(view.getBigUint64(wide + 48, true)) }
}

/** The end record is the last part, before a comment of up to 65,535 bytes. */
function findEndRecord(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 22 - 0xffff); at--) {
    if (view.getUint32(at, true) === 0x06054b50) return at
  }
  throw new Error('its directory is missing, the file was probably cut short')
}

function unpackEntry(archive: Uint8Array, view: DataView, entry: Listed, limit: number): Uint8Array {
  const { offset, packedSize, size, method, flags } = entry
  if ((flags & 1) !== 0) throw new Error('it is encrypted')
  if (size > limit)
    throw new Error(`it unpacks to more than ${Math.floor(limit / 2 ** 20)} MiB, the most we read at once`)
  if (offset + 30 > view.byteLength || view.getUint32(offset, true) !== 0x04034b50) {
    throw new Error('its directory points nowhere')
  }
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true)
  if (start + packedSize > view.byteLength) throw new Error('it is cut short')
  const packed = archive.subarray(start, start + packedSize)
  const bytes = method === 0 ? packed : inflate(packed, method, size)
  if (bytes.length !== size) throw new Error(`it unpacks to ${bytes.length} bytes, its directory says ${size}`)
  if (crc32(bytes) !== entry.checksum) throw new Error('its content does not match its checksum')
  return bytes
}

function inflate(packed: Uint8Array, method: number, size: number): Uint8Array {
  if (method !== 8) throw new Error(`it is packed by method ${method}; we read stored and deflated files`)
  try {
    // One byte more than stated: an entry that is larger than stated is noticed and not unpacked further.
    return inflateRawSync(packed, { maxOutputLength: size + 1 })
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE') {
      throw new Error(`it unpacks to more than the ${size} bytes that its directory says`, { cause })
    }
    throw cause
  }
}

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
