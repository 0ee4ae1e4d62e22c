/** What every value of every axis came to: sums over all trials that have it, so that a grid of millions leaves a page of numbers. */
import type { Axis } from '../study/study.ts'

/** Doubles per axis value. */
const WIDTH = 7
const TRIALS = 0
const PROFITABLE = 1
const PROFIT_SUM = 2
const PROFIT_BEST = 3
const VALUED = 4
const SCORE_SUM = 5
const SCORE_BEST = 6

/** WIDTH doubles for each value of each axis, axis after axis. */
export type Tally = Float64Array

export function createTally(axes: readonly Axis[]): Tally {
  const values = axes.reduce((sum, axis) => sum + axis.values.length, 0)
  const tally = new Float64Array(values * WIDTH)
  for (let at = 0; at < tally.length; at += WIDTH) {
    tally[at + PROFIT_BEST] = Number.NEGATIVE_INFINITY
    tally[at + SCORE_BEST] = Number.NEGATIVE_INFINITY
  }
  return tally
}

/** Adds a trial at a point of the grid. `score`: higher is better; null = the objective is undefined for it. */
export function addTrial(
  tally: Tally,
  axes: readonly Axis[],
  point: { readonly index: number; readonly netProfit: number; readonly score: number | null },
): void {
  let rest = point.index
  let end = tally.length
  for (let axis = axes.length - 1; axis >= 0; axis--) {
    const { length } = axes[axis].values
    end -= length * WIDTH
    const at = end + (rest % length) * WIDTH
    rest = Math.floor(rest / length)
    tally[at + TRIALS]++
    if (point.netProfit > 0) tally[at + PROFITABLE]++
    tally[at + PROFIT_SUM] += point.netProfit
    tally[at + PROFIT_BEST] = Math.max(tally[at + PROFIT_BEST], point.netProfit)
    if (point.score === null) continue
    tally[at + VALUED]++
    tally[at + SCORE_SUM] += point.score
    tally[at + SCORE_BEST] = Math.max(tally[at + SCORE_BEST], point.score)
  }
}

/** Sums depend on their order in the last bits: portions are merged in the order of the grid. */
export function mergeTally(into: Tally, from: Tally): void {
  for (let at = 0; at < into.length; at++) {
    const column = at % WIDTH
    into[at] = column === PROFIT_BEST || column === SCORE_BEST ? Math.max(into[at], from[at]) : into[at] + from[at]
  }
}

/** One value of one varied field, over all trials that have it. Objective values count where they are defined, inside the bounds or not. */
export interface ParameterSummary {
  readonly field: string
  readonly value: number
  readonly trials: number
  readonly profitable: number
  readonly netProfit: { readonly average: number; readonly best: number } | null
  readonly objective: { readonly average: number; readonly best: number } | null
}

/** @param sign 1 when more of the objective is better, −1 when less is */
export function summarizeTally(tally: Tally, axes: readonly Axis[], sign: 1 | -1): ParameterSummary[] {
  let at = -WIDTH
  return axes.flatMap(({ field, values }) =>
    values.map((value): ParameterSummary => {
      at += WIDTH
      const trials = tally[at + TRIALS]
      const valued = tally[at + VALUED]
      return {
        field,
        value,
        trials,
        profitable: tally[at + PROFITABLE],
        netProfit: trials === 0 ? null : { average: tally[at + PROFIT_SUM] / trials, best: tally[at + PROFIT_BEST] },
        objective:
          valued === 0
            ? null
            : { average: (sign * tally[at + SCORE_SUM]) / valued, best: sign * tally[at + SCORE_BEST] },
      }
    }),
  )
}
