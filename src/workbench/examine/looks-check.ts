/** The best of how many: what the store knows that somebody has looked at on overlapping time. */
import type { CheckAnswer } from '../analysis/certainty/checks.ts'
import type { Ground } from './ground.ts'

export function checkLooks({ looks: { paid, localAtMost } }: Ground): CheckAnswer<'looks'> {
  return { value: { paid, localAtMost, total: paid + localAtMost } }
}
