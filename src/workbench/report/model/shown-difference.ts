/** By how much two values of a metric differ, beside both of them. Pure. */
import { METRICS, type MetricName } from '../../../contract/metrics.ts'
import { decimalsOf, formatMetric, formatMinutes, formatNumber, formatSigned, NOTHING, type Quote } from '../format.ts'

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
