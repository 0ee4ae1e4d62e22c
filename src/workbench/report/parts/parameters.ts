/** Which parameters matter. */

import type { Importance, NoImportance } from '../../analysis/importance.ts'
import { CHARTS } from '../charts/charts.ts'
import { type Facts, lowerTitle } from '../facts.ts'
import { formatCount, formatPercent } from '../format.ts'
import { html } from '../html.ts'
import { figure, type Part, type Place } from './part.ts'

export function importancePart(facts: Facts, place: Place): Part {
  const { importance } = facts
  if (importance.kind !== 'found') {
    return { body: html`<p class="empty">No data: ${reasonFor(importance, facts)}.</p>`, charts: [] }
  }
  const bars = importanceFigure(importance, facts, place)
  return { body: html`<p class="lead-in">${sharesSentence(importance, facts)}</p>${bars.body}`, charts: bars.charts }
}

function reasonFor(none: NoImportance, { study }: Facts): string {
  const metric = lowerTitle(study.objective.metric)
  switch (none.kind) {
    case 'nothingVaried':
      return CHARTS.importance.without
    case 'allEqual':
      return none.rows === 0 ? `no trial has a ${metric}` : `${formatCount(none.rows, 'trial')} with the same ${metric}`
    case 'tooFewRows':
      return `${formatCount(none.rows, 'trial')} cannot tell ${formatCount(none.effects, 'effect')} of the parameters’ values from chance`
  }
}

function percent(share: number): string {
  return formatPercent(100 * share, 1)
}

/** "The remaining 15.7 %" is the part that the additive model does not explain, on any grid. */
function sharesSentence({ parameters, rSquared, chanceRSquared }: Importance, { study }: Facts): string {
  const ranges = parameters.some(({ levels }) => levels.some(({ low, high }) => low !== high))
  const rest = `The remaining ${percent(1 - rSquared)} is how they act together${ranges ? ', and what happens inside of a range of values' : ''}.`
  return `The parameters explain ${percent(rSquared)} of the differences in ${lowerTitle(study.objective.metric)} (R²; ${percent(chanceRSquared)} by chance).${1 - rSquared > 0.0005 ? ` ${rest}` : ''}`
}

function importanceFigure({ parameters }: Importance, { study }: Facts, place: Place): Part {
  return figure({
    place,
    name: 'importance',
    drawn: parameters.map(({ field, share, chanceShare }) => ({
      name: field,
      sharePercent: 100 * share,
      chancePercent: 100 * chanceShare,
    })),
    summary: `Bars: parts of R² in explaining ${lowerTitle(study.objective.metric)}. ${parameters.map(({ field, share }) => `${field} ${percent(share)}`).join(', ')}.`,
    legend: [
      { swatch: 'bar', label: 'explained by this parameter' },
      { swatch: 'tick', label: 'expected by chance' },
    ],
    caption: html`<details class="how-to-read"><summary>How to read it</summary>Parts of R² of a least-squares fit with one effect per value and no interactions: what the parameter adds, averaged over all orders of adding them (Lindeman, Merenda and Gold 1980). The parts add up to R², on a grid with gaps too. The tick marks what a result without any cause would give the parameter with these values and trials; a bar near its tick means nothing.</details>`,
  })
}
