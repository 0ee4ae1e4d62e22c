/**
 * The trials of a section as bytes of a report: one column after another, in the order that `PageSection.columns` states. A number that is
 * not known is NaN in a column and null everywhere else.
 */
import type { ConfigField } from '../../../contract/bot.ts'
import type { MetricName } from '../../../contract/metrics.ts'
import { createByteReader, createByteWriter } from './byte-stream.ts'

/** A column that a reader can filter, sort and draw by. */
export type ColumnName = ConfigField | MetricName

/** `bits` of a stored number: 64 are exact, 32 keep seven digits. */
export interface StoredColumn {
  readonly name: ColumnName
  readonly bits: 32 | 64
}

/** Where a trial stands in its study's ranking. */
export const STANDINGS = ['ranked', 'outside', 'unranked', 'sample'] as const
export type Standing = (typeof STANDINGS)[number]

/** Trials with a result: the ranked ones first, best first, then the others by standing. */
export interface TrialColumns {
  readonly count: number
  /** First 12 digits of each fingerprint. */
  readonly fingerprints: readonly string[]
  /** Index into `STANDINGS`. */
  readonly standings: Uint8Array
  /** Index into the section's `terms`. */
  readonly terms: Uint16Array
  /** Index into `SAMPLE_CLASSES`; its length = not known. */
  readonly samples: Uint8Array
  readonly numbers: ReadonlyMap<ColumnName, Float64Array>
}

/** First digits of a fingerprint that name a trial. */
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
