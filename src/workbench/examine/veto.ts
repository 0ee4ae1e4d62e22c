import type { CheckOutcome } from '../analysis/certainty/checks.ts'
import type { Ground } from './ground.ts'
export function checkVeto(_: Ground): CheckOutcome<'veto'> {
  return { refused: 'stub' }
}
