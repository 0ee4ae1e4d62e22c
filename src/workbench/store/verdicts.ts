/** Verdicts: what the evidence on a result came to, as it was judged last. */
import type { TrialRecord } from './records.ts'
import { type Store, write } from './store.ts'
import { prepared } from './tables.ts'
import { isoTime } from './times.ts'

/** Which result is judged, as whose choice. */
export interface VerdictSubject {
  readonly trial: Pick<TrialRecord, 'fingerprint' | 'identity' | 'settings'>
  /** null = it is judged by itself. */
  readonly study: string | null
}

export interface KeptVerdict {
  /** ISO 8601 UTC. */
  readonly judgedAt: string
  readonly rules: string
  readonly grade: string
  readonly headline: string
  readonly sentence: string
  /** Something newer is known: results of its study, a hold-out, a calibration. */
  readonly isStale: boolean
}

/** Keeps it as the latest of its subject; returns when, ISO 8601 UTC. `stretches`: one object for each. */
export function keepVerdict(
  store: Store,
  { trial, study }: VerdictSubject,
  found: {
    readonly rules: string
    readonly grade: string
    readonly verdict: object
    readonly stretches: readonly object[]
  },
): Promise<string> {
  const at = isoTime(store.clock.wall())
  const { fingerprint, identity, settings } = trial
  const { rules, grade, verdict, stretches } = found
  return write(store, () => {
    prepared<[object], unknown>(
      store.db,
      `insert into verdict (fingerprint, identity, settings, study, rules, grade, judged_at, verdict_json, stretches_json)
       values (:fingerprint, :identity, :settings, :study, :rules, :grade, :at, :verdict, :stretches)`,
    ).run({
      fingerprint,
      identity,
      settings,
      study,
      rules,
      grade,
      at,
      verdict: JSON.stringify(verdict),
      stretches: JSON.stringify(stretches),
    })
    return at
  })
}

/** The latest of a result, whoever's choice it was judged as; undefined = it was never judged. */
export function findVerdict(store: Store, { trial }: Pick<VerdictSubject, 'trial'>): KeptVerdict | undefined {
  const { fingerprint, identity, settings } = trial
  const row = prepared<[object], VerdictRow>(
    store.db,
    `select judged_at, rules, grade, headline, sentence, is_stale from verdicts
     where fingerprint = :fingerprint and identity = :identity and settings is :settings order by judged_at desc limit 1`,
  ).get({ fingerprint, identity, settings })
  if (row === undefined) return undefined
  const { judged_at: judgedAt, rules, grade, headline, sentence, is_stale: isStale } = row
  return { judgedAt, rules, grade, headline: String(headline), sentence: String(sentence), isStale: isStale === 1 }
}

interface VerdictRow {
  readonly judged_at: string
  readonly rules: string
  readonly grade: string
  /** Of any type where a store was merged from another's. */
  readonly headline: unknown
  readonly sentence: unknown
  readonly is_stale: number
}
