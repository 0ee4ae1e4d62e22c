/** Whole numbers and floats as bytes that compress well, and back. Pure; runs in Node, which writes a report, and in its page, which reads it. */

import type { ConfigField } from '../../../contract/bot.ts'
import type { MetricName } from '../../../contract/metrics.ts'
import type { Candles } from '../../../engine/candles.ts'

interface ByteWriter {
  /** A whole number of at most 2^52 in size, small ones in few bytes (LEB128 over the zigzag code). */
  readonly integer: (value: number) => void
  /** A column of such numbers: all lowest bytes, then all next ones, as many as the largest needs. The lowest are noise, the highest all alike. */
  readonly wholes: (values: ArrayLike<number>) => void
  /** A column of floats: all first bytes, then all second bytes, and so on, because neighbours have alike exponents. */
  readonly floats: (values: ArrayLike<number>, bits: 32 | 64) => void
  readonly bytes: (values: Uint8Array) => void
  readonly finish: () => Uint8Array
}

export function createByteWriter(): ByteWriter {
  let buffer = new Uint8Array(4096)
  let length = 0
  const reserve = (more: number): void => {
    if (length + more <= buffer.length) return
    const larger = new Uint8Array(Math.max(2 * buffer.length, length + more))
    larger.set(buffer.subarray(0, length))
    buffer = larger
  }
  const bytes = (values: Uint8Array): void => {
    reserve(values.length)
    buffer.set(values, length)
    length += values.length
  }
  const integer = (value: number): void => {
    reserve(8)
    let rest = zigzag(value)
    while (rest >= 128) {
      buffer[length++] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    buffer[length++] = rest
  }
  return {
    integer,
    wholes(values) {
      const codes = new Float64Array(values.length) // filled by hand: `from` takes five times as long
      let most = 0
      for (let i = 0; i < codes.length; i++) {
        codes[i] = zigzag(values[i])
        most = Math.max(most, codes[i])
      }
      let width = 0
      for (; most >= 1; most /= 256) width++
      integer(width)
      const planes = new Uint8Array(width * codes.length)
      for (let plane = 0, scale = 1, at = 0; plane < width; plane++, scale *= 256) {
        for (let i = 0; i < codes.length; i++) planes[at++] = codes[i] / scale // a byte array keeps the lowest byte
      }
      bytes(planes)
    },
    floats(values, bits) {
      const width = bits / 8
      const plain = new Uint8Array((bits === 32 ? new Float32Array(values) : new Float64Array(values)).buffer)
      const planes = new Uint8Array(plain.length)
      const count = values.length
      for (let plane = 0; plane < width; plane++) {
        for (let i = 0; i < count; i++) planes[plane * count + i] = plain[i * width + plane]
      }
      bytes(planes)
    },
    bytes,
    finish: () => buffer.slice(0, length),
  }
}

/** 0, −1, 1, −2, 2 … as 0, 1, 2, 3, 4 …, so that steps up and down are small alike. */
function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value
}

function unzigzag(code: number): number {
  return code % 2 === 0 ? code / 2 : -(code + 1) / 2
}

/** Reads what a writer wrote, in the same order. */
interface ByteReader {
  readonly integer: () => number
  readonly wholes: (count: number) => Float64Array
  readonly floats: (count: number, bits: 32 | 64) => Float64Array
  readonly bytes: (count: number) => Uint8Array
}

export function createByteReader(buffer: Uint8Array): ByteReader {
  let at = 0
  const bytes = (count: number): Uint8Array => {
    const taken = buffer.subarray(at, at + count)
    at += count
    return taken
  }
  const integer = (): number => {
    let code = 0
    let scale = 1
    for (;;) {
      const byte = buffer[at++]
      code += (byte % 128) * scale
      if (byte < 128) return unzigzag(code)
      scale *= 128
    }
  }
  return {
    integer,
    wholes(count) {
      const values = new Float64Array(count)
      const width = integer()
      for (let plane = 0, scale = 1; plane < width; plane++, scale *= 256) {
        for (let i = 0; i < count; i++) values[i] += buffer[at++] * scale
      }
      return values.map(unzigzag)
    },
    floats(count, bits) {
      const width = bits / 8
      const planes = bytes(count * width)
      const plain = new Uint8Array(planes.length)
      for (let plane = 0; plane < width; plane++) {
        for (let i = 0; i < count; i++) plain[i * width + plane] = planes[plane * count + i]
      }
      return bits === 64 ? new Float64Array(plain.buffer) : Float64Array.from(new Float32Array(plain.buffer))
    },
    bytes,
  }
}

// Candles as bytes of a report: times as steps, prices as whole numbers of the smallest decimal they use, each column by itself. Exact: what
// is read back is equal to the bit. Volumes are left out, because the engine does not read them.

const MOST_DECIMALS = 10
/** Prices that no number of decimals makes whole are written as they are. */
const AS_FLOATS = MOST_DECIMALS + 1
/** Powers of ten by the number of decimals, the same in every browser. */
const SCALES = Array.from({ length: AS_FLOATS }, (_, decimals) => Number(`1e${decimals}`))

export function packCandles(candles: Candles): Uint8Array {
  const writer = createByteWriter()
  const { intervalMs, openTime, open, high, low, close } = candles
  const prices = [open, high, low, close]
  const wholes = prices.map(({ length }) => new Float64Array(length))
  const decimals = SCALES.findIndex((scale) => prices.every((column, at) => fillWholes(wholes[at], column, scale)))
  writer.integer(openTime.length)
  writer.integer(intervalMs)
  writer.integer(decimals === -1 ? AS_FLOATS : decimals)
  let before = 0
  for (let i = 0; i < openTime.length; i++) {
    writer.integer(i === 0 ? openTime[0] : (openTime[i] - before) / intervalMs - 1)
    before = openTime[i]
  }
  if (decimals === -1) for (const column of prices) writer.floats(column, 64)
  else writePrices(writer, wholes)
  return writer.finish()
}

/** A close as the step from the one before, an open from that close, high and low from the body of the candle. Overwrites the columns. */
function writePrices(writer: ByteWriter, [open, high, low, close]: readonly Float64Array[]): void {
  for (let i = open.length - 1; i >= 0; i--) {
    const before = i === 0 ? 0 : close[i - 1]
    high[i] -= Math.max(open[i], close[i])
    low[i] = Math.min(open[i], close[i]) - low[i]
    open[i] -= before
    close[i] -= before
  }
  for (const column of [close, open, high, low]) writer.wholes(column)
}

/** Steps between larger whole numbers would be rounded. */
const LARGEST_WHOLE = 2 ** 51

/** False at the first price that is not, to the bit, a whole number divided by the scale, or whose whole number is too large. */
function fillWholes(wholes: Float64Array, prices: Float64Array, scale: number): boolean {
  for (let i = 0; i < prices.length; i++) {
    const whole = Math.round(prices[i] * scale)
    if (whole / scale !== prices[i] || whole > LARGEST_WHOLE) return false
    wholes[i] = whole
  }
  return true
}

export function unpackCandles(bytes: Uint8Array): Candles {
  const reader = createByteReader(bytes)
  const count = reader.integer()
  const intervalMs = reader.integer()
  const decimals = reader.integer()
  const openTime = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const step = reader.integer()
    openTime[i] = i === 0 ? step : openTime[i - 1] + (step + 1) * intervalMs
  }
  const prices = decimals === AS_FLOATS ? readFloats(reader, count) : readPrices(reader, count, SCALES[decimals])
  return { intervalMs, openTime, ...prices, volume: new Float64Array(count) }
}

type Prices = Pick<Candles, 'open' | 'high' | 'low' | 'close'>

function readFloats(reader: ByteReader, count: number): Prices {
  const [open, high, low, close] = Array.from({ length: 4 }, () => reader.floats(count, 64))
  return { open, high, low, close }
}

function readPrices(reader: ByteReader, count: number, scale: number): Prices {
  const [close, open, high, low] = Array.from({ length: 4 }, () => reader.wholes(count))
  for (let i = 1; i < count; i++) close[i] += close[i - 1]
  for (let i = 1; i < count; i++) open[i] += close[i - 1]
  for (let i = 0; i < count; i++) high[i] += Math.max(open[i], close[i])
  for (let i = 0; i < count; i++) low[i] = Math.min(open[i], close[i]) - low[i]
  for (const column of [open, high, low, close]) for (let i = 0; i < count; i++) column[i] /= scale
  return { open, high, low, close }
}

// Daily equity of the trials as bytes of a report: whole multiples of a unit, each day as the step from the day before.

/** The unit is the investment divided by this: 0.005 % of it, finer than any chart shows. */
export const UNITS_PER_INVESTMENT = 20_000

/** Day ends from `firstDay` on (days since 1970-01-01), without a gap; empty where a result keeps none. */
export interface EquitySeries {
  readonly firstDay: number
  readonly values: readonly number[]
}

export function packEquity(series: readonly EquitySeries[], investments: ArrayLike<number>): Uint8Array {
  const writer = createByteWriter()
  series.forEach(({ firstDay, values }, trial) => {
    const unit = investments[trial] / UNITS_PER_INVESTMENT
    writer.integer(values.length)
    if (values.length > 0) writer.integer(firstDay)
    let before = UNITS_PER_INVESTMENT
    for (const value of values) {
      const now = Math.round(value / unit)
      writer.integer(now - before)
      before = now
    }
  })
  return writer.finish()
}

export function unpackEquity(bytes: Uint8Array, investments: ArrayLike<number>): readonly EquitySeries[] {
  const reader = createByteReader(bytes)
  return Array.from(investments, (investment) => {
    const unit = investment / UNITS_PER_INVESTMENT
    const length = reader.integer()
    const firstDay = length > 0 ? reader.integer() : 0
    let units = UNITS_PER_INVESTMENT
    const values = Array.from({ length }, () => {
      units += reader.integer()
      return units * unit
    })
    return { firstDay, values }
  })
}

// The trials of a section as bytes of a report: one column after another, in the order that `PageSection.columns` states. A number that is
// not known is NaN in a column and null everywhere else.

/** A column that a reader can filter, sort and draw by. */
export type ColumnName = ConfigField | MetricName

/** `bits` of a stored number: 64 are exact, 32 keep seven digits. */
export interface StoredColumn {
  readonly name: ColumnName
  readonly bits: 32 | 64
}

/** Where a trial stands in its study's ranking. */
export const STANDINGS = ['ranked', 'outside', 'noValue', 'sample'] as const
export type Standing = (typeof STANDINGS)[number]

/** Trials with a result: the ranked ones first, best first, then the others by standing. */
export interface TrialColumns {
  readonly count: number
  /** First 12 digits of the fingerprint of each configuration. */
  readonly fingerprints: readonly string[]
  /** Index into `STANDINGS`. */
  readonly standings: Uint8Array
  /** Index into the section's `terms`. */
  readonly terms: Uint16Array
  /** Index into `SAMPLE_CLASSES`; its length = not known. */
  readonly samples: Uint8Array
  readonly numbers: ReadonlyMap<ColumnName, Float64Array>
}

/** So many first digits of a configuration’s fingerprint are kept. */
export const FINGERPRINT_DIGITS = 12
const FINGERPRINT_BYTES = FINGERPRINT_DIGITS / 2

export function packTrials(columns: TrialColumns, stored: readonly StoredColumn[]): Uint8Array {
  const writer = createByteWriter()
  for (const fingerprint of columns.fingerprints) {
    const digits = fingerprint.match(/../g) ?? []
    writer.bytes(Uint8Array.from(digits, (pair) => Number.parseInt(pair, 16)))
  }
  for (const small of [columns.standings, columns.samples]) writer.bytes(small)
  for (const place of columns.terms) writer.integer(place)
  for (const { name, bits } of stored) {
    const values = columns.numbers.get(name)
    if (values === undefined) throw new Error(`trials: there is no column ${name}`)
    writer.floats(values, bits)
  }
  return writer.finish()
}

export function unpackTrials(bytes: Uint8Array, count: number, stored: readonly StoredColumn[]): TrialColumns {
  const reader = createByteReader(bytes)
  const fingerprints = Array.from({ length: count }, () =>
    Array.from(reader.bytes(FINGERPRINT_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  )
  const [standings, samples] = [reader.bytes(count), reader.bytes(count)]
  const terms = Uint16Array.from({ length: count }, () => reader.integer())
  const numbers = new Map(stored.map(({ name, bits }) => [name, reader.floats(count, bits)]))
  return { count, fingerprints, standings, terms, samples, numbers }
}
