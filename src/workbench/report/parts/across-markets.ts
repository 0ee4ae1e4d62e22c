/** The ranking of a study with several markets: a row per configuration, what it is ranked by, and what it came to on each market. */
import { marketName } from '../../../contract/market.ts'
import { METRICS } from '../../../contract/metrics.ts'
import { configFingerprint } from '../../study/fingerprint.ts'
import {
  companionsInWords,
  describeConfig,
  type Facts,
  type FinishedTrial,
  metricInWords,
  objectiveInWords,
  shortFingerprint,
  valueInWords,
} from '../facts.ts'
import { formatNumber } from '../format.ts'
import { type Html, html } from '../html.ts'

/** The sections of the markets have a row for each. */
const mostRows = 100

/** @param facts of any of its markets */
export function acrossMarkets(facts: Facts): Html {
  const { study, configs, input } = facts
  const { metric } = study.objective
  const markets = study.markets.map(marketName)
  const id = `across-${study.name}`
  const rows = configs.ranked.slice(0, mostRows)
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${study.name} over ${formatNumber(markets.length, 0)} markets</h2>
    <p class="lead-in">${sentence(facts)}</p>
    ${
      rows.length > 0 &&
      html`<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0"><table class="plain">
      <caption>Configurations of ${study.name} on ${input.identity ?? 'no service yet'}, best first by ${objectiveInWords(study)}${configs.ranked.length > mostRows && `: the first ${mostRows} of ${formatNumber(configs.ranked.length, 0)}`}</caption>
      <thead><tr>${['Rank', 'Config', 'Varied', METRICS[metric].title, ...markets].map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
      <tbody>${rows.map(({ value, trials }, index) => {
        const [{ config }] = trials
        return html`<tr><td>${formatNumber(index + 1, 0)}</td><th scope="row"><code>${configFingerprint(config).slice(0, 12)}</code></th>
        <td>${describeConfig({ config }, facts.varied)}</td><td>${valueInWords(value, metric, trials[0].metrics, facts)}</td>
        ${markets.map((market) => onMarket(trials, market, facts))}</tr>`
      })}</tbody></table></div>`
    }</section>`
}

function onMarket(trials: readonly FinishedTrial[], market: string, facts: Facts): Html {
  const trial = trials.find((one) => marketName(one.market) === market)
  if (trial === undefined) return html`<td>–</td>`
  const { metric } = facts.study.objective
  return html`<td>${metricInWords(trial.metrics, metric, facts)}${companionsInWords(trial.metrics, metric, facts)} <small><code>${shortFingerprint(trial)}</code></small></td>`
}

function sentence({ study, configs, input }: Facts): string {
  const { ranked, outside, unranked, compared } = configs
  const { size } = new Set(input.trials.map(({ config }) => configFingerprint(config)))
  const done = [...ranked, ...outside, ...unranked, ...compared].filter(
    ({ trials }) => trials.length === study.markets.length,
  )
  const count = (value: number) => formatNumber(value, 0)
  return [
    `${count(ranked.length)} of ${count(size)} configurations have a place: they are done on every market, with a value and inside the bounds.`,
    size > done.length && `${count(size - done.length)} of ${count(size)} configurations lack a result on some market.`,
    compared.length > 0 && `${count(compared.length)} are samples of the screen, which only compare.`,
    'The sections below are of one market each.',
  ]
    .filter((text) => text !== false)
    .join(' ')
}
