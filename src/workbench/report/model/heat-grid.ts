/** What a heat map shows of a grid of pairs: one number a cell, and the plateau around the best. Pure. */
import type { PairGrid } from '../../analysis/pair-grid.ts'
import type { Objective } from '../../study/study.ts'
import type { DeskState } from './desk-state.ts'

export type Aggregate = DeskState['aggregate']

/** The shown number of a cell; null = no trial lies there. */
export function cellValue(grid: PairGrid, cell: number, aggregate: Aggregate): number | null {
  return grid.count[cell] === 0 ? null : grid[aggregate][cell]
}

/** How much of the way from the best cell to the worst a cell of the plateau may lose. */
export const PLATEAU_LOSS = 0.2

/**
 * The cells that are joined to the best one, side by side, and of which none loses more than a fifth of the way from the best to the worst cell.
 * 1 for each of them; all 0 where fewer than three cells have a value, or all have the same.
 */
export function heatPlateau(
  { width, height }: Pick<PairGrid, 'width' | 'height'>,
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
