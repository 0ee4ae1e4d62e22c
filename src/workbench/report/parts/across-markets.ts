/** The ranking of a study with several markets: a row per configuration, what it is ranked by, and what it came to on each market. */
import { marketName } from '../../../contract/market.ts'
import { METRICS, type MetricName, metricValue } from '../../../contract/metrics.ts'
import { configFingerprint } from '../../study/fingerprint.ts'
import { rankConfigs } from '../../study/objective.ts'
import {
  companionsInWords,
  describeConfig,
  type Facts,
  type FinishedTrial,
  metricInWords,
  objectiveInWords,
  valueInWords,
} from '../facts.ts'
import { formatMetricWithUnit, formatNumber } from '../format.ts'
import { type Html, html } from '../html.ts'

/** The sections of the markets have a row for each. */
const MOST_CONFIGS = 6

/** A market of the study: the section in which its trials lie, and their ranks on it alone. */
interface MarketColumn {
  readonly facts: Facts
  readonly prefix: string
  /** By fingerprint. */
  readonly rankOf: ReadonlyMap<string, number>
}

/** @param sections of the study, one for each market */
export function acrossMarkets(facts: Facts, sections: readonly Pick<MarketColumn, 'facts' | 'prefix'>[]): Html {
  const { study, configs, input } = facts
  const { metric } = study.objective
  const columns = sections.map((other) => columnOf(other.facts, other.prefix))
  const id = `across-${study.name}`
  const rows = configs.ranked.slice(0, MOST_CONFIGS)
  const heads = [
    html`Rank`,
    html`Config`,
    html`Varied`,
    html`${METRICS[metric].title} <small>${reducerInWords(facts)}</small>`,
  ]
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${study.name} over ${formatNumber(columns.length, 0)} markets</h2>
    <p class="lead-in">${sentence(facts)}</p>
    ${
      rows.length > 0 &&
      html`<div class="scroll" role="group" aria-labelledby="${id}" tabindex="0"><table class="plain matrix">
      <caption>Configurations of ${study.name} on ${input.service?.name ?? 'no service yet'}, best first by ${objectiveInWords(study)}${configs.ranked.length > MOST_CONFIGS && `: the first ${MOST_CONFIGS} of ${formatNumber(configs.ranked.length, 0)}`}</caption>
      <thead><tr>${[...heads, ...columns.map((column) => html`${column.facts.market}`)].map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
      <tbody>${rows.map(({ value, trials }, index) => {
        const [{ config }] = trials
        return html`<tr><td>${formatNumber(index + 1, 0)}</td><th scope="row"><code>${facts.idOf({ config })}</code></th>
        <td>${describeConfig({ config }, facts.varied)}</td><td>${valueInWords(value, metric, trials[0].metrics, facts)}</td>
        ${columns.map((column) => onMarket(trials, column))}</tr>`
      })}</tbody></table></div>`
    }</section>`
}

function columnOf(facts: Facts, prefix: string): MarketColumn {
  const { market, configs, study, input } = facts
  const { ranked, outside, noValue, compared } = configs
  const here = [...ranked, ...outside, ...noValue, ...compared].flatMap(({ trials }) =>
    trials.filter((trial) => marketName(trial.market) === market),
  )
  const alone = rankConfigs(here, { objective: study.objective, markets: 1, chosen: input.chosen })
  return {
    facts,
    prefix,
    rankOf: new Map(alone.ranked.map(({ fingerprint }, index) => [fingerprint, index + 1])),
  }
}

function onMarket(trials: readonly FinishedTrial[], { facts, prefix, rankOf }: MarketColumn): Html {
  const { market } = facts
  const trial = trials.find((one) => marketName(one.market) === market)
  if (trial === undefined) return html`<td>–</td>`
  const { metric } = facts.study.objective
  const rank = rankOf.get(trial.fingerprint)
  const read = (name: MetricName) => formatMetricWithUnit(name, metricValue(trial.metrics, name), facts.quote)
  const value = `${metricInWords(trial.metrics, metric, facts)}${companionsInWords(trial.metrics, metric, facts)}`
  const rankWords = rank === undefined ? 'not ranked' : `${formatNumber(rank, 0)} of ${formatNumber(rankOf.size, 0)}`
  return html`<td${rank === 1 && html` class="first"`}><a href="#${prefix}trial=${facts.idOf(trial)}" aria-label="${`${value} on ${market}, open trial ${facts.idOf(trial)}`}">${value}</a> <small>${rankWords}; ${read('usedCapital.average')} used</small></td>`
}

/** How the values on the markets become one. */
function reducerInWords({ study: { objective, markets } }: Facts): string {
  return `${objective.across ?? 'median'} of ${markets.length} markets`
}

function sentence({ study, configs, input }: Facts): string {
  const { ranked, outside, noValue, compared } = configs
  const { size } = new Set(input.trials.map(({ config }) => configFingerprint(config)))
  const done = [...ranked, ...outside, ...noValue, ...compared].filter(
    ({ trials }) => trials.length === study.markets.length,
  )
  const count = (value: number) => formatNumber(value, 0)
  return [
    `${count(ranked.length)} of ${count(size)} configurations are ranked.`,
    size > done.length && `${count(size - done.length)} lack a result on some market.`,
    compared.length > 0 && `${count(compared.length)} are control configurations.`,
    'Beside each value: its rank on that market alone (the first is ringed), and the capital used.',
  ]
    .filter((text) => text !== false)
    .join(' ')
}
