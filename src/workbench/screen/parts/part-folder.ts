/** The folder in which parts of a screen are collected: one file each, there whole or not at all. */
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../../errors.ts'
import { renameOver } from '../../../system.ts'
import { decodePart, encodePart, type PartContent, type PartHeader, type PartWork, type ReadPart } from './part-file.ts'
import { MOST_PARTS, type PartNumber } from './part-number.ts'

const ENDING = '.part'

/** `<study>-<12 digits of its fingerprint>.007-of-020`: in the order of the parts when a folder is listed. */
export function partName({
  study,
  part,
}: {
  readonly study: Pick<PartHeader['study'], 'name' | 'fingerprint'>
  readonly part: PartNumber
}): string {
  const digits = Math.max(3, String(part.of).length)
  const padded = (number: number) => String(number).padStart(digits, '0')
  return `${study.name}-${study.fingerprint.slice(0, 12)}.${padded(part.number)}-of-${padded(part.of)}`
}

export interface KeptPart {
  readonly path: string
  readonly hash: string
  readonly bytes: number
}

/**
 * Writes under a name of its own and renames: of a part that is screened twice at once, on one machine or on two, one whole file stays.
 * @param tag unpredictable: processes in containers, and on several machines with one disk, have equal numbers
 * @throws Failure storeUnusable
 */
export function keepPart(
  folder: string,
  content: PartContent,
  { work, tag }: { readonly work: PartWork; readonly tag: string },
): KeptPart {
  const path = join(folder, `${partName(content.header)}${ENDING}`)
  const { pieces, hash } = encodePart(content, work)
  try {
    mkdirSync(folder, { recursive: true })
    replaceWhole(path, tag, pieces)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('storeUnusable', `${path} cannot be written: ${reason}`, { cause })
  }
  return { path, hash, bytes: pieces.reduce((sum, { length }) => sum + length, 0) }
}

function replaceWhole(path: string, tag: string, pieces: readonly Uint8Array[]): void {
  const unfinished = `${path}.${tag}.tmp`
  try {
    const handle = openSync(unfinished, 'wx')
    try {
      for (const piece of pieces)
        for (let written = 0; written < piece.length; ) written += writeSync(handle, piece, written)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameOver(unfinished, path)
  } finally {
    rmSync(unfinished, { force: true }) // does nothing after the rename
  }
}

/** What is in the folder under the names of parts. @throws Failure usage for a folder that cannot be listed or holds none, or too many */
export function listParts(folder: string): readonly string[] {
  const files = namesIn(folder).filter((name) => name.endsWith(ENDING))
  if (files.length > MOST_PARTS) throw new Failure('usage', `${folder} holds more than ${MOST_PARTS} parts`)
  if (files.length > 0) return files.sort().map((name) => join(folder, name))
  throw new Failure('usage', `${folder} holds no part of a screen (*${ENDING})`, {
    hint: 'screen its parts first: dcalab screen <study> --part 1/4 --out <folder>',
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (cause) {
    throw new Failure('usage', `cannot read the folder ${folder}`, { cause, hint: 'name the folder given by --out' })
  }
}

/** @throws Failure partsRefused */
export function readPart(file: string): ReadPart {
  try {
    return decodePart(readFileSync(file), file)
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('partsRefused', `${file} cannot be read: ${reason}`, { cause })
  }
}
