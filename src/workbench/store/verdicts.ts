/**
 * How sure one can be of a result, as it is kept: examinations, check by check, and the verdict that the evidence came to, as it was judged
 * last.
 */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { allRows, firstRow, runBuilt, statement } from '../../sqlite/statements.ts'
import type { TrialRecord } from './records.ts'
import { type Store, write } from './store.ts'
import { isoTime, query, type RowOf } from './tables.ts'
import { VERDICT } from './views/verdict-views.ts'

type JudgedTrial = Pick<TrialRecord, 'fingerprint' | 'identity' | 'settings'>

// Examinations.

/** Which result is examined, and on what. */
interface ExaminationSubject {
  readonly trial: JudgedTrial
  /** Whose configurations it is compared with; null = it is examined by itself. */
  readonly study: { readonly name: string; readonly fingerprint: string } | null
  /** SHA-256 hex of all that the examination follows from. */
  readonly basis: string
  /** The local candles. */
  readonly candles: { readonly interval: string; readonly hash: string }
  readonly engineVersion: string
}

/** What was found, as JSON keeps it, or why there is nothing. */
export type KeptAnswer = { readonly value: unknown } | { readonly refused: string }

interface OpenExamination {
  readonly id: number
  /** By the name of the check. */
  readonly done: ReadonlyMap<string, KeptAnswer>
}

/** Begins an examination, or goes on with an interrupted one of the same basis. */
export function beginExamination(store: Store, subject: ExaminationSubject): Promise<OpenExamination> {
  const { trial, study, basis, candles, engineVersion } = subject
  return write(store, () => {
    const { fingerprint, identity, settings } = trial
    const open = firstRow(
      store.db,
      ofResult(trial).select('id').where('basis', '=', basis).where('finished_at', 'is', null).orderBy('id', 'desc'),
    )
    if (open !== undefined) return { id: open.id, done: readChecks(store, open.id) }
    const row = {
      ...{ fingerprint, identity, settings, basis, engine_version: engineVersion },
      ...{ study: study?.name ?? null, study_fingerprint: study?.fingerprint ?? null },
      ...{ candle_interval: candles.interval, candles_hash: candles.hash },
      begun_at: isoTime(store.clock.wall()),
    }
    const { lastInsertRowid } = runBuilt(store.db, query.insertInto('examination').values(row))
    return { id: Number(lastInsertRowid), done: new Map() }
  })
}

function ofResult({ fingerprint, identity, settings }: JudgedTrial) {
  return query
    .selectFrom('examination')
    .where('fingerprint', '=', fingerprint)
    .where('identity', '=', identity)
    .where('settings', 'is', settings)
    .limit(1)
}

function readChecks(store: Store, examination: number): ReadonlyMap<string, KeptAnswer> {
  const checks = query.selectFrom('examination_check').select(['name', 'value_json', 'reason'])
  return new Map(
    allRows(store.db, checks.where('examination', '=', examination)).map(({ name, value_json: json, reason }) => [
      name,
      json === null ? { refused: reason ?? '' } : { value: JSON.parse(json) },
    ]),
  )
}

/** Keeps the answer of one check. */
export function keepCheck(store: Store, examination: number, name: string, answer: KeptAnswer): Promise<void> {
  return write(store, () => {
    const found = 'value' in answer ? { value_json: JSON.stringify(answer.value) } : { reason: answer.refused }
    const check = query.insertInto('examination_check').values({ examination, name, ...found })
    runBuilt(
      store.db,
      check.onConflict((known) => known.doNothing()),
    )
  })
}

/** Ends an examination. Returns when, ISO 8601 UTC. */
export function finishExamination(store: Store, examination: number): Promise<string> {
  const at = isoTime(store.clock.wall())
  return write(store, () => {
    runBuilt(store.db, query.updateTable('examination').set({ finished_at: at }).where('id', '=', examination))
    return at
  })
}

export interface KeptExamination {
  /** ISO 8601 UTC. */
  readonly finishedAt: string
  readonly study: string | null
  readonly candlesHash: string
  readonly candleInterval: string
  readonly engineVersion: string
  /** By the name of the check. */
  readonly checks: ReadonlyMap<string, KeptAnswer>
}

/**
 * The last one of a result that was finished; undefined before there is one. One in which it was compared with the configurations of `study` stands
 * before those with others'.
 */
export function findExamination(
  store: Store,
  trial: JudgedTrial,
  study: string | null | undefined,
): KeptExamination | undefined {
  const finished = ofResult(trial).selectAll().where('finished_at', 'is not', null)
  const row = firstRow(
    store.db,
    (study === undefined ? finished : finished.orderBy(sql`study is ${study}`, 'desc'))
      .orderBy('finished_at', 'desc')
      .orderBy('id', 'desc')
      .$narrowType<{ finished_at: string }>(),
  )
  if (row === undefined) return undefined
  return {
    finishedAt: row.finished_at,
    study: row.study,
    candlesHash: row.candles_hash,
    candleInterval: row.candle_interval,
    engineVersion: row.engine_version,
    checks: readChecks(store, row.id),
  }
}

/** The same of those results of a study that were examined, by fingerprint. */
export function findExaminations(
  store: Store,
  results: readonly JudgedTrial[],
  study: string,
): ReadonlyMap<string, KeptExamination> {
  const rows = query.selectFrom('examination').select('fingerprint').distinct().where('finished_at', 'is not', null)
  const examined = new Set(allRows(store.db, rows).map(({ fingerprint }) => fingerprint))
  const found = results.flatMap((result) => {
    const last = examined.has(result.fingerprint) ? findExamination(store, result, study) : undefined
    return last === undefined ? [] : [[result.fingerprint, last] as const]
  })
  return new Map(found)
}

/** An examination for `--json`. */
export function examinationForJson(found: KeptExamination | undefined) {
  if (found === undefined) return null
  const { finishedAt, study, candlesHash, candleInterval, engineVersion } = found
  return { examinedAt: finishedAt, study, candlesHash, interval: candleInterval, engineVersion }
}

// Verdicts.

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
  /** More or less is known now: results of its study, a hold-out, a calibration. */
  readonly isStale: boolean
  /** All of it, and one object for each stretch, as they were kept: JSON of any form where a store was merged from another's. */
  readonly verdict: unknown
  readonly stretches: unknown
}

interface Judgement {
  /** What it follows from. */
  readonly basis: readonly unknown[]
  readonly verdict: { readonly rules: string; readonly grade: KeptGrade }
  /** One object for each. */
  readonly stretches: readonly object[]
}

const knownNow = statement(({ identity, study }: Pick<JudgedTrial, 'identity'> & Pick<VerdictSubject, 'study'>) =>
  query
    .selectFrom(sql<object>`(select ${identity} as identity, ${study} as study)`.as('v'))
    .select(sql<string>`${sql.raw(VERDICT.knows)}`.as('known')),
)

/**
 * Call before the evidence is read: what comes in meanwhile makes the verdict stale. The function that it returns keeps the verdict as the latest
 * of its subject, and returns when, ISO 8601 UTC.
 */
export function beginVerdict(
  store: Store,
  { trial, study }: VerdictSubject,
): (judgement: Judgement) => Promise<string> {
  const { fingerprint, identity, settings } = trial
  const known: unknown = JSON.parse(knownNow.first(store.db, { identity, study })?.known ?? '{}')
  return ({ basis, verdict, stretches }) => {
    const at = isoTime(store.clock.wall())
    const { rules, grade } = verdict
    const row = {
      ...{ fingerprint, identity, settings, study, rules, grade, judged_at: at },
      verdict_json: JSON.stringify({ ...verdict, basis: hashOf(basis), known }),
      stretches_json: JSON.stringify(stretches),
    }
    return write(store, () => {
      runBuilt(store.db, query.insertInto('verdict').values(row))
      return at
    })
  }
}

const latestVerdict = statement((of: JudgedTrial & { readonly study: string | null; readonly ofAny: 0 | 1 }) => {
  const { fingerprint, identity, settings, study, ofAny } = of
  return query
    .selectFrom('verdict as v')
    .select(['judged_at', 'rules', 'grade', 'stretches_json'])
    .select([
      sql<string>`${sql.raw(VERDICT.asJudged)}`.as('verdict_json'),
      sql<unknown>`json_extract(verdict_json, '$.basis')`.as('basis'),
      sql<number>`${sql.raw(VERDICT.isStale)}`.as('is_stale'),
    ])
    .where('fingerprint', '=', fingerprint)
    .where('identity', '=', identity)
    .where('settings', 'is', settings)
    .where(sql<boolean>`(${ofAny} or study is ${study})`)
    .orderBy('judged_at', 'desc')
    .limit(1)
})

/**
 * The latest of a result as the choice of a study, which knows its hold-out and what it tried; without `study` whoever's choice it was.
 * undefined = it was never judged as that, or follows from something else than `basis`.
 */
export function findVerdict(
  store: Store,
  {
    trial,
    study,
    basis,
  }: { readonly trial: JudgedTrial; readonly study?: string | null | undefined; readonly basis?: readonly unknown[] },
): KeptVerdict | undefined {
  const { fingerprint, identity, settings } = trial
  const ofAny = study === undefined ? 1 : 0
  const row = latestVerdict.first(store.db, { fingerprint, identity, settings, study: study ?? null, ofAny })
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
