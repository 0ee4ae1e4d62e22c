/** All parts of one screen: none of another among them, and which are missing. */
import { Failure, type Problem } from '../../../errors.ts'
import type { PartHeader, PartWork } from './part-file.ts'
import { listParts, readPart } from './part-folder.ts'

export interface GatheredPart {
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

/**
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

const ALIKE_NAMES = Object.keys(ALIKE) as (keyof typeof ALIKE)[] // the keys of a literal

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
export function describeArray(numbers: readonly number[]): string {
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
