import { METRICS, type MetricName, metricValue } from '../../../contract/metrics.ts'
import {
  besideOf,
  describeConfig,
  errorOf,
  type Facts,
  type FinishedTrial,
  objectiveInWords,
  readTrial,
} from '../facts.ts'
import { formatCount, formatMetric, formatNumber, formatValue, NOTHING, unitInWords } from '../format.ts'
import { commandText, type Html, html } from '../html.ts'
import type { ColumnName, Standing } from '../model/blocks.ts'
import type { Beside } from '../model/document.ts'
import { shownColumns } from '../model/table-rows.ts'
import { isMetric } from '../model/trial-table.ts'
import { GROUP_TITLES, whyNotRanked } from '../model/trial-words.ts'
import { fieldName, livePlace, type Part, type Place, section, sectionIndex } from './part.ts'

/** Rows of the table that does not move. */
const MOST_STILL_ROWS = 20
const mostFailures = 200

export function rankingPart(facts: Facts, place: Place): Part {
  const ofConfigs = facts.isOneOfSeveral
    ? ' The rank is that of a configuration over all markets; the numbers are of this one.'
    : ''
  const lead = `By ${objectiveInWords(facts.study)}, best first; equal ones by fingerprint.${ofConfigs}`
  const content = html`<p class="lead-in"><span data-order="${sectionIndex(place.prefix)}">${lead}</span></p>
    <div${facts.best !== undefined && html` id="${bestRowId(facts)}"`}>
      ${livePlace('table', place)}
      ${stillTable(facts, place)}
    </div>${failures(facts, place)}`
  return { body: section(place, content), charts: [] }
}

/** Pinned trials, and all of them under other costs: the page's script makes it. */
export function comparePart(_: Facts, place: Place): Part {
  return {
    body: html`<div class="on-screen">${section(place, html`${livePlace('compare', place)}<noscript><p>Comparing needs scripts.</p></noscript>`)}</div>`,
    charts: [],
  }
}

/** For a study without any result: only the failed trials. */
export function failedPart(facts: Facts, place: Place): Part {
  return { body: section(place, html`${failures(facts, place)}`), charts: [] }
}

function stillTable(facts: Facts, place: Place): Html {
  const { ranked, outside, noValue, samples, study, market } = facts
  const groups: readonly (readonly [Standing, readonly FinishedTrial[]])[] = [
    ['ranked', ranked],
    ['outside', outside],
    ['noValue', noValue],
    ['sample', samples],
  ]
  const { kept, usual } = shownColumns(study.objective, facts.varied)
  const columns = [...kept, ...usual]
  const id = `${place.prefix}ranking-caption`
  const total = facts.finished.length
  const beside = besideOf(facts)
  return html`<div class="still scroll" role="group" aria-labelledby="${id}" tabindex="0"><table class="plain trials-still">
      <caption id="${id}">Trials of ${study.name} on ${market}${total > MOST_STILL_ROWS && html`: the first ${MOST_STILL_ROWS} of ${formatNumber(total, 0)}; ${commandText(`dcalab leaderboard ${study.name} --top ${total}`)} shows all`}</caption>
      <thead><tr><th scope="col">Rank</th><th scope="col">Trial</th>${columns.map((column) => stillHead(column, facts))}</tr></thead>
      ${beside.length > 0 && html`<tbody>${beside.map((one) => besideRow(one, columns, facts))}</tbody>`}
      ${takeFirst(groups, MOST_STILL_ROWS).map(([standing, count, trials]) => {
        const title = `${GROUP_TITLES[standing]}: ${formatCount(count, 'trial')}`
        return html`${standing !== 'ranked' && html`<tbody class="group"><tr><th colspan="${columns.length + 2}" scope="rowgroup">${title}</th></tr></tbody>`}<tbody class="${standing}">${trials.map(
          (trial, index) => stillRow(trial, { columns, facts, standing, rank: index + 1 }),
        )}</tbody>`
      })}
    </table></div>`
}

/** The first trials over all groups, group by group, with how many each has. */
function takeFirst(
  groups: readonly (readonly [Standing, readonly FinishedTrial[]])[],
  limit: number,
): (readonly [Standing, number, readonly FinishedTrial[]])[] {
  let left = limit
  return groups.flatMap(([standing, trials]) => {
    const taken = trials.slice(0, left)
    left -= taken.length
    return taken.length === 0 ? [] : [[standing, trials.length, taken] as const]
  })
}

function stillHead(column: ColumnName, { quote }: Facts): Html {
  if (!isMetric(column)) return html`<th scope="col">${fieldName(column)}</th>`
  const shown = unitInWords(column, quote.asset)
  return html`<th scope="col">${METRICS[column].title}${shown !== '' && html` <small>${shown}</small>`}</th>`
}

interface StillRow {
  readonly columns: readonly ColumnName[]
  readonly facts: Facts
  readonly standing: Standing
  readonly rank: number
}

function stillRow(trial: FinishedTrial, { columns, facts, standing, rank }: StillRow): Html {
  const reason = whyNotRanked(standing, facts.study.objective, readTrial(trial.metrics, facts))
  return html`<tr${standing === 'ranked' && rank === 1 && html` class="best"`}>
    <td>${standing === 'ranked' ? formatNumber(rank, 0) : NOTHING}</td>
    <th scope="row"><code title="${trial.fingerprint}">${facts.idOf(trial)}</code>${reason !== '' && html`<small>${reason}</small>`}</th>
    ${columns.map((column) =>
      isMetric(column) ? metricCell(trial, column, facts) : html`<td>${formatValue(trial.config[column])}</td>`,
    )}
  </tr>`
}

/** The plain ladder and holding: above the trials, without a rank. */
function besideRow({ name, numbers }: Beside, columns: readonly ColumnName[], facts: Facts): Html {
  return html`<tr><td>${NOTHING}</td><th scope="row">${name}</th>${columns.map((column) => {
    const value = numbers[column] ?? null
    return html`<td>${isMetric(column) ? formatMetric(column, value, facts.quote.decimals) : (value ?? NOTHING)}</td>`
  })}</tr>`
}

function metricCell({ metrics, metricFlags }: FinishedTrial, name: MetricName, facts: Facts): Html {
  const value = metricValue(metrics, name)
  const flag = Object.hasOwn(metricFlags, name) && metricFlags[name]
  const tone = value !== null && value < 0 && 'loss'
  return html`<td${tone && html` class="${tone}"`}${flag && html` title="${`not readable: ${flag}`}"`}>${formatMetric(name, value, facts.quote.decimals)}${errorOf(metrics, name, facts)}</td>`
}

/** Folded on a screen; the page's script opens it for paper. */
function failures({ failed, varied, idOf }: Facts, place: Place): Html | false {
  if (failed.length === 0) return false
  const id = `${place.prefix}failures`
  const title = `${formatCount(failed.length, 'trial')} without a result, in the service’s words${failed.length > mostFailures ? ` (the first ${mostFailures})` : ''}`
  return html`<details class="failures"><summary>${title}</summary><div class="scroll" role="group" aria-labelledby="${id}" tabindex="0"><table class="plain">
    <caption id="${id}">${title}</caption>
    <thead><tr><th scope="col">Trial</th><th scope="col">State</th><th scope="col">Configuration</th><th scope="col">What the service said</th></tr></thead>
    <tbody>${failed
      .slice(0, mostFailures)
      .map(
        (trial) =>
          html`<tr><th scope="row"><code title="${trial.fingerprint}">${idOf(trial)}</code></th><td>${trial.state}</td><td>${describeConfig(trial, varied)}</td><td class="words"><bdi>${trial.failure ?? (trial.state === 'done' ? 'the result could not be read' : 'nothing')}</bdi></td></tr>`,
      )}</tbody></table></div></details>`
}

function bestRowId({ study, market, isOneOfSeveral }: Facts): string {
  return isOneOfSeveral ? `best-of-${study.name}-on-${market}` : `best-of-${study.name}`
}
