/** Reads the metrics of a result, number by number. What cannot be read becomes null and says why; nothing is guessed (H22). */

import type { Unit } from '../../../contract/metric-row.ts'
import { findMetric, metricsFromValues } from '../../../contract/metric-values.ts'
import { METRICS, type MetricName, type MetricsAsRead } from '../../../contract/metrics.ts'
import { readSampleSize } from '../../../contract/sample-size.ts'
import { minutes, money, percent, type Read } from './dialect-library.ts'
import { booleanOf, fieldsOf, numberIn, numberOf, own, readAlone, whyUnread } from './single-values.ts'

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
  const sampleSize = readSampleSize(own(fields, 'sampleSize'))
  if (sampleSize === null) flags.sampleSize = explain(own(fields, 'sampleSize'), 'a class of sample sizes')
  const metrics = {
    ...scalars,
    safetyOrdersFilled: {
      ...scalars.safetyOrdersFilled,
      histogram: readRows(histogram, countOf, flagAs('safetyOrdersFilled.histogram')),
    },
    monthlyReturns: readRows(own(fields, 'monthlyReturns'), monthOf, flagAs('monthlyReturns')),
    dailyEquity: readRows(own(fields, 'dailyEquity'), dayOf, flagAs('dailyEquity')),
    sampleSize,
  }
  return { metrics, flags }
}

/** What a metric in a unit is read by: a dialect’s own helpers, so that both read alike. */
const READ_BY: Readonly<Record<Exclude<Unit, 'yes/no'>, (value: unknown) => Read>> = {
  quote: money,
  percent,
  minutes,
  count: readAlone,
  ratio: readAlone,
}

/** The number of a metric, 1 and 0 for yes and no. Null without a flag is an answer where the metric's row allows it, and absent an optional one may be. */
function readScalar(body: unknown, name: MetricName, flag: (why: string) => void): number | null {
  const value = findMetric(body, name)
  const { unit, whole, nullWhen, optional } = METRICS[name]
  if ((value === null && nullWhen !== null) || (value === undefined && optional)) return null
  if (unit === 'yes/no') {
    const answer = yesNoOf(value)
    if (answer === null) flag(explain(value, 'true or false'))
    return answer
  }
  const read = READ_BY[unit](value)
  const number = numberIn(read)
  if (number === null) flag(whyUnread(read) ?? explain(value, 'a finite number'))
  else if (whole && !isCount(number)) flag(explain(value, 'a whole number'))
  return number === null || (whole && !isCount(number)) ? null : number
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
  return number !== null && isCount(number) ? number : null
}

function isCount(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0
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
  const reason = whyUnread(value)
  if (reason !== null) return reason
  const shown = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value)
  return `expected ${expected}, found ${shown.slice(0, 60)}`
}
