/** What results come to for each pair of levels of two parameters, all others varying. Pure. */
import type { Objective } from '../study/study.ts'
import type { Level } from './levels.ts'

/** One parameter of every result. */
export interface Levelled {
  readonly levels: readonly Level[]
  /** The level of each result; −1 = none. */
  readonly of: ArrayLike<number>
}

/** Cells row by row: the one of levels `x` and `y` is at `y * width + x`. */
export interface PairGrid {
  readonly width: number
  readonly height: number
  /** Results with a value. */
  readonly count: Int32Array
  /** NaN in a cell without results, like `best`. */
  readonly mean: Float64Array
  readonly best: Float64Array
}

interface Scored {
  /** Of each result; NaN = not known. */
  readonly scores: Float64Array
  readonly direction: Objective['direction']
  /** 1 for each result that is looked at; null = all are. */
  readonly mask: Uint8Array | null
}

export function pairGrid(x: Levelled, y: Levelled, { scores, direction, mask }: Scored): PairGrid {
  const [width, height] = [x.levels.length, y.levels.length]
  const count = new Int32Array(width * height)
  const mean = new Float64Array(width * height)
  const best = new Float64Array(width * height).fill(Number.NaN)
  const sign = direction === 'maximize' ? 1 : -1
  for (let result = 0; result < scores.length; result++) {
    const score = scores[result]
    const cell = cellOf(x, y, result)
    if (cell === null || Number.isNaN(score) || (mask !== null && mask[result] === 0)) continue
    count[cell]++
    mean[cell] += (score - mean[cell]) / count[cell]
    if (!(sign * score <= sign * best[cell])) best[cell] = score
  }
  for (let cell = 0; cell < count.length; cell++) if (count[cell] === 0) mean[cell] = Number.NaN
  return { width, height, count, mean, best }
}

/** Where a result lies; null = its values are not among the levels. */
export function cellOf(x: Levelled, y: Levelled, result: number): number | null {
  const [column, row] = [x.of[result], y.of[result]]
  return column < 0 || row < 0 ? null : row * x.levels.length + column
}
