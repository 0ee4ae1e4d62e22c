/** A chart that a live part of the page draws, and in which the reader works. */
import { CHARTS, type ChartName } from '../../charts/charts.ts'
import { html } from '../../html.ts'
import { sectionIndex } from '../live-place.ts'
import { type FigureInput, legendList, type Part } from '../part.ts'

export function liveFigure<Name extends ChartName>(input: Omit<FigureInput<Name>, 'nth'>): Part {
  const { place, name, drawn, summary, legend = [], caption } = input
  const { title, kind, spec } = CHARTS[name]
  const id = `${place.prefix}plot-${name}`
  return {
    body: html`<figure class="chart chart-${kind}">
      ${legend.length > 0 && legendList(legend)}
      <div class="live" id="${id}" data-live="${name}" data-section="${sectionIndex(place.prefix)}" role="group" aria-label="${`${title}. ${summary}`}"></div>
      ${caption !== undefined && html`<figcaption>${caption}</figcaption>`}
    </figure>`,
    charts: [{ id, name, spec: spec(drawn), isLive: true }],
  }
}
