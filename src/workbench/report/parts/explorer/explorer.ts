/** The explorer: every trial in three views that share one selection, and which parameters matter. */
import type { Facts } from '../../facts.ts'
import { html } from '../../html.ts'
import { importancePart } from '../parameters.ts'
import { type Part, type Place, section } from '../part.ts'
import { heatPart } from './heat.ts'
import { parallelPart } from './parallel-figure.ts'
import { scatterPart } from './scatter-figure.ts'

const VIEWS = [
  ['Profit against drawdown', scatterPart],
  ['Two parameters together', heatPart],
  ['Which parameters matter', importancePart],
  ['All parameters at once', parallelPart],
] as const

export function explorerPart(facts: Facts, place: Place): Part {
  const views = VIEWS.map(([title, view]) => ({ title, ...view(facts, place) }))
  return {
    body: section(
      place,
      views.map(({ title, body }) => {
        const heading = place.level === 2 ? html`<h3>${title}</h3>` : html`<h4>${title}</h4>`
        return html`<div class="view">${heading}${body}</div>`
      }),
    ),
    charts: views.flatMap(({ charts }) => charts),
  }
}
