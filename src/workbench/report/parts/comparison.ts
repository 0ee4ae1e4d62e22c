/** Several studies side by side, one row each. Every row names its service: results of different services are never mixed. */
import { METRICS, type MetricName, metricValue } from '../../../contract/metrics.ts'
import { type Facts, holdOf, objectiveInWords, triedOf } from '../facts.ts'
import { formatDay, formatMetricWithUnit, formatNumber, signedPercent } from '../format.ts'
import { type Html, html } from '../html.ts'
import { sectionPrefix } from './part.ts'

const HEADERS = [
  'Study',
  'Service',
  'Market',
  'Period',
  'Tried',
  'Best by',
  'Trial',
  METRICS.netProfit.title,
  METRICS.netProfitPerUsedPercent.title,
  METRICS.roiPercent.title,
  METRICS.maxDrawdownPercent.title,
  'Buy & hold',
  METRICS.exposedHoldPercent.title,
  'Sample size',
]

export function comparison(studies: readonly Facts[]): Html {
  return html`<section aria-labelledby="comparison"><h2 id="comparison">The studies side by side</h2>
    <p class="lead-in">Profits compare only where market, period and service are the same.</p>
    <div class="scroll" role="group" aria-labelledby="comparison" tabindex="0"><table class="plain">
    <caption>Best trial of each study by its own objective</caption>
    <thead><tr>${HEADERS.map((header) => html`<th scope="col">${header}</th>`)}</tr></thead>
    <tbody>${studies.map(row)}</tbody></table></div></section>`
}

function row(facts: Facts, index: number, sections: readonly Facts[]): Html {
  const { study, input, market, best, quote, idOf } = facts
  const hold = holdOf(facts)
  const read = (name: MetricName) =>
    best === undefined ? '–' : formatMetricWithUnit(name, metricValue(best.metrics, name), quote)
  return html`<tr><th scope="row" class="amount"><a href="#study-${index + 1}">${study.name}</a></th>
    <td class="service">${input.service?.name ?? 'not run yet'}</td><td class="amount">${market}</td>
    <td class="amount">${formatDay(study.period.from)} to ${formatDay(study.period.to)}</td>
    <td>${formatNumber(triedOf(facts)?.total, 0)}</td><td>${objectiveInWords(study)}</td>
    <td>${best === undefined ? '–' : html`<a href="#${sectionPrefix(index, sections.length)}trial=${idOf(best)}"><code>${idOf(best)}</code></a>`}</td>
    <td>${read('netProfit')}</td><td>${read('netProfitPerUsedPercent')}</td><td>${read('roiPercent')}</td><td>${read('maxDrawdownPercent')}</td>
    <td>${hold === undefined ? '–' : signedPercent(hold.returnPercent)}</td><td>${read('exposedHoldPercent')}</td>
    <td>${best?.metrics.sampleSize ?? '–'}</td></tr>`
}
