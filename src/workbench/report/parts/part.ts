/** A piece of the page: its markup, and the charts that the page's script draws into it. */
import { CONFIG, type ConfigField } from '../../../contract/bot.ts'
import { CHARTS, type ChartInput, type ChartName, type StillChart } from '../charts/charts.ts'
import { type Html, type HtmlValue, html } from '../html.ts'

interface PageChart {
  /** Id of the element that holds it. */
  readonly id: string
  /** As in `CHARTS`; from the second of several on with its number behind. */
  readonly name: string
  readonly spec: StillChart
  /** The page's script fills it with the trials it has. */
  readonly isLive: boolean
}

export interface Part {
  readonly body: Html
  readonly charts: readonly PageChart[]
}

/** The place of a part on the page: its id and title, the prefix of all ids of its study, the level of its heading. */
export interface Place {
  readonly prefix: string
  readonly name: string
  readonly title: string
  readonly level: 2 | 3
}

/** A titled section. Of several studies each has the same ones: no landmarks, then, of a screen reader, but parts of an article. */
export function section({ prefix, name, title, level }: Place, content: HtmlValue): Html {
  const id = `${prefix}${name}`
  return level === 2
    ? html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`
    : html`<section><h3 id="${id}">${title}</h3>${content}</section>`
}

interface FigureInput<Name extends ChartName> {
  readonly place: Place
  readonly name: Name
  readonly drawn: ChartInput<Name>
  /** The page's script draws it, and the reader works in it. */
  readonly isLive?: boolean
  /** From 1, of a chart that a part draws more than once. */
  readonly nth?: number
  /** What the chart says beside its title, for those who cannot see it. */
  readonly summary: string
  readonly legend?: readonly LegendEntry[]
  readonly caption?: HtmlValue
}

interface LegendEntry {
  /** Class of the swatch in the style sheet. */
  readonly swatch: string
  readonly label: string
}

/** A chart with its legend and caption. The chart itself is one image with a text alternative. */
export function figure<Name extends ChartName>(input: FigureInput<Name>): Part {
  const { place, name, nth = 1, drawn, summary, legend = [], caption, isLive = false } = input
  const { title, kind, spec } = CHARTS[name]
  const own = nth === 1 ? name : `${name}-${nth}`
  const id = `${place.prefix}plot-${own}`
  const about = `${title}. ${summary}`
  return {
    body: html`<figure class="chart chart-${kind}">
      ${legend.length > 0 && legendList(legend)}
      ${isLive ? html`<div class="live" id="${id}" data-live="${name}" data-section="${sectionIndex(place.prefix)}" role="group" aria-label="${about}"></div>` : html`<div class="plot" id="${id}" role="img" aria-label="${about}"></div>`}
      ${caption !== undefined && html`<figcaption>${caption}</figcaption>`}
    </figure>`,
    charts: [{ id, name: own, spec: spec(drawn), isLive }],
  }
}

function legendList(entries: readonly LegendEntry[]): Html {
  return html`<ul class="legend" aria-label="Legend">${entries.map(
    ({ swatch, label }) => html`<li><span class="swatch ${swatch}" aria-hidden="true"></span>${label}</li>`,
  )}</ul>`
}

// The places of the page at which its script sets something up, `PARTS` in `page/page.ts`.

export function livePlace(part: string, { prefix }: Pick<Place, 'prefix'>): Html {
  return html`<div data-live="${part}" data-section="${sectionIndex(prefix)}"></div>`
}

/** Of the section whose elements have this prefix. */
export function sectionIndex(prefix: string): number {
  return prefix === '' ? 0 : Number.parseInt(prefix.slice(1), 10) - 1
}

// Where the page's script puts the inspector of a section; it makes everything in it.

/** As traders say it, with its name of study files where one points at it. */
export function fieldName(field: ConfigField): Html {
  return html`<span title="${field}">${CONFIG[field].title}</span>`
}
