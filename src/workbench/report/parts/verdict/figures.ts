/** The figures of a verdict, each with what it must not be read without. */
import { metricValue } from '../../../../contract/metric-values.ts'
import type { MetricName } from '../../../../contract/metrics.ts'
import { sampleInWords } from '../../../../contract/sample-size.ts'
import { deepestDay } from '../../curves.ts'
import { type Facts, holdOf, looksOf, metricInWords, objectiveInWords } from '../../facts.ts'
import { formatCount, formatNumber, formatPercent, formatSigned, NOTHING, signedPercent } from '../../format.ts'
import { type Html, type HtmlValue, html } from '../../html.ts'
import { plannedInWords } from './sentences.ts'

interface Figure {
  readonly label: string
  readonly value: string
  readonly under: HtmlValue
  /** Above 0 for a gain, below for a loss; null where neither is meant. */
  readonly sign: number | null
}

/** Buy & hold and the looks also where there is no best: they hold for all trials. */
export function figures(facts: Facts): Html {
  const rows = [...ofBest(facts), ...ofHold(facts), looks(facts)]
  return html`<dl class="verdict-figures">${rows.map(
    ({ label, value, under, sign }) =>
      html`<div><dt>${label}</dt> <dd class="figure ${toneOf(sign)}">${value}</dd> <dd class="under">${under}</dd></div> `,
  )}</dl>`
}

function ofBest(facts: Facts): Figure[] {
  const { best, study, market, isOneOfSeveral, quote } = facts
  const label = `Best by ${objectiveInWords(study)}${isOneOfSeveral ? `, on ${market}` : ''}`
  if (best === undefined) return [{ label, value: NOTHING, under: 'no trial to name', sign: null }]
  const { metrics, config } = best
  const deepest = deepestDay(best)
  const read = (name: MetricName) => metricInWords(metrics, name, facts)
  const objective = study.objective.metric
  const isShown = objective === 'netProfit' || objective === 'roiPercent' || objective === 'maxDrawdownPercent'
  return [
    {
      label,
      value: read('netProfit'),
      under: html`${read('roiPercent')} of the ${formatNumber(config.investment, 0)} ${quote.asset} invested; ${read('usedCapital.average')} in use on average, ${read('netProfitPerUsedPercent')} of that${!isShown && !isOneOfSeveral && `; ${objectiveInWords(study)} ${read(objective)}`}`,
      sign: metricValue(metrics, 'netProfit'),
    },
    {
      label: 'Max drawdown',
      value: read('maxDrawdownPercent'),
      under: html`${deepest !== null && html`deepest around <span class="together">${deepest}</span>; `}${read('maxDrawdownLowPercent')} at the candles’ lows; worst open loss of a deal ${read('maxFloatingLoss')}`,
      sign: null,
    },
    {
      label: 'Closed deals',
      value: read('closedDeals'),
      under: `${sampleInWords(metrics.sampleSize)}; ${openDealInWords(facts)}`,
      sign: null,
    },
  ]
}

function openDealInWords(facts: Facts): string {
  const { best } = facts
  const open = best === undefined ? null : metricValue(best.metrics, 'openDeal')
  if (best === undefined || open === null) return 'whether one is still open is not told'
  return open === 0
    ? 'none is still open'
    : `one more is still open, at ${metricInWords(best.metrics, 'unrealizedProfit', facts)}`
}

function ofHold(facts: Facts): Figure[] {
  const hold = holdOf(facts)
  if (hold === undefined) return [{ label: 'Buy & hold', value: NOTHING, under: 'not in the results', sign: null }]
  const { returnPercent, drawdownPercent, exposedPercent } = hold
  const held: Figure = {
    label: 'Buy & hold',
    value: amountOf(returnPercent, facts),
    under: `${signedPercent(returnPercent)} of the same investment, drawdown ${formatPercent(drawdownPercent)}`,
    sign: returnPercent,
  }
  if (exposedPercent === null) return [held]
  return [
    held,
    {
      label: 'Hold, same exposure',
      value: amountOf(exposedPercent, facts),
      under: `${signedPercent(exposedPercent)} of the same investment, with no more in use than the best on average`,
      sign: exposedPercent,
    },
  ]
}

/** On the same investment. */
function amountOf(returnPercent: number, { best, finished, quote }: Facts): string {
  const { config } = best ?? finished[0]
  return `${formatSigned((returnPercent / 100) * config.investment, quote.decimals)}\u00a0${quote.asset}`
}

function looks(facts: Facts): Figure {
  const found = looksOf(facts)
  const { finished, isOneOfSeveral } = facts
  return {
    label: 'Configurations looked at',
    value: formatNumber(found?.total, 0),
    under: `${found === null ? '' : `${found.words}; `}${formatNumber(finished.length, 0)} of ${plannedInWords(facts, '')} planned by this study have a result${isOneOfSeveral ? ' on this market' : ''}`,
    sign: null,
  }
}

function toneOf(sign: number | null): string {
  if (sign === null || sign === 0) return ''
  return sign > 0 ? 'gain' : 'loss'
}

/** "28 days". */
export function daysInWords({ from, to }: { readonly from: number; readonly to: number }): string {
  const days = (to - from) / 86_400_000
  return Number.isInteger(days) ? formatCount(days, 'day') : `${formatNumber(days, 1)} days`
}
