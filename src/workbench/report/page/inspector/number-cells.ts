/** Numbers of the inspector: shown as the report shows them, and exact in the element's `value`. */
import { METRICS, type MetricName } from '../../../../contract/metrics.ts'
import { formatMetric, formatNumber, formatSigned, type Quote, unitInWords } from '../../format.ts'
import { makeElement } from '../make-element.ts'

/** `<data value="222.69654896352426">+222.70</data>`, its unit stands in its row's title; what is not known is – with its reason. */
export function metricData(name: MetricName, value: number | null, quote: Quote, whyNull = ''): HTMLElement {
  if (value === null) return unknownNumber(whyNull)
  const text = formatMetric(name, value, quote.decimals)
  return makeElement('data', { text, class: toneOfMetric(name, value), is: { value } })
}

/** `Net profit, USDT`; `ROI, % of investment`. */
export function titleWithUnit(name: MetricName, { asset }: Quote): string {
  return [METRICS[name].title, unitInWords(name, asset)].filter((text) => text !== '').join(', ')
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
