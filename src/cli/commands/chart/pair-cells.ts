/** The cells of a heat map of two fields, every value of which is a row or a column of its own. */
import { levelIndex, ownLevels } from '../../../workbench/analysis/levels.ts'
import { type Levelled, pairGrid } from '../../../workbench/analysis/pair-grid.ts'
import type { Objective } from '../../../workbench/study/study.ts'
import type { PairCell } from './describe-chart.ts'

interface PairRow {
  readonly x: number
  readonly y: number
  readonly value: number
}

/** In ascending order of y, then x. */
export function pairCells(rows: readonly PairRow[], direction: Objective['direction']): PairCell[] {
  const [x, y] = [levelled(rows.map((row) => row.x)), levelled(rows.map((row) => row.y))]
  const scores = Float64Array.from(rows, ({ value }) => value)
  const { width, count, mean, best } = pairGrid(x, y, { scores, direction, mask: null })
  return Array.from(count.keys())
    .filter((cell) => count[cell] > 0)
    .map((cell) => ({
      x: x.levels[cell % width].low,
      y: y.levels[Math.floor(cell / width)].low,
      count: count[cell],
      mean: mean[cell],
      best: best[cell],
    }))
}

function levelled(values: readonly number[]): Levelled {
  const levels = ownLevels(values)
  return { levels, of: values.map((value) => levelIndex(levels, value)) }
}
