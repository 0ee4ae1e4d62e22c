/**
 * Builds one page from the facts. It contains everything it needs: style, Vega's runtime, charts as data. The Content Security
 * Policy in its head allows exactly these scripts and this style, by hash, and no connection.
 *
 *     ReportInput ─ readFacts ─► parts (html + Vega-Lite specs) ─ compileChart ─► one HTML text
 */
import { createHash } from 'node:crypto'
import { marketName } from '../../contract/market.ts'
import { compileChart } from './draw.ts'
import { type Block, blockOf, embedSection } from './embed.ts'
import { type Facts, readFacts } from './facts.ts'
import { formatInstant } from './format.ts'
import { codeBlock, dataBlock, type Html, html } from './html.ts'
import type { ReportInput } from './input.ts'
import { CHARTS_ID, DOCUMENT_ID, type PageDocument, type PageSection } from './model/document.ts'
import { PAGE_STYLE } from './page-style.ts'
import { acrossMarkets } from './parts/across-markets.ts'
import { botsPart, hasBots } from './parts/bots/made-bots.ts'
import { comparison } from './parts/comparison.ts'
import { explorerPart } from './parts/explorer/explorer.ts'
import { howSurePart } from './parts/how-sure/how-sure.ts'
import { compiledInspector, inspectorPlace } from './parts/inspector-place.ts'
import { livePlace, sectionPrefix } from './parts/live-place.ts'
import { hasCurves, overTimePart } from './parts/over-time.ts'
import type { Part, Place } from './parts/part.ts'
import { provenancePart } from './parts/provenance.ts'
import { failedPart, rankingPart } from './parts/ranking.ts'
import { spendingPart } from './parts/spending.ts'
import { verdict } from './parts/verdict/verdict.ts'
import type { PageRuntime } from './runtime.ts'

type Content = readonly [name: string, title: string, part: (facts: Facts, place: Place, page?: PageSection) => Part]

const COST: Content = ['cost', 'What it cost', spendingPart]

/** The parts of a report with results, in the order of the page. */
export const CONTENTS: readonly Content[] = [
  ['explorer', 'Explorer', explorerPart],
  ['ranking', 'Every trial, ranked', rankingPart],
  ['time', 'The best five over time', overTimePart],
  ['sure', 'How sure', howSurePart],
  ['bots', 'Made a bot', botsPart],
  COST,
  ['provenance', 'Provenance', provenancePart],
]

/** Those that show what the filter selects; they stand one behind the other, and the filter stays in sight beside them. */
const FILTERED: ReadonlySet<string> = new Set(['explorer', 'ranking'])

/** Before the first result there is nothing to rank or draw: one sentence says so instead of many empty sections. */
function contentsOf(facts: Facts): readonly Content[] {
  const { finished, failed } = facts
  const isThere: Readonly<Record<string, boolean>> = { time: hasCurves(facts), bots: hasBots(facts) }
  if (finished.length > 0) return CONTENTS.filter(([name]) => isThere[name] ?? true)
  return failed.length > 0 ? [['failed', 'Trials without a result', failedPart], COST] : [COST]
}

/** The whole report as HTML. Same input, same text. */
export function buildReport(input: ReportInput, runtime: PageRuntime): string {
  const studies = input.sections.map(readFacts)
  const single = studies.length === 1 ? studies[0] : undefined
  const carried = studies.map((facts, index) => embedSection(facts, sectionPrefix(index, studies.length)))
  const sections = studies.map((facts, index) => {
    const about = { madeAt: input.madeAt, index, page: carried[index].section }
    return single === undefined ? studyArticle(facts, about) : singleStudy(facts, about)
  })
  const charts = sections
    .flatMap((part) => part.charts)
    .filter(({ live }) => live === undefined)
    .map(({ id, spec }) => ({ id, spec: compileChart(spec) }))
  const title = [...new Set(studies.map(({ study }) => study.name))].join(', ')
  const bodies = sections.map((part) => part.body)
  const body = html`${
    single === undefined
      ? html`${severalContents(studies)}<header><p class="kicker">DCA Lab backtest report</p><h1>${title}</h1><p class="small">Made ${formatInstant(input.madeAt)}</p></header>
        <main>${studies.filter(isFirstOfSeveral).map((facts) => acrossMarkets(facts, studies))}${comparison(studies)}${bodies}</main>`
      : bodies
  }${studies.map(inspectorPlace)}
    <footer>Made by DCA Lab. All times are UTC. Backtests tell what would have happened under the stated conventions, not what will. This file needs no network and sends nothing.</footer>
    <div id="tooltip" role="tooltip" hidden></div>`
  return pageText({
    title: `${title}: DCA Lab report`,
    body,
    charts,
    document: {
      sections: carried.map(({ section }, index) => ({
        ...section,
        charts: { ...liveSpecs(sections[index]), ...compiledInspector(studies[index]) },
      })),
    },
    blocks: carried.flatMap(({ blocks }) => blocks),
    runtime,
  })
}

/** Compiled, by name. */
function liveSpecs({ charts }: Part): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    charts.flatMap(({ live }) => (live?.spec ? [[live.name, compileChart(live.spec)] as const] : [])),
  )
}

function isFirstOfSeveral({ isOneOfSeveral, study, market }: Facts): boolean {
  return isOneOfSeveral && marketName(study.markets[0]) === market
}

function severalContents(studies: readonly Facts[]): Html {
  const names = studies.map(
    ({ study, market, isOneOfSeveral }) => `${study.name}${isOneOfSeveral ? ` on ${market}` : ''}`,
  )
  return html`<nav class="contents" aria-label="Contents"><ol><li><a href="#comparison">Side by side</a></li>${names.map(
    (name, index) => html`<li><a href="#study-${index + 1}">${name}</a></li>`,
  )}</ol></nav>`
}

interface AboutSection {
  /** When the report is made, ms UTC. */
  readonly madeAt: number
  /** Of the section among those of the page. */
  readonly index: number
  readonly page: PageSection
}

function singleStudy(facts: Facts, about: AboutSection): Part {
  return withParts(facts, { prefix: '', level: 2, page: about.page }, (parts) => {
    const links = contentsOf(facts).map(([name, title]) => html`<li><a href="#${name}">${title}</a></li>`)
    return html`<nav class="contents" aria-label="Contents"><ol><li><a href="#verdict">Verdict</a></li>${links}</ol></nav>
      <header id="verdict"><p class="kicker">DCA Lab backtest report</p><h1>${facts.study.name}</h1>${verdict(facts, { madeAt: about.madeAt, prefix: '', section: 0 })}</header>
      <main>${parts}</main>`
  })
}

function studyArticle(facts: Facts, { madeAt, index, page }: AboutSection): Part {
  const id = `study-${index + 1}`
  const { prefix } = page
  return withParts(facts, { prefix, level: 3, page }, (parts) => {
    return html`<article aria-labelledby="${id}"><header><h2 id="${id}">${facts.study.name}${facts.isOneOfSeveral && ` on ${facts.market}`}</h2>${verdict(facts, { madeAt, prefix, section: index })}</header>${parts}</article>`
  })
}

function withParts(
  facts: Facts,
  { page, ...place }: Pick<Place, 'prefix' | 'level'> & Pick<AboutSection, 'page'>,
  around: (parts: readonly Html[]) => Html,
): Part {
  const contents = contentsOf(facts)
  const parts = contents.map(([name, title, part]) => part(facts, { ...place, name, title }, page))
  const bodies = parts.map(({ body }) => body)
  const [first, last] = [contents.findIndex(isFiltered), contents.findLastIndex(isFiltered) + 1]
  const skip = html`<a class="skip on-screen" href="#${place.prefix}ranking">Skip the charts, to the table of trials</a>`
  const filtered = html`<div class="filtered">${skip}${livePlace('filter', place)}${bodies.slice(first, last)}</div>`
  return {
    body: around(first < 0 ? bodies : [...bodies.slice(0, first), filtered, ...bodies.slice(last)]),
    charts: parts.flatMap(({ charts }) => charts),
  }
}

function isFiltered([name]: Content): boolean {
  return FILTERED.has(name)
}

interface PageInput {
  readonly title: string
  readonly body: Html
  readonly charts: readonly { readonly id: string; readonly spec: unknown }[]
  readonly document: PageDocument
  readonly blocks: readonly Block[]
  readonly runtime: PageRuntime
}

function pageText({ title, body, charts, document, blocks, runtime }: PageInput): string {
  const scripts = [runtime.vega, runtime.page]
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.map(hashOf).join(' ')}`,
    `style-src ${hashOf(PAGE_STYLE)}`,
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
<title>${title}</title>
<link rel="icon" href="data:,">
${codeBlock('style', PAGE_STYLE)}
</head>
<body>
${body}
<noscript><p class="banner">Charts need scripts, which are switched off here. The tables hold the same numbers.</p></noscript>
${[jsonBlock(CHARTS_ID, charts), jsonBlock(DOCUMENT_ID, document), ...blocks].map(({ id, text }) => dataBlock(id, text))}
${scripts.map((code) => codeBlock('script', code))}
</body>
</html>
`.toString()
}

/** Compiled charts repeat themselves so much that a sixth of their text is left of them. */
function jsonBlock(id: string, value: unknown): Block {
  return blockOf(id, JSON.stringify(value))
}

/** A source expression of the Content Security Policy: the hash of an inline element's text. */
function hashOf(code: string): string {
  return `'sha256-${createHash('sha256').update(code).digest('base64')}'`
}
