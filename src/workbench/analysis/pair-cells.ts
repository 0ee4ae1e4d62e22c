/** What results come to over two parameters, all others varying: one cell for each pair of values that was tried. */

export interface PairRow {
  readonly x: number
  readonly y: number
  /** Higher is better, or lower where `better` says so; NaN is left out. */
  readonly value: number
}

export interface PairCell {
  readonly x: number
  readonly y: number
  /** Results that the cell rests on, at least one. */
  readonly count: number
  readonly mean: number
  readonly best: number
}

/** The cells in ascending order of y, then x. */
export function pairCells(rows: Iterable<PairRow>, better: 'higher' | 'lower'): PairCell[] {
  const cells = new Map<string, { x: number; y: number; count: number; sum: number; best: number }>()
  for (const { x, y, value } of rows) {
    if (Number.isNaN(value)) continue
    const key = `${x} ${y}`
    const cell = cells.get(key)
    if (cell === undefined) cells.set(key, { x, y, count: 1, sum: value, best: value })
    else {
      cell.count++
      cell.sum += value
      cell.best = better === 'higher' ? Math.max(cell.best, value) : Math.min(cell.best, value)
    }
  }
  return [...cells.values()]
    .map(({ x, y, count, sum, best }) => ({ x, y, count, mean: sum / count, best }))
    .sort((one, other) => one.y - other.y || one.x - other.x)
}
