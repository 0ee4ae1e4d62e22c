import { CONFIG, CONFIG_FIELDS, type ConfigField, type DcaSpotConfig } from '../contract/bot.ts'
import {
  COMPANIONS,
  METRIC_NAMES,
  METRICS,
  type MetricName,
  type MetricsAsRead,
  metricValue,
  type Unit,
  withCompanions,
} from '../contract/metrics.ts'
import { sharpeError } from '../engine/risk-adjusted.ts'
import { formatNumber, toneOfGain } from './output.ts'
import { type Column, tellingDigits } from './table.ts'

const UNIT_DIGITS: Readonly<Record<Unit, number>> = {
  quote: 4,
  percent: 2,
  minutes: 0,
  count: 0,
  ratio: 2,
  'yes/no': 0,
}

/** One line per metric: title, value, unit. An undefined number is a dash. `period`: what was asked for, ms UTC; null = not known. */
export function describeMetrics(metrics: MetricsAsRead, period: Span | null): string[] {
  const width = Math.max(...METRIC_NAMES.map((name) => METRICS[name].title.length))
  const lines = METRIC_NAMES.map((name) => {
    const { title, unit } = METRICS[name]
    const error = name === 'sharpe' ? shownError(metrics, period) : ''
    return `${title.padEnd(width)}  ${describeValue(metricValue(metrics, name), unit)}${error}`
  })
  return [...lines, `${'Sample size'.padEnd(width)}  ${metrics.sampleSize ?? '-'}`]
}

type Span = { readonly from: number; readonly to: number }

const DAY_MS = 86_400_000

/** " ± 2.01": one standard error of the Sharpe ratio of a result, by its daily returns, or where they are not kept by the days asked for. */
function shownError(metrics: MetricsAsRead | null, period: Span | null): string {
  if (metrics === null || metrics.sharpe === null) return ''
  const asked = period === null ? 0 : (period.to - period.from) / DAY_MS
  const error = sharpeError(metrics.dailyEquity.length || asked)
  return ` ± ${error === null ? 'unknown' : formatNumber(error, UNIT_DIGITS.ratio)}`
}

/** Of columns, whose titles have at most three lines of nine characters; the others' own titles do. */
const SHORT_TITLES: Partial<Readonly<Record<MetricName, string>>> = {
  netProfit: 'net profit',
  netProfitPerUsedPercent: 'profit / used %',
  stressedPerUsed: 'stressed / used %',
  roiOnMaxUsedPercent: 'ROI on used %',
  maxDrawdownPercent: 'max DD %',
  maxDrawdownLowPercent: 'max DD at lows %',
  exposedHoldPercent: 'hold same amount %',
  buyAndHoldMaxDrawdownPercent: 'hold max DD %',
  unrealizedProfit: 'open P&L',
  timeFullyInvestedPercent: 'time all in %',
  closedDeals: 'deals',
  winRatePercent: 'wins %',
  stopLosses: 'stops',
  'dealDuration.max': 'longest deal min',
}

export function columnTitle(name: MetricName): string {
  return SHORT_TITLES[name] ?? metricTitle(name)
}

/** Columns of a metric, and of those that it must not be shown without, each named after `prefix`. */
export function metricColumns<Row>(
  name: MetricName,
  resultOf: (row: Row) => Measured | null,
  {
    prefix = '',
    role = 'companion',
  }: { readonly prefix?: string; readonly role?: NonNullable<Column<Row>['role']> } = {},
): Column<Row>[] {
  return withCompanions(name).map((each) => ({
    title: prefix === '' ? columnTitle(each) : each === name ? prefix : `${prefix} ${columnTitle(each)}`,
    role,
    value: (row) => cellOf(each, resultOf(row)),
    ...(isGain(each) ? { tone: toneOfGain } : {}),
  }))
}

/** Money won or lost, or the share that it is of money: its sign says which. A rate of wins has no sign. */
function isGain(name: MetricName): boolean {
  const { unit, better } = METRICS[name]
  return better === 'higher' && (unit === 'quote' || unit === 'percent') && name !== 'winRatePercent'
}

export interface Measured {
  readonly metrics: MetricsAsRead | null
  readonly period: Span
}

function cellOf(name: MetricName, result: Measured | null) {
  const metrics = result?.metrics ?? null
  return metrics === null ? null : withError(name, metricValue(metrics, name), result)
}

/**
 * A value as a table shows it: a Sharpe ratio as text with its standard error. One that is reduced from several markets has the error of one of
 * them: they rise and fall together, so that more of them do not make it smaller.
 */
export function withError(name: MetricName, value: number | null, result: Measured | null): number | string | null {
  if (name !== 'sharpe' || value === null || result === null) return value
  return `${formatNumber(value, UNIT_DIGITS.ratio)}${shownError(result.metrics, result.period)}`
}

/** Text after the number of missing candles: how many of them were missing while a deal was open. Empty when there are none. */
export function inDeals(metrics: MetricsAsRead | null): string {
  return metrics?.missingInDeals ? ` (${metrics.missingInDeals} while a deal was open)` : ''
}

/** One line per convention, in the form of a configuration's fields; a service may return any JSON here. */
export function describeConventions(conventions: object): string[] {
  return Object.entries(conventions).map(
    ([name, value]) => `${name.padEnd(24)} ${typeof value === 'string' ? value : (JSON.stringify(value) ?? '-')}`,
  )
}

/** Metrics without their series: what lists and summaries print. */
export function scalarMetrics(metrics: MetricsAsRead | null) {
  if (metrics === null) return null
  const { monthlyReturns, dailyEquity, ...scalars } = metrics
  return scalars
}

const DETAILS: readonly MetricName[] = [
  'netProfitPerUsedPercent',
  'roiPercent',
  'winRatePercent',
  'stopLosses',
  'ambiguousCandles',
]

/** Columns of the objective, of what every ranking shows beside it, and what speaks against a result where something does. */
export function rankingColumns<Row>(objective: MetricName, resultOf: (row: Row) => Measured | null): Column<Row>[] {
  const columns = [
    ...metricColumns(objective, resultOf, { role: 'objective' }),
    ...COMPANIONS.flatMap((name) => metricColumns(name, resultOf)),
    ...DETAILS.flatMap((name) => metricColumns(name, resultOf, { role: 'detail' })),
  ]
  return [
    { title: 'alarm', role: 'alarm', value: (row) => alarmOf(resultOf(row)), tone: () => 'warn' },
    ...columns.filter(({ title }, at) => columns.findIndex((other) => other.title === title) === at),
  ]
}

function alarmOf(result: Measured | null): string | null {
  if (result?.metrics === null || result === null) return null
  const { outOfCash, missingInDeals } = result.metrics
  if (outOfCash) return 'out of cash'
  return missingInDeals ? `${missingInDeals} missing` : null
}

/** Of any name: of other facts in words. */
export function fieldTitle(name: string): string {
  const field = CONFIG_FIELDS.find((known) => known === name)
  return field === undefined ? name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase() : CONFIG[field].title
}

/** Decimals that tell the numbers of a column apart, and show four significant digits. */
export function distinctDigits(numbers: readonly number[]): number {
  const { size } = new Set(numbers)
  let digits = tellingDigits(numbers)
  while (digits < 12 && new Set(numbers.map((value) => value.toFixed(digits))).size < size) digits++
  return digits
}

/** "same for all: base order 25, step × 1.2, no stop loss"; leverage can be nothing but 1. */
export function describeSame(config: DcaSpotConfig | undefined, varied: readonly ConfigField[]): string[] {
  if (config === undefined) return []
  const fields = CONFIG_FIELDS.filter((field) => field !== 'leverage' && !varied.includes(field))
  const words = fields.map((field) => {
    if (field === 'stopLoss' && config[field] === 0) return 'no stop loss'
    const title = fieldTitle(field)
    const value = String(Number(config[field].toPrecision(4)))
    return title.endsWith(' %') ? `${title.slice(0, -2)} ${value} %` : `${title} ${value}`
  })
  return words.length === 0 ? [] : [`same for all: ${words.join(', ')}`]
}

/** A metric's title for a column head, with the unit where the numbers below it do not show it. */
export function metricTitle(name: MetricName): string {
  const { title, unit } = METRICS[name]
  return unit === 'percent' ? `${title} %` : unit === 'minutes' ? `${title} min` : title
}

function describeValue(value: number | null, unit: Unit): string {
  if (value === null) return '-'
  if (unit === 'yes/no') return value === 1 ? 'yes' : 'no'
  const digits = unit === 'count' && !Number.isInteger(value) ? 2 : UNIT_DIGITS[unit]
  const text = formatNumber(value, digits)
  return unit === 'percent' ? `${text} %` : unit === 'minutes' ? `${text} min` : text
}
