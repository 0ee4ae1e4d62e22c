/** How the points of a grid are numbered by family and member, and families by ladder and take profit. */
import type { Axis, Study } from '../../study/study.ts'
import { isWithinFamily } from '../portions.ts'

/** Numbers of a family are those of the slow axes; numbers of a ladder the same without the take profit. */
export interface FamilyShape {
  /** Members of a family. */
  readonly size: number
  readonly families: number
  readonly ladders: number
  readonly takeProfits: number
  readonly takeProfitPercents: readonly number[]
  /** Families from one take profit to the next. */
  readonly stride: number
  /** The member that asks for the most safety orders. */
  readonly longest: number
}

export function shapeOfFamilies({ base }: Study, order: readonly Axis[]): FamilyShape {
  const lengthOf = (axes: readonly Axis[]) => axes.reduce((product, { values }) => product * values.length, 1)
  const slow = order.filter(({ field }) => !isWithinFamily(field))
  const within = order.filter(({ field }) => isWithinFamily(field))
  const at = slow.findIndex(({ field }) => field === 'takeProfit')
  const families = lengthOf(slow)
  const takeProfitPercents = at === -1 ? [base.takeProfit ?? Number.NaN] : slow[at].values
  const takeProfits = takeProfitPercents.length
  let longest = 0
  for (const { field, values } of within)
    longest = longest * values.length + (field === 'dcaMaxSafetyOrders' ? values.indexOf(Math.max(...values)) : 0)
  return {
    size: lengthOf(within),
    families,
    ladders: families / takeProfits,
    takeProfits,
    takeProfitPercents,
    stride: lengthOf(slow.slice(at + 1)),
    longest,
  }
}

export function ladderOfFamily({ stride, takeProfits }: FamilyShape, family: number): number {
  return Math.floor(family / (stride * takeProfits)) * stride + (family % stride)
}

/** The first family of a ladder: that of the first take profit. */
export function firstFamilyOf({ stride, takeProfits }: FamilyShape, ladder: number): number {
  return Math.floor(ladder / stride) * stride * takeProfits + (ladder % stride)
}

export function takeProfitPercentOf({ takeProfitPercents, takeProfits, stride }: FamilyShape, family: number): number {
  return takeProfitPercents[Math.floor(family / stride) % takeProfits]
}
