/** A further study around the best configuration of one: each axis drawn closer, everything else as it was. Pure. */
import { CONFIG_BOUNDS, type ConfigField, type DcaSpotConfig, findBoundProblem } from '../../contract/bot.ts'
import type { Costs } from '../../engine/conventions.ts'
import { power } from '../../engine/numbers.ts'
import { alignDecimals, expandAxis, fromDecimal, readAxis, toDecimal } from './axis.ts'
import { fitBudget } from './fit-budget.ts'
import { parseStudy } from './parse.ts'
import { valueAt } from './path.ts'
import { rewriteSource } from './rewrite-source.ts'
import { readSourceDocument } from './source-document.ts'
import type { Axis, ContinuousRange, Study } from './study.ts'

// One axis of a study drawn closer around a value of it: half the distance to the levels beside it, and beyond an end of the axis where the
// value is that end. Pure.

type AxisEnd = 'below' | 'above'

interface FinerLevels {
  /** Rising; `stopLoss: 0`, which is no stop, comes last. */
  readonly values: readonly number[]
  /** Beyond which ends of the old axis they reach. */
  readonly extended: readonly AxisEnd[]
}

interface LevelsAround {
  readonly values: readonly number[]
  readonly scale: 'linear' | 'log'
  /** One of `values`. */
  readonly winner: number
}

/** More than the 12 that a range by `count` is computed to (`axis.ts`): a range between such ends meets the winner in its middle. */
const LOG_DIGITS = 15

/** Digits of a continuous range's ends: those of the points that are drawn from it. */
const RANGE_DIGITS = 3

/** A stop this deep is never reached: `stopLoss: 0`, no stop, is as far away as that. */
const NO_STOP = CONFIG_BOUNDS.stopLoss.max

/**
 * The winner, and on either side half the distance to the next level: the mean or, on a log scale, the geometric mean. At an end of the axis
 * one old step further counts as the next level, or the contract's bound where that is nearer, and is a level too. Fields of whole numbers
 * keep to whole numbers. An axis of one level has no distance and stays.
 */
export function finerLevels(field: ConfigField, { values, scale, winner }: LevelsAround): FinerLevels {
  const line = [...new Set(values.map((value) => toLine(field, value)))].sort((a, b) => a - b)
  const value = toLine(field, winner)
  const lower = line.findLast((level) => level < value)
  const upper = line.find((level) => level > value)
  const below = levelsTowards(field, scale, { value, next: lower, behind: upper })
  const above = levelsTowards(field, scale, { value, next: upper, behind: lower })
  const levels = [...new Set([...below, value, ...above])].sort((a, b) => a - b)
  const extended: AxisEnd[] = []
  if (lower === undefined && below.length > 0) extended.push('below')
  if (upper === undefined && above.length > 0) extended.push('above')
  return { values: levels.map((level) => (level === value ? winner : fromLine(field, level))), extended }
}

interface Surroundings {
  readonly value: number
  /** The level on this side, and the one on the other; undefined = there is none. */
  readonly next: number | undefined
  readonly behind: number | undefined
}

function levelsTowards(field: ConfigField, scale: LevelsAround['scale'], around: Surroundings): readonly number[] {
  const { value, next, behind } = around
  if (next !== undefined) return [halfWay(field, scale, value, next)]
  if (behind === undefined) return []
  const beyond = scale === 'log' ? rounded((value * value) / behind, LOG_DIGITS) : mirrored(value, behind)
  const end = withinBounds(field, beyond)
  if (end === value) return []
  return [end, halfWay(field, scale, value, end)].filter((level) => isLevel(field, level))
}

/** Half the way from a level to another; of whole numbers the one before it, at least one step away. */
function halfWay(field: ConfigField, scale: LevelsAround['scale'], from: number, to: number): number {
  if (CONFIG_BOUNDS[field].integer)
    return from + Math.sign(to - from) * Math.max(1, Math.floor(Math.abs(to - from) / 2))
  return scale === 'log' ? rounded(Math.sqrt(from * to), LOG_DIGITS) : mean(from, to)
}

/**
 * A quarter of the range on either side of the winner, so half of it, moved beyond an end where the winner is near it; of a log range by
 * ratios. To three digits, as points are drawn; inside the contract's bounds.
 */
export function finerRange(
  field: ConfigField,
  { from, to, scale }: ContinuousRange,
  winner: number,
): { readonly range: ContinuousRange; readonly extended: readonly AxisEnd[] } {
  const quarter = scale === 'log' ? power(to / from, 0.25) : (to - from) / 4
  const [low, high] = scale === 'log' ? [winner / quarter, winner * quarter] : [winner - quarter, winner + quarter]
  const lowest = withinBounds(field, endOf(field, low, Math.floor))
  // An open bound is not a value: half the way to it is.
  const first = isLevel(field, lowest) ? lowest : mean(lowest, winner)
  const last = withinBounds(field, endOf(field, high, Math.ceil))
  const extended: AxisEnd[] = []
  if (first < from) extended.push('below')
  if (last > to) extended.push('above')
  return { range: { from: first, to: last, scale }, extended }
}

function endOf(field: ConfigField, value: number, whole: (value: number) => number): number {
  return CONFIG_BOUNDS[field].integer ? whole(value) : rounded(value, RANGE_DIGITS)
}

function toLine(field: ConfigField, value: number): number {
  return field === 'stopLoss' && value === 0 ? NO_STOP : value
}

function fromLine(field: ConfigField, level: number): number {
  return field === 'stopLoss' && level === NO_STOP ? 0 : level
}

/** The bounds themselves where `value` lies outside of them; the lower one may be open. */
function withinBounds(field: ConfigField, value: number): number {
  const { above, min, max } = CONFIG_BOUNDS[field]
  return Math.min(Math.max(value, above ?? min ?? value), max)
}

/** A stop of 0 would be none, which lies at the other end. */
function isLevel(field: ConfigField, level: number): boolean {
  return findBoundProblem(field, level) === undefined && !(field === 'stopLoss' && level === 0)
}

/** As far behind `value` as `behind` lies before it; exact, as a person would write it. */
function mirrored(value: number, behind: number): number {
  const { digits, decimals } = alignDecimals([value, behind].map(toDecimal))
  return fromDecimal({ digits: 2n * digits[0] - digits[1], decimals })
}

/** Exact. */
function mean(a: number, b: number): number {
  const { digits, decimals } = alignDecimals([a, b].map(toDecimal))
  return fromDecimal({ digits: (digits[0] + digits[1]) * 5n, decimals: decimals + 1 })
}

function rounded(value: number, digits: number): number {
  return Number(value.toPrecision(digits))
}

export interface RefinedAxis {
  readonly field: ConfigField
  readonly winner: number
  /** In the order of the file; of a continuous axis its ends. */
  readonly values: readonly number[]
  readonly isContinuous: boolean
  /** Beyond which ends of the old axis it reaches. */
  readonly extended: readonly AxisEnd[]
}

interface RefinedStudy {
  readonly text: string
  readonly study: Study
  readonly axes: readonly RefinedAxis[]
}

interface Refining {
  /** The best configuration of the study, on its axes. */
  readonly winner: DcaSpotConfig
  readonly name: string
  /** Where it comes from, in whole lines; they stand in its comments. */
  readonly origin: readonly string[]
  /** In place of the study's own. */
  readonly costs?: Costs
  /** Chooses the base order with which the dearest ladder costs all of its capital. */
  readonly fitsBudget?: boolean
}

/**
 * `study`: as read from its text. The name, the axes and the comment at the top are new; what is held out is the same span.
 * @throws Failure usage where no base order fits the budget
 */
export function refineStudy(study: Study, { winner, name, origin, costs, fitsBudget }: Refining): RefinedStudy {
  const { value } = readSourceDocument(study.source, study.name)
  const drawn = study.axes.map((axis) => {
    const isLog = valueAt(value, ['grid', axis.field, 'scale']) === 'log'
    return drawCloser(axis, { winner: winner[axis.field], scale: isLog ? 'log' : 'linear' })
  })
  const text = rewriteSource(study.source, {
    parts: [
      [['name'], name],
      ...drawn.map(({ axis, written }) => [['grid', axis.field], written] as const),
      ...(costs === undefined ? [] : [[['costs'], costs] as const]),
    ],
    origin,
  })
  const written = fitsBudget === true ? fitBudget(text, name) : text
  return { text: written, study: parseStudy(written, { file: name }), axes: drawn.map(({ axis }) => axis) }
}

interface Drawn {
  readonly axis: RefinedAxis
  /** As the file says it. */
  readonly written: unknown
}

function drawCloser(
  { field, values, continuous }: Axis,
  { winner, scale }: { readonly winner: number; readonly scale: 'linear' | 'log' },
): Drawn {
  if (continuous !== undefined) {
    const { range, extended } = finerRange(field, continuous, winner)
    const { from, to } = range
    const written = { from, to, ...(range.scale === 'log' ? { scale: range.scale } : {}) }
    return { axis: { field, winner, values: [from, to], isContinuous: true, extended }, written }
  }
  const { values: levels, extended } = finerLevels(field, { values, scale, winner })
  const range = scale === 'log' ? logRange(field, levels, winner) : undefined
  const axis = { field, winner, values: range?.values ?? levels, isContinuous: false, extended }
  return { axis, written: range?.written ?? levels }
}

/** The levels as a range of equal ratios, so that it stays known as one; undefined where they are none, or would miss the winner by a digit. */
function logRange(field: ConfigField, levels: readonly number[], winner: number): LogRange | undefined {
  const written = { from: Math.min(...levels), to: Math.max(...levels), count: levels.length, scale: 'log' as const }
  const read = readAxis(field, written)
  if (!('spec' in read)) return undefined
  const values = expandAxis(read.spec)
  const isSame = values.every((value, at) => Math.abs(value / levels[at] - 1) < 1e-9) && values.includes(winner)
  return isSame ? { written, values } : undefined
}

interface LogRange {
  readonly written: object
  readonly values: readonly number[]
}
