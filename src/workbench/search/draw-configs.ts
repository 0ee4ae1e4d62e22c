/**
 * Different configurations within the limits, drawn from the space of a study's axes, at random or evenly spread (Sobol, below). The same seed gives the same
 * ones in the same order, however the file orders axes and values, and fewer are the beginning of more.
 */
import { CONFIG_BOUNDS, CONFIG_FIELDS, type ConfigField, type DcaSpotConfig } from '../../contract/bot.ts'
import { power } from '../../engine/numbers.ts'
import { createRandom } from '../../engine/random.ts'
import { configFingerprint, idleFields } from '../study/fingerprint.ts'
import { configWith, countPoints, isFeasible } from '../study/grid.ts'
import type { Axis, ContinuousRange, Study } from '../study/study.ts'

// Points that fill a cube evenly: Sobol's sequence with the direction numbers of Joe and Kuo (2008, "Constructing Sobol sequences with better
// two-dimensional projections", SIAM J. Sci. Comput. 30; their file new-joe-kuo-6.21201), in the order of the Gray code (Antonov and Saleev 1979).
//
// A seed scrambles them: every coordinate's digits are multiplied by a random lower triangular matrix of zeros and ones and shifted by random
// digits (Matoušek 1998, "On the L2-discrepancy for anchored boxes", J. Complexity 14). Each point is then uniformly distributed, and what makes
// the sequence even is kept: as many points in every dyadic box as before.

interface SobolSequence {
  /** Coordinates of point number `index` (from 0, below 2^32), each 0 ≤ x < 1 in steps of 2^-32. */
  pointAt(index: number): number[]
}

/** One primitive polynomial over two elements for each coordinate from the second on: its degree, its inner coefficients as bits, the first odd numbers. */
const JOE_KUO: readonly { readonly degree: number; readonly inner: number; readonly first: readonly number[] }[] = [
  { degree: 1, inner: 0, first: [1] },
  { degree: 2, inner: 1, first: [1, 3] },
  { degree: 3, inner: 1, first: [1, 3, 1] },
  { degree: 3, inner: 2, first: [1, 1, 1] },
  { degree: 4, inner: 1, first: [1, 1, 3, 3] },
  { degree: 4, inner: 4, first: [1, 3, 5, 13] },
  { degree: 5, inner: 2, first: [1, 1, 5, 5, 17] },
  { degree: 5, inner: 4, first: [1, 1, 5, 5, 5] },
  { degree: 5, inner: 7, first: [1, 1, 7, 11, 19] },
  { degree: 5, inner: 11, first: [1, 1, 5, 1, 1] },
  { degree: 5, inner: 13, first: [1, 1, 1, 3, 11] },
  { degree: 5, inner: 14, first: [1, 3, 5, 5, 31] },
  { degree: 6, inner: 1, first: [1, 3, 3, 9, 7, 49] },
  { degree: 6, inner: 13, first: [1, 1, 1, 15, 21, 21] },
  { degree: 6, inner: 16, first: [1, 3, 1, 13, 27, 49] },
]

/** More than a configuration has fields. */
export const MOST_DIMENSIONS = JOE_KUO.length + 1

const BITS = 32

/**
 * @param dimensions coordinates of a point, 0–16
 * @param seed a whole number that scrambles the points; null = the sequence as published, whose first point is 0
 */
export function createSobol(dimensions: number, seed: number | null): SobolSequence {
  if (dimensions > MOST_DIMENSIONS)
    throw new Error(`Sobol points have at most ${MOST_DIMENSIONS} coordinates here, ${dimensions} were asked for`)
  const random = seed === null ? null : createRandom(seed)
  const word = () => (random === null ? 0 : Math.floor(random.uniform() * 2 ** BITS) | 0)
  const coordinates = Array.from({ length: dimensions }, (_, dimension) => {
    const published = directionNumbers(dimension)
    const rows = Array.from({ length: BITS }, word)
    const directions = random === null ? published : published.map((direction) => multiply(rows, direction))
    return { directions, shift: word() }
  })
  return {
    pointAt: (index) => {
      const gray = index ^ (index >>> 1)
      return coordinates.map(({ directions, shift }) => (addDirections(directions, gray, shift) >>> 0) * 2 ** -BITS)
    },
  }
}

/** 32 direction numbers of a coordinate as 32-bit words, the first binary digit behind the point in the highest bit. */
function directionNumbers(dimension: number): readonly number[] {
  if (dimension === 0) return Array.from({ length: BITS }, (_, bit) => 1 << (BITS - 1 - bit))
  const { degree, inner, first } = JOE_KUO[dimension - 1]
  const directions = first.map((number, bit) => number << (BITS - 1 - bit))
  for (let bit = degree; bit < BITS; bit++) {
    let direction = directions[bit - degree] ^ (directions[bit - degree] >>> degree)
    for (let k = 1; k < degree; k++) if ((inner >>> (degree - 1 - k)) & 1) direction ^= directions[bit - k]
    directions.push(direction)
  }
  return directions
}

/**
 * A lower triangular matrix times the digits of a number, modulo 2. Of `rows[i]`, only the digits before digit i count; digit i itself counts once,
 * so that no two numbers become one.
 */
function multiply(rows: readonly number[], digits: number): number {
  let product = 0
  for (let i = 0; i < BITS; i++) {
    const diagonal = 1 << (BITS - 1 - i)
    const before = i === 0 ? 0 : -1 << (BITS - i)
    product |= parity(((rows[i] & before) | diagonal) & digits) << (BITS - 1 - i)
  }
  return product
}

function parity(digits: number): number {
  let folded = digits
  for (let half = BITS / 2; half >= 1; half /= 2) folded ^= folded >>> half
  return folded & 1
}

function addDirections(directions: readonly number[], gray: number, start: number): number {
  let sum = start
  for (let bit = 0, rest = gray; rest !== 0; bit++, rest >>>= 1) if (rest & 1) sum ^= directions[bit]
  return sum
}

/** What configurations are drawn from; the settings are those that `where` measures a ladder under. */
export type ConfigSpace = Pick<Study, 'base' | 'axes' | 'where' | 'conventions' | 'costs'>

interface DrawnConfig {
  readonly config: DcaSpotConfig
  /** The config fingerprint. */
  readonly fingerprint: string
}

interface Drawing {
  /** In the order drawn; no two have one fingerprint. */
  readonly configs: readonly DrawnConfig[]
  /** Why they are fewer than was asked for; null where they are not. */
  readonly shortfall: string | null
}

/** So many draws without a new configuration end the drawing: a space of which less is new is not searched by drawing. */
const MOST_IN_VAIN = 2 ** 16

/** Significant digits of values on a continuous axis. */
const DIGITS = 3

/** @param seed a whole number from 0 */
export function drawConfigs(
  space: ConfigSpace,
  { by, count, seed }: { readonly by: 'random' | 'sobol'; readonly count: number; readonly seed: number },
): Drawing {
  const axes = space.axes.toSorted((a, b) => CONFIG_FIELDS.indexOf(a.field) - CONFIG_FIELDS.indexOf(b.field))
  const points = axes.some(({ continuous }) => continuous !== undefined) ? Infinity : countPoints(space)
  const valuesAt = axes.map(valueOfShare)
  const shares = by === 'sobol' ? evenly(axes.length, seed) : atRandom(axes.length, seed)
  const configs: DrawnConfig[] = []
  const pointsSeen = new Set<string>()
  const namesSeen = new Set<string>()
  let draws = 0
  let drawsAtLast = 0
  for (; configs.length < count && pointsSeen.size < points && draws - drawsAtLast < MOST_IN_VAIN; draws++) {
    const values = shares(draws).map((share, axis) => valuesAt[axis](share))
    if (points !== Infinity) pointsSeen.add(values.join())
    const config = withoutIdleChoices(
      configWith(space.base, axes, (axis) => values[axis]),
      space.axes,
    )
    // The same fields that can matter have the same fingerprint, which takes ten times as long to work out.
    const name = axes.map(({ field }) => config[field]).join()
    if (namesSeen.has(name)) continue
    namesSeen.add(name)
    if (!isFeasible(space, config)) continue
    configs.push({ config, fingerprint: configFingerprint(config) })
    drawsAtLast = draws
  }
  if (configs.length === count) return { configs, shortfall: null }
  const reason =
    pointsSeen.size === points
      ? `the grid has only ${configs.length} different configurations within limits`
      : `${draws} draws have only ${configs.length} different configurations within limits, at ${DIGITS} digits a value: widen the axes or where`
  return { configs, shortfall: reason }
}

/** The value of an axis at a share of its length, 0 ≤ share < 1. */
function valueOfShare({ field, values, continuous }: Axis): (share: number) => number {
  if (continuous !== undefined) return (share) => valueBetween(field, continuous, share)
  const levels = values.toSorted((a, b) => a - b)
  return (share) => levels[Math.floor(share * levels.length)]
}

/** Whole numbers are equally likely, as far as the scale lets them; other values are rounded and stay between the ends. */
function valueBetween(field: ConfigField, { from, to, scale }: ContinuousRange, share: number): number {
  const isWhole = CONFIG_BOUNDS[field].integer === true
  const end = isWhole ? to + 1 : to
  const exact = scale === 'log' ? from * power(end / from, share) : from + share * (end - from)
  return Math.min(to, Math.max(from, isWhole ? Math.floor(exact) : Number(exact.toPrecision(DIGITS))))
}

/** With the first value of each axis that has no effect: the same choice as the grid's, so that one fingerprint is one configuration. */
function withoutIdleChoices(config: DcaSpotConfig, axes: readonly Axis[]): DcaSpotConfig {
  const idle = idleFields(config)
  if (idle.length === 0) return config
  const firstValues = axes.filter(({ field }) => idle.includes(field)).map(({ field, values }) => [field, values[0]])
  return { ...config, ...Object.fromEntries(firstValues) }
}

function evenly(dimensions: number, seed: number): (draw: number) => readonly number[] {
  const { pointAt } = createSobol(dimensions, seed)
  return pointAt
}

function atRandom(dimensions: number, seed: number): () => readonly number[] {
  const { uniform } = createRandom(seed)
  return () => Array.from({ length: dimensions }, uniform)
}
