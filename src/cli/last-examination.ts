/** What was found out about a result when it was examined last; the commands that show results show it, and compute none. */
import type { KeptExamination } from '../workbench/store/examinations.ts'
import type { TrialRecord } from '../workbench/store/records.ts'
import type { Store } from '../workbench/store/store.ts'

/** Of results of a store; undefined where one was never examined. */
export type FindLast = (
  result: Pick<TrialRecord, 'fingerprint' | 'identity' | 'settings'>,
) => KeptExamination | undefined

export async function lastExaminations(store: Store): Promise<FindLast> {
  const [{ findExamination }, { readKeptDoubts }] = await Promise.all([
    import('../workbench/store/examinations.ts'),
    import('../workbench/analysis/doubts/doubts.ts'),
  ])
  return (result) => findExamination(store, result, readKeptDoubts)
}
