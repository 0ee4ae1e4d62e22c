/** Which studies a trial belongs to. */

import { sql } from 'kysely'
import { statement } from '../../statements.ts'
import type { Store } from './store.ts'
import { query } from './tables.ts'
import { isCurrent } from './views/current-study.ts'

/** Names of the studies whose current definition contains the trial, the last saved first. */
export function findStudiesOf(store: Store, fingerprint: string): string[] {
  return studiesOf.all(store.db, { fingerprint }).map(({ name }) => name)
}

const studiesOf = statement(({ fingerprint }: { readonly fingerprint: string }) =>
  query
    .selectFrom('study_trial as m')
    .innerJoin('study as s', (join) =>
      join.onRef('s.name', '=', 'm.study').onRef('s.fingerprint', '=', 'm.study_fingerprint'),
    )
    .select('s.name')
    .where('m.fingerprint', '=', fingerprint)
    .where(sql.raw<boolean>(isCurrent('s')))
    .orderBy('s.saved_at', 'desc')
    .orderBy('s.name'),
)
