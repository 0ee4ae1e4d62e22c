/** What trials come to for each pair of values of two fields, whatever their other fields. Pure. */
import type { Objective } from '../../study/study.ts'
import type { DeskState } from './desk-state.ts'
import type { LevelColumn } from './level-column.ts'

export type Aggregate = DeskState['aggregate']

/** Cells row by row: the one of levels `x` and `y` is at `y * width + x`. */
export interface HeatGrid {
  readonly width: number
  readonly height: number
  /** Trials with a value. */
  readonly count: Int32Array
  /** NaN in a cell without trials, like `best`. */
  readonly mean: Float64Array
  readonly best: Float64Array
}

interface Scored {
  /** The objective's metric of each trial; NaN = not known. */
  readonly scores: Float64Array
  readonly direction: Objective['direction']
  /** 1 for each trial that is looked at; null = all are. */
  readonly mask: Uint8Array | null
}

export function heatGrid(x: LevelColumn, y: LevelColumn, { scores, direction, mask }: Scored): HeatGrid {
  const [width, height] = [x.levels.length, y.levels.length]
  const count = new Int32Array(width * height)
  const mean = new Float64Array(width * height)
  const best = new Float64Array(width * height).fill(Number.NaN)
  const sign = direction === 'maximize' ? 1 : -1
  for (let trial = 0; trial < scores.length; trial++) {
    const score = scores[trial]
    const cell = cellOf(x, y, trial)
    if (cell === null || Number.isNaN(score) || (mask !== null && mask[trial] === 0)) continue
    count[cell]++
    mean[cell] += (score - mean[cell]) / count[cell]
    if (!(sign * score <= sign * best[cell])) best[cell] = score
  }
  for (let cell = 0; cell < count.length; cell++) if (count[cell] === 0) mean[cell] = Number.NaN
  return { width, height, count, mean, best }
}

/** Where a trial lies; null = its values are not among the levels. */
export function cellOf(x: LevelColumn, y: LevelColumn, trial: number): number | null {
  const [column, row] = [x.of[trial], y.of[trial]]
  return column < 0 || row < 0 ? null : row * x.levels.length + column
}

/** The shown number of a cell; null = no trial lies there. */
export function cellValue(grid: HeatGrid, cell: number, aggregate: Aggregate): number | null {
  return grid.count[cell] === 0 ? null : grid[aggregate][cell]
}

/** How much of the way from the best cell to the worst a cell of the plateau may lose. */
export const PLATEAU_LOSS = 0.2

/**
 * The cells that are joined to the best one, side by side, and of which none loses more than a fifth of the way from the best to the worst cell.
 * 1 for each of them; all 0 where fewer than three cells have a value, or all have the same.
 */
export function heatPlateau(
  { width, height }: Pick<HeatGrid, 'width' | 'height'>,
  values: readonly (number | null)[],
  direction: Objective['direction'],
): Uint8Array {
  const plateau = new Uint8Array(width * height)
  const sign = direction === 'maximize' ? 1 : -1
  const goodness = values.map((value) => (value === null ? Number.NaN : sign * value))
  const known = goodness.filter((value) => !Number.isNaN(value))
  const [best, worst] = [Math.max(...known), Math.min(...known)]
  if (known.length < 3 || best === worst) return plateau
  const lowest = best - PLATEAU_LOSS * (best - worst)
  const waiting = [goodness.indexOf(best)]
  for (let cell = waiting.pop(); cell !== undefined; cell = waiting.pop()) {
    if (plateau[cell] === 1 || !(goodness[cell] >= lowest)) continue
    plateau[cell] = 1
    waiting.push(...neighboursOf(cell, width, height))
  }
  return plateau
}

function neighboursOf(cell: number, width: number, height: number): number[] {
  const [x, y] = [cell % width, Math.floor(cell / width)]
  return [
    ...(x > 0 ? [cell - 1] : []),
    ...(x < width - 1 ? [cell + 1] : []),
    ...(y > 0 ? [cell - width] : []),
    ...(y < height - 1 ? [cell + width] : []),
  ]
}
