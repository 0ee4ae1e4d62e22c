/** Reads the metrics of a result, number by number. What cannot be read becomes null and says why; nothing is guessed (H22). */
import { findMetric, metricsFromValues } from '../../../contract/metric-values.ts'
import { METRICS, type MetricName, type MetricsAsRead } from '../../../contract/metrics.ts'
import { readSample } from '../../../contract/sample-size.ts'
import { booleanOf, fieldsOf, numberOf, own } from './single-values.ts'

export interface MetricsRead {
  /** Unreadable numbers inside are null, each with its reason in `flags`. */
  readonly metrics: MetricsAsRead
  /** Dotted path → why. */
  readonly flags: Readonly<Record<string, string>>
}

export function readMetrics(body: unknown): MetricsRead {
  const fields = fieldsOf(body)
  const flags: Record<string, string> = {}
  const flagAs = (path: string) => (why: string) => {
    flags[path] = why
  }
  const scalars = metricsFromValues((name) => readScalar(fields, name, flagAs(name)))
  const histogram = own(fieldsOf(own(fields, 'safetyOrdersFilled')), 'histogram')
  const sample = readSample(own(fields, 'sampleSize'), own(fields, 'confidence'))
  if (sample.sampleSize === null) flags.sampleSize = explain(own(fields, 'sampleSize'), 'a class of sample sizes')
  const metrics = {
    ...scalars,
    safetyOrdersFilled: {
      ...scalars.safetyOrdersFilled,
      histogram: readRows(histogram, countOf, flagAs('safetyOrdersFilled.histogram')),
    },
    monthlyReturns: readRows(own(fields, 'monthlyReturns'), monthOf, flagAs('monthlyReturns')),
    dailyEquity: readRows(own(fields, 'dailyEquity'), dayOf, flagAs('dailyEquity')),
    ...sample,
  }
  return { metrics, flags }
}

/** The number of a metric, 1 and 0 for yes and no. Null without a flag is an answer where the metric's row allows it, and absent an optional one may be. */
function readScalar(body: unknown, name: MetricName, flag: (why: string) => void): number | null {
  const value = findMetric(body, name)
  const { unit, whole, nullWhen, optional } = METRICS[name]
  if ((value === null && nullWhen !== null) || (value === undefined && optional)) return null
  const [number, expected] =
    unit === 'yes/no'
      ? [yesNoOf(value), 'true or false']
      : whole
        ? [countOf(value), 'a whole number']
        : [numberOf(value), 'a finite number']
  if (number === null) flag(explain(value, expected))
  return number
}

function yesNoOf(value: unknown): number | null {
  const answer = booleanOf(value)
  if (answer !== null) return answer ? 1 : 0
  return value === 1 || value === 0 ? value : null
}

function readRows<T>(value: unknown, readRow: (row: unknown) => T | null, flag: (why: string) => void): T[] {
  if (!Array.isArray(value)) {
    flag(explain(value, 'a list'))
    return []
  }
  const rows = value.map(readRow).filter((row) => row !== null)
  if (rows.length < value.length) flag(`${value.length - rows.length} of ${value.length} rows could not be read`)
  return rows
}

function countOf(value: unknown): number | null {
  const number = numberOf(value)
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null
}

function monthOf(row: unknown): { month: string; returnPercent: number } | null {
  const month = own(fieldsOf(row), 'month')
  const returnPercent = numberOf(own(fieldsOf(row), 'returnPercent'))
  return typeof month === 'string' && /^\d{4}-\d\d$/.test(month) && returnPercent !== null
    ? { month, returnPercent }
    : null
}

function dayOf(row: unknown): { date: string; equity: number } | null {
  const date = own(fieldsOf(row), 'date')
  const equity = numberOf(own(fieldsOf(row), 'equity'))
  return typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date) && equity !== null ? { date, equity } : null
}

function explain(value: unknown, expected: string): string {
  if (value === undefined) return 'absent'
  const shown = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value)
  return `expected ${expected}, found ${shown.slice(0, 60)}`
}
