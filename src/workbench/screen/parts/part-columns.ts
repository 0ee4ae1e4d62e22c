/** The columns of a part, by name: its candidates at each depth, and its sums per parameter. */
import { Failure } from '../../../errors.ts'
import type { Depth } from '../measures.ts'
import type { Candidate, Candidates } from '../shortlist.ts'
import { TALLY_WIDTH, type TallyRows } from '../tally.ts'
import type { Column, PartContent } from './part-file.ts'
import type { PartNumber, Stretch } from './part-number.ts'

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
