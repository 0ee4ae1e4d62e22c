/** All parameters and the key metrics of every trial at once. */
import { CHARTS } from '../../charts/charts.ts'
import type { Facts } from '../../facts.ts'
import { formatCount } from '../../format.ts'
import { html } from '../../html.ts'
import { evenSample, linePoints, MOST_LINES, MOST_SELECTED_LINES, parallelAxes } from '../../model/parallel-axes.ts'
import type { Part, Place } from '../part.ts'
import { liveFigure } from './live-figure.ts'

export function parallelPart(facts: Facts, place: Place): Part {
  const { study, varied, quote } = facts
  const trials = facts.ordered.numbers
  const axes = parallelAxes(trials, { varied, metric: study.objective.metric, quote })
  if (axes.length === 0) {
    return { body: html`<p class="empty">No parallel coordinates: ${CHARTS.parallel.without}.</p>`, charts: [] }
  }
  const shown = evenSample(new Uint8Array(trials.count).fill(1), MOST_LINES)
  const isPart = shown.length < trials.count
  return liveFigure({
    place,
    name: 'parallel',
    drawn: { axes, points: linePoints(trials, axes, shown) },
    summary: `Parallel coordinates of ${formatCount(trials.count, 'trial')}: ${axes.map(({ title }) => title.join(' ')).join(', ')}.`,
    legend: [
      { swatch: 'line best', label: 'best' },
      { swatch: 'line trial', label: 'trial' },
      { swatch: 'line faint', label: 'not selected' },
    ],
    caption: html`One line is one trial.${isPart ? ` Of ${formatCount(trials.count, 'trial')}, ${shown.length} are drawn, every so many by rank.` : ''}${trials.count > MOST_SELECTED_LINES ? ` Of a selection, ${MOST_SELECTED_LINES} are drawn at most.` : ''}`,
  })
}
