/** The effect of two parameters together: one heat map large, all pairs small. The page draws them; here are their words, and one as a picture. */
import { pairGrid } from '../../../analysis/pair-grid.ts'
import { CHARTS } from '../../charts/charts.ts'
import { classOf, heatClasses } from '../../charts/heat-classes.ts'
import type { HeatMapInput } from '../../charts/heat-map.ts'
import { type Facts, lowerTitle } from '../../facts.ts'
import { html } from '../../html.ts'
import { cellValue, PLATEAU_LOSS } from '../../model/heat-grid.ts'
import { cellLabel } from '../../model/heat-words.ts'
import { type LevelColumn, levelColumn, levelText } from '../../model/level-column.ts'
import { MOST_PAIRED, pairedFields } from '../../paired-fields.ts'
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
    drawn: () => heatPicture(levelColumn(numbers, second), levelColumn(numbers, first), facts),
    emptied: null,
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

/** The mean over two fields as one picture. */
function heatPicture(x: LevelColumn, y: LevelColumn, facts: Facts): HeatMapInput {
  const { metric, direction } = facts.study.objective
  const { numbers } = facts.ordered
  const scores = numbers.values(metric) ?? new Float64Array(numbers.count).fill(Number.NaN)
  const grid = pairGrid(x, y, { scores, direction, mask: null })
  const known = Array.from(grid.count.keys()).flatMap((cell) => {
    const value = cellValue(grid, cell, 'mean')
    return value === null ? [] : [{ cell, value, count: grid.count[cell] }]
  })
  const classes = heatClasses(
    known.map(({ value }) => value),
    direction === 'maximize' ? 'higher' : 'lower',
  )
  const uneven = known.some(({ count }) => count !== known[0].count)
  return {
    xTitle: x.field,
    yTitle: y.field,
    xOrder: x.levels.map(levelText),
    yOrder: y.levels.map(levelText),
    cells: known.map(({ cell, value, count }) => ({
      x: levelText(x.levels[cell % grid.width]),
      y: levelText(y.levels[Math.floor(cell / grid.width)]),
      tone: classOf(classes, value).tone,
      label: cellLabel(value),
      count: uneven ? `n ${count}` : null,
    })),
  }
}
