/** Examinations: what was found out about how sure one can be of a result, check by check, and what speaks against believing it. */

import { prepared } from '../../statements.ts'
import type { TrialRecord } from './records.ts'
import { type Store, write } from './store.ts'
import { isoTime } from './times.ts'

/** Which result is examined, and on what. */
export interface ExaminationSubject {
  readonly trial: Pick<TrialRecord, 'fingerprint' | 'identity' | 'settings'>
  /** Whose configurations it is compared with; null = it is looked at by itself. */
  readonly study: { readonly name: string; readonly fingerprint: string } | null
  /** SHA-256 hex of all that the examination follows from. */
  readonly basis: string
  /** The local candles. */
  readonly candles: { readonly interval: string; readonly hash: string }
  readonly engineVersion: string
}

/** What was found, as JSON keeps it, or why there is nothing. */
export type KeptAnswer = { readonly value: unknown } | { readonly refused: string }

export interface OpenExamination {
  readonly id: number
  /** By the name of the check. */
  readonly done: ReadonlyMap<string, KeptAnswer>
}

/** Begins an examination, or goes on with an interrupted one of the same basis. */
export function beginExamination(store: Store, subject: ExaminationSubject): Promise<OpenExamination> {
  const { trial, study, basis, candles, engineVersion } = subject
  return write(store, () => {
    const { fingerprint, identity, settings } = trial
    const open = prepared<[object], { id: number }>(
      store.db,
      `select id from examination where fingerprint = :fingerprint and identity = :identity and settings is :settings
         and basis = :basis and finished_at is null order by id desc limit 1`,
    ).get({ fingerprint, identity, settings, basis })
    if (open !== undefined) return { id: open.id, done: readChecks(store, open.id) }
    const { lastInsertRowid } = prepared<[object], unknown>(
      store.db,
      `insert into examination (fingerprint, identity, settings, study, study_fingerprint, basis, candle_interval, candles_hash,
         engine_version, begun_at)
       values (:fingerprint, :identity, :settings, :study, :studyFingerprint, :basis, :interval, :hash, :engineVersion, :at)`,
    ).run({
      fingerprint,
      identity,
      settings,
      study: study?.name ?? null,
      studyFingerprint: study?.fingerprint ?? null,
      basis,
      interval: candles.interval,
      hash: candles.hash,
      engineVersion,
      at: isoTime(store.clock.wall()),
    })
    return { id: Number(lastInsertRowid), done: new Map() }
  })
}

function readChecks(store: Store, examination: number): ReadonlyMap<string, KeptAnswer> {
  const rows = prepared<[number], { name: string; value_json: string | null; reason: string | null }>(
    store.db,
    'select name, value_json, reason from examination_check where examination = ?',
  ).all(examination)
  return new Map(
    rows.map(({ name, value_json: json, reason }) => [
      name,
      json === null ? { refused: reason ?? '' } : { value: JSON.parse(json) },
    ]),
  )
}

/** Keeps the answer of one check. */
export function keepCheck(store: Store, examination: number, name: string, answer: KeptAnswer): Promise<void> {
  return write(store, () => {
    prepared<[object], unknown>(
      store.db,
      `insert into examination_check (examination, name, value_json, reason) values (:examination, :name, :value, :reason)
       on conflict do nothing`,
    ).run({
      examination,
      name,
      value: 'value' in answer ? JSON.stringify(answer.value) : null,
      reason: 'refused' in answer ? answer.refused : null,
    })
  })
}

/** What speaks against believing the result, as it was found then. */
export interface KeptDoubt {
  readonly code: string
  readonly weight: 'info' | 'warn' | 'block'
  readonly message: string
  /** The same in a few words. */
  readonly short: string
  readonly hint: string
}

/** Ends an examination. Returns when, ISO 8601 UTC. */
export function finishExamination(store: Store, examination: number, doubts: readonly KeptDoubt[]): Promise<string> {
  const at = isoTime(store.clock.wall())
  return write(store, () => {
    prepared<[object], unknown>(
      store.db,
      'update examination set finished_at = :at, doubts_json = :doubts where id = :examination',
    ).run({ examination, at, doubts: JSON.stringify(doubts) })
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
  readonly doubts: readonly KeptDoubt[]
  /** By the name of the check. */
  readonly checks: ReadonlyMap<string, KeptAnswer>
}

/** What is kept may come from another's store: the doubts that it holds are what `read` makes of it. */
export type ReadDoubts = (kept: unknown) => readonly KeptDoubt[]

/** The last one of a result that was finished; undefined before there is one. */
export function findExamination(
  store: Store,
  { fingerprint, identity, settings }: ExaminationSubject['trial'],
  read: ReadDoubts,
): KeptExamination | undefined {
  const row = prepared<[object], ExaminationRow>(
    store.db,
    `select id, finished_at, study, candles_hash, candle_interval, engine_version, doubts_json from examination
     where fingerprint = :fingerprint and identity = :identity and settings is :settings and finished_at is not null
     order by finished_at desc, id desc limit 1`,
  ).get({ fingerprint, identity, settings })
  if (row === undefined) return undefined
  return {
    finishedAt: row.finished_at,
    study: row.study,
    candlesHash: row.candles_hash,
    candleInterval: row.candle_interval,
    engineVersion: row.engine_version,
    doubts: read(JSON.parse(row.doubts_json ?? '[]')),
    checks: readChecks(store, row.id),
  }
}

/** The same of those results that were examined, by fingerprint. */
export function findExaminations(
  store: Store,
  results: readonly ExaminationSubject['trial'][],
  read: ReadDoubts,
): ReadonlyMap<string, KeptExamination> {
  const rows = prepared<[], { fingerprint: string }>(
    store.db,
    'select distinct fingerprint from examination where finished_at is not null',
  ).all()
  const examined = new Set(rows.map(({ fingerprint }) => fingerprint))
  const found = results.flatMap((result) => {
    const last = examined.has(result.fingerprint) ? findExamination(store, result, read) : undefined
    return last === undefined ? [] : [[result.fingerprint, last] as const]
  })
  return new Map(found)
}

interface ExaminationRow {
  readonly id: number
  readonly finished_at: string
  readonly study: string | null
  readonly candles_hash: string
  readonly candle_interval: string
  readonly engine_version: string
  readonly doubts_json: string | null
}
