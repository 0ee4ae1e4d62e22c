/** Numbers, times and durations as the report writes them: always the same, independent of the machine's locale; minus as −, undefined as –. */
import { METRICS, type MetricName, withCommas } from '../../contract/metrics.ts'
import { sharpeError } from '../../engine/risk-adjusted.ts'

export const NOTHING = '–'

/** 1234.5 → "1,234.50". */
export function formatNumber(value: number | null | undefined, decimals: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NOTHING
  const [whole, ...fraction] = roundDecimal(value, decimals).toFixed(decimals).split('.')
  return [withCommas(whole).replace('-', '−'), ...fraction].join('.')
}

/** As `formatNumber`, with a + before gains. */
export function formatSigned(value: number | null | undefined, decimals: number): string {
  const text = formatNumber(value, decimals)
  return /[1-9]/.test(text) && !text.startsWith('−') ? `+${text}` : text
}

/**
 * As `Intl` rounds: what is written in decimals, its halves away from zero (12.305 → 12.31, where `toFixed` rounds the double below it). −0.004 at
 * two decimals is 0.00, not −0.00.
 */
function roundDecimal(value: number, decimals: number): number {
  const [digits, exponent = '0'] = String(Math.abs(value)).split('e')
  const units = Math.round(Number(`${digits}e${Number(exponent) + decimals}`))
  if (units === 0 || units > Number.MAX_SAFE_INTEGER) return units === 0 ? 0 : value
  return Math.sign(value) * Number(`${units}e-${decimals}`)
}

/** A configuration's value: as the study wrote it where that has at most four digits, else three digits and the whole number; no thousands. */
export function formatValue(value: number): string {
  const short = Number(value.toPrecision(4))
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)))
  return plainText(short === value ? value : Number(value.toFixed(Math.min(decimals, 20))))
}

function plainText(value: number): string {
  return String(value).replace('-', '−')
}

export function formatCount(value: number | null, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(value, 0)} ${value === 1 ? singular : plural}`
}

/** Decimals that show about six digits of an amount the size of `investment`; from two to `most`. */
export function quoteDecimals(investment: number, most = 8): number {
  if (!(investment > 0)) return 2
  return Math.min(most, Math.max(2, 5 - Math.floor(Math.log10(investment))))
}

/** Quote per base, in six digits. */
export function formatPrice(price: number | null): string {
  return formatNumber(price, quoteDecimals(price ?? 0, 10))
}

/** "12.50 USDT"; the space does not break. */
export function formatAmount(value: number | null, { asset, decimals }: Quote): string {
  return withUnit(formatNumber(value, decimals), asset)
}

/** "+12.50 USDT". */
export function formatGain(value: number | null, { asset, decimals }: Quote): string {
  return withUnit(formatSigned(value, decimals), asset)
}

function withUnit(text: string, unit: string): string {
  return text === NOTHING ? text : `${text}\u00a0${unit}`
}

/** 3.4912 → "3.49 %"; the space does not break. */
export function formatPercent(value: number | null | undefined, decimals = 2): string {
  return withUnit(formatNumber(value, decimals), '%')
}

export function signedPercent(value: number | null | undefined): string {
  return withUnit(formatSigned(value, 2), '%')
}

/** 4.8573 → "4.857 %", to a thousandth. */
export function percentValue(value: number): string {
  return withUnit(plainText(Number(value.toFixed(3))), '%')
}

/** Of a picture, in its pixels. */
export function tenths(value: number): number {
  return Math.round(value * 10) / 10
}

const SIGNED: ReadonlySet<MetricName> = new Set([
  'realizedProfit',
  'unrealizedProfit',
  'netProfit',
  'roiPercent',
  'roiOnMaxUsedPercent',
  'netProfitPerUsedPercent',
  'stressedPerUsed',
  'netProfitPessimistic',
  'netProfitOptimistic',
  'cagrPercent',
  'buyAndHoldPercent',
  'exposedHoldPercent',
])

/** One metric in the format of its unit, without the unit except for durations. */
export function formatMetric(name: MetricName, value: number | null, decimalsOfQuote: number): string {
  if (value === null) return NOTHING
  const { unit } = METRICS[name]
  if (unit === 'yes/no') return value === 0 ? 'no' : 'yes'
  if (unit === 'minutes') return formatMinutes(value)
  const decimals = decimalsOf(name, value, decimalsOfQuote)
  return SIGNED.has(name) ? formatSigned(value, decimals) : formatNumber(value, decimals)
}

/** Decimals that a value of a metric is shown with, unless it is a duration or a yes or no. */
function decimalsOf(name: MetricName, value: number, decimalsOfQuote: number): number {
  const { unit } = METRICS[name]
  return unit === 'quote' ? decimalsOfQuote : unit === 'count' && Number.isInteger(value) ? 0 : 2
}

/** A metric in a sentence: with its unit. */
export function formatMetricWithUnit(name: MetricName, value: number | null, quote: Quote): string {
  const text = formatMetric(name, value, quote.decimals)
  const { unit } = METRICS[name]
  return unit === 'quote' ? withUnit(text, quote.asset) : unit === 'percent' ? withUnit(text, '%') : text
}

/** `Net profit, USDT`; `ROI, % of investment`. */
export function titleWithUnit(name: MetricName, { asset }: Pick<Quote, 'asset'>): string {
  return [METRICS[name].title, unitInWords(name, asset)].filter((text) => text !== '').join(', ')
}

/** A metric's title inside a sentence: capitals only where they are an abbreviation or a name. */
export function lowerTitle(metric: MetricName): string {
  const { title } = METRICS[metric]
  return /^(?:ROI|CAGR|Sharpe|Sortino|Calmar)/.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1)
}

/** What a metric is counted in, to stand behind its title: "USDT", "% of investment"; empty where it is a number alone. */
export function unitInWords(name: MetricName, asset: string): string {
  const { unit, of } = METRICS[name]
  if (unit === 'quote') return asset
  return unit !== 'percent' ? '' : of === null ? '%' : `% of ${of}`
}

/** Behind a Sharpe ratio its standard error, from so many daily returns: " ± 2.01"; empty for every other metric. */
export function sharpeErrorText(name: MetricName, value: number | null, days: number): string {
  return name === 'sharpe' && value !== null ? `\u00a0±\u00a0${formatNumber(sharpeError(days), 2)}` : ''
}

/** The quote currency of a study, and how many decimals its amounts are shown with. */
export interface Quote {
  readonly asset: string
  readonly decimals: number
}

/** 4530 → "3 d 3 h". */
export function formatMinutes(minutes: number): string {
  const whole = Math.round(minutes)
  const [days, hours, rest] = [Math.floor(whole / 1440), Math.floor((whole % 1440) / 60), whole % 60]
  if (days > 0) return `${formatNumber(days, 0)} d ${hours} h`
  return hours > 0 ? `${hours} h ${rest} min` : `${rest} min`
}

/** "2021-04-21 00:00 UTC"; text that is no time is shown as it is. */
export function formatInstant(time: string | number): string {
  const ms = typeof time === 'number' ? time : Date.parse(time)
  return Number.isFinite(ms) ? `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC` : String(time)
}

/** "2021-04-21" at midnight UTC, else with the minutes. */
export function formatDay(ms: number): string {
  return ms % 86_400_000 === 0 ? new Date(ms).toISOString().slice(0, 10) : formatInstant(ms)
}

/** A tooltip: one line per fact, label and value separated by a tab. The page writes it as text, never as HTML. */
export function tooltipText(title: string, facts: readonly (readonly [label: string, value: string])[]): string {
  return [title, ...facts.map(([label, value]) => `${clean(label)}\t${clean(value)}`)].join('\n')
}

function clean(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ')
}

// By how much two values of a metric differ, beside both of them. Pure.

/** `+12.50`, `−1 h 5 min`: the difference of the numbers as they are shown, so that a row adds up for who reads it; – where one is not known. */
export function shownDifference(
  name: MetricName,
  [before, after]: readonly [number | null, number | null],
  quote: Quote,
): string {
  if (before === null || after === null) return NOTHING
  const { unit } = METRICS[name]
  const shown = (value: number) => formatMetric(name, value, quote.decimals)
  if (unit === 'yes/no') return shown(before) === shown(after) ? 'the same' : 'differs'
  if (unit === 'minutes') return signedMinutes(Math.round(after) - Math.round(before))
  const decimals = (value: number) => decimalsOf(name, value, quote.decimals)
  const rounded = (value: number) => readShown(formatNumber(value, decimals(value)))
  return formatSigned(rounded(after) - rounded(before), Math.max(decimals(before), decimals(after)))
}

function signedMinutes(minutes: number): string {
  if (minutes === 0) return 'the same'
  return `${minutes > 0 ? '+' : '−'}${formatMinutes(Math.abs(minutes))}`
}

/** `1,234.50` → 1234.5. Rounding a second time, `toFixed` would differ from it at some halves. */
function readShown(text: string): number {
  return Number(text.replace(/,/g, '').replace('−', '-'))
}
