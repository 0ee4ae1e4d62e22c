/** A heat map's cells as they are seen: number, colour, outline and words. Pure. */
import type { MetricName } from '../../../contract/metrics.ts'
import type { PairGrid } from '../../analysis/pair-grid.ts'
import { classOf, type HeatClass, type Tone } from '../charts/heat-classes.ts'
import { formatCount, type Quote } from '../format.ts'
import type { Blanks } from './document.ts'
import { type Aggregate, cellValue } from './heat-grid.ts'
import { aggregateText, aggregateTitle, cellLabel } from './heat-words.ts'
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

export interface CellsInput {
  readonly x: LevelColumn
  readonly y: LevelColumn
  readonly grid: PairGrid
  /** Trials in each cell, selected or not. */
  readonly tried: Int32Array
  readonly plateau: Uint8Array
  readonly classes: readonly HeatClass[]
  readonly aggregate: Aggregate
  readonly metric: MetricName
  readonly quote: Quote
  readonly blanks: Blanks
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

export function shownCells(input: CellsInput): ShownCell[] {
  const { x, y, grid, tried, plateau, classes, aggregate, metric, quote, blanks, marked } = input
  return Array.from(grid.count, (count, cell) => {
    const value = cellValue(grid, cell, aggregate)
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
