/** Numbers of the inspector: shown as the report shows them, and exact in the element's `value`. */
import { METRICS, type MetricName } from '../../../../contract/metrics.ts'
import { formatMetric, formatMetricWithUnit, formatNumber, formatSigned, type Quote } from '../../format.ts'
import { makeElement } from '../make-element.ts'

/** `<data value="222.69654896352426">+222.70 USDT</data>`; what is not known is – with its reason. */
export function metricData(name: MetricName, value: number | null, quote: Quote, whyNull = ''): HTMLElement {
  const text = formatMetricWithUnit(name, value, quote)
  if (value === null) return unknownNumber(whyNull)
  return makeElement('data', { text, class: toneOfMetric(name, value), is: { value } })
}

/** `+12.50 USDT`, of two values of a metric; – where one is not known. */
export function differenceText(
  name: MetricName,
  [before, after]: readonly [number | null, number | null],
  quote: Quote,
): string {
  if (before === null || after === null) return formatMetric(name, null, quote.decimals)
  const { unit } = METRICS[name]
  if (unit === 'minutes' || unit === 'yes/no') return before === after ? 'the same' : 'differs'
  const decimals = unit === 'quote' ? quote.decimals : unit === 'count' ? 0 : 2
  const suffix = unit === 'quote' ? `\u00a0${quote.asset}` : unit === 'percent' ? '\u00a0%' : ''
  return `${formatSigned(after - before, decimals)}${suffix}`
}

export function unknownNumber(why: string): HTMLElement {
  return makeElement('span', { class: 'unknown', text: why === '' ? '–' : `– ${why}`, is: { title: why } })
}

export function toneOf(value: number): string {
  return value > 0 ? 'gain' : value < 0 ? 'loss' : ''
}

function toneOfMetric(name: MetricName, value: number): string {
  return name === 'netProfit' || name === 'realizedProfit' || name === 'unrealizedProfit' ? toneOf(value) : ''
}

/** `12.50`, or signed and coloured. */
export function amountCell(value: number, quote: Quote, isSigned = false): HTMLTableCellElement {
  const text = isSigned ? formatSigned(value, quote.decimals) : formatNumber(value, quote.decimals)
  return makeElement('td', { text, class: isSigned ? toneOf(value) : '' })
}
