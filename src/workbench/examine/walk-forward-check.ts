import type { CheckOutcome } from '../analysis/certainty/checks.ts'
import type { Ground } from './ground.ts'
export function checkWalkForward(_: Ground): CheckOutcome<'walkForward'> {
  return { refused: 'stub' }
}
