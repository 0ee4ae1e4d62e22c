/**
 * The plateau score of a point: the mean of the objective over the point and its two neighbours on every varied axis, so that a peak among
 * bad neighbours ranks behind a high plain. A neighbour beyond the edge, infeasible or undefined counts as the worst of those present, the
 * point included: to leave it out would reward points that have few. Neighbours are found by the arithmetic of grid numbers alone.
 */
import { idleFields } from '../study/fingerprint.ts'
import { createGrid } from '../study/grid.ts'
import type { Axis, Study } from '../study/study.ts'
import { type Neighbours, NO_LEVEL, neighboursOf } from './neighbours.ts'
import { areAlike, POINT_STATES, type PointColumns } from './point-columns.ts'

export interface Plateau {
  /** Higher is better. null = not to be ranked: outside the bounds, without a value, no trial, or a neighbour was not looked at. */
  scoreAt(index: number): number | null
}

/** An axis as a part of grid numbers. */
interface Place extends Neighbours {
  /** How far apart two points are that differ by one digit of it. */
  readonly stride: number
  readonly length: number
}

/** @param columns of the whole grid */
export function createPlateau(study: Study, order: readonly Axis[], columns: PointColumns): Plateau {
  const { states, values } = columns
  const places = placesOf(study, order)
  const ordersAxis = order.findIndex(({ field }) => field === 'dcaMaxSafetyOrders')
  const idleAxes = idleAxesByOrders(study, order, ordersAxis)
  return { scoreAt }

  function scoreAt(index: number): number | null {
    if (states[index] !== POINT_STATES.canBeRanked) return null
    const own = values[index]
    const idle = idleAxes[ordersAxis === -1 ? 0 : digitOf(index, places[ordersAxis])]
    let sum = own
    let count = 1
    let worst = own
    let missing = 0
    for (let axis = 0; axis < places.length; axis++) {
      const place = places[axis]
      if (place.length === 1 || idle.includes(axis)) continue
      const digit = digitOf(index, place)
      for (let side = 0; side < 2; side++) {
        const target = (side === 0 ? place.below : place.above)[digit]
        if (target === NO_LEVEL) {
          missing++
          continue
        }
        const neighbour = trialAt(index + (target - digit) * place.stride, axis, target)
        if (states[neighbour] === POINT_STATES.notLookedAt) return null
        const value = values[neighbour]
        if (Number.isNaN(value)) missing++
        else if (!areAlike(columns, index, neighbour)) {
          sum += value
          count++
          worst = Math.min(worst, value)
        }
      }
    }
    return (sum + missing * worst) / (count + missing)
  }

  /** Fewer safety orders may leave other fields without effect: then the trial is the point where these have their first value. */
  function trialAt(index: number, axis: number, digit: number): number {
    if (axis !== ordersAxis) return index
    return idleAxes[digit].reduce((at, idle) => at - digitOf(index, places[idle]) * places[idle].stride, index)
  }
}

function digitOf(index: number, { stride, length }: Place): number {
  return Math.floor(index / stride) % length
}

function placesOf({ search }: Study, order: readonly Axis[]): readonly Place[] {
  const isLog = ({ field }: Axis) => search.score === 'plateau' && search.logFields.includes(field)
  let stride = order.reduce((product, { values }) => product * values.length, 1)
  return order.map((axis) => {
    const { length } = axis.values
    stride /= length
    return { stride, length, ...neighboursOf(axis, isLog(axis)) }
  })
}

/** Which axes are without effect, by the digit of the axis of safety orders (0 where no axis varies them). */
function idleAxesByOrders(study: Study, order: readonly Axis[], ordersAxis: number): readonly (readonly number[])[] {
  const counts = ordersAxis === -1 ? [createGrid(study).configAt(0).dcaMaxSafetyOrders] : order[ordersAxis].values
  return counts.map((dcaMaxSafetyOrders) => {
    const idle = idleFields({ dcaMaxSafetyOrders })
    return order.flatMap(({ field }, axis) => (idle.includes(field) ? [axis] : []))
  })
}
