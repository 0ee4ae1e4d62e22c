/** Settling by a person's word what neither answer nor list could: the submission became this job, or it never arrived. */

import { Failure } from '../../errors.ts'
import type { JobOperations } from '../api/calls.ts'
import { failureOf } from '../api/failure.ts'
import type { JobReading } from '../api/reading/readings.ts'
import { findUnresolved, listParked, settleAttempt, type UnresolvedAttempt } from '../store/attempts.ts'
import { findKnownJob, readKnownJobs } from '../store/known-jobs.ts'
import { holdLock } from '../store/lock.ts'
import { findTrial } from '../store/readers.ts'
import type { Spender } from '../store/services.ts'
import type { Store } from '../store/store.ts'
import type { SoughtSubmission } from './find-submitted.ts'
import { toObservation } from './observe.ts'
import { listPossibleJobs, type PossibleJob } from './possible-jobs.ts'
import { refuseWrongClock } from './trusted-clock.ts'

export interface OpenQuestion {
  readonly name: string
  readonly study: string
  readonly fingerprint: string
  /** `parked`: only a person can tell; `waiting`: the next run may still find out by itself. */
  readonly state: 'parked' | 'waiting'
  /** ISO 8601 UTC, service time. */
  readonly openedAt: string
  readonly reason: string | null
  /** Until then it may still arrive. ISO 8601 UTC, service time. */
  readonly arrivesUntil: string
  /** The jobs that it could have become; null = the service's list was not read. */
  readonly possible: readonly PossibleJob[] | null
}

/** What the service was seen to hold, and when. */
export interface Sighting {
  readonly spender: Spender
  /** Jobs of its list; null = it could not be read. */
  readonly jobs: readonly JobReading[] | null
  /** How long an unanswered submission may still arrive, ms. */
  readonly settleMs: number
  /** ms, service time. */
  readonly now: number
  /** The service has told its time, so that times in its list can be compared with ours. */
  readonly timesAgree: boolean
}

/** Submissions of which nobody knows what became of them, oldest first. */
export function listOpenQuestions(store: Store, sighting: Sighting): readonly OpenQuestion[] {
  const { spender, jobs } = sighting
  const known =
    jobs === null
      ? undefined
      : readKnownJobs(
          store,
          spender,
          jobs.map(({ id }) => id),
        )
  const strangers = jobs?.filter(({ id }) => known?.has(id) === false)
  return listUndecided(store, spender).map((attempt) => {
    const sought = soughtOf(store, attempt, sighting)
    return {
      name: attempt.name,
      study: attempt.study,
      fingerprint: attempt.fingerprint,
      state: attempt.state === 'parked' ? 'parked' : 'waiting',
      openedAt: new Date(attempt.openedAt).toISOString(),
      reason: attempt.reason,
      arrivesUntil: new Date(sought.arrivedBy).toISOString(),
      possible: strangers === undefined ? null : listPossibleJobs(sought, strangers),
    }
  })
}

/** Without what the service holds: those that wait, oldest first. */
export function listUndecided(store: Store, spender: Spender): readonly UnresolvedAttempt[] {
  const waiting = findUnresolved(store, spender)
  return [...listParked(store, spender), ...(waiting === undefined ? [] : [waiting])]
}

function soughtOf(
  store: Store,
  attempt: UnresolvedAttempt,
  { settleMs, timesAgree }: Pick<Sighting, 'settleMs' | 'timesAgree'>,
): SoughtSubmission {
  const trial = findTrial(store, attempt.fingerprint)
  if (trial === undefined) throw new Error(`Attempt ${attempt.name} has no trial`)
  const { name, openedAt, unsureSince } = attempt
  return { name, openedAt, arrivedBy: (unsureSince ?? openedAt) + settleMs, timesAgree, trial }
}

export interface Resolution {
  readonly store: Store
  readonly client: JobOperations
  readonly sighting: Sighting
  readonly lockFolder?: string
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
    identity: sighting.spender.identity,
    ...(lockFolder === undefined ? {} : { folder: lockFolder }),
  })
  try {
    await settleByWord(resolution)
  } finally {
    lock.release()
  }
}

async function settleByWord({ store, client, sighting, name, jobId, signal }: Resolution): Promise<void> {
  const { spender, now: at } = sighting
  const attempt = listUndecided(store, spender).find((candidate) => candidate.name === name)
  if (attempt === undefined) {
    throw new Failure('notFound', `No submission ${name} waits to be settled`, {
      hint: '`dcalab jobs resolve` lists those that do',
    })
  }
  if (jobId === null) refuseAbsence(store, attempt, sighting)
  const observation = jobId === null ? null : await readStranger({ store, client, spender, jobId, signal })
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
function refuseAbsence(store: Store, attempt: UnresolvedAttempt, sighting: Sighting): void {
  const { name, arrivedBy } = soughtOf(store, attempt, sighting)
  const itself = sighting.jobs?.find((job) => job.name === name)
  if (itself !== undefined) {
    throw new Failure('usage', `${name} did arrive: job ${itself.id} goes by its name`, {
      hint: `dcalab jobs resolve ${name} --job ${itself.id}`,
    })
  }
  if (sighting.now >= arrivedBy) return
  throw new Failure('attemptUnresolved', `${name} may still arrive until ${new Date(arrivedBy).toISOString()}`, {
    hint: 'give --absent after that time: said too early, its trial could be paid for twice',
  })
}

interface Asked {
  readonly store: Store
  readonly client: JobOperations
  readonly spender: Spender
  readonly jobId: string
  readonly signal: AbortSignal | undefined
}

async function readStranger({ store, client, spender, jobId, signal }: Asked) {
  const known = findKnownJob(store, spender, jobId)
  if (known !== undefined) {
    throw new Failure('usage', `job ${jobId} already belongs to trial ${known.fingerprint.slice(0, 12)}`)
  }
  const outcome = await client.readJob(jobId, signal === undefined ? {} : { signal })
  if (outcome.kind !== 'ok') throw failureOf(outcome, `Reading job ${jobId}`)
  return toObservation(outcome.value, outcome.raw.receivedAt)
}
