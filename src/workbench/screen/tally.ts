/** Sums the results of all trials for every value of every axis, so that a grid of millions becomes a page of numbers. */
import type { ParameterSummary } from '../store/screen-record.ts'
import type { Axis } from '../study/study.ts'

/** Doubles per axis value. */
export const TALLY_WIDTH = 7
const TRIALS = 0
const PROFITABLE = 1
const PROFIT_SUM = 2
const PROFIT_BEST = 3
const VALUED = 4
const SCORE_SUM = 5
const SCORE_BEST = 6

/** TALLY_WIDTH doubles for each value of each axis, axis after axis. */
interface Tally {
  readonly sums: Float64Array
  /** Positions of the rows that are not empty. */
  readonly touched: number[]
}

/** The rows of a tally that are not empty: a chunk of the grid contains only few values of the axes that vary slowly. */
export interface TallyRows {
  readonly places: Int32Array
  /** TALLY_WIDTH doubles per place. */
  readonly sums: Float64Array
}

export function createTally(axes: readonly Axis[]): Tally {
  const values = axes.reduce((sum, axis) => sum + axis.values.length, 0)
  return { sums: new Float64Array(values * TALLY_WIDTH), touched: [] }
}

/** Adds a trial at a point of the grid. `score`: higher is better; null = the objective is undefined for it. */
export function addTrial(
  { sums, touched }: Tally,
  axes: readonly Axis[],
  point: { readonly index: number; readonly netProfit: number; readonly score: number | null },
): void {
  let rest = point.index
  let end = sums.length
  for (let axis = axes.length - 1; axis >= 0; axis--) {
    const { length } = axes[axis].values
    end -= length * TALLY_WIDTH
    const at = end + (rest % length) * TALLY_WIDTH
    rest = Math.floor(rest / length)
    if (sums[at + TRIALS] === 0) touched.push(at)
    sums[at + PROFIT_BEST] = larger(point.netProfit, sums[at + PROFIT_BEST], sums[at + TRIALS])
    sums[at + TRIALS]++
    if (point.netProfit > 0) sums[at + PROFITABLE]++
    sums[at + PROFIT_SUM] += point.netProfit
    if (point.score === null) continue
    sums[at + SCORE_BEST] = larger(point.score, sums[at + SCORE_BEST], sums[at + VALUED])
    sums[at + VALUED]++
    sums[at + SCORE_SUM] += point.score
  }
}

/** The larger of a value and the best of `count` others. */
function larger(value: number, best: number, count: number): number {
  return count === 0 ? value : Math.max(value, best)
}

/** Returns the rows of a tally and empties it. */
export function drainTally({ sums, touched }: Tally): TallyRows {
  const places = Int32Array.from(touched)
  const rows = new Float64Array(places.length * TALLY_WIDTH)
  places.forEach((place, row) => {
    rows.set(sums.subarray(place, place + TALLY_WIDTH), row * TALLY_WIDTH)
    sums.fill(0, place, place + TALLY_WIDTH)
  })
  touched.length = 0
  return { places, sums: rows }
}

const SUMMED = [TRIALS, PROFITABLE, PROFIT_SUM, VALUED, SCORE_SUM] as const

/** Adds rows to a tally. The last bits of a sum depend on the order, so chunks are merged in the order of the grid. */
export function mergeTally({ sums }: Tally, { places, sums: rows }: TallyRows): void {
  for (let row = 0; row < places.length; row++) {
    const from = row * TALLY_WIDTH
    const at = places[row]
    sums[at + PROFIT_BEST] = larger(rows[from + PROFIT_BEST], sums[at + PROFIT_BEST], sums[at + TRIALS])
    if (rows[from + VALUED] > 0)
      sums[at + SCORE_BEST] = larger(rows[from + SCORE_BEST], sums[at + SCORE_BEST], sums[at + VALUED])
    for (const column of SUMMED) sums[at + column] += rows[from + column]
  }
}

/** Returns the rows of a tally into which others were merged, in the order of their places, and empties it. */
export function takeRows(tally: Tally): TallyRows {
  for (let place = 0; place < tally.sums.length; place += TALLY_WIDTH)
    if (tally.sums[place + TRIALS] > 0) tally.touched.push(place)
  return drainTally(tally)
}

/** The same of several markets. */
export function mergeTallies(tallies: readonly Tally[], rows: readonly TallyRows[]): void {
  tallies.forEach((tally, market) => {
    mergeTally(tally, rows[market])
  })
}

/** @param sign 1 when more of the objective is better, −1 when less is */
export function summarizeTally({ sums }: Tally, axes: readonly Axis[], sign: 1 | -1): ParameterSummary[] {
  let at = -TALLY_WIDTH
  return axes.flatMap(({ field, values }) =>
    values.map((value): ParameterSummary => {
      at += TALLY_WIDTH
      const trials = sums[at + TRIALS]
      const valued = sums[at + VALUED]
      return {
        field,
        value,
        trials,
        profitable: sums[at + PROFITABLE],
        netProfit: trials === 0 ? null : { average: sums[at + PROFIT_SUM] / trials, best: sums[at + PROFIT_BEST] },
        objective:
          valued === 0 ? null : { average: (sign * sums[at + SCORE_SUM]) / valued, best: sign * sums[at + SCORE_BEST] },
      }
    }),
  )
}
