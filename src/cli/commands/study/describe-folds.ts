/** The folds of a study that asks for a walk-forward test, as a check shows them. */
import type { StudyFor } from '../../../workbench/study/fields.ts'
import { foldsOf } from '../../../workbench/study/folds.ts'
import { isoPeriod } from '../../../workbench/study/hashed-fields.ts'
import { countOf, formatSpan } from '../../output.ts'

type Asked = Pick<StudyFor<'check'>, 'period' | 'walkForward'>

/** So many are named one by one; of more, the first and the last. */
const NAMED = 12

/** In the order of time, in ISO 8601; null = the study asks for none. */
export function foldsAsJson({ period, walkForward }: Asked) {
  if (walkForward === null) return null
  return {
    folds: foldsOf(period, walkForward).map(({ train, test }) => ({ train: isoPeriod(train), test: isoPeriod(test) })),
  }
}

export function describeFolds({ period, walkForward }: Asked): readonly string[] {
  if (walkForward === null) return []
  const lines = foldsOf(period, walkForward).map(
    ({ train, test }, at) => `  ${at + 1}: optimised on ${formatSpan(train)}, tested on ${formatSpan(test)}`,
  )
  const { length } = lines
  const named = length <= NAMED ? lines : [lines[0], `  … ${length - 2} more`, lines[length - 1]]
  return [`walk-forward: ${countOf(length, 'window')}, local and free`, ...named]
}
