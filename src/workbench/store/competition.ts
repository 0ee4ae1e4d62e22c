/** Who competes in the ranking of a study on a service, as the store knows it. */

import { prepared } from '../../sqlite/statements.ts'
import type { Competition } from '../study/config-ranking.ts'
import type { Store } from './store.ts'
import { CHOSEN_OF_STUDY, COMPETITION_TERMS, isChosen } from './views/current-study.ts'

/** A definition of a study on a service. */
export interface OnService {
  readonly study: string
  readonly fingerprint: string
  readonly identity: string
}

interface Terms {
  readonly markets: number
  readonly is_screen: number
}

export function readCompetitionTerms({ db }: Store, { study, fingerprint }: Omit<OnService, 'identity'>) {
  const row = prepared<[string, string], Terms>(
    db,
    `select ${COMPETITION_TERMS} from study where name = ? and fingerprint = ?`,
  ).get(study, fingerprint)
  return { markets: row?.markets ?? 1, isScreen: row?.is_screen === 1 }
}

export function readCompetition(store: Store, about: OnService): Competition {
  const { markets, isScreen } = readCompetitionTerms(store, about)
  if (!isScreen) return { markets, chosen: null }
  const chosen = prepared<[object], string>(
    store.db,
    `select m.fingerprint from study_trial m where m.study = :study and m.study_fingerprint = :fingerprint
     and ${isChosen(CHOSEN_OF_STUDY)}`,
  ).pluck()
  return { markets, chosen: new Set(chosen.all(about)) }
}
