/**
 * What a plateau needs to know of every point of a grid, in memory that all workers share: 21 bytes a point, so 210 MB at the ten million
 * points that a study may have. Each point is written by one worker only, before any of them reads.
 */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { MetricName } from '../../contract/metrics.ts'
import { hashDoubles } from '../../engine/jump/canonical.ts'
import { countPoints } from '../study/grid.ts'
import type { Study } from '../study/study.ts'
import { type ReadMetric, slackOf } from './measures.ts'

/** One value per point of a stretch of the grid, mostly of all of it. */
export interface PointColumns {
  /** Number of the first point. */
  readonly from: number
  readonly states: Uint8Array
  /** The objective's value, higher is better; NaN where it is undefined or the point has no result. */
  readonly values: Float64Array
  /** Of several markets, their amounts added up (`appraiseAcross`). */
  readonly netProfits: Float64Array
  /** Of what is counted (`behaviourMark`). */
  readonly marks: Uint32Array
}

export const POINT_STATES = { notLookedAt: 0, lookedAt: 1, canBeRanked: 2 } as const

export interface PointResult {
  readonly value: number | null
  readonly netProfit: number
  readonly mark: number
  /** Inside the objective's bounds. */
  readonly isInside: boolean
}

/**
 * null for scores that look at each point by itself.
 * @param stretch of the grid; absent = all of it
 */
export function createPointColumns(
  study: Study,
  { from, to }: { readonly from: number; readonly to: number } = { from: 0, to: countPoints(study) },
): PointColumns | null {
  if (study.search.score !== 'plateau') return null
  const bytesOf = (width: number) => new SharedArrayBuffer((to - from) * width)
  return {
    from,
    states: new Uint8Array(bytesOf(1)),
    values: new Float64Array(bytesOf(8)).fill(Number.NaN),
    netProfits: new Float64Array(bytesOf(8)),
    marks: new Uint32Array(bytesOf(4)),
  }
}

/** Whether every point of the grid has its value here. */
export function isWhole({ from, states }: PointColumns, { points }: { readonly points: number }): boolean {
  return from === 0 && states.length === points
}

/** Points from ≤ index < to are known from now on; those that are not written have no result. */
export function noteLookedAt({ states, values, from: first }: PointColumns, from: number, to: number): void {
  states.fill(POINT_STATES.lookedAt, from - first, to - first)
  values.fill(Number.NaN, from - first, to - first)
}

export function writePoint(columns: PointColumns, index: number, result: PointResult): void {
  const at = index - columns.from
  columns.values[at] = result.value ?? Number.NaN
  columns.netProfits[at] = result.netProfit
  columns.marks[at] = result.mark
  if (result.isInside && result.value !== null) columns.states[at] = POINT_STATES.canBeRanked
}

/** Whole numbers and times, which a sweep knows exactly. Not among them: orders that were not placed, which are no difference between bots. */
const COUNTED = [
  'closedDeals',
  'winRatePercent',
  'stopLosses',
  'openDeal',
  'safetyOrdersFilled.average',
  'timeInDealPercent',
  'dealDuration.max',
] as const satisfies readonly MetricName[]

const UNDEFINED = -1 // none of these is ever below 0

const numbers = new Float64Array(COUNTED.length + 1)

export function behaviourMark(read: ReadMetric, { investment }: DcaSpotConfig): number {
  COUNTED.forEach((metric, at) => {
    numbers[at] = read(metric) ?? UNDEFINED
  })
  numbers[COUNTED.length] = investment // another investment is another equity, whatever the deals are
  return hashDoubles(numbers, 0, numbers.length) >>> 0
}

/**
 * Whether two points count as one behaviour: the same investment and counts, and the same profit and value of the objective as far as the
 * rounding of a sweep reaches. Deals and equity of a whole grid are nowhere kept, so this stands for them (decision 0007).
 */
export function areAlike({ marks, netProfits, values }: PointColumns, one: number, other: number): boolean {
  return marks[one] === marks[other] && isNear(netProfits[one], netProfits[other]) && isNear(values[one], values[other])
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= slackOf(one, 'profit')
}
