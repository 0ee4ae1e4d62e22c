/** Whether the search that found a winner distrusted its own screen, as it was kept. */
import { type Doubt, doubt } from '../../analysis/doubts/doubts.ts'
import { readLastMemory } from '../../store/kept-proposals.ts'
import type { StudyRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { AGREEMENT } from '../../study/proposals.ts'

export function findAgreementDoubts(
  store: Store,
  { name, fingerprint }: Pick<StudyRecord, 'name' | 'fingerprint'>,
): readonly Doubt<'agreementFailed'>[] {
  const { passed, failed }: Readonly<Record<string, unknown>> = Object(
    readLastMemory(store, { study: name, fingerprint, about: AGREEMENT }),
  )
  if (passed !== false) return []
  return [doubt('agreementFailed', { study: name, failed: Array.isArray(failed) ? failed.map(String) : [] })]
}
