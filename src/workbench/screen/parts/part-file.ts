/**
 * A part of a screen as a file: what was screened, in words, then columns of numbers. Data only, and untrusted: it comes from another machine.
 *
 *     dcalab-part-1\n
 *     { header: JSON, one line, with the columns and their lengths }\n
 *     the columns one after the other, little-endian
 *     SHA-256 of all before: equal for equal parts, whoever computed them
 *     { work: JSON, one line: how long it took }\n
 */

import { createHash } from 'node:crypto'
import * as z from 'zod'
import { Failure } from '../../../errors.ts'
import { DEPTHS, type Depth } from '../measures.ts'
import type { Candidate, Candidates } from '../shortlist.ts'
import { TALLY_WIDTH, type TallyRows } from '../tally.ts'
import type { PartNumber, Stretch } from './part-number.ts'

// What a part says of itself: all that must be alike in parts that are merged, and which of them it is.

const count = z.int().min(0)
const text = z.string().max(2_000_000)
const name = z.string().max(200)
const step = z.number().positive().nullable()
const setting = z.union([z.string().max(200), z.number(), z.boolean(), z.null()])

const header = z.strictObject({
  study: z.strictObject({ name, fingerprint: name, source: text }),
  engineVersion: name,
  conventions: z.record(name, setting),
  costs: z.record(name, setting),
  /** Those that were screened, in the order of the study. */
  markets: z
    .array(
      z.strictObject({
        candles: z.strictObject({
          market: name,
          interval: name,
          from: name,
          to: name,
          count,
          missing: count,
          hash: name,
          synthetic: z.boolean(),
        }),
        symbol: z.strictObject({ tick: step, lot: step, minNotional: step.or(z.literal(0)) }),
      }),
    )
    .min(1)
    .max(1000),
  /** Of the grid, of a chunk, of the chunks of a tally. */
  points: count,
  chunk: z.int().min(1),
  chunksPerTally: z.int().min(1),
  /** How many of the best the merge is to find. */
  top: z.int().min(1).max(10_000),
  /** In the order in which they were screened. */
  depths: z.array(z.enum(DEPTHS)).min(1).max(DEPTHS.length),
  part: z.strictObject({ number: z.int().min(1), of: z.int().min(1) }),
  /** Points from ≤ index < to. */
  stretch: z.strictObject({ from: count, to: count }),
  feasible: count,
  /** One for each market. */
  simulated: z.array(count),
})

const section = z.strictObject({ name, kind: z.enum(['f64', 'u32', 'i32', 'u8']), length: count })

/** As it stands in the file. */
const partHeader = header.extend({ columns: z.array(section).max(10_000) })
type WrittenHeader = z.infer<typeof partHeader>
export type PartHeader = z.infer<typeof header>

const workLine = z.strictObject({ elapsedMs: count, workers: z.int().min(1) })

export type Column = Float64Array | Uint32Array | Int32Array | Uint8Array

const KINDS = { f64: Float64Array, u32: Uint32Array, i32: Int32Array, u8: Uint8Array } as const
type Kind = keyof typeof KINDS

export interface PartWork {
  /** Milliseconds of the machine that screened it. */
  readonly elapsedMs: number
  readonly workers: number
}

export interface PartContent {
  readonly header: PartHeader
  /** By their names, in this order. */
  readonly columns: ReadonlyMap<string, Column>
}

export interface ReadPart extends PartContent {
  readonly work: PartWork
  /** SHA-256 hex of header and columns. */
  readonly hash: string
}

const MAGIC = 'dcalab-part-1\n'
const HASH_BYTES = 32
/** A study's text has at most 1 MB, and JSON writes a character in at most six. */
const MOST_HEADER_BYTES = 8_000_000
const MOST_WORK_BYTES = 1000

/** The file in pieces, in their order, and its hash. */
export function encodePart({ header, columns }: PartContent, work: PartWork) {
  const sections = [...columns].map(([name, column]) => ({ name, kind: kindOf(column), length: column.length }))
  const written: WrittenHeader = { ...header, columns: sections }
  const head = Buffer.from(`${MAGIC}${JSON.stringify(written)}\n`)
  const pieces: Uint8Array[] = [head, ...[...columns.values()].map(bytesOfColumn)]
  const digest = createHash('sha256')
  for (const piece of pieces) digest.update(piece)
  const hash = digest.digest()
  return { pieces: [...pieces, hash, Buffer.from(`${JSON.stringify(work)}\n`)], hash: hash.toString('hex') }
}

/** @throws Failure partsRefused naming what is wrong with it */
export function decodePart(bytes: Buffer, file: string): ReadPart {
  const refuse = (found: string, cause?: unknown) =>
    new Failure('partsRefused', `${file} cannot be read as a part of a screen: ${found}`, {
      cause,
      hint: 'delete it and screen this part again; the others stay as they are',
    })
  if (!bytes.subarray(0, MAGIC.length).equals(Buffer.from(MAGIC)))
    throw refuse(`expected it to begin with "${MAGIC.trim()}"`)
  const end = bytes.subarray(0, MAGIC.length + MOST_HEADER_BYTES).indexOf('\n', MAGIC.length)
  if (end === -1) throw refuse('its header has no end')
  const header = parsed(bytes.subarray(MAGIC.length, end), partHeader)
  if (header === undefined) throw refuse('its header is not one that this version writes')
  const { columns: sections, ...rest } = header
  const payload = sections.reduce((sum, { kind, length }) => sum + length * KINDS[kind].BYTES_PER_ELEMENT, 0)
  const hashed = end + 1 + payload
  if (bytes.length < hashed + HASH_BYTES || bytes.length > hashed + HASH_BYTES + MOST_WORK_BYTES)
    throw refuse(`it has ${bytes.length} bytes, which is not what its header announces; it is cut off or damaged`)
  const hash = createHash('sha256').update(bytes.subarray(0, hashed)).digest()
  if (!hash.equals(bytes.subarray(hashed, hashed + HASH_BYTES)))
    throw refuse('its content does not have the hash at its end; it is damaged or was changed')
  const work = parsed(bytes.subarray(hashed + HASH_BYTES), workLine)
  if (work === undefined) throw refuse('its last line does not say how long it took')
  const columns = new Map<string, Column>()
  let at = end + 1
  for (const { name, kind, length } of sections) {
    const size = length * KINDS[kind].BYTES_PER_ELEMENT
    // A copy of its own: the columns begin at any byte of the file, and a view of them has to begin at a multiple of its width.
    columns.set(name, new KINDS[kind](Uint8Array.from(bytes.subarray(at, at + size)).buffer))
    at += size
  }
  return { header: rest, columns, work, hash: hash.toString('hex') }
}

/** undefined = no JSON, or not of this form. */
function parsed<T>(
  bytes: Buffer,
  form: { safeParse(value: unknown): { readonly success: boolean; readonly data?: T } },
): T | undefined {
  try {
    return form.safeParse(JSON.parse(bytes.toString('utf8'))).data
  } catch {
    return undefined
  }
}

function kindOf(column: Column): Kind {
  if (column instanceof Float64Array) return 'f64'
  if (column instanceof Uint32Array) return 'u32'
  return column instanceof Int32Array ? 'i32' : 'u8'
}

function bytesOfColumn({ buffer, byteOffset, byteLength }: Column): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

// The columns of a part, by name: its candidates at each depth, and its sums per parameter.

type Columns = [string, Column][]

/** The best of a part at a depth, best first. */
export function candidateColumns(depth: Depth, candidates: readonly Candidate[]): Columns {
  return [
    [`${depth} index`, Float64Array.from(candidates, ({ index }) => index)],
    [`${depth} score`, Float64Array.from(candidates, ({ score }) => score)],
  ]
}

/** @param tallies of one market, in the order of the grid */
export function tallyColumns(market: number, tallies: readonly TallyRows[]): Columns {
  const rows = tallies.map(({ places }) => places.length)
  const places = new Int32Array(rows.reduce((sum, count) => sum + count, 0))
  const sums = new Float64Array(places.length * TALLY_WIDTH)
  let at = 0
  for (const tally of tallies) {
    places.set(tally.places, at)
    sums.set(tally.sums, at * TALLY_WIDTH)
    at += tally.places.length
  }
  return [
    [`${market} tally rows`, Uint32Array.from(rows)],
    [`${market} tally places`, places],
    [`${market} tally sums`, sums],
  ]
}

/** @throws Failure partsRefused: they lie outside the part */
export function readCandidates(part: PartContent, depth: Depth): Candidates {
  const { from, to } = part.header.stretch
  const indices = columnOf(part, `${depth} index`, Float64Array)
  const scores = columnOf(part, `${depth} score`, Float64Array)
  const areInside = indices.every((index) => Number.isInteger(index) && index >= from && index < to)
  if (!areInside || scores.length !== indices.length || !scores.every((score) => Number.isFinite(score)))
    throw foreign(part.header, 'candidates that are none of its points')
  return { indices, scores }
}

/** Of one market, in the order of the grid. @param places how many numbers a whole tally has @throws Failure partsRefused */
export function* readTallies(part: PartContent, market: number, places: number): Generator<TallyRows> {
  const rows = columnOf(part, `${market} tally rows`, Uint32Array)
  const all = columnOf(part, `${market} tally places`, Int32Array)
  const sums = columnOf(part, `${market} tally sums`, Float64Array)
  const total = rows.reduce((sum, count) => sum + count, 0)
  const areInside = all.every((place) => place >= 0 && place < places && place % TALLY_WIDTH === 0)
  if (total !== all.length || sums.length !== total * TALLY_WIDTH || !areInside)
    throw foreign(part.header, 'sums of values that its study does not have')
  let at = 0
  for (const count of rows) {
    yield { places: all.subarray(at, at + count), sums: sums.subarray(at * TALLY_WIDTH, (at + count) * TALLY_WIDTH) }
    at += count
  }
}

function columnOf<Kind extends Column>(
  { header, columns }: PartContent,
  name: string,
  kind: abstract new (...values: never[]) => Kind,
): Kind {
  const column = columns.get(name)
  if (column instanceof kind) return column
  throw foreign(header, `no column "${name}"`)
}

function foreign({ part }: { readonly part: PartNumber; readonly stretch: Stretch }, what: string): Failure {
  return new Failure('partsRefused', `part ${part.number} of ${part.of} holds ${what}`, {
    hint: 'delete its file and screen this part again; the others stay as they are',
  })
}
