/** What searches proposed, what became of it, and what they keep in mind. */

import { sql } from 'kysely'
import type { Market } from '../../contract/market.ts'
import { firstRow, runBuilt, runEach, statement } from '../../sqlite/statements.ts'
import { configFingerprint } from '../study/fingerprint.ts'
import { trialsOfConfig } from '../study/grid.ts'
import type {
  Proposal,
  ProposalResult,
  ProposalRole,
  SearchMemory,
  SearchMethod,
  TestedProposal,
} from '../study/proposals.ts'
import type { Period, Study, Trial } from '../study/study.ts'
import { countSeen, refuseOpened } from './holdouts.ts'
import { findTrial, readOfAttempts, type TrialStage } from './readers.ts'
import type { TrialRecord } from './records.ts'
import type { ServiceAccount } from './services.ts'
import type { MarketSettings } from './settings.ts'
import { type Store, write } from './store.ts'
import { saveTrials } from './studies.ts'
import { isoTime, query, type RowOf } from './tables.ts'

/** Whose search it is: a definition of a study on a service. */
interface Searcher extends ServiceAccount {
  readonly study: Pick<Study, 'name' | 'fingerprint'>
}

/** A search, and what of a study it is about. */
export interface Searching {
  /** The span on which its proposals are run. */
  readonly period: Period
  /** The roles that it proposes. */
  readonly roles: readonly ProposalRole[]
  /** Called once the service is known. */
  readonly start: (input: SearchInput) => SearchMethod
  /**
   * Its proposals stand or fall together: nothing is written, and nothing sent, before the allowance has room for all of them. It writes
   * them itself, with what begins when they are.
   */
  readonly recordTogether?: (searcher: Searcher, proposals: readonly Proposal[]) => Promise<void>
}

/** What a search may build on. */
export interface SearchInput extends ServiceAccount {
  /** A service of ours computes under what it is asked. */
  readonly isOwn: boolean
  readonly asked: MarketSettings
  readonly store: Store
  readonly searcher: Searcher
  readonly study: Study
}

/** Roles whose trials are the study's own: what is asked with the others is about the service, or about another span. */
const OWN: readonly ProposalRole[] = ['sample', 'chosen', 'point']

function keyOf({ study, identity, account }: Searcher) {
  return { study: study.name, study_fingerprint: study.fingerprint, identity, account }
}

type Key = ReturnType<typeof keyOf>

function insertProposal(row: RowOf<'proposal'>) {
  const unique = ['study', 'study_fingerprint', 'identity', 'account', 'role', 'fingerprint'] as const
  return query
    .insertInto('proposal')
    .values(row)
    .onConflict((known) => known.columns(unique).doNothing())
}

const proposalsOf = (key: Key) =>
  query
    .selectFrom('proposal')
    .where('study', '=', key.study)
    .where('study_fingerprint', '=', key.study_fingerprint)
    .where('identity', '=', key.identity)
    .where('account', '=', key.account)

const lastOf = statement((key: Key) =>
  proposalsOf(key).select(({ fn, lit }) => [
    fn.coalesce(fn.max('position'), lit(0)).as('position'),
    fn.coalesce(fn.max('batch'), lit(0)).as('batch'),
  ]),
)

const everyProposal = statement((key: Key) =>
  proposalsOf(key).select(['batch', 'role', 'reason', 'fingerprint']).orderBy('position'),
)

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

/** The same inside a transaction of the caller's. */
function insertProposals(store: Store, searcher: Searcher, { proposals, period }: Batch): number {
  const about = keyOf(searcher)
  const last = lastOf.first(store.db, about) ?? { position: 0, batch: 0 }
  const proposed_at = isoTime(store.clock.wall())
  let { position } = last
  for (const { config, role, reason, markets } of proposals) {
    const trials = trialsOfConfig({ markets, period }, config)
    saveTrials(store, trials)
    if (OWN.includes(role)) addToStudy(store, searcher, trials)
    for (const { fingerprint } of trials) {
      const row = { ...about, position: position + 1, batch: last.batch + 1, role, reason, fingerprint, proposed_at }
      position += runEach(store.db, [row], insertProposal)
    }
  }
  return position - last.position
}

/** Writes that a hold-out is opened, and what is run on it, as one. @throws Failure holdoutOpened */
export function recordOpening(
  store: Store,
  { study, identity, account }: Searcher,
  opening: Batch & { readonly by: string; readonly reason: string; readonly markets: readonly Market[] },
): Promise<void> {
  const { proposals, period, by, reason, markets } = opening
  return write(store, () => {
    refuseOpened(store, study.name)
    const row = {
      ...{ study: study.name, study_fingerprint: study.fingerprint, identity, account },
      ...{ span_from: isoTime(period.from), span_to: isoTime(period.to) },
      ...{ opened_at: isoTime(store.clock.wall()), opened_by: by, reason },
      seen_configs: countSeen(store, { markets, span: period }),
    }
    runBuilt(store.db, query.insertInto('holdout_opening').values(row))
    insertProposals(store, { study, identity, account }, { proposals, period })
  })
}

type StudyTrial = Omit<RowOf<'study_trial'>, 'position'>

const trialsOf = ({ study, study_fingerprint }: Omit<StudyTrial, 'fingerprint'>) =>
  query.selectFrom('study_trial').where('study', '=', study).where('study_fingerprint', '=', study_fingerprint)

const addTrial = statement((row: StudyTrial) =>
  query
    .insertInto('study_trial')
    .columns(['study', 'study_fingerprint', 'fingerprint', 'position'])
    .expression(
      query
        .selectNoFrom(({ val, fn, lit }) => [
          val(row.study).as('study'),
          val(row.study_fingerprint).as('study_fingerprint'),
          val(row.fingerprint).as('fingerprint'),
          fn.coalesce(trialsOf(row).select(sql<number>`max(position) + 1`.as('next')), lit(0)).as('position'),
        ])
        .where(({ not, exists }) =>
          not(exists(trialsOf(row).select('fingerprint').where('fingerprint', '=', row.fingerprint))),
        ),
    ),
)

/** Trials that a search found are the study's, in the order in which they were proposed. */
function addToStudy(store: Store, { study }: Searcher, trials: readonly Trial[]): void {
  for (const { fingerprint } of trials) {
    addTrial.run(store.db, { study: study.name, study_fingerprint: study.fingerprint, fingerprint })
  }
}

/** A proposal as it is kept; `trials` in the order of its markets. */
export interface KeptProposal extends Proposal {
  readonly batch: number
  readonly trials: readonly Trial[]
}

/** Every proposal of a search in the order in which they were made. */
export function readProposals(store: Store, searcher: Searcher): readonly KeptProposal[] {
  const rows = everyProposal.all(store.db, keyOf(searcher))
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
export function historyFrom(
  store: Store,
  proposals: readonly KeptProposal[],
  stages: ReadonlyMap<string, TrialStage>,
): readonly TestedProposal[] {
  const attempts = [...stages.values()].map(({ attemptId }) => attemptId)
  const records = readOfAttempts(store, attempts)
  return proposals.map(({ trials, ...proposal }) => ({
    ...proposal,
    results: trials.map((trial) => resultOf(trial, records.get(trial.fingerprint))),
  }))
}

function resultOf({ market, fingerprint: trial }: Trial, record: TrialRecord | undefined): ProposalResult {
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
        const written = { value_json: JSON.stringify(value), written_at: isoTime(store.clock.wall()) }
        const row = { ...keyOf(searcher), name, ...written }
        runBuilt(
          store.db,
          query
            .insertInto('search_memory')
            .values(row)
            .onConflict((known) => known.doUpdateSet(written)),
        )
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
