/**
 * Builds one page from the facts. It contains everything it needs: style, script with Vega in it, charts as data. The Content Security
 * Policy in its head allows exactly this script and this style, by hash, WebAssembly out of it, and no connection.
 *
 *     ReportInput ─ readFacts ─► parts (html + Vega-Lite specs) ─ compiled ─► one HTML text
 */
import { createHash } from 'node:crypto'
import { METRICS, type MetricName, metricValue } from '../../contract/metrics.ts'
import { isPicture, type StillChart } from './charts/charts.ts'
import { inspectorCharts } from './charts/inspector-charts.ts'
import { type Block, blockOf, embedSection } from './embed.ts'
import {
  besideOf,
  describeConfig,
  errorOf,
  type Facts,
  type FinishedTrial,
  holdOf,
  objectiveInWords,
  readFacts,
  readTrial,
  triedOf,
} from './facts.ts'
import {
  formatCount,
  formatDay,
  formatMetric,
  formatMetricWithUnit,
  formatNumber,
  formatValue,
  NOTHING,
  signedPercent,
  unitInWords,
} from './format.ts'
import { codeBlock, commandText, dataBlock, type Html, html, inAscii } from './html.ts'
import type { ReportInput } from './input.ts'
import type { ColumnName, Standing } from './model/blocks.ts'
import { type Beside, DOCUMENT_ID, type PageDocument, type PageSection } from './model/document.ts'
import { shownColumns } from './model/table-rows.ts'
import { isMetric } from './model/trial-table.ts'
import { GROUP_TITLES, whyNotRanked } from './model/trial-words.ts'
import { PAGE_STYLE } from './page-style.ts'
import { acrossMarkets } from './parts/across-markets.ts'
import { daysPart } from './parts/days.ts'
import { explorerPart } from './parts/explorer.ts'
import { howSurePart } from './parts/how-sure/how-sure.ts'
import { botsPart } from './parts/made-bots.ts'
import { fieldName, livePlace, type Part, type Place, section, sectionIndex } from './parts/part.ts'
import { provenancePart } from './parts/provenance.ts'
import { metaLine, outlookOf, pairOf, verdict } from './parts/verdict.ts'

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

/** Rows of the table that does not move. */
const MOST_STILL_ROWS = 20

const mostFailures = 200

interface StillRow {
  readonly columns: readonly ColumnName[]
  readonly facts: Facts
  readonly standing: Standing
  readonly rank: number
}

type Content = readonly [name: string, title: string, part: (facts: Facts, place: Place, page?: PageSection) => Part]

/** The parts of a report with results, in the order of the page. */
export const CONTENTS: readonly Content[] = [
  ['days', 'The days', daysPart],
  ['explorer', 'Explorer', explorerPart],
  ['ranking', 'Every trial', rankingPart],
  ['compare', 'Compare', comparePart],
  ['sure', 'How sure', howSurePart],
  ['bots', 'Made a bot', botsPart],
  ['provenance', 'Provenance', provenancePart],
]

/** Those that show what the filter selects; they stand one behind the other, and the filter stays in sight beside them. */
const FILTERED: ReadonlySet<string> = new Set(['explorer', 'ranking', 'compare'])

/** Before the first result there is nothing to rank or draw: one sentence says so instead of many empty sections. The days stand in the head. */
function contentsOf(facts: Facts): readonly Content[] {
  const { finished, failed } = facts
  if (finished.length > 0) return CONTENTS.filter(([name]) => name !== 'days' && (name !== 'bots' || hasBots(facts)))
  return failed.length > 0 ? [['failed', 'Trials without a result', failedPart]] : []
}

/** Whether there is a bot to report of. */
export function hasBots({ input: { promotions, drifts } }: Facts): boolean {
  return promotions.length > 0 || drifts.length > 0
}

/** A market of a study, where it stands on the page. */
interface Market {
  readonly facts: Facts
  readonly page: PageSection
  /** Of the section among those of the page. */
  readonly index: number
}

/** All markets of a study. */
type Group = readonly [Market, ...Market[]]

function groupsOf(markets: readonly Market[]): Group[] {
  return [...Map.groupBy(markets, ({ facts }) => facts.study).values()].flatMap(([first, ...rest]) =>
    first === undefined ? [] : [[first, ...rest] as const],
  )
}

/** A report whose charts are not compiled yet. */
export interface LaidReport {
  /** All that `toText` asks for. */
  readonly charts: readonly StillChart[]
  /**
   * The whole report as HTML. Same input, same text.
   * @param runtime the script of the page
   * @param textOf a chart as Vega runs it, as JSON whose expressions are syntax trees
   */
  readonly toText: (runtime: string, textOf: (chart: StillChart) => string) => string
}

export function layReport({ madeAt, sections: inputs }: ReportInput): LaidReport {
  const studies = inputs.map(readFacts)
  const carried = studies.map((facts, index) => embedSection(facts, sectionPrefix(index, studies.length)))
  const groups = groupsOf(studies.map((facts, index) => ({ facts, page: carried[index].section, index })))
  const parts = studies.map((): Part['charts'][number][] => [])
  const keep = ({ index }: Market, { body, charts }: Part): Html => {
    parts[index].push(...charts)
    return body
  }
  const single = groups.length === 1 ? groups[0] : undefined
  const title = groups.map(([{ facts }]) => facts.study.name).join(', ')
  const body = html`${
    single === undefined
      ? html`${contents(
          groups.map(([{ facts, index }]) => [`study-${index + 1}`, facts.study.name]),
          ['comparison', 'Side by side'],
        )}
        <header><p class="kicker">DCA Lab backtest report</p><h1>${title}</h1></header>
        <main>${comparison(studies)}${groups.map((group) => html`<article aria-labelledby="study-${group[0].index + 1}"><header><h2 id="study-${group[0].index + 1}">${group[0].facts.study.name}</h2>${head(group, { madeAt, keep, level: 3 })}</header>${groupBody(group, keep, 3)}</article>`)}</main>`
      : html`${contents(namesIn(single), ['verdict', 'Verdict'])}
        <header id="verdict"><p class="kicker">DCA Lab backtest report</p><h1>${title}</h1>${head(single, { madeAt, keep, level: 2 })}</header>
        <main>${groupBody(single, keep, single.length === 1 ? 2 : 3)}</main>`
  }${studies.map(inspectorPlace)}
    <footer>Made by DCA Lab. All times are UTC. This file needs no network and sends nothing.</footer>
    <div id="tooltip" role="tooltip" hidden></div>`
  const still = parts.flat().filter(({ isLive }) => !isLive)
  const live = parts.map((charts) =>
    charts.flatMap(({ isLive, name, spec }) => (isLive && !isPicture(spec) ? [[name, emptied(spec)] as const] : [])),
  )
  // sections whose money has one name share them
  const inspectors = new Map(studies.map(({ quote }) => [quote.asset, Object.entries(inspectorCharts(quote))]))
  const blockFor = ({ quote }: Facts) => `inspector-${[...inspectors.keys()].indexOf(quote.asset) + 1}`
  return {
    charts: [...still.map(({ spec }) => spec), ...[...live, ...inspectors.values()].flat().map(([, spec]) => spec)],
    toText(runtime, textOf) {
      const texts = (charts: readonly (readonly [string, StillChart])[]) =>
        Object.fromEntries(charts.map(([name, spec]) => [name, textOf(spec)]))
      return pageText({
        title: `${title}: DCA Lab report`,
        body,
        document: {
          charts: still.map(({ id, spec }) => ({ id, height: heightOf(spec), chart: textOf(spec) })),
          sections: carried.map(({ section }, index) => ({
            ...section,
            charts: texts(live[index]),
            inspector: blockFor(studies[index]),
          })),
        },
        blocks: [
          ...carried.flatMap(({ blocks }) => blocks),
          ...[...inspectors.values()].map((charts, index) =>
            blockOf(`inspector-${index + 1}`, JSON.stringify(texts(charts))),
          ),
        ],
        runtime,
      })
    },
  }
}

/** @param index of the section in the page's document */
function inspectorPlace({ finished }: Facts, index: number): Html | false {
  return finished.length > 0 && html`<div data-live="inspector" data-section="${index}" hidden></div>`
}

/** Without the rows that have a name, which the page fills with the trials it has. */
export function emptied(chart: StillChart): StillChart {
  if (isPicture(chart)) return chart
  return JSON.parse(
    JSON.stringify(chart, (key, value: unknown) =>
      key === 'data' && 'name' in Object(value) ? { ...Object(value), values: [] } : value,
    ),
  )
}

/** Of the plot; 0 where its rows decide. */
function heightOf(spec: StillChart): number {
  return 'height' in spec && typeof spec.height === 'number' ? spec.height : 0
}

function contents(links: readonly (readonly [name: string, title: string])[], first: readonly [string, string]): Html {
  return html`<nav class="contents" aria-label="Contents"><ol>${[first, ...links].map(([name, title]) => html`<li><a href="#${name}">${title}</a></li>`)}</ol></nav>`
}

/** Of one market its parts, of several the markets. */
function namesIn(group: Group): readonly (readonly [string, string])[] {
  const [{ facts }] = group
  if (group.length === 1) return contentsOf(facts).map(([name, title]) => [name, title])
  return [
    [`across-${facts.study.name}`, 'Over the markets'],
    ...group.map(({ facts, index }) => [`study-${index + 1}`, pairOf(facts)] as const),
  ]
}

type Keep = (market: Market, part: Part) => Html

/** The verdict, and the days of each market. */
function head(
  group: Group,
  { madeAt, keep, level }: { readonly madeAt: number; readonly keep: Keep; readonly level: Place['level'] },
): Html {
  const [{ facts, index }, ...rest] = group
  const prefixes = group.map(({ page }) => page.prefix)
  const days = (market: Market) =>
    keep(market, daysPart(market.facts, { prefix: market.page.prefix, name: 'days', title: 'The days', level: 3 }))
  return html`${verdict([facts, ...rest.map((market) => market.facts)], { prefixes, section: index, level })}${
    rest.length === 0
      ? days(group[0])
      : html`<div class="multiples">${group.map((market) => html`<section aria-label="${market.facts.market}">${level === 2 ? html`<h2>${pairOf(market.facts)}</h2>` : html`<h3>${pairOf(market.facts)}</h3>`}${outlookOf(market.facts, market.page.prefix)}${days(market)}</section>`)}</div>`
  }${metaLine([facts, ...rest.map((market) => market.facts)], madeAt)}`
}

/** Of several markets a table of all, then each by itself: the first open, the others folded. */
function groupBody(group: Group, keep: Keep, level: Place['level']): Html {
  const [first] = group
  if (group.length === 1) return partsOf(first, keep, level)
  return html`${acrossMarkets(
    first.facts,
    group.map(({ facts, page }) => ({ facts, prefix: page.prefix })),
  )}${group.map(
    (market) =>
      html`<details class="market"${market === first && html` open`}><summary><h2 id="study-${market.index + 1}">${market.facts.market}</h2></summary>${partsOf(market, keep, level)}</details>`,
  )}`
}

function partsOf(market: Market, keep: Keep, level: Place['level']): Html {
  const { facts, page } = market
  const names = contentsOf(facts)
  const bodies = names.map(([name, title, part]) =>
    keep(market, part(facts, { prefix: page.prefix, level, name, title }, page)),
  )
  const [first, last] = [names.findIndex(isFiltered), names.findLastIndex(isFiltered) + 1]
  if (first < 0) return html`${bodies}`
  const skip = html`<a class="skip on-screen" href="#${page.prefix}ranking">Skip the charts, to the table of trials</a>`
  const filtered = html`<div class="filtered">${skip}${livePlace('filter', page)}${bodies.slice(first, last)}</div>`
  return html`${bodies.slice(0, first)}${filtered}${bodies.slice(last)}`
}

function isFiltered([name]: Content): boolean {
  return FILTERED.has(name)
}

/** Without the spaces that only its writers need. */
const STYLE = PAGE_STYLE.replace(/\s*([{};,])\s*/g, '$1')

interface PageInput {
  readonly title: string
  readonly body: Html
  readonly document: PageDocument
  readonly blocks: readonly Block[]
  readonly runtime: string
}

function pageText({ title, body, document, blocks, runtime }: PageInput): string {
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(runtime)} 'wasm-unsafe-eval'`, // compiles the kernel that it holds, and no script
    `style-src ${hashOf(STYLE)}`,
    'img-src data:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${inAscii(html`${title}`)}</title>
<link rel="icon" href="data:,">
${codeBlock('style', STYLE)}
</head>
<body>
${inAscii(body)}
<noscript><p class="banner">Charts need scripts, which are switched off here. The tables hold the same numbers.</p></noscript>
${[blockOf(DOCUMENT_ID, JSON.stringify(document)), ...blocks].map(({ id, bytes }) => dataBlock(id, bytes))}
${codeBlock('script', runtime)}
</body>
</html>
`.toString()
}

/** A source expression of the Content Security Policy: the hash of an inline element's text. */
function hashOf(code: string): string {
  return `'sha256-${createHash('sha256').update(code).digest('base64')}'`
}

function rankingPart(facts: Facts, place: Place): Part {
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
function comparePart(_: Facts, place: Place): Part {
  return {
    body: html`<div class="on-screen">${section(place, html`${livePlace('compare', place)}<noscript><p>Comparing needs scripts.</p></noscript>`)}</div>`,
    charts: [],
  }
}

/** For a study without any result: only the failed trials. */
function failedPart(facts: Facts, place: Place): Part {
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

/** Several studies side by side, one row each. Every row names its service: results of different services are never mixed. */
function comparison(studies: readonly Facts[]): Html {
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

/** Before the elements and the keys in the address of a section; the only one of a report has none. */
function sectionPrefix(index: number, sections: number): string {
  return sections === 1 ? '' : `s${index + 1}-`
}
