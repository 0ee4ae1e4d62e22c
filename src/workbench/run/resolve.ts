/** Settling by a person's word what neither answer nor list could: the submission became this job, or it never arrived. */

import { Failure } from '../../errors.ts'
import type { JobOperations, ServiceIdentity } from '../api/calls.ts'
import { failureOf } from '../api/failure.ts'
import { findUnresolved, listParked, settleAttempt, type UnresolvedAttempt } from '../store/attempts.ts'
import { findKnownJob } from '../store/known-jobs.ts'
import { holdLock } from '../store/lock.ts'
import type { Spender } from '../store/services.ts'
import type { Store } from '../store/store.ts'
import { toObservation } from './observe.ts'

export interface OpenQuestion {
  readonly name: string
  readonly study: string
  readonly fingerprint: string
  /** `parked`: only a person can tell; `waiting`: the next run may still find out by itself. */
  readonly state: 'parked' | 'waiting'
  /** ISO 8601 UTC, service time. */
  readonly openedAt: string
  readonly reason: string | null
}

/** Submissions of which nobody knows what became of them, oldest first. */
export function listOpenQuestions(store: Store, spender: Spender): readonly OpenQuestion[] {
  return unsettled(store, spender).map((attempt) => ({
    name: attempt.name,
    study: attempt.study,
    fingerprint: attempt.fingerprint,
    state: attempt.state === 'parked' ? 'parked' : 'waiting',
    openedAt: new Date(attempt.openedAt).toISOString(),
    reason: attempt.reason,
  }))
}

function unsettled(store: Store, spender: Spender): readonly UnresolvedAttempt[] {
  const waiting = findUnresolved(store, spender)
  return [...listParked(store, spender), ...(waiting === undefined ? [] : [waiting])]
}

export interface Resolution {
  readonly store: Store
  readonly client: JobOperations
  readonly service: ServiceIdentity
  readonly spender: Spender
  readonly lockFolder?: string
  /** The submission's name, `dcalab-…`. */
  readonly name: string
  /** The job it became; null = it never arrived, and its trial is planned again. */
  readonly jobId: string | null
  readonly signal?: AbortSignal
}

/**
 * Holds the lock of the key meanwhile, so no run can be waiting for the same answer.
 * @throws Failure notFound, usage, keyBusy, storeUnusable, or what reading the job ended in
 */
export async function resolveAttempt(resolution: Resolution): Promise<void> {
  const { store, service, lockFolder } = resolution
  const lock = holdLock(store, {
    identity: service.identity,
    ...(lockFolder === undefined ? {} : { folder: lockFolder }),
  })
  try {
    await settleByWord(resolution)
  } finally {
    lock.release()
  }
}

async function settleByWord({ store, client, spender, name, jobId, signal }: Resolution): Promise<void> {
  const attempt = unsettled(store, spender).find((candidate) => candidate.name === name)
  if (attempt === undefined) {
    throw new Failure('notFound', `No submission ${name} waits to be settled`, {
      hint: '`dcalab jobs resolve` lists those that do',
    })
  }
  const observation = jobId === null ? null : await readStranger({ store, client, spender, jobId, signal })
  const at = store.clock.wall()
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
