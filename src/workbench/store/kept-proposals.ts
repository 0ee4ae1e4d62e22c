/** What searches proposed, what became of it, and what they keep in mind. */

import { allRows, firstRow, prepared } from '../../statements.ts'
import { configFingerprint } from '../study/fingerprint.ts'
import type { Proposal, ProposalRole, SearchMemory, Told, ToldResult } from '../study/proposals.ts'
import type { Period, Study, Trial } from '../study/study.ts'
import { trialsOfConfig } from '../study/trials.ts'
import { findTrial, readOfAttempts, type TrialStage } from './readers.ts'
import type { TrialRecord } from './records.ts'
import type { Spender } from './services.ts'
import { type Store, write } from './store.ts'
import { saveTrials } from './studies.ts'
import { query } from './tables.ts'
import { isoTime } from './times.ts'

/** Whose search it is: a definition of a study on a service. */
export interface Searcher extends Spender {
  readonly study: Pick<Study, 'name' | 'fingerprint'>
}

/** Roles whose trials are not the study's own: what is asked with them is about the service, or about another span. */
const APART: readonly ProposalRole[] = ['probe', 'winner', 'finalist']

/**
 * Writes a batch of proposals, before anything of it is sent. `period`: the span they are run on. What was proposed in the same role
 * before is not proposed again. Returns how many rows are new.
 */
export function recordProposals(store: Store, searcher: Searcher, batch: Batch): Promise<number> {
  return write(store, () => insertProposals(store, searcher, batch))
}

export interface Batch {
  readonly proposals: readonly Proposal[]
  readonly period: Period
}

/** The same inside a transaction of the caller's, with what begins when they are written. */
export function insertProposals(store: Store, searcher: Searcher, { proposals, period }: Batch): number {
  const about = keyOf(searcher)
  const last = lastOf(store, searcher)
  const insert = prepared<[object], unknown>(
    store.db,
    `insert into proposal (study, study_fingerprint, identity, account, position, batch, role, reason, fingerprint, proposed_at)
     values (:study, :studyFingerprint, :identity, :account, :position, :batch, :role, :reason, :fingerprint, :at)
     on conflict (study, study_fingerprint, identity, account, role, fingerprint) do nothing`,
  )
  const at = isoTime(store.clock.wall())
  let { position } = last
  for (const { config, role, reason, markets } of proposals) {
    const trials = trialsOfConfig({ markets, period }, config)
    saveTrials(store, trials)
    if (!APART.includes(role)) addToStudy(store, searcher, trials)
    for (const { fingerprint } of trials) {
      const row = { ...about, position: position + 1, batch: last.batch + 1, role, reason, fingerprint, at }
      position += insert.run(row).changes
    }
  }
  return position - last.position
}

function keyOf({ study, identity, account }: Searcher) {
  return { study: study.name, studyFingerprint: study.fingerprint, identity, account }
}

function lastOf(store: Store, searcher: Searcher): { readonly position: number; readonly batch: number } {
  const last = prepared<[object], { position: number; batch: number }>(
    store.db,
    `select coalesce(max(position), 0) as position, coalesce(max(batch), 0) as batch from proposal
     where study = :study and study_fingerprint = :studyFingerprint and identity = :identity and account = :account`,
  ).get(keyOf(searcher))
  return last ?? { position: 0, batch: 0 }
}

/** Trials that a search found are the study's, in the order in which they were proposed. */
function addToStudy(store: Store, { study }: Searcher, trials: readonly Trial[]): void {
  const add = prepared<[object], unknown>(
    store.db,
    `insert into study_trial (study, study_fingerprint, position, fingerprint)
     select :study, :studyFingerprint, coalesce((
       select max(position) + 1 from study_trial where study = :study and study_fingerprint = :studyFingerprint), 0), :fingerprint
     where not exists (
       select 1 from study_trial where study = :study and study_fingerprint = :studyFingerprint and fingerprint = :fingerprint)`,
  )
  for (const { fingerprint } of trials) {
    add.run({ study: study.name, studyFingerprint: study.fingerprint, fingerprint })
  }
}

/** A proposal as it is kept; `trials` in the order of its markets. */
export interface KeptProposal extends Proposal {
  readonly batch: number
  readonly trials: readonly Trial[]
}

/** Every proposal of a search in the order in which they were made. */
export function readProposals(store: Store, searcher: Searcher): readonly KeptProposal[] {
  const rows = allRows(
    store.db,
    query
      .selectFrom('proposal')
      .select(['batch', 'role', 'reason', 'fingerprint'])
      .where('study', '=', searcher.study.name)
      .where('study_fingerprint', '=', searcher.study.fingerprint)
      .where('identity', '=', searcher.identity)
      .where('account', '=', searcher.account)
      .orderBy('position'),
  )
  const byConfig = new Map<string, KeptProposal>()
  for (const { batch, role, reason, fingerprint } of rows) {
    const trial = findTrial(store, fingerprint)
    if (trial === undefined) throw new Error(`the proposal of ${fingerprint} has no trial`)
    const key = `${batch} ${role} ${configFingerprint(trial.config)}`
    const known = byConfig.get(key)
    const trials = [...(known?.trials ?? []), trial]
    const markets = trials.map(({ market }) => market)
    byConfig.set(key, { config: trial.config, batch, role, reason, markets, trials })
  }
  return [...byConfig.values()]
}

/** The same with what became of each; all of their trials have ended. `stages`: where they stand. */
export function tell(
  store: Store,
  proposals: readonly KeptProposal[],
  stages: ReadonlyMap<string, TrialStage>,
): readonly Told[] {
  const attempts = [...stages.values()].map(({ attemptId }) => attemptId)
  const records = readOfAttempts(store, attempts)
  return proposals.map(({ trials, ...proposal }) => ({
    ...proposal,
    results: trials.map((trial) => toldOf(trial, records.get(trial.fingerprint))),
  }))
}

function toldOf({ market, fingerprint: trial }: Trial, record: TrialRecord | undefined): ToldResult {
  if (record?.state !== 'done') return { market, trial, state: 'failed', metrics: null, stated: null }
  const { metrics, conventions, costs, candles } = record
  const interval = candles?.interval ?? null
  const stated = { conventions, costs, candles: interval === null ? null : { interval } }
  return { market, trial, state: 'done', metrics, stated }
}

/** What a search keeps in mind between runs. */
export function memoryOf(store: Store, searcher: Searcher): SearchMemory {
  return {
    read: (name) => {
      const row = firstRow(
        store.db,
        query
          .selectFrom('search_memory')
          .select('value_json')
          .where('study', '=', searcher.study.name)
          .where('study_fingerprint', '=', searcher.study.fingerprint)
          .where('identity', '=', searcher.identity)
          .where('account', '=', searcher.account)
          .where('name', '=', name),
      )
      return row === undefined ? undefined : JSON.parse(row.value_json)
    },
    write: (name, value) =>
      write(store, () => {
        prepared<[object], unknown>(
          store.db,
          `insert into search_memory (study, study_fingerprint, identity, account, name, value_json, written_at)
           values (:study, :studyFingerprint, :identity, :account, :name, :value, :at)
           on conflict do update set value_json = excluded.value_json, written_at = excluded.written_at`,
        ).run({ ...keyOf(searcher), name, value: JSON.stringify(value), at: isoTime(store.clock.wall()) })
      }),
  }
}

/** What the searches of a study kept last under a name, on whatever service; undefined = nothing. */
export function readLastMemory(
  store: Store,
  { study, fingerprint, about }: { readonly study: string; readonly fingerprint: string; readonly about: string },
): unknown {
  const row = firstRow(
    store.db,
    query
      .selectFrom('search_memory')
      .select('value_json')
      .where('study', '=', study)
      .where('study_fingerprint', '=', fingerprint)
      .where('name', '=', about)
      .orderBy('written_at', 'desc')
      .limit(1),
  )
  return row === undefined ? undefined : JSON.parse(row.value_json)
}
