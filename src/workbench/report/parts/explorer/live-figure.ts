/** A chart that a live part of the page draws, and in which the reader works. */
import { CHARTS, type ChartInput, type ChartName } from '../../charts/charts.ts'
import { html } from '../../html.ts'
import { sectionIndex } from '../live-place.ts'
import { type FigureInput, legendList, type Part } from '../part.ts'

interface LiveFigureInput<Name extends ChartName> extends Omit<FigureInput<Name>, 'drawn'> {
  /** With the trials; asked for only where a chart is wanted by itself. */
  readonly drawn: () => ChartInput<Name>
  /** What the page's script fills with its trials; null = it draws the chart in its own way. */
  readonly emptied: ChartInput<Name> | null
}

export function liveFigure<Name extends ChartName>(input: LiveFigureInput<Name>): Part {
  const { place, name, drawn, emptied, summary, legendTitle, legend = [], caption } = input
  const { title, kind, spec } = CHARTS[name]
  const id = `${place.prefix}plot-${name}`
  return {
    body: html`<figure class="chart chart-${kind}">
      ${legend.length > 0 && legendList(legend, legendTitle)}
      <div class="live" id="${id}" data-live="${name}" data-section="${sectionIndex(place.prefix)}" role="group" aria-label="${`${title}. ${summary}`}"></div>
      ${caption !== undefined && html`<figcaption>${caption}</figcaption>`}
    </figure>`,
    charts: [
      {
        id,
        name,
        get spec() {
          return spec(drawn())
        },
        live: { name, spec: emptied === null ? null : spec(emptied) },
      },
    ],
  }
}
