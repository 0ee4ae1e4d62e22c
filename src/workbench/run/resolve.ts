/** A person's decision about a submission that neither answer nor list settles: it became this job, or it never arrived. Also: deleting a job at the service. */
import { CONFIG_FIELDS } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import { Failure, shellWord } from '../../errors.ts'
import type { JobOperations, ServiceIdentity } from '../api/calls.ts'
import { failureOf, type PostOutcome } from '../api/outcome.ts'
import type { JobReading } from '../api/reading/readings.ts'
import { emptyOutboxes, listUndecided, settleAttempt, type UnresolvedAttempt } from '../store/attempts.ts'
import { recordDeleted } from '../store/jobs.ts'
import { findKnownJob, readKnownJobs } from '../store/known-jobs.ts'
import { listForeignIds, recordForeignJobs } from '../store/ledger.ts'
import { holdLock } from '../store/lock.ts'
import type { JobObservation } from '../store/observe-job.ts'
import { type ServiceAccount, saveService } from '../store/services.ts'
import { type Store, write } from '../store/store.ts'
import { idleFields } from '../study/fingerprint.ts'
import type { Trial } from '../study/study.ts'
import {
  asksFor,
  isAnotherName,
  isInTime,
  type SoughtSubmission,
  showsSentNames,
  soughtOf,
  zoneErrorMs,
} from './list.ts'
import { toObservation } from './outcome-table.ts'
import { arrivesBy } from './run-state.ts'
import { createServiceClock, refuseWrongClock } from './service-clock.ts'

export interface OpenQuestion {
  readonly name: string
  readonly study: string
  readonly fingerprint: string
  /** `undecided`: only a person can decide; `waiting`: the next run may still find out by itself. */
  readonly state: 'undecided' | 'waiting'
  /** ISO 8601 UTC, service time. */
  readonly openedAt: string
  readonly reason: string | null
  /** Until then it may still arrive. ISO 8601 UTC, service time. */
  readonly arrivesUntil: string
  /** The jobs that it could have become; null = the service's list was not read. */
  readonly possible: readonly PossibleJob[] | null
  /** Items of that list that cannot be read: it may be one of them. */
  readonly unreadable: number
}

/** What the service was seen to hold, and when. */
export interface Sighting {
  readonly serviceAccount: ServiceAccount
  /** Jobs of its list; null = it could not be read. */
  readonly jobs: readonly JobReading[] | null
  /** Items of that list that could not be read. */
  readonly unreadable: number
  /** How long an unanswered submission may still arrive, ms. */
  readonly settleMs: number
  /** ms, service time. */
  readonly now: number
  /** The service has stated its time, so that times in its list can be compared with ours. */
  readonly timesAgree: boolean
}

/** Submissions of which nobody knows what became of them, oldest first. */
export function listOpenQuestions(store: Store, sighting: Sighting): readonly OpenQuestion[] {
  const { serviceAccount, jobs } = sighting
  const known =
    jobs === null
      ? undefined
      : readKnownJobs(
          store,
          serviceAccount,
          jobs.map(({ id }) => id),
        )
  const unknownJobs = jobs?.filter(({ id }) => known?.has(id) === false)
  const seeker = { ...sighting, echoesNames: showsSentNames(store, serviceAccount, jobs ?? []) }
  return listUndecided(store, serviceAccount).map((attempt) => {
    const sought = soughtOf(store, attempt, seeker)
    return {
      name: attempt.name,
      study: attempt.study,
      fingerprint: attempt.fingerprint,
      state: attempt.state === 'undecided' ? 'undecided' : 'waiting',
      openedAt: new Date(attempt.openedAt).toISOString(),
      reason: attempt.reason,
      arrivesUntil: new Date(sought.arrivedBy).toISOString(),
      possible: unknownJobs === undefined ? null : listPossibleJobs(sought, unknownJobs),
      unreadable: sighting.unreadable,
    }
  })
}

export interface Resolution {
  readonly store: Store
  readonly client: JobOperations
  readonly sighting: Sighting
  readonly lockFolder?: string | undefined
  /** The submission's name, `dcalab-…`. */
  readonly name: string
  /** The job it became; null = it never arrived, and its trial is planned again. */
  readonly jobId: string | null
  readonly signal?: AbortSignal
}

/**
 * Holds the lock of the key meanwhile, so no run can be waiting for the same answer. That it never arrived is taken from a person once it
 * cannot arrive any more, whether the service can be asked or not.
 * @throws Failure notFound, usage, attemptUnresolved, keyBusy, clockWrong, storeUnusable, or what reading the job ended in
 */
export async function resolveAttempt(resolution: Resolution): Promise<void> {
  const { store, sighting, lockFolder } = resolution
  refuseWrongClock(store, sighting)
  const lock = holdLock(store, {
    identity: sighting.serviceAccount.identity,
    folder: lockFolder,
  })
  try {
    await emptyOutboxes(store)
    await settleByWord(resolution)
  } finally {
    lock.release()
  }
}

async function settleByWord({ store, client, sighting, name, jobId, signal }: Resolution): Promise<void> {
  const { serviceAccount, now: at } = sighting
  const attempt = listUndecided(store, serviceAccount).find((candidate) => candidate.name === name)
  if (attempt === undefined) {
    throw new Failure('notFound', `No submission ${name} needs a decision`, {
      hint: '`dcalab service jobs resolve` lists open ones',
    })
  }
  if (jobId === null) refuseAbsence(attempt, sighting)
  const observation = jobId === null ? null : await readMeant({ store, client, sighting, attempt, jobId, signal })
  if (attempt.state === 'intent') {
    // Its process is dead: we hold its lock.
    const reply = { status: null, code: null, text: null }
    const reason = 'the program ended before the answer came'
    await settleAttempt(store, { attemptId: attempt.id, at, to: 'ambiguous', countedAt: at, reason, reply })
  }
  const settled = { attemptId: attempt.id, at }
  await settleAttempt(
    store,
    observation === null ? { ...settled, to: 'absent' } : { ...settled, to: 'adopted', jobs: [observation] },
  )
}

/** @throws Failure attemptUnresolved while it may still arrive, usage when the list shows a job of its name */
function refuseAbsence(attempt: UnresolvedAttempt, sighting: Sighting): void {
  const { name } = attempt
  const arrivedBy = arrivesBy(attempt, sighting.settleMs)
  const itself = sighting.jobs?.find((job) => job.name === name)
  if (itself !== undefined) {
    throw new Failure('usage', `${name} did arrive: job ${itself.id} goes by its name`, {
      hint: `dcalab service jobs resolve ${name} --job ${shellWord(itself.id)}`,
    })
  }
  if (sighting.now >= arrivedBy) return
  throw new Failure('attemptUnresolved', `${name} may still arrive until ${new Date(arrivedBy).toISOString()}`, {
    hint: 'use --absent after that time: earlier, its trial could be paid for twice',
  })
}

interface Asked {
  readonly store: Store
  readonly client: JobOperations
  readonly sighting: Sighting
  readonly attempt: UnresolvedAttempt
  readonly jobId: string
  readonly signal: AbortSignal | undefined
}

/** A job that is gone since it was seen did arrive: it is not sent again by itself. @throws Failure */
async function readMeant({ store, client, sighting, attempt, jobId, signal }: Asked): Promise<JobObservation> {
  const { serviceAccount, jobs, now } = sighting
  const known = findKnownJob(store, serviceAccount, jobId)
  const isItsOwn = known?.duplicate === true && known.attemptId === attempt.id
  if (known !== undefined && !isItsOwn) {
    throw new Failure('usage', `job ${jobId} already belongs to trial ${known.fingerprint.slice(0, 12)}`, {
      hint: '`dcalab service jobs resolve` lists the possible jobs',
    })
  }
  const outcome = await client.readJob(jobId, signal === undefined ? {} : { signal })
  if (outcome.kind === 'ok') return toObservation(outcome.value, outcome.raw.receivedAt)
  const listed = outcome.kind === 'missing' ? jobs?.find(({ id }) => id === jobId) : undefined
  if (listed !== undefined) return toObservation(listed, now)
  if (outcome.kind === 'missing' && (isItsOwn || listForeignIds(store, serviceAccount).has(jobId))) {
    const nothing = { name: null, remoteState: null, finishedAt: null, body: null, result: null }
    return { ...nothing, remoteId: jobId, state: 'gone', failure: 'deleted at the service', receivedAt: now }
  }
  const { code, message } = failureOf(outcome, `Reading job ${jobId}`)
  const hint = '`dcalab service jobs resolve` lists the possible jobs, and what to type for none of them'
  throw new Failure(code, message, { hint })
}

// What speaks for each job that an unanswered submission could have become, in words for the person who has to say which. Pure.

interface PossibleJob {
  readonly job: string
  /** In the service's own word. */
  readonly state: string
  /** ms, service time; null = not stated. */
  readonly createdAt: number | null
  /** What it has in common with the submission, one sentence each. */
  readonly evidence: readonly string[]
}

/** `unknownJobs`: jobs in the list that are no job of ours. Those that say most first, then the earliest. */
function listPossibleJobs(sought: SoughtSubmission, unknownJobs: readonly JobReading[]): readonly PossibleJob[] {
  return unknownJobs
    .filter((job) => mayBe(job, sought))
    .map((job) => ({ job, compared: compare(job, sought.trial) }))
    .sort((a, b) => rank(b, sought) - rank(a, sought) || (a.job.createdAt ?? 0) - (b.job.createdAt ?? 0))
    .map(({ job, compared }) => ({
      job: job.id,
      state: job.stateText,
      createdAt: job.createdAt,
      evidence: [describeName(job, sought), describeTime(job.createdAt, sought.openedAt), describeFields(compared)],
    }))
}

function describeName({ name }: JobReading, sought: SoughtSubmission): string {
  if (name === sought.name) return 'it has the name of the submission'
  return name === null ? 'it has no name' : 'it has another name, as jobs of this service may'
}

/** Whether a job could be the submission, as far as it shows: neither its name, nor its time, nor what it asks for says no. */
function mayBe(job: JobReading, sought: SoughtSubmission): boolean {
  if (job.name === sought.name) return true
  if (isAnotherName(job.name, sought)) return false
  return asksFor(job, sought.trial) !== 'no' && isInTime(job, sought, zoneErrorMs)
}

interface FieldComparison {
  readonly alike: readonly string[]
  readonly unstated: readonly string[]
}

function rank(
  { job, compared }: { readonly job: JobReading; readonly compared: FieldComparison },
  { name }: SoughtSubmission,
): number {
  return compared.alike.length + (job.name === name ? 1_000 : 0)
}

/** Which parts of a possible job's request are shown: those are as they were asked for, else it would not be possible. */
function compare({ request }: JobReading, trial: Trial): FieldComparison {
  const idle = idleFields(trial.config)
  const comparisons: readonly (readonly [string, boolean])[] = [
    [`market ${marketName(trial.market)}`, request?.market != null],
    ['period', request?.period != null],
    ...CONFIG_FIELDS.filter((field) => !idle.includes(field)).map(
      (field) => [field, request?.config[field] !== undefined] as const,
    ),
  ]
  const named = (wanted: boolean) => comparisons.filter(([, isAlike]) => isAlike === wanted).map(([name]) => name)
  return { alike: named(true), unstated: named(false) }
}

function describeFields({ alike, unstated }: FieldComparison): string {
  if (alike.length === 0) return 'it does not show its request'
  const same = `it asks for the same ${alike.join(', ')}`
  return unstated.length === 0 ? same : `${same}; not shown: ${unstated.join(', ')}`
}

function describeTime(createdAt: number | null, openedAt: number): string {
  if (createdAt === null) return 'creation time unknown'
  const seconds = Math.round((createdAt - openedAt) / 1000)
  return seconds < 0 ? `created ${-seconds} s before the submission was sent` : `created ${seconds} s after it was sent`
}

// Deleting a job at the service. The unit it was paid with stays spent in our ledger, whatever the service makes of it. Some services
// may count the deletion itself as a use of the allowance: unless the limits before and after it show that it was free, it counts.

interface Deletion {
  readonly store: Store
  readonly client: JobOperations
  /** As met just before: its limits are compared with those afterwards. */
  readonly service: ServiceIdentity
  readonly serviceAccount: ServiceAccount
  /** The service's id. */
  readonly jobId: string
}

/** Sends it once; the store then knows that the job is gone and, where it may have cost one, that a unit is. */
export async function deleteJob(deletion: Deletion): Promise<PostOutcome<{ readonly id: string }>> {
  const { store, client, service, serviceAccount, jobId } = deletion
  const outcome = await client.deleteJob(jobId)
  const clock = createServiceClock(store.clock)
  if ('raw' in outcome) clock.learn(outcome.raw)
  const known = findKnownJob(store, serviceAccount, jobId)
  if (outcome.kind === 'acked' && known !== undefined) {
    await recordDeleted(store, { jobId: known.id, at: clock.now() })
  }
  // Nothing left, or it was turned away before it could be counted.
  if (outcome.kind === 'notSent' || outcome.kind === 'refused') return outcome
  const after = await client.limits()
  const before = service.limits.used
  const used = after.kind === 'ok' ? after.value.used : null
  if (before !== null && used !== null && used <= before) return outcome
  await write(store, () => saveService(store, service, store.clock.wall()))
  const jobs = [{ remoteId: `deletion of ${jobId}`, name: null, countedAt: clock.now() }]
  await recordForeignJobs(store, { ...serviceAccount, jobs })
  return outcome
}
