/** Verdicts: what the evidence on a result came to, as it was judged last. */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { runBuilt, statement } from '../../sqlite/statements.ts'
import type { TrialRecord } from './records.ts'
import { type Store, write } from './store.ts'
import { isoTime, query, type RowOf } from './tables.ts'
import { verdictIsStale } from './views/verdict-views.ts'

type JudgedTrial = Pick<TrialRecord, 'fingerprint' | 'identity' | 'settings'>

/** Which result is judged, as whose choice. */
interface VerdictSubject {
  readonly trial: JudgedTrial
  /** null = it is judged by itself. */
  readonly study: string | null
}

type KeptGrade = RowOf<'verdict'>['grade']

export interface KeptVerdict {
  /** ISO 8601 UTC. */
  readonly judgedAt: string
  readonly rules: string
  readonly grade: KeptGrade
  readonly headline: string
  readonly sentence: string
  /** Configurations tried until then. */
  readonly tried: { readonly shown: number; readonly scanned: number }
  /** Something newer is known: results of its study, a hold-out, a calibration. */
  readonly isStale: boolean
  /** All of it, and one object for each stretch, as they were kept: JSON of any form where a store was merged from another's. */
  readonly verdict: unknown
  readonly stretches: unknown
}

/** Keeps it as the latest of its subject; returns when, ISO 8601 UTC. `basis`: what it follows from; `stretches`: one object for each. */
export function keepVerdict(
  store: Store,
  { trial: { fingerprint, identity, settings }, study }: VerdictSubject,
  {
    basis,
    verdict,
    stretches,
  }: {
    readonly basis: readonly unknown[]
    readonly verdict: { readonly rules: string; readonly grade: KeptGrade }
    readonly stretches: readonly object[]
  },
): Promise<string> {
  const at = isoTime(store.clock.wall())
  const { rules, grade } = verdict
  const row = {
    ...{ fingerprint, identity, settings, study, rules, grade, judged_at: at },
    ...{
      verdict_json: JSON.stringify({ ...verdict, basis: hashOf(basis) }),
      stretches_json: JSON.stringify(stretches),
    },
  }
  return write(store, () => {
    runBuilt(store.db, query.insertInto('verdict').values(row))
    return at
  })
}

const latest = statement(({ fingerprint, identity, settings }: JudgedTrial) =>
  query
    .selectFrom('verdict as v')
    .select(['judged_at', 'rules', 'grade', 'stretches_json'])
    .select([
      sql<string>`json_remove(verdict_json, '$.basis')`.as('verdict_json'),
      sql<unknown>`json_extract(verdict_json, '$.basis')`.as('basis'),
      sql<number>`${sql.raw(verdictIsStale)}`.as('is_stale'),
    ])
    .where('fingerprint', '=', fingerprint)
    .where('identity', '=', identity)
    .where('settings', 'is', settings)
    .orderBy('judged_at', 'desc')
    .limit(1),
)

/** The latest of a result, whoever's choice it was judged as; undefined = it was never judged, or follows from something else than `basis`. */
export function findVerdict(
  store: Store,
  { trial, basis }: { readonly trial: JudgedTrial; readonly basis?: readonly unknown[] },
): KeptVerdict | undefined {
  const row = latest.first(store.db, trial)
  if (row === undefined || (basis !== undefined && row.basis !== hashOf(basis))) return undefined
  // Of any type where a store was merged from another's.
  const verdict: unknown = JSON.parse(row.verdict_json)
  const { headline, sentence, tried }: Readonly<Record<string, unknown>> = Object(verdict)
  const { shown, scanned }: Readonly<Record<string, unknown>> = Object(tried)
  return {
    judgedAt: row.judged_at,
    rules: row.rules,
    grade: row.grade,
    headline: String(headline),
    sentence: String(sentence),
    tried: { shown: Number(shown), scanned: Number(scanned) },
    isStale: row.is_stale === 1,
    verdict,
    stretches: JSON.parse(row.stretches_json),
  }
}

function hashOf(basis: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(basis))
}
