/** Which studies a trial belongs to. */

import { prepared } from '../../statements.ts'
import type { Store } from './store.ts'
import { isCurrent } from './views/current-study.ts'

/** Names of the studies whose current definition contains the trial, the last saved first. */
export function findStudiesOf(store: Store, fingerprint: string): string[] {
  return prepared<[string], { name: string }>(
    store.db,
    `select s.name from study_trial m join study s on s.name = m.study and s.fingerprint = m.study_fingerprint
     where m.fingerprint = ? and ${isCurrent('s')} order by s.saved_at desc, s.name`,
  )
    .all(fingerprint)
    .map(({ name }) => name)
}
