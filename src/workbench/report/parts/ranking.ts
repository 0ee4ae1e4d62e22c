/** Every trial in one table: first those inside the bounds by rank, then those outside in grey with the reason, then the failed ones. */
import type { ConfigField } from '../../../contract/bot.ts'
import { withCompanions } from '../../../contract/companions.ts'
import { METRICS, type MetricName, metricValue } from '../../../contract/metrics.ts'
import { SAMPLE_CLASSES } from '../../../contract/sample-size.ts'
import { fieldSpellings, metricSpellings } from '../column-names.ts'
import {
  brokenBounds,
  describeConfig,
  errorOf,
  type Facts,
  type FinishedTrial,
  objectiveInWords,
  shortFingerprint,
} from '../facts.ts'
import { formatCount, formatMetric, formatNumber, formatValue, NOTHING } from '../format.ts'
import { type Html, html } from '../html.ts'
import { type Part, type Place, section } from './part.ts'

/** More rows make sorting slow and are not read; a sentence says how many are left out. */
const mostRows = 500
const mostFailures = 200

/** The most important metrics: next to the trial's name, so that even a narrow page shows them. */
const LEADING: readonly MetricName[] = [
  'netProfit',
  'netProfitPerUsedPercent',
  'roiPercent',
  'maxDrawdownPercent',
  'closedDeals',
]

/** Shown after the varied fields; hidden first when the page is too narrow. A win rate is not among them: it misleads without its company. */
const MINOR: readonly MetricName[] = [
  'maxDrawdownLowPercent',
  'stopLosses',
  'openDeal',
  'dealDuration.max',
  'sharpe',
  'ambiguousCandles',
  'unaffordableOrders',
]

type ShownMetrics = { readonly leading: readonly MetricName[]; readonly minor: readonly MetricName[] }

/** The metrics of the table, the objective's first. */
export function shownMetrics({ study }: Pick<Facts, 'study'>): ShownMetrics {
  const first = withCompanions(study.objective.metric)
  const isOther = (name: MetricName) => !first.includes(name)
  return { leading: [...first, ...LEADING.filter(isOther)], minor: MINOR.filter(isOther) }
}

export function rankingPart(facts: Facts, place: Place): Part {
  const ofConfigs = facts.isOneOfSeveral
    ? ' The rank is that of a configuration over all markets; the numbers are of this one.'
    : ''
  const lead = `By ${objectiveInWords(facts.study)}, best first; equal ones by fingerprint.${ofConfigs}`
  const content = html`<p class="lead-in">${lead}<span class="on-screen"> Select a column’s title to sort by it.</span></p>${table(facts, place)}${failures(facts, place)}`
  return { body: section(place, content), charts: [] }
}

/** For a study without any result: only the failed trials. */
export function failedPart(facts: Facts, place: Place): Part {
  return { body: section(place, html`${failures(facts, place)}`), charts: [] }
}

function table(facts: Facts, place: Place): Html {
  const { ranked, outside, unranked, samples, varied, market } = facts
  const metrics = shownMetrics(facts)
  const total = ranked.length + outside.length + unranked.length + samples.length
  const rows = takeFirst([ranked, outside, unranked, samples], mostRows)
  const id = `${place.prefix}ranking-table`
  const columns = 3 + varied.length + metrics.leading.length + metrics.minor.length
  return html`<div class="toolbar">
      <label>Filter <input type="search" data-filter="${id}" placeholder="netProfit>100 drawdown<8" autocomplete="off" spellcheck="false"></label>
      <output data-count="${id}" aria-live="polite">${formatCount(Math.min(total, mostRows), 'trial')}</output>
      <button type="button" data-columns="${id}" aria-pressed="false" hidden>All ${columns} columns</button>
    </div>
    <div class="scroll tall" role="region" aria-labelledby="${id}-caption" tabindex="0">
    <table class="ranking" id="${id}" data-sortable>
      <caption id="${id}-caption">Trials of ${facts.study.name} on ${market}${total > mostRows && `: the first ${mostRows} of ${formatNumber(total, 0)}; \`dcalab leaderboard ${facts.study.name} --top ${total}\` shows all`}</caption>
      <thead><tr>
        ${header({ title: 'Rank', names: ['rank'], sorted: 'ascending' })}${header({ title: 'Trial' })}
        ${metrics.leading.map((name) => metricHeader(name, facts, false))}
        ${varied.map((field) => header({ title: brokenName(field), names: fieldSpellings(field) }))}
        ${metrics.minor.map((name) => metricHeader(name, facts, true))}
        ${header({ title: 'Sample size', unit: 'deals', names: ['samplesize'], minor: true })}
      </tr></thead>
      <tbody>${rows[0].map((trial, index) => row(trial, index + 1, facts, metrics))}</tbody>
      ${
        rows[1].length > 0 &&
        group(
          `Outside of the objective’s bounds: ${formatCount(outside.length, 'trial')}`,
          columns,
          rows[1].map((trial) => row(trial, null, facts, metrics, brokenHere(trial, facts))),
        )
      }
      ${
        rows[2].length > 0 &&
        group(
          `Without a value to rank by: ${formatCount(unranked.length, 'trial')}`,
          columns,
          rows[2].map((trial) => row(trial, null, facts, metrics, whyUnranked(trial, facts))),
        )
      }
      ${
        rows[3].length > 0 &&
        group(
          `Samples of the screen, which only compare: ${formatCount(samples.length, 'trial')}`,
          columns,
          rows[3].map((trial) => row(trial, null, facts, metrics)),
        )
      }
    </table></div>`
}

function brokenHere(trial: FinishedTrial, facts: Facts): string {
  return brokenBounds(trial.metrics, facts).join('; ') || 'inside on this market, outside on another'
}

function whyUnranked({ metrics }: FinishedTrial, { study: { objective } }: Facts): string {
  const title = METRICS[objective.metric].title.toLowerCase()
  return metricValue(metrics, objective.metric) === null ? `no ${title}` : `no ${title} on another market`
}

/** The first `limit` trials over all groups, group by group. */
function takeFirst(groups: readonly (readonly FinishedTrial[])[], limit: number): FinishedTrial[][] {
  let left = limit
  return groups.map((trials) => {
    const taken = trials.slice(0, left)
    left -= taken.length
    return taken
  })
}

interface Head {
  readonly title: Html | string
  readonly unit?: string
  /** Names that the filter accepts. */
  readonly names?: readonly string[]
  /** Words that its cells have instead of numbers, lowest first. */
  readonly words?: readonly string[]
  readonly minor?: boolean
  readonly sorted?: 'none' | 'ascending'
}

function header({ title, unit = '', names = [], words = [], minor = false, sorted = 'none' }: Head): Html {
  const filterable = names.length > 0 && html` data-names="${names.join(' ')}"`
  const worded = words.length > 0 && html` data-words="${words.join(' ').toLowerCase()}"`
  return html`<th scope="col" aria-sort="${sorted}"${filterable}${worded}${minor && html` data-minor`}><button type="button">${title}${unit !== '' && html` <small>${unit}</small>`}</button></th>`
}

function metricHeader(name: MetricName, { quote }: Facts, minor: boolean): Html {
  const { title, unit } = METRICS[name]
  const words = unit === 'yes/no' ? ['no', 'yes'] : []
  return header({ title, unit: unitOf(name, quote.asset), names: metricSpellings(name), words, minor })
}

/** `dcaMaxSafetyOrders` may break before its capitals. */
function brokenName(field: ConfigField): Html {
  return html`${field.split(/(?=[A-Z])/).map((word, index) => html`${index > 0 && html`<wbr>`}${word}`)}`
}

function unitOf(name: MetricName, quoteAsset: string): string {
  const { unit } = METRICS[name]
  if (unit === 'quote') return quoteAsset
  return unit === 'percent' ? '%' : ''
}

function group(title: string, columns: number, rows: readonly Html[]): Html {
  return html`<tbody class="group" data-fixed><tr><th colspan="${columns}" scope="rowgroup">${title}</th></tr></tbody><tbody class="outside">${rows}</tbody>`
}

function row(trial: FinishedTrial, rank: number | null, facts: Facts, metrics: ShownMetrics, reason = ''): Html {
  return html`<tr${rank === 1 && html` id="${bestRowId(facts)}" class="best"`} data-text="${trial.fingerprint}">
    <td data-v="${rank ?? ''}">${rank ?? '–'}</td>
    <th scope="row" data-v="${shortFingerprint(trial)}"><code title="${trial.fingerprint}">${shortFingerprint(trial)}</code>${reason !== '' && html`<small>${reason}</small>`}</th>
    ${metrics.leading.map((name) => metricCell(trial, name, facts))}
    ${facts.varied.map((field) => html`<td data-v="${trial.config[field]}">${formatValue(trial.config[field])}</td>`)}
    ${metrics.minor.map((name) => metricCell(trial, name, facts))}
    <td data-v="${fewestDeals(trial)}">${trial.metrics.sampleSize ?? NOTHING}</td>
  </tr>`
}

function metricCell({ metrics, metricFlags }: FinishedTrial, name: MetricName, facts: Facts): Html {
  const value = metricValue(metrics, name)
  const flag = Object.hasOwn(metricFlags, name) && metricFlags[name]
  const tone = value !== null && value < 0 && 'loss'
  return html`<td data-v="${value}"${tone && html` class="${tone}"`}${flag && html` title="${`not readable: ${flag}`}"`}>${formatMetric(name, value, facts.quote.decimals)}${errorOf(metrics, name, facts)}</td>`
}

/** Of the class of its sample size: what the column is sorted and filtered by. */
function fewestDeals({ metrics: { sampleSize } }: FinishedTrial): number | null {
  return SAMPLE_CLASSES.find(({ words }) => words === sampleSize)?.from ?? null
}

function failures({ failed, varied }: Facts, place: Place): Html | false {
  if (failed.length === 0) return false
  const id = `${place.prefix}failures`
  return html`<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0"><table class="plain failures">
    <caption id="${id}">${formatCount(failed.length, 'trial')} without a result, in the service’s words${failed.length > mostFailures && ` (the first ${mostFailures})`}</caption>
    <thead><tr><th scope="col">Trial</th><th scope="col">State</th><th scope="col">Configuration</th><th scope="col">What the service said</th></tr></thead>
    <tbody>${failed
      .slice(0, mostFailures)
      .map(
        (trial) =>
          html`<tr><th scope="row"><code title="${trial.fingerprint}">${shortFingerprint(trial)}</code></th><td>${trial.state}</td><td>${describeConfig(trial, varied)}</td><td class="words"><bdi>${trial.failure ?? (trial.state === 'done' ? 'the result could not be read' : 'nothing')}</bdi></td></tr>`,
      )}</tbody></table></div>`
}

function bestRowId({ study, market, isOneOfSeveral }: Facts): string {
  return isOneOfSeveral ? `best-of-${study.name}-on-${market}` : `best-of-${study.name}`
}
