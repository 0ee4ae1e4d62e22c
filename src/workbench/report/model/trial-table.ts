/** The trials of a section as the page asks for them. Pure. */
import { CONFIG_FIELDS, type ConfigField, type DcaSpotConfig, ID_DIGITS } from '../../../contract/bot.ts'
import { METRIC_NAMES, METRICS, type MetricName, SAMPLE_CLASSES, type SampleSize } from '../../../contract/metrics.ts'
import { type ColumnName, FINGERPRINT_DIGITS, STANDINGS, type Standing, type TrialColumns } from './blocks.ts'
import type { PageSection, PageTerms } from './document.ts'

/** A trial is named by its place in the columns, from 0: the ranked ones come first, best first. */
export interface TrialTable {
  readonly count: number
  /** The columns that have numbers: fields that vary, then metrics. */
  readonly columns: readonly ColumnName[]
  /** null = not known. */
  readonly number: (trial: number, name: ColumnName) => number | null
  /** Why a metric is null. */
  readonly whyNull: (trial: number, name: MetricName) => string
  readonly config: (trial: number) => DcaSpotConfig
  /** First digits of its configuration’s fingerprint, by which commands know it. */
  readonly id: (trial: number) => string
  /** The same to its first 12 digits. */
  readonly fingerprint: (trial: number) => string
  /** The only trial whose configuration’s fingerprint begins so; undefined when there is none or more than one. */
  readonly find: (digits: string) => number | undefined
  readonly standing: (trial: number) => Standing
  /** From 1; null = it is not ranked. */
  readonly rank: (trial: number) => number | null
  readonly sampleSize: (trial: number) => SampleSize | null
  readonly terms: (trial: number) => PageTerms
  /** For loops over all trials: NaN = not known. Undefined for a column that no trial has. */
  readonly values: (name: ColumnName) => Float64Array | undefined
}

/** What trials can be sorted and filtered by beside fields and metrics. */
export const OTHER_COLUMNS = ['rank', 'sampleSize'] as const
type OtherColumn = (typeof OTHER_COLUMNS)[number]
export type AnyColumn = ColumnName | OtherColumn

export function isOther(name: AnyColumn): name is OtherColumn {
  return OTHER_COLUMNS.some((other) => other === name)
}

/** The number that a trial is sorted and compared by: of a sample size the fewest deals of its class; NaN = not known. */
export function columnReader(table: TrialTable, column: AnyColumn): (trial: number) => number {
  if (column === 'rank') return (trial) => table.rank(trial) ?? Number.NaN
  if (column === 'sampleSize') {
    return (trial) => SAMPLE_CLASSES.find(({ words }) => words === table.sampleSize(trial))?.from ?? Number.NaN
  }
  const numbers = table.values(column)
  return (trial) => numbers?.[trial] ?? Number.NaN
}

export function isMetric(name: ColumnName): name is MetricName {
  return Object.hasOwn(METRICS, name)
}

export function createTrialTable(section: PageSection, columns: TrialColumns): TrialTable {
  const { base, gaps } = section
  const { count, fingerprints, standings, numbers } = columns
  const digits = digitsThatDiffer(fingerprints)
  const constants = new Map<ConfigField, Float64Array>()
  const values = (name: ColumnName): Float64Array | undefined => {
    const column = numbers.get(name) ?? constants.get(name as ConfigField) // a metric has no constant
    if (column !== undefined || isMetric(name) || base[name] === undefined) return column
    const constant = new Float64Array(count).fill(base[name])
    constants.set(name, constant)
    return constant
  }
  const number = (trial: number, name: ColumnName): number | null => {
    const value = numbers.get(name)?.[trial] ?? (isMetric(name) ? undefined : base[name])
    return value === undefined || Number.isNaN(value) ? null : value
  }
  const standing = (trial: number) => STANDINGS[standings[trial]]
  return {
    count,
    columns: [...CONFIG_FIELDS, ...METRIC_NAMES].filter((name) => numbers.has(name)),
    number,
    values,
    standing,
    whyNull: (trial, name) =>
      gaps.reasons[gaps.of[`${trial} ${name}`]] ?? METRICS[name].nullWhen ?? 'the result does not have it',
    config: (trial) =>
      Object.fromEntries(CONFIG_FIELDS.map((field) => [field, number(trial, field)])) as unknown as DcaSpotConfig, // a finished trial has every field
    id: (trial) => fingerprints[trial].slice(0, digits),
    fingerprint: (trial) => fingerprints[trial],
    find(digits) {
      const found = fingerprints.flatMap((each, trial) => (each.startsWith(digits) ? [trial] : []))
      return found.length === 1 ? found[0] : undefined
    },
    rank: (trial) => (standing(trial) === 'ranked' ? trial + 1 : null),
    sampleSize: (trial) => SAMPLE_CLASSES.at(columns.samples[trial])?.words ?? null,
    terms: (trial) => section.terms[columns.terms[trial]],
  }
}

/** In how many first digits these fingerprints differ: those of an id, or as many more as it takes. */
export function digitsThatDiffer(fingerprints: readonly string[]): number {
  const different = (digits: number) => new Set(fingerprints.map((each) => each.slice(0, digits))).size
  let digits = ID_DIGITS
  while (different(digits) < different(FINGERPRINT_DIGITS)) digits++
  return digits
}
