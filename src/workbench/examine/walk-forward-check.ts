import type { CheckAnswer } from '../analysis/certainty/checks.ts'
import type { Ground } from './ground.ts'
export function checkWalkForward(_: Ground): CheckAnswer<'walkForward'> {
  return { refused: 'stub' }
}
