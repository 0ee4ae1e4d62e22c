/** The effect of two parameters together: one heat map large, all pairs small. The page draws them; here are their words, and one as a picture. */
import { cellOf, pairGrid } from '../../../analysis/pair-grid.ts'
import { CHARTS } from '../../charts/charts.ts'
import { type Facts, lowerTitle } from '../../facts.ts'
import { html } from '../../html.ts'
import { classesOf, heatTitle, shownCells } from '../../model/heat-cells.ts'
import { PLATEAU_LOSS } from '../../model/heat-grid.ts'
import type { HeatPicture } from '../../model/heat-picture.ts'
import { type LevelColumn, levelColumn } from '../../model/level-column.ts'
import { blanksOf, MOST_PAIRED, pairedFields } from '../../paired-fields.ts'
import type { Part, Place } from '../part.ts'
import { liveFigure } from './live-figure.ts'

export function heatPart(facts: Facts, place: Place): Part {
  const { study, varied } = facts
  const fields = pairedFields(facts)
  const [first, second] = fields
  if (second === undefined) {
    return { body: html`<p class="empty">No heat map: ${CHARTS.heat.without}.</p>`, charts: [] }
  }
  const { numbers } = facts.ordered
  const metric = lowerTitle(study.objective.metric)
  const bounded = study.objective.where.length > 0
  return liveFigure({
    place,
    name: 'heat',
    drawn: pictureOf(levelColumn(numbers, second), levelColumn(numbers, first), facts),
    summary: `${metric} for every pair of values of ${fields.join(', ')}.`,
    caption: html`<details class="how-to-read"><summary>How to read it</summary>${[
      `Each cell is the mean ${metric} of all trials with these two values, whatever their other parameters, or the best of them, or their number${bounded ? ', inside the bounds or not (“ranked” in the filter leaves only those inside)' : ''}; n says how many. With a filter, of the trials that it selects. All pairs have the same colours, whatever is selected.`,
      `The plateau, outlined, is what is joined to the best cell side by side and loses no more than ${100 * PLATEAU_LOSS} % of the way from the best cell to the worst: a winner on a wide plateau depends less on its exact values than one alone.`,
      `Cells with few trials, or whose trials differ in their other parameters, compare more than these two.`,
      varied.length > MOST_PAIRED &&
        `Of ${varied.length} varied parameters, the ${MOST_PAIRED} most important ones are paired.`,
    ]
      .filter((sentence) => sentence !== false)
      .join(' ')}</details>`,
  })
}

/** The mean over two fields, as the page shows it at first. */
function pictureOf(x: LevelColumn, y: LevelColumn, facts: Facts): HeatPicture {
  const { study, quote, best } = facts
  const { numbers } = facts.ordered
  const { objective } = study
  const scores = numbers.values(objective.metric) ?? new Float64Array(numbers.count).fill(Number.NaN)
  const whole = pairGrid(x, y, { scores, direction: objective.direction, mask: null })
  const pair = { x, y, whole }
  const view = { objective, quote, blanks: blanksOf(facts), aggregate: 'mean' } as const
  const marked = { winner: best === undefined ? null : cellOf(x, y, 0), opened: null, chosen: null }
  return {
    x: { field: x.field, levels: x.levels },
    y: { field: y.field, levels: y.levels },
    cells: shownCells(pair, { grid: whole, classes: classesOf([pair], view), marked }, view),
    title: heatTitle(pair, view, { count: numbers.count, all: numbers.count }),
  }
}
