/** From one trial to the next of those that are selected. Pure. */
import type { Selection } from './filter.ts'

/** The place of the nearest selected trial after (1) or before (−1) this one, in the table's order; null = there is none. */
export function stepTo({ mask }: Pick<Selection, 'mask'>, from: number, direction: 1 | -1): number | null {
  for (let trial = from + direction; trial >= 0 && trial < mask.length; trial += direction) {
    if (mask[trial] === 1) return trial
  }
  return null
}
