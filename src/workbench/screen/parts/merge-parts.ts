/**
 * Puts the parts of a screen together. The shortlists of all parts hold the shortlist that a single run would have made; from
 * there on it is the same walk (`find-top.ts`), so the result is that of a single run to the last bit.
 */
import { Failure, type Problem } from '../../../errors.ts'
import { createWorkerGroup } from '../../../workers/worker-group.ts'
import { createGrid } from '../../study/grid.ts'
import { parseStudy } from '../../study/parse.ts'
import type { Study } from '../../study/study.ts'
import { signOf } from '../appraise.ts'
import { planChunks } from '../chunks.ts'
import { countFolded, findTop, type RankedGrid, SPARE_PLACES } from '../find-top.ts'
import type { Depth } from '../measures.ts'
import type { ScreenReply, ScreenRequest, ScreenSetting, ScreenWorkers } from '../messages.ts'
import type { GridScreening } from '../screen-grid.ts'
import type { MarketOnCandles, MarketsScreening } from '../screen-markets.ts'
import { createShortlist, nameConfigs } from '../shortlist.ts'
import { createTally, mergeTally, summarizeTally } from '../tally.ts'

import { type PartHeader, type PartWork, type ReadPart, readCandidates, readTallies } from './part-file.ts'
import { listParts, readPart } from './part-folder.ts'
import { MOST_POINTS_IN_PARTS, stretchOfPart } from './part-number.ts'
import { headOf, type SettingOfParts } from './screen-part.ts'

interface GatheredPart {
  readonly file: string
  readonly header: PartHeader
  readonly work: PartWork
  readonly hash: string
}

export interface GatheredParts {
  /** What all have in common is read from the first. */
  readonly parts: readonly [GatheredPart, ...GatheredPart[]]
  /** How many the grid was cut into. */
  readonly of: number
}

/** What must be alike, and how it is called. The most decisive first: other candles are also another cut. */
const ALIKE = {
  study: 'the study',
  costs: 'the costs',
  conventions: 'the conventions',
  engineVersion: 'the version of the engine',
  markets: 'the candles or the symbol rules',
  top: '--top',
  points: 'the number of points',
  chunk: 'the chunks',
  chunksPerTally: 'the chunks of a sum',
} as const satisfies Partial<Record<keyof PartHeader, string>>

const ALIKE_NAMES = Object.keys(ALIKE) as (keyof typeof ALIKE)[]

interface MergeTask {
  readonly gathered: GatheredParts
  readonly signal: AbortSignal
}

interface PartsToMerge extends MergeTask {
  /** As `studyOfParts` reads it. */
  readonly study: Study
  /** Those that the parts were screened on: their best are measured here. */
  readonly markets: readonly MarketOnCandles[]
  /** The built `screen-worker.js`. */
  readonly workerFile: URL
  readonly workers: number
}

/** The study that the parts were screened for. @throws Failure partsRefused, studyInvalid */
export function studyOfParts({ parts: [{ file, header }] }: GatheredParts): Study {
  const { name, fingerprint, source } = header.study
  const study = { ...parseStudy(source, { file: `${file} (study)`, mostPoints: MOST_POINTS_IN_PARTS }), name }
  if (study.fingerprint !== fingerprint) throw refused(file, 'its study is not the one that it names', study)
  return study
}

/** Merges with a worker group of threads. @throws Failure partsRefused, partsMissing; the signal's reason */
export async function mergeParts({
  study,
  markets,
  workerFile,
  workers,
  ...task
}: PartsToMerge): Promise<MarketsScreening> {
  const candles = markets.reduce((sum, { prepared }) => sum + prepared.count, 0)
  const setting = { study, chunks: planChunks(study, candles), markets }
  const workerGroup = createWorkerGroup<ScreenSetting, ScreenRequest, ScreenReply>({
    workerFile,
    size: workers,
    setting,
  })
  try {
    return { ...(await mergeOn({ workerGroup, setting, ...task })), workers: workerGroup.size, asked: [] }
  } finally {
    await workerGroup.close()
  }
}

interface PartsOnWorkers extends MergeTask {
  readonly workerGroup: ScreenWorkers
  /** What the worker group was given. */
  readonly setting: SettingOfParts
}

/**
 * The same with a worker group that is there.
 * @throws Failure partsRefused where the candles here are others, partsMissing where parts are needed by a closer depth; the signal's reason
 */
export async function mergeOn({ workerGroup, setting, gathered, signal }: PartsOnWorkers): Promise<GridScreening> {
  const { study, chunks } = setting
  const [{ header }] = gathered.parts
  demandSameData(gathered, setting)
  for (const part of gathered.parts) demandStretch(part, setting)
  const grid = createGrid(study, chunks.order)
  const nameOf = nameConfigs(study)

  async function rank(depth: Depth): Promise<RankedGrid> {
    demandDepth(gathered, depth)
    const shortlist = createShortlist(header.top + SPARE_PLACES, (index) => nameOf(grid.configAt(index)))
    for (const known of gathered.parts) {
      signal.throwIfAborted()
      shortlist.offerAll(readCandidates(readAgain(known), depth))
    }
    return { shortlist, complete: true }
  }

  const wanted = { objective: study.objective, wanted: header.top }
  const { best, comparedOnly, complete } = await findTop({ workerGroup, ...wanted, signal }, rank)
  const markets = sumTallies(gathered, setting).map((tally, market) => ({
    simulated: total(gathered, ({ header: { simulated } }) => simulated[market]),
    parameters: summarizeTally(tally, chunks.order, signOf(study.objective)),
  }))
  const feasible = total(gathered, (part) => part.header.feasible)
  const folded = countFolded(best, wanted)
  return { points: grid.points, feasible, complete, top: best.top, folded, comparedOnly, markets }
}

function total({ parts }: GatheredParts, countOf: (part: GatheredPart) => number): number {
  return parts.reduce((sum, part) => sum + countOf(part), 0)
}

/** Sums in the order of the grid, as a single run adds them. */
function sumTallies({ parts }: GatheredParts, { markets, chunks }: Pick<ScreenSetting, 'markets' | 'chunks'>) {
  const tallies = markets.map(() => createTally(chunks.order))
  for (const known of parts) {
    const part = readAgain(known)
    for (const [market, tally] of tallies.entries())
      for (const rows of readTallies(part, market, tally.sums.length)) mergeTally(tally, rows)
  }
  return tallies
}

/** @throws Failure partsRefused when the file changed since it was checked */
function readAgain({ file, hash }: GatheredPart): ReadPart {
  const part = readPart(file)
  if (part.hash === hash) return part
  throw new Failure('partsRefused', `${file} changed while the parts were merged`, {
    hint: 'wait until nothing screens into this folder, then merge again',
  })
}

function demandSameData({ parts }: GatheredParts, { study, markets }: SettingOfParts): void {
  const [{ header }] = parts
  const here = headOf(study, markets)
  if (header.engineVersion !== here.engineVersion) {
    throw new Failure(
      'partsRefused',
      `the parts were screened by the engine ${header.engineVersion}; expected that of this program, ${here.engineVersion}`,
      { hint: 'merge with the version of dcalab that screened them' },
    )
  }
  const problems = header.markets.flatMap((screened, at) => {
    const found = here.markets[at]
    const place = screened.candles.market
    if (screened.candles.hash !== found.candles.hash)
      return [
        {
          place,
          message: `expected candles with the hash ${screened.candles.hash.slice(0, 12)}, found ${found.candles.hash.slice(0, 12)}`,
        },
      ]
    if (JSON.stringify(screened.symbol) === JSON.stringify(found.symbol)) return []
    return [
      {
        place,
        message: `expected the symbol rules ${JSON.stringify(screened.symbol)}, found ${JSON.stringify(found.symbol)}`,
      },
    ]
  })
  if (problems.length === 0) return
  throw new Failure('partsRefused', 'the candles here are not those that the parts were screened on', {
    problems,
    hint: 'merge where the same candles and symbol rules are (--candles-dir): the best are measured on them',
  })
}

function demandStretch({ file, header }: GatheredPart, { study, chunks }: SettingOfParts): void {
  const expected = stretchOfPart(study, chunks, header.part)
  const isExpected = header.stretch.from === expected.from && header.stretch.to === expected.to
  if (!isExpected || header.chunk !== chunks.size || header.simulated.length !== header.markets.length)
    throw refused(file, 'it does not hold the points that its number says', study)
}

/** Every part has the first depth; closer ones are needed where too many of the best lie outside bounds that it does not know. */
function demandDepth({ parts, of }: GatheredParts, depth: Depth): void {
  const lacking = parts.filter(({ header }) => !header.depths.includes(depth)).map(({ header }) => header.part.number)
  if (lacking.length === 0) return
  throw new Failure(
    'partsMissing',
    `too many of the best break a limit that these parts did not check: ` +
      `${lacking.length} of ${of} parts need depth ${depth}: ${describeArray(lacking)}`,
    {
      details: { parts: { n: of, missing: lacking, depth } },
      hint: `screen them once more with --depth ${depth}, then merge again`,
    },
  )
}

function refused(file: string, what: string, { name }: Study): Failure {
  return new Failure('partsRefused', `${file} is no part of a screen of ${name}: ${what}`, {
    hint: 'delete it and screen this part again',
  })
}

/**
 * All parts of one screen: none of another among them, and which are missing.
 *
 * Reads every part of a folder once, to the last byte, and keeps none of their columns.
 * @throws Failure usage, partsRefused for a damaged part or one of another screen, partsMissing naming which
 */
export function gatherParts(folder: string, onPart: (done: number, files: number) => void = () => {}): GatheredParts {
  const files = listParts(folder)
  const read = files.map((file, at): GatheredPart => {
    const { header, work, hash } = readPart(file)
    onPart(at + 1, files.length)
    return { file, header, work, hash }
  })
  refuseMixture(read)
  const byNumber = new Map<number, GatheredPart>()
  for (const part of read) {
    const known = byNumber.get(part.header.part.number)
    if (known !== undefined && known.hash !== part.hash && closer(known, part) === undefined) throw twice(known, part)
    byNumber.set(part.header.part.number, (known === undefined ? undefined : closer(known, part)) ?? part)
  }
  const { of } = read[0].header.part
  const missing = Array.from({ length: of }, (_, at) => at + 1).filter((number) => !byNumber.has(number))
  if (missing.length > 0) throw missingParts(folder, { of, missing })
  const [first, ...others] = [...byNumber.values()].sort((a, b) => a.header.part.number - b.header.part.number)
  return { parts: [first, ...others], of }
}

/** Of one part in two files the one that was screened more closely; undefined = neither was. */
function closer(one: GatheredPart, other: GatheredPart): GatheredPart | undefined {
  if (one.header.depths.length === other.header.depths.length) return undefined
  return one.header.depths.length > other.header.depths.length ? one : other
}

// the keys of a literal

/** Most parts agree: the others are named. */
function refuseMixture(parts: readonly GatheredPart[]): void {
  const byHead = new Map<string, GatheredPart[]>()
  for (const part of parts) {
    const head = JSON.stringify([part.header.part.of, ...ALIKE_NAMES.map((name) => part.header[name])])
    byHead.set(head, [...(byHead.get(head) ?? []), part])
  }
  if (byHead.size === 1) return
  const [most, ...others] = [...byHead.values()].sort((a, b) => b.length - a.length)
  const problems = others.flat().map((part): Problem => ({ place: part.file, message: differenceOf(part, most[0]) }))
  throw new Failure(
    'partsRefused',
    `${parts.length} parts are not of one screen: ${problems.length} of them differ from the other ${most.length}`,
    { problems, hint: 'move these files away and screen those parts again as the others were' },
  )
}

function differenceOf({ header }: GatheredPart, { header: usual }: GatheredPart): string {
  if (header.part.of !== usual.part.of) return `it is one of ${header.part.of} parts, the others of ${usual.part.of}`
  const differing = ALIKE_NAMES.filter((name) => JSON.stringify(header[name]) !== JSON.stringify(usual[name]))
  const [name] = differing
  if (name === 'markets') return describeMarkets(header, usual)
  const [found, expected] = [header[name], usual[name]].map((value) => JSON.stringify(value))
  if (name === 'study')
    return `it is of the study ${header.study.name} ${header.study.fingerprint.slice(0, 12)}, the others of ${usual.study.name} ${usual.study.fingerprint.slice(0, 12)}`
  return `${ALIKE[name]} differ: found ${found}, the others have ${expected}`
}

function describeMarkets(header: PartHeader, usual: PartHeader): string {
  const names = (of: PartHeader) => of.markets.map(({ candles }) => candles.market).join(', ')
  if (names(header) !== names(usual)) return `it has candles of ${names(header)}, the others of ${names(usual)}`
  const at = header.markets.findIndex((market, i) => JSON.stringify(market) !== JSON.stringify(usual.markets[i]))
  const [found, expected] = [header.markets[at], usual.markets[at]]
  if (found.candles.hash === expected.candles.hash)
    return `the symbol rules of ${found.candles.market} differ: found ${JSON.stringify(found.symbol)}, the others have ${JSON.stringify(expected.symbol)}`
  const words = ({ candles }: typeof found) =>
    `${candles.count} candles of ${candles.interval} with the hash ${candles.hash.slice(0, 12)}`
  return `it was screened on other candles of ${found.candles.market}: ${words(found)}, the others on ${words(expected)}`
}

function twice(one: GatheredPart, other: GatheredPart): Failure {
  const { number, of } = one.header.part
  return new Failure('partsRefused', `part ${number} of ${of} is there twice, and the two differ`, {
    problems: [one, other].map(({ file, hash }) => ({
      place: file,
      message: `its content has the hash ${hash.slice(0, 12)}`,
    })),
    hint: 'delete both and screen this part again',
  })
}

function missingParts(
  folder: string,
  { of, missing }: { readonly of: number; readonly missing: readonly number[] },
): Failure {
  return new Failure('partsMissing', `${folder} lacks ${missing.length} of ${of} parts: ${describeArray(missing)}`, {
    details: { parts: { n: of, missing } },
  })
}

/** In the words of schedulers. @param numbers of parts, from 1, ascending */
function describeArray(numbers: readonly number[]): string {
  const fromZero = arraySyntax(numbers.map((number) => number - 1))
  return `--array=${arraySyntax(numbers)} (Slurm; counted from 0, as Kubernetes and AWS Batch do: ${fromZero})`
}

/** Numbers as the array syntax of schedulers writes them: `3,7-9`. @param numbers ascending */
function arraySyntax(numbers: readonly number[]): string {
  const runs: [number, number][] = []
  for (const number of numbers) {
    const run = runs.at(-1)
    if (run !== undefined && run[1] === number - 1) run[1] = number
    else runs.push([number, number])
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',')
}
