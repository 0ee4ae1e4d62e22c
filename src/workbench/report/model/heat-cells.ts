/** A heat map's cells as they are seen: number, colour, outline and words. Pure. */
import type { PairGrid } from '../../analysis/pair-grid.ts'
import { classOf, type HeatClass, heatClasses, type Tone } from '../charts/heat-classes.ts'
import { formatCount } from '../format.ts'
import type { Blanks, PageSection } from './document.ts'
import { type Aggregate, cellValue, heatPlateau } from './heat-grid.ts'
import { aggregateText, aggregateTitle, cellLabel, unitText } from './heat-words.ts'
import { type LevelColumn, levelText } from './level-column.ts'

export interface ShownCell {
  /** `blank`: no trial lies here, selected or not. */
  readonly kind: 'number' | 'unselected' | 'blank'
  readonly label: string
  readonly count: number
  /** null = it has no number. */
  readonly tone: Tone | null
  /** Sides at which the plateau ends: `t`, `r`, `b`, `l`; empty inside of it and off it. The highest level of y is at the top. */
  readonly edges: readonly ('t' | 'r' | 'b' | 'l')[]
  readonly marks: readonly CellMark[]
  /** For those who cannot see it, and for the tooltip. */
  readonly words: string
}

/** `winner`: holds the best trial; `opened`: the one that is open; `chosen`: the filter selects this cell. */
export type CellMark = 'winner' | 'opened' | 'chosen'

/** A pair of fields with what stays the same whatever is selected. */
export interface HeatPair {
  readonly x: LevelColumn
  readonly y: LevelColumn
  /** Of all trials. */
  readonly whole: PairGrid
}

/** What the numbers of the cells are. */
export interface HeatView extends Pick<PageSection, 'objective' | 'quote' | 'blanks'> {
  readonly aggregate: Aggregate
}

/** One set of classes for all pairs and whatever is selected, so that their colours can be compared. */
export function classesOf(pairs: readonly HeatPair[], { aggregate, objective }: HeatView): readonly HeatClass[] {
  const values = pairs.flatMap(({ whole }) =>
    Array.from(whole.count.keys()).flatMap((cell) => cellValue(whole, cell, aggregate) ?? []),
  )
  if (values.length === 0) return []
  return heatClasses(values, aggregate === 'count' || objective.direction === 'maximize' ? 'higher' : 'lower')
}

/** `count` of `all` trials. */
export function heatTitle(
  { x, y }: HeatPair,
  { aggregate, objective, quote }: HeatView,
  { count, all }: { readonly count: number; readonly all: number },
): string {
  const unit = aggregate === 'count' ? '' : unitText(objective.metric, quote)
  const of = count === all ? formatCount(count, 'trial') : `the ${formatCount(count, 'trial')} that the filter selects`
  return `${x.field} × ${y.field}: ${aggregateTitle(aggregate, objective.metric)}${unit}, of ${of}`
}

interface CellsInput {
  /** Of the trials that are selected. */
  readonly grid: PairGrid
  readonly classes: readonly HeatClass[]
  /** The cell of each mark; null = there is none. */
  readonly marked: Readonly<Record<CellMark, number | null>>
}

export const BLANK_WORDS: Readonly<Record<Blanks, string>> = {
  infeasible: 'left out by the study’s constraints',
  untried: 'not tried',
  either: 'without a result: left out by the study’s constraints, or not finished',
}

const MARK_WORDS: Readonly<Record<CellMark, string>> = {
  winner: 'holds the best trial',
  opened: 'holds the open trial',
  chosen: 'selected',
}

export function shownCells(
  { x, y, whole }: HeatPair,
  { grid, classes, marked }: CellsInput,
  { aggregate, quote, blanks, objective: { metric, direction } }: HeatView,
): ShownCell[] {
  const tried = whole.count
  const values = Array.from(grid.count.keys(), (cell) => cellValue(grid, cell, aggregate))
  const plateau = aggregate === 'count' ? new Uint8Array(values.length) : heatPlateau(grid, values, direction)
  return Array.from(grid.count, (count, cell) => {
    const value = values[cell]
    const marks = (['winner', 'opened', 'chosen'] as const).filter((mark) => marked[mark] === cell)
    const at = `${x.field} ${levelText(x.levels[cell % grid.width])}, ${y.field} ${levelText(y.levels[Math.floor(cell / grid.width)])}`
    const said =
      value !== null
        ? `${aggregateTitle(aggregate, metric)} ${aggregateText(value, aggregate, metric, quote)}${aggregate === 'count' ? '' : ` of ${formatCount(count, 'trial')}`}`
        : tried[cell] > 0
          ? 'no trial selected'
          : BLANK_WORDS[blanks]
    return {
      kind: value !== null ? 'number' : tried[cell] > 0 ? 'unselected' : 'blank',
      label: value === null ? '–' : cellLabel(value),
      count,
      tone: value === null ? null : classOf(classes, value).tone,
      edges: edgesOf(plateau, cell, grid),
      marks,
      words: [
        `${at}: ${said}`,
        ...(plateau[cell] === 1 ? ['on the plateau'] : []),
        ...marks.map((mark) => MARK_WORDS[mark]),
      ].join('; '),
    }
  })
}

function edgesOf(plateau: Uint8Array, cell: number, { width, height }: PairGrid): ('t' | 'r' | 'b' | 'l')[] {
  if (plateau[cell] === 0) return []
  const [x, y] = [cell % width, Math.floor(cell / width)]
  const ends = {
    t: y === height - 1 || plateau[cell + width] === 0,
    r: x === width - 1 || plateau[cell + 1] === 0,
    b: y === 0 || plateau[cell - width] === 0,
    l: x === 0 || plateau[cell - 1] === 0,
  }
  return (['t', 'r', 'b', 'l'] as const).filter((side) => ends[side])
}
