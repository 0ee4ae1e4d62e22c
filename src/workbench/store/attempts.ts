/**
 * Attempts: the row that is stored before every request that spends, and the outcome of that request; outcomes that the store could not take;
 * and the letters in the names that are sent.
 */

import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import type { Insertable, Selectable } from 'kysely'
import { codeOf } from '../../sqlite/sqlite-file.ts'
import { allRows, firstRow, runBuilt, statement } from '../../sqlite/statements.ts'
import { renameOver, type System } from '../../system.ts'
import { insertJob, type NewJob } from './jobs.ts'
import { type LedgerQuestion, readSpent } from './ledger.ts'
import { type JobObservation, observe } from './observe-job.ts'
import type { ServiceAccount } from './services.ts'
import type { AttemptState } from './states.ts'
import { type Store, storeFailure, write } from './store.ts'
import type { Tables } from './table-types.ts'
import { IS_OPEN, isoTime, msOf, query } from './tables.ts'

export interface OpenedAttempt {
  readonly id: number
  readonly fingerprint: string
  /** `dcalab-<study>-<first 12 digits>-<number>-<letters of the store>` */
  readonly name: string
  /** ms, service time. */
  readonly openedAt: number
}

export interface AttemptRequest extends LedgerQuestion {
  readonly study: string
  readonly fingerprint: string
  /** The settings that it is asked to be computed under; null = none are asked for. */
  readonly settingsId: number | null
  /** The run that pays for it; null = none. */
  readonly runId: number | null
  /** ms, service time. */
  readonly now: number
  /** Whether the ledger since then, oldest first, has room for one more. Called inside the transaction that inserts the attempt. */
  readonly admit: (spentAt: readonly number[]) => boolean
}

type Intent = Pick<
  Insertable<Tables['attempt']>,
  'identity' | 'account' | 'study' | 'fingerprint' | 'number' | 'name' | 'opened_at' | 'settings_id' | 'study_run_id'
>

const insertIntent = statement(
  ({ identity, account, study, fingerprint, number, name, opened_at, settings_id, study_run_id }: Intent) => {
    const sent = { identity, account, study, fingerprint, number, name }
    return query.insertInto('attempt').values({ ...sent, state: 'intent', opened_at, settings_id, study_run_id })
  },
)

/** Checks the room and inserts the intent in one immediate transaction: when this resolves, the row is on the disk and the request may be sent. */
export function openAttempt(store: Store, request: AttemptRequest): Promise<OpenedAttempt | 'full'> {
  const { identity, account, study, fingerprint, settingsId, runId, now } = request
  return write(store, () => {
    if (!request.admit(readSpent(store, request))) return 'full'
    const { number, name } = nextName(store.db, request)
    const inserted = insertIntent.run(store.db, {
      identity,
      account,
      study,
      fingerprint,
      number,
      name,
      opened_at: isoTime(now),
      settings_id: settingsId,
      study_run_id: runId,
    })
    return { id: Number(inserted.lastInsertRowid), fingerprint, name, openedAt: now }
  })
}

/** `letters`: of the store that sends it; null = of a layout without them. */
export function attemptName(study: string, fingerprint: string, number: number, letters: string | null): string {
  const name = `dcalab-${study}-${fingerprint.slice(0, 12)}-${number}`
  return letters === null ? name : `${name}-${letters}`
}

/** What the name of a submission of some store says. */
export interface SentName {
  /** The first 12 digits of the trial's fingerprint. */
  readonly digits: string
  readonly number: number
  /** null = of a store of a layout without them. */
  readonly letters: string | null
}

const SENT_NAME = /^dcalab-.+-([0-9a-f]{12})-([1-9]\d{0,8})(?:-([a-z]{6}))?$/

/** undefined = no store names its jobs so. */
export function readSentName(name: string): SentName | undefined {
  const [matched, digits = '', number = '', letters = null] = SENT_NAME.exec(name) ?? []
  return matched === undefined ? undefined : { digits, number: Number(number), letters }
}

/** The first name that this store has not used, and that no job in the service's list has from a lost store of ours. */
export function nextName(
  db: Database.Database,
  { identity, study, fingerprint }: Pick<AttemptRequest, 'identity' | 'study' | 'fingerprint'>,
): { readonly number: number; readonly name: string } {
  const letters = readLetters(db)
  for (let number = 1; ; number++) {
    const name = attemptName(study, fingerprint, number, letters)
    if (!isNameTaken(db, identity, name)) return { number, name }
  }
}

const takenName = statement(({ identity, name }: { readonly identity: string; readonly name: string }) =>
  query
    .selectFrom('attempt')
    .select(({ lit }) => lit(1).as('taken'))
    .where('identity', '=', identity)
    .where('name', '=', name)
    .unionAll(
      query
        .selectFrom('foreign_job')
        .select(({ lit }) => lit(1).as('taken'))
        .where('identity', '=', identity)
        .where('name', '=', name),
    ),
)

export function isNameTaken(db: Database.Database, identity: string, name: string): boolean {
  return takenName.first(db, { identity, name }) !== undefined
}

interface Reply {
  readonly status: number | null
  readonly code: string | null
  /** As received, keys removed. */
  readonly text: string | null
}

/**
 * The outcome of an attempt. Plain data: when it cannot be written to the store, it is written to a file (`putIntoOutbox`). `at`: ms, service
 * time. `reply` of one that was accepted: kept where it turns out ambiguous.
 */
export type RecordedOutcome = { readonly attemptId: number; readonly at: number } & (
  | { readonly to: 'acked'; readonly observation: JobObservation; readonly reply?: Reply }
  | { readonly to: 'rejected'; readonly reason: string; readonly reply: Reply }
  | { readonly to: 'released'; readonly reason: string; readonly reply: Reply }
  /** `countedAt`: the latest moment at which it may still arrive. */
  | { readonly to: 'ambiguous'; readonly countedAt: number; readonly reason: string; readonly reply: Reply }
  | { readonly to: 'adopted'; readonly jobs: readonly JobObservation[] }
  | { readonly to: 'absent' }
  | { readonly to: 'undecided'; readonly reason: string }
)

/** Stores an outcome; on a locked file or a full disk it tries again for a minute. Answers as `applyOutcome`. */
export function settleAttempt(store: Store, recorded: RecordedOutcome): Promise<string | null> {
  return write(store, () => applyOutcome(store.db, recorded), { patient: true })
}

const trialOfJob = statement(({ identity, remoteId }: { readonly identity: string; readonly remoteId: string }) =>
  query.selectFrom('job').select('fingerprint').where('identity', '=', identity).where('remote_id', '=', remoteId),
)

/**
 * Call inside a transaction. Answers null, or what is wrong: the service answered with the job of an earlier attempt. Then nobody knows
 * whether it made a new one. So this attempt is ambiguous and counts, and the job stays with the earlier attempt.
 */
export function applyOutcome(db: Database.Database, recorded: RecordedOutcome): string | null {
  const attempt = firstRow(
    db,
    query.selectFrom('attempt').select(['identity', 'fingerprint', 'opened_at']).where('id', '=', recorded.attemptId),
  )
  if (attempt === undefined) throw new Error(`There is no attempt ${recorded.attemptId}`)
  if (recorded.to === 'acked') {
    const { attemptId, at, observation, reply = { status: 200, code: null, text: observation.body } } = recorded
    const owner = trialOfJob.first(db, { identity: attempt.identity, remoteId: observation.remoteId })
    if (owner !== undefined) {
      const reason = describeOldJob(observation.remoteId, owner.fingerprint)
      moveAttempt(db, { attemptId, at, to: 'ambiguous', countedAt: at, reason, reply })
      return reason
    }
  }
  moveAttempt(db, recorded)
  const observations = recorded.to === 'acked' ? [recorded.observation] : recorded.to === 'adopted' ? recorded.jobs : []
  observations.forEach((observation, index) => {
    keepJob(db, {
      identity: attempt.identity,
      fingerprint: attempt.fingerprint,
      attemptId: recorded.attemptId,
      duplicate: index > 0,
      submittedAt: recorded.to === 'acked' ? recorded.at : msOf(attempt.opened_at),
      observation,
    })
  })
  return null
}

/** What is said of an answer that names an earlier job. */
export function describeOldJob(remoteId: string, fingerprint: string): string {
  return `was answered with job ${remoteId}, which is an earlier backtest of trial ${fingerprint.slice(0, 12)}`
}

const turnJob = statement(
  (job: Pick<NewJob, 'identity' | 'attemptId'> & { readonly remoteId: string; readonly duplicate: number }) =>
    query
      .updateTable('job')
      .set({ duplicate: job.duplicate })
      .where('identity', '=', job.identity)
      .where('remote_id', '=', job.remoteId)
      .where('attempt_id', '=', job.attemptId)
      .returning('id'),
)

/** A job that this attempt has already, as its first or as a duplicate, is updated and marked anew. */
function keepJob(db: Database.Database, job: NewJob): void {
  const turned = turnJob.first(db, {
    identity: job.identity,
    remoteId: job.observation.remoteId,
    attemptId: job.attemptId,
    duplicate: job.duplicate ? 1 : 0,
  })
  if (turned === undefined) insertJob(db, job)
  else observe(db, turned.id, job.observation)
}

interface Move {
  readonly id: number
  readonly state: AttemptState
  readonly at: string
  readonly countedAt: string | null
  readonly unsureSince: string | null
  readonly status: number | null
  readonly code: string | null
  readonly text: string | null
  readonly reason: string | null
}

const updateAttempt = statement(({ id, state, at, countedAt, unsureSince, status, code, text, reason }: Move) =>
  query
    .updateTable('attempt')
    .set(({ fn, eb, val, ref }) => ({
      state,
      settled_at: at,
      counted_at: eb
        .case()
        .when(val(countedAt), 'is', null)
        .then(null)
        .else(fn.coalesce('counted_at', val(countedAt)))
        .end(),
      unsure_since: fn.coalesce('unsure_since', val(unsureSince)),
      reply_status: fn.coalesce(val(status), ref('reply_status')),
      reply_code: fn.coalesce(val(code), ref('reply_code')),
      reply_text: fn.coalesce(val(text), ref('reply_text')),
      reason: fn.coalesce(val(reason), ref('reason')),
    }))
    .where('id', '=', id),
)

function moveAttempt(db: Database.Database, recorded: RecordedOutcome): void {
  const reply = recorded.to !== 'acked' && 'reply' in recorded ? recorded.reply : undefined
  // Set once: an attempt that is settled later keeps its first time.
  const countedAt = recorded.to === 'released' ? null : recorded.to === 'ambiguous' ? recorded.countedAt : recorded.at
  updateAttempt.run(db, {
    id: recorded.attemptId,
    state: recorded.to,
    at: isoTime(recorded.at),
    countedAt: countedAt === null ? null : isoTime(countedAt),
    unsureSince: recorded.to === 'ambiguous' ? isoTime(recorded.at) : null,
    status: reply?.status ?? null,
    code: reply?.code ?? null,
    text: reply?.text ?? null,
    reason: 'reason' in recorded ? recorded.reason : null,
  })
}

/** The latest attempt's id, 0 when there is none: later ones are higher. */
export function readLastAttemptId(store: Store): number {
  const latest = query.selectFrom('attempt').select(({ fn }) => fn.max<number | null>('id').as('id'))
  return firstRow(store.db, latest)?.id ?? 0
}

export interface UnresolvedAttempt extends OpenedAttempt {
  readonly state: AttemptState
  readonly study: string
  readonly settingsId: number | null
  /** ms, service time. */
  readonly unsureSince: number | null
  readonly reason: string | null
}

/** The one attempt whose outcome is unknown, if there is one. */
export function findUnresolved(store: Store, serviceAccount: ServiceAccount): UnresolvedAttempt | undefined {
  const row = firstRow(store.db, openOf(serviceAccount).where('state', 'in', ['intent', 'ambiguous']))
  return row === undefined ? undefined : toUnresolved(row)
}

/** The unresolved attempt, and those whose outcome only a person can decide, oldest first. */
export function listUndecided(store: Store, serviceAccount: ServiceAccount): readonly UnresolvedAttempt[] {
  return allRows(store.db, openOf(serviceAccount)).map(toUnresolved)
}

const ATTEMPT_COLUMNS = [
  'id',
  'fingerprint',
  'name',
  'opened_at',
  'state',
  'study',
  'unsure_since',
  'reason',
  'settings_id',
] as const

function openOf({ identity, account }: ServiceAccount) {
  return query
    .selectFrom('attempt')
    .select(ATTEMPT_COLUMNS)
    .where('identity', '=', identity)
    .where('account', '=', account)
    .where(IS_OPEN)
    .orderBy('id')
}

function toUnresolved(row: Pick<Selectable<Tables['attempt']>, (typeof ATTEMPT_COLUMNS)[number]>): UnresolvedAttempt {
  return {
    id: row.id,
    fingerprint: row.fingerprint,
    name: row.name,
    openedAt: msOf(row.opened_at),
    state: row.state,
    study: row.study,
    settingsId: row.settings_id,
    unsureSince: row.unsure_since === null ? null : msOf(row.unsure_since),
    reason: row.reason,
  }
}

export type NamedAttempt = Pick<UnresolvedAttempt, 'id' | 'state' | 'fingerprint' | 'openedAt' | 'unsureSince'>

/** The attempt that sent a name, if one of ours did. */
export function findAttemptByName(
  store: Store,
  { identity, name }: { identity: string; name: string },
): NamedAttempt | undefined {
  const ofName = query.selectFrom('attempt').select(ATTEMPT_COLUMNS)
  const row = firstRow(store.db, ofName.where('identity', '=', identity).where('name', '=', name))
  return row === undefined ? undefined : toUnresolved(row)
}

// Recorded outcomes the store could not take: a file of one JSON line for each attempt, beside the store, until the next start puts them in. No
// file is added to: a run with another key may be taking it in. The intent row makes even a lost outbox recoverable; it saves the settle time.

function outboxPrefix(store: Store): string {
  return `${basename(store.path)}.outbox-`
}

/** Writes the latest outcome of an attempt and waits until its text is on the disk. */
export function putIntoOutbox(store: Store, recorded: RecordedOutcome): void {
  const file = join(dirname(store.path), `${outboxPrefix(store)}${recorded.attemptId}.jsonl`)
  const part = `${file}.part`
  try {
    writeFileSync(part, `${JSON.stringify(recorded)}\n`, { mode: 0o600, flush: true })
    renameOver(part, file)
  } finally {
    rmSync(part, { force: true }) // does nothing after the rename
  }
}

/**
 * Writes the outcomes of outboxes to the store and removes their files. Only the holder of the lock may call it. Returns how many were
 * written.
 * @throws Failure storeUnusable
 */
export async function emptyOutboxes(store: Store): Promise<number> {
  const folder = dirname(store.path)
  const files = readdirSync(folder).filter((name) => name.startsWith(outboxPrefix(store)) && name.endsWith('.jsonl'))
  let count = 0
  for (const name of files) {
    const file = join(folder, name)
    try {
      const recorded = readFileSync(file, 'utf8').split('\n').flatMap(readLine)
      count += await write(store, () => recorded.filter((recorded) => replay(store, recorded)).length)
      rmSync(file, { force: true })
    } catch (error) {
      if (codeOf(error) === 'ENOENT') continue // a run with another key has taken it in
      throw storeFailure(file, error)
    }
  }
  return count
}

/** A line that a crash cut short is ignored: its attempt stays an open intent and is reconciled. */
function readLine(line: string): RecordedOutcome[] {
  try {
    return [JSON.parse(line) as RecordedOutcome] // written by putIntoOutbox
  } catch {
    return []
  }
}

function replay(store: Store, recorded: RecordedOutcome): boolean {
  const attempt = firstRow(store.db, query.selectFrom('attempt').select('state').where('id', '=', recorded.attemptId))
  if (attempt?.state !== 'intent') return false
  applyOutcome(store.db, recorded)
  return true
}

// Six letters that end the names of the jobs of a store. Two stores with one key send the same trials: by its letters each knows its own
// jobs from those of the other. A store draws them before its first submission. They belong to the file: a copy draws its own, because
// the original may go on sending. A store that is moved or restored only has new letters, since what it sent stands under its full name.

/** Without vowels, so that they spell nothing. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz'
const LENGTH = 6

const drawn = statement(() => query.selectFrom('store_letters').select(['letters', 'file']))

/** null = nothing was sent yet since names have letters. */
export function readLetters(db: Database.Database): string | null {
  return drawn.first(db)?.letters ?? null
}

/** Draws letters where the store has none, or was copied since it drew them. Call while its key's lock is held. */
export async function keepLetters(store: Store, system: Pick<System, 'randomBytes'>): Promise<void> {
  if (drawn.first(store.db)?.file !== nameFile(store)) await drawLetters(store, system)
}

/** New letters, whatever there was: somebody else may use those of before. */
export function drawLetters(store: Store, { randomBytes }: Pick<System, 'randomBytes'>): Promise<void> {
  const letters = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  const row = { letters, file: nameFile(store), drawn_at: isoTime(store.clock.wall()) }
  const first = query.insertInto('store_letters').values({ one: 1, ...row })
  return write(store, () => {
    runBuilt(
      store.db,
      first.onConflict((known) => known.doUpdateSet(row)),
    )
  })
}

const lastSending = statement(({ identity, named }: { readonly identity: string; readonly named: string }) =>
  query
    .selectFrom('study_run as r')
    .select('r.started_at')
    .where('r.identity', '=', identity)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('attempt as a')
          .select('a.id')
          .whereRef('a.study_run_id', '=', 'r.id')
          .where('a.state', '!=', 'adopted') // found in a list: perhaps not all of it was taken in
          .where('a.name', 'like', named),
      ),
    )
    .orderBy('r.id', 'desc')
    .limit(1),
)

/** When the last run began in which this file sent anything to a service: ms UTC of its clock. undefined = none, or none since the file was moved, copied or restored. */
export function findLastSending({ db }: Store, { identity }: { readonly identity: string }): number | undefined {
  const letters = readLetters(db)
  const found = letters === null ? undefined : lastSending.first(db, { identity, named: `%-${letters}` })
  return found === undefined ? undefined : msOf(found.started_at)
}

function nameFile({ path }: Store): string {
  return `${hostname()} ${statSync(path, { bigint: true }).ino}`
}
