/** The heat maps of the explorer: one pair of fields large, all pairs small beside it, all of the trials that the filter selects. */
import type { ConfigField } from '../../../../contract/bot.ts'
import { cellOf, type PairGrid, pairGrid } from '../../../analysis/pair-grid.ts'
import { rangeIn, withRanges } from '../../model/filter.ts'
import { type CellMark, classesOf, type HeatPair, heatTitle, shownCells } from '../../model/heat-cells.ts'
import { type Aggregate, cellValue } from '../../model/heat-grid.ts'
import { heatPicture } from '../../model/heat-picture.ts'
import { type LevelColumn, levelColumn, rangeOfLevel } from '../../model/level-column.ts'
import type { Desk } from '../desk.ts'
import { makeElement } from '../make-element.ts'
import { offerExports } from '../save-file.ts'
import { offerAggregates, writeHeatLegend } from './heat-legend.ts'
import { createHeatPairs, type PairPlace, pairsOf } from './heat-pairs.ts'
import { createHeatTable, type HeatTable } from './heat-table.ts'

interface Pair extends HeatPair {
  readonly place: PairPlace
}

export function mountHeat(place: HTMLElement, desk: Desk): void {
  const { section, table } = desk
  const { paired, objective } = section
  const scores = table.values(objective.metric)
  if (paired.length < 2 || scores === undefined) return
  const { direction } = objective
  const columns = paired.map((field) => levelColumn(table, field))
  const pairs = pairsOf(paired).map((pair): Pair => {
    const [x, y] = [columns[pair.column], columns[pair.row]]
    return { place: pair, x, y, whole: pairGrid(x, y, { scores, direction, mask: null }) }
  })
  const aggregates = offerAggregates(desk)
  const large = makeElement('div', { class: 'heat-large' })
  const legend = makeElement('ul', { class: 'legend', is: { 'aria-label': 'Legend' } })
  const small = createHeatPairs(
    paired,
    columns.map(({ levels }) => levels.length),
    ({ row, column }) => desk.set({ pair: [paired[column], paired[row]] }),
  )
  place.append(
    makeElement('div', { class: 'heat-main', children: [aggregates.element, large, legend] }),
    makeElement('div', { class: 'heat-side', children: [small.element] }),
  )
  let shown: { readonly pair: Pair; readonly table: HeatTable } | null = null
  let picture = ''
  offerExports(place.closest('figure') ?? place, {
    name: `${section.prefix}heat`,
    view: { toSVG: () => Promise.resolve(picture) },
  })
  const show = (): void => {
    const { aggregate } = desk.state()
    const { count, mask } = desk.selection()
    const isAll = count === table.count
    const grids = pairs.map(({ x, y, whole }) => (isAll ? whole : pairGrid(x, y, { scores, direction, mask })))
    const view = { ...section, aggregate }
    const classes = classesOf(pairs, view)
    const wanted = pairs.find(({ place: at }) => isWanted(desk, at)) ?? pairs[0]
    if (shown?.pair !== wanted) {
      shown = { pair: wanted, table: createHeatTable(wanted.x, wanted.y, (cell) => chooseCell(desk, wanted, cell)) }
      large.replaceChildren(shown.table.element)
    }
    pairs.forEach((pair, index) => {
      const cells = shownCells(pair, { grid: grids[index], classes, marked: markedCells(desk, pair) }, view)
      small.show(pair.place, cells, pair === wanted)
      if (pair !== wanted) return
      const title = heatTitle(pair, view, { count, all: table.count })
      shown?.table.show(cells, title)
      picture = heatPicture({ x: pair.x, y: pair.y, cells, title })
      writeHeatLegend(legend, { classes, cells, reach: reachOf(grids, aggregate), desk })
    })
    aggregates.show(aggregate)
  }
  let isWaiting = false
  desk.watch((before) => {
    const { filter, pair, aggregate, trial } = desk.state()
    const isSame =
      filter === before.filter && pair === before.pair && aggregate === before.aggregate && trial === before.trial
    if (isWaiting || isSame) return
    isWaiting = true
    // a brush can move more than once between two frames
    requestAnimationFrame(() => {
      isWaiting = false
      show()
    })
  })
  show()
}

/** The lowest and the highest number of all cells. */
function reachOf(grids: readonly PairGrid[], aggregate: Aggregate): { readonly low: number; readonly high: number } {
  let [low, high] = [Infinity, -Infinity]
  for (const grid of grids) {
    for (const cell of grid.count.keys()) {
      const value = cellValue(grid, cell, aggregate)
      if (value === null) continue
      low = Math.min(low, value)
      high = Math.max(high, value)
    }
  }
  return { low, high }
}

/** A pair is wanted in either order. */
function isWanted({ section, state }: Desk, { row, column }: PairPlace): boolean {
  const { pair } = state()
  const fields: readonly (ConfigField | undefined)[] = [section.paired[row], section.paired[column]]
  return pair !== null && fields.includes(pair[0]) && fields.includes(pair[1]) && pair[0] !== pair[1]
}

function markedCells(desk: Desk, { x, y }: HeatPair): Readonly<Record<CellMark, number | null>> {
  const opened = desk.opened()
  return {
    winner: desk.table.rank(0) === null ? null : cellOf(x, y, 0),
    opened: opened === null ? null : cellOf(x, y, opened),
    chosen: chosenCell(desk, x, y, desk.state().filter),
  }
}

function chosenCell({ table }: Desk, x: LevelColumn, y: LevelColumn, filter: string): number | null {
  const levelIn = ({ field, levels }: LevelColumn) => {
    const range = rangeIn(table, filter, field)
    return levels.findIndex((level) => {
      const own = rangeOfLevel(level)
      const [min, max] = 'is' in own ? [own.is, own.is] : [own.min, own.max]
      return range !== null && range.min === min && range.max === max
    })
  }
  const [column, row] = [levelIn(x), levelIn(y)]
  return column < 0 || row < 0 ? null : row * x.levels.length + column
}

/** A cell that is chosen already is left again. */
function chooseCell(desk: Desk, { x, y }: Pair, cell: number): void {
  const { filter } = desk.state()
  const isChosen = chosenCell(desk, x, y, filter) === cell
  const levels = [x.levels[cell % x.levels.length], y.levels[Math.floor(cell / x.levels.length)]]
  desk.set({
    filter: withRanges(
      desk.table,
      filter,
      [x, y].map(({ field }, index) => ({ column: field, range: isChosen ? null : rangeOfLevel(levels[index]) })),
    ),
  })
}
