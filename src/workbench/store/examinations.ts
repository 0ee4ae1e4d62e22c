/** Examinations: what was found out about how sure one can be of a result, check by check. */

import { allRows, firstRow, runBuilt } from '../../sqlite/statements.ts'
import type { TrialRecord } from './records.ts'
import { type Store, write } from './store.ts'
import { isoTime, query } from './tables.ts'

/** Which result is examined, and on what. */
interface ExaminationSubject {
  readonly trial: Pick<TrialRecord, 'fingerprint' | 'identity' | 'settings'>
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

function ofResult({ fingerprint, identity, settings }: ExaminationSubject['trial']) {
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

/** The last one of a result that was finished; undefined before there is one. */
export function findExamination(store: Store, trial: ExaminationSubject['trial']): KeptExamination | undefined {
  const finished = ofResult(trial).selectAll().where('finished_at', 'is not', null)
  const row = firstRow(
    store.db,
    finished.orderBy('finished_at', 'desc').orderBy('id', 'desc').$narrowType<{ finished_at: string }>(),
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

/** The same of those results that were examined, by fingerprint. */
export function findExaminations(
  store: Store,
  results: readonly ExaminationSubject['trial'][],
): ReadonlyMap<string, KeptExamination> {
  const rows = query.selectFrom('examination').select('fingerprint').distinct().where('finished_at', 'is not', null)
  const examined = new Set(allRows(store.db, rows).map(({ fingerprint }) => fingerprint))
  const found = results.flatMap((result) => {
    const last = examined.has(result.fingerprint) ? findExamination(store, result) : undefined
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
