/** Reads the metrics of a result, number by number. What cannot be read becomes null and says why; nothing is guessed (H22). */
import { CONFIDENCE_GRADES, METRIC_NAMES, METRICS, type MetricName, type Metrics } from '../../../contract/metrics.ts'
import { booleanOf, type Fields, fieldsOf, numberOf, own } from './fields.ts'

/** Undefined for some results by definition: there, null is an answer and not a failure to read. */
const MAY_BE_NULL: ReadonlySet<MetricName> = new Set([
  'roiOnMaxUsedPercent',
  'winRatePercent',
  'dealDuration.average',
  'dealDuration.median',
  'dealDuration.p95',
  'dealDuration.max',
  'safetyOrdersFilled.average',
  'safetyOrdersFilled.max',
  'profitFactor',
  'sharpe',
  'sortino',
  'cagrPercent',
  'calmar',
])

export interface MetricsRead {
  /** Unreadable numbers inside are null, each with its reason in `flags`. */
  readonly metrics: Metrics
  /** Dotted path → why. */
  readonly flags: Readonly<Record<string, string>>
}

export function readMetrics(body: unknown): MetricsRead {
  const fields = fieldsOf(body)
  const flags: Record<string, string> = {}
  const scalars = Object.fromEntries(METRIC_NAMES.map((name) => [name, readScalar(fields, name, flags)]))
  const group = (prefix: string) =>
    Object.fromEntries(
      METRIC_NAMES.filter((name) => name.startsWith(`${prefix}.`)).map((name) => [
        name.slice(prefix.length + 1),
        scalars[name],
      ]),
    )
  const metrics = {
    ...Object.fromEntries(METRIC_NAMES.filter((name) => !name.includes('.')).map((name) => [name, scalars[name]])),
    dealDuration: group('dealDuration'),
    safetyOrdersFilled: {
      ...group('safetyOrdersFilled'),
      histogram: readRows(own(fieldsOf(own(fields, 'safetyOrdersFilled')), 'histogram'), countOf, (why) => {
        flags['safetyOrdersFilled.histogram'] = why
      }),
    },
    usedCapital: group('usedCapital'),
    monthlyReturns: readRows(own(fields, 'monthlyReturns'), monthOf, (why) => {
      flags.monthlyReturns = why
    }),
    dailyEquity: readRows(own(fields, 'dailyEquity'), dayOf, (why) => {
      flags.dailyEquity = why
    }),
    confidence: CONFIDENCE_GRADES.find((grade) => grade === own(fields, 'confidence')) ?? null,
  }
  if (metrics.confidence === null) flags.confidence = explain(own(fields, 'confidence'), 'a confidence grade')
  // Built from the list of metric names; that numbers may be null where the type says number is what `flags` is for.
  return { metrics: metrics as unknown as Metrics, flags }
}

function readScalar(fields: Fields | null, name: MetricName, flags: Record<string, string>): number | boolean | null {
  const value = findPath(fields, name)
  const { unit, column } = METRICS[name]
  if (unit === 'yes/no') {
    const answer = value === 1 || value === 0 ? value === 1 : booleanOf(value)
    if (answer === null) flags[name] = explain(value, 'true or false')
    return answer
  }
  if (value === null && MAY_BE_NULL.has(name)) return null
  const whole = unit === 'count' && !column.endsWith('_average')
  const number = whole ? countOf(value) : numberOf(value)
  if (number === null) flags[name] = explain(value, whole ? 'a whole number' : 'a finite number')
  return number
}

function findPath(fields: Fields | null, path: string): unknown {
  const [head, ...rest] = path.split('.')
  const value = own(fields, head)
  return rest.length === 0 ? value : findPath(fieldsOf(value), rest.join('.'))
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
