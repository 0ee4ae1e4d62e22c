/**
 * One grid dimension: a list, or a range by step or by count. Lengths are counted before any value exists, so a range of 10^17
 * values is refused and not expanded. Values are computed by index from exact decimals, not by adding steps.
 */
import { type ConfigField, findBoundProblem } from '../../contract/bot.ts'
import { power } from '../../engine/numbers.ts'
import type { Path } from './path.ts'
import type { ContinuousRange } from './study.ts'

//

/**
 * Numbers as a person wrote them: exact decimals, so that stepping by 0.1 three times gives 0.3. A double is taken as the
 * shortest decimal that gives the same double (ECMAScript `Number::toString`). This is what was typed, unless that had more than
 * 17 digits.
 */
interface Decimal {
  /** The value is digits / 10^decimals. */
  readonly digits: bigint
  readonly decimals: number
}

/** @param value a finite number */
export function toDecimal(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = BigInt(whole + fraction)
  const decimals = fraction.length - Number(exponent)
  return decimals >= 0 ? { digits, decimals } : { digits: digits * 10n ** BigInt(-decimals), decimals: 0 }
}

/** The same values over one common power of ten. */
export function alignDecimals(values: readonly Decimal[]): {
  readonly digits: readonly bigint[]
  readonly decimals: number
} {
  const decimals = Math.max(...values.map((value) => value.decimals))
  return { digits: values.map((value) => value.digits * 10n ** BigInt(decimals - value.decimals)), decimals }
}

/** The double nearest to digits / 10^decimals. */
export function fromDecimal({ digits, decimals }: Decimal): number {
  return Number(`${digits}e-${decimals}`)
}

/** Plain notation without exponent, trailing zeros or sign of zero: 1.0 is `1`, -0 is `0`, 1e-7 is `0.0000001`. */
export function decimalText(value: number): string {
  const usual = String(value) // the same shortest digits, and faster: a screen computes millions of fingerprints
  if (!usual.includes('e')) return usual
  const { digits, decimals } = toDecimal(value)
  const sign = digits < 0n ? '-' : ''
  const text = String(digits < 0n ? -digits : digits).padStart(decimals + 1, '0')
  const point = text.length - decimals
  const fraction = text.slice(point).replace(/0+$/, '')
  return `${sign}${text.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`
}

/** A range as the file gives it: by step, by count, or continuous with neither. */
export interface RangeInput {
  readonly from: number
  readonly to: number
  readonly step?: number | undefined
  readonly count?: number | undefined
  readonly scale?: 'linear' | 'log' | undefined
}

interface AxisSpec {
  readonly length: bigint
  /** Value number `index` of 0 … length − 1. */
  readonly valueAt: (index: number) => number
  /** `log` where the file says so: the distance between two values is their ratio. */
  readonly scale: 'linear' | 'log'
  /** Every value between the ends is meant, and the values are the two ends. */
  readonly continuous?: ContinuousRange
}

interface AxisProblem {
  /** Path of the problem, relative to the axis. */
  readonly path: Path
  readonly message: string
}

type ReadAxis = { readonly spec: AxisSpec } | { readonly problems: readonly AxisProblem[] }

/** Significant digits of values that `count` computes; `from` and `to` stay as written. */
const COUNT_DIGITS = 12

/** Doubles distinguish decimals of 15 significant digits. */
const FINEST_STEP = 1e-15

export function readAxis(field: ConfigField, input: readonly number[] | RangeInput): ReadAxis {
  if (isList(input)) return readList(field, input)
  const read = readRange(input)
  if ('problems' in read) return read
  const problems = findRangeProblems(field, read.spec, input.to)
  return problems.length > 0 ? { problems } : read
}

export function expandAxis(spec: AxisSpec): readonly number[] {
  return Array.from({ length: Number(spec.length) }, (_, index) => spec.valueAt(index))
}

function isList(input: readonly number[] | RangeInput): input is readonly number[] {
  return Array.isArray(input)
}

function readList(field: ConfigField, values: readonly number[]): ReadAxis {
  if (values.length === 0) return problemAt([], 'expected at least one value, found an empty list')
  const seen = new Set<number>()
  const problems = values.flatMap((value, index): readonly AxisProblem[] => {
    const isRepeated = seen.has(value)
    seen.add(value)
    const message = isRepeated ? `expected each value once, found ${value} again` : findBoundProblem(field, value)
    return message === undefined ? [] : [{ path: [index], message }]
  })
  return problems.length > 0
    ? { problems }
    : { spec: { length: BigInt(values.length), valueAt: (i) => values[i], scale: 'linear' } }
}

function readRange(range: RangeInput): ReadAxis {
  const { from, to, step, count, scale } = range
  if (from > to) return problemAt(['from'], `expected at most to (${to}), found ${from}`)
  if (step !== undefined && count !== undefined)
    return problemAt(['count'], 'expected either step or count, found both')
  if (step !== undefined && scale === 'log') return problemAt(['scale'], 'log needs { from, to, count }, found a step')
  if (step !== undefined) return readStepped(from, to, step)
  if (count === undefined) return readContinuous({ from, to, scale: scale ?? 'linear' })
  return readCounted(from, to, count, scale ?? 'linear')
}

function readContinuous(continuous: ContinuousRange): ReadAxis {
  const { from, to, scale } = continuous
  if (from === to) return problemAt(['to'], `expected more than from (${from}), found ${to}`)
  if (scale === 'log' && !(from > 0)) return problemAt(['from'], `expected more than 0 for a log scale, found ${from}`)
  return { spec: { length: 2n, valueAt: (index) => (index === 0 ? from : to), scale, continuous } }
}

function readStepped(from: number, to: number, step: number): ReadAxis {
  if (!(step > 0)) return problemAt(['step'], `expected more than 0, found ${step}`)
  const largest = Math.max(Math.abs(from), Math.abs(to))
  if (step < largest * FINEST_STEP)
    return problemAt(
      ['step'],
      `expected at least ${FINEST_STEP} of ${largest}, found ${step}: neighbours would be one number`,
    )
  const { digits, decimals } = alignDecimals([from, to, step].map(toDecimal))
  const [first, last, width] = digits
  const valueAt = (index: number) => fromDecimal({ digits: first + BigInt(index) * width, decimals })
  const beyond = (last - first) % width
  if (beyond !== 0n) {
    const below = decimalText(fromDecimal({ digits: last - beyond, decimals }))
    const above = decimalText(fromDecimal({ digits: last - beyond + width, decimals }))
    const message = `steps of ${decimalText(step)} from ${decimalText(from)} miss ${decimalText(to)}; expected ${below} or ${above}`
    return problemAt(['to'], message)
  }
  return { spec: { length: (last - first) / width + 1n, valueAt, scale: 'linear' } }
}

function readCounted(from: number, to: number, count: number, scale: 'linear' | 'log'): ReadAxis {
  if (!Number.isSafeInteger(count) || count < 1)
    return problemAt(['count'], `expected a whole number from 1, found ${count}`)
  if (count === 1 && from !== to)
    return problemAt(['count'], `expected at least 2 to reach from ${from} to ${to}, found 1`)
  if (count > 1 && from === to)
    return problemAt(['count'], `expected 1 because from and to are both ${from}, found ${count}`)
  if (scale === 'log' && !(from > 0)) return problemAt(['from'], `expected more than 0 for a log scale, found ${from}`)
  const between = scale === 'log' ? logBetween(from, to, count) : linearBetween(from, to, count)
  const valueAt = (index: number) => (index === 0 ? from : index === count - 1 ? to : between(index))
  // Rounding is relative: if neighbours become equal anywhere, they do so at one of the two ends.
  const ends = [0, 1, 2, count - 3, count - 2, count - 1].filter((index) => index >= 0 && index < count)
  const isTooFine = ends.some((index) => index > 0 && !(valueAt(index) > valueAt(index - 1)))
  if (isTooFine)
    return problemAt(['count'], `${count} values between ${from} and ${to} coincide within ${COUNT_DIGITS} digits`)
  return { spec: { length: BigInt(count), valueAt, scale } }
}

/** Exact fractions, rounded once. */
function linearBetween(from: number, to: number, count: number): (index: number) => number {
  const { digits, decimals } = alignDecimals([from, to].map(toDecimal))
  const [first, last] = digits
  const intervals = BigInt(count - 1)
  return (index) => roundFraction(first * intervals + BigInt(index) * (last - first), intervals, decimals)
}

/** 12 of 17 digits hide the rounding errors of exp and log. */
function logBetween(from: number, to: number, count: number): (index: number) => number {
  return (index) => Number((from * power(to / from, index / (count - 1))).toPrecision(COUNT_DIGITS))
}

/** numerator / denominator / 10^decimals to 12 significant digits, halves away from zero. */
function roundFraction(numerator: bigint, denominator: bigint, decimals: number): number {
  if (numerator === 0n) return 0
  const size = numerator < 0n ? -numerator : numerator
  const timesPower = (factor: bigint, power: number) =>
    (factor * size * 10n ** BigInt(Math.max(power, 0))) / (denominator * 10n ** BigInt(Math.max(-power, 0)))
  // The lengths give the number of digits before the point, give or take one: 12 or 13 digits remain after this power of ten.
  const power = COUNT_DIGITS - (String(size).length - String(denominator).length)
  const exact = timesPower(1n, power) < 10n ** BigInt(COUNT_DIGITS) ? power : power - 1
  const rounded = (timesPower(2n, exact) + 1n) / 2n
  return Number(`${numerator < 0n ? '-' : ''}${rounded}e${-exact - decimals}`)
}

/**
 * A range rises, so values between two ends that are inside the bounds are inside, too. A field of whole numbers has at most 101
 * values, so checking the first 102 and the last is enough. Problems of the ends are reported first; those of values between them
 * only when the ends are valid.
 */
function findRangeProblems(field: ConfigField, spec: AxisSpec, to: number): readonly AxisProblem[] {
  const tried = Array.from({ length: Math.min(Number(spec.length) - 1, 102) }, (_, index) => spec.valueAt(index))
  const problems = [...tried, to].flatMap((value, index): readonly AxisProblem[] => {
    const message = findBoundProblem(field, value)
    const path = index === tried.length ? ['to'] : index === 0 ? ['from'] : []
    return message === undefined ? [] : [{ path, message }]
  })
  const atEnds = problems.filter(({ path }) => path.length > 0)
  return atEnds.length > 0 ? atEnds : problems.slice(0, 1)
}

function problemAt(path: Path, message: string): ReadAxis {
  return { problems: [{ path, message }] }
}
