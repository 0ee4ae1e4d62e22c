/** Judging the submission without an answer, once it cannot arrive any more: it is in the list, or it never was. */
import { findUnresolved, settleAttempt, type UnresolvedAttempt } from '../store/attempts.ts'
import { recordDeleted } from '../store/jobs.ts'
import { listForeignIds } from '../store/ledger.ts'
import { findTrial } from '../store/readers.ts'
import { adopt, digest } from './digest.ts'
import { readJobs, readList, type SeenList } from './list.ts'
import { stop } from './notes.ts'
import { recall } from './recall.ts'
import { findSubmitted } from './reconcile.ts'
import type { OpenRun } from './run-state.ts'

/** Absence takes two complete lists with this between them (less where settling is short). */
const secondLookMs = 60_000
/** Lists that lack jobs of ours are no evidence; after so many we leave the attempt to a later run. */
const mostDoubtfulLooks = 5
/** Jobs of ours that the list lacks are asked for by id, so many at a time: one that answers ends it. */
const mostAtOnce = 20

/**
 * What the last process left without an answer has none: it died between intent and outcome. A request cannot leave a dead process,
 * so it is settled from now on.
 */
export async function takeOverIntent(run: OpenRun): Promise<void> {
  const attempt = findUnresolved(run.store, run.spender)
  if (attempt?.state !== 'intent') return
  const now = run.clock.now()
  await settleAttempt(run.store, {
    attemptId: attempt.id,
    at: now,
    to: 'ambiguous',
    countedAt: now + run.settleMs,
    reason: 'the program ended before the answer came',
    reply: { status: null, code: null, text: null },
  })
}

/** When the unanswered submission may be judged (ms, service time); null when there is none. */
export function judgeAt(run: OpenRun): number | null {
  const attempt = recall(run).unresolved()
  if (attempt === undefined) return null
  if (run.knewTime) return Math.max(run.judgeAgainAt, (attempt.unsureSince ?? attempt.openedAt) + run.settleMs)
  // Where the service does not tell its time, the row's is our wall clock's, which may have stepped by years since: then only time that
  // passed before our eyes counts.
  const monotonic = run.system.clock.monotonic()
  if (run.unsure?.attemptId !== attempt.id) run.unsure = { attemptId: attempt.id, seenAt: monotonic }
  return Math.max(run.judgeAgainAt, run.clock.now() + run.unsure.seenAt + run.settleMs - monotonic)
}

/** One look at the complete list. */
export async function settleUnanswered(run: OpenRun): Promise<void> {
  const list = await readList(run)
  if (list === undefined) return
  await digest(run, list.jobs)
  const attempt = findUnresolved(run.store, run.spender)
  if (attempt === undefined) return // it went by its name
  if (!(await isEvidence(run, list))) return doubt(run)
  const known = recall(run).knownJobs()
  const foreign = listForeignIds(run.store, run.spender)
  const strangers = list.jobs.filter(({ job }) => !known.has(job.id) && !foreign.has(job.id))
  const trial = findTrial(run.store, attempt.fingerprint)
  if (trial === undefined) throw new Error(`Attempt ${attempt.name} has no trial`)
  const finding = findSubmitted(
    {
      name: attempt.name,
      openedAt: attempt.openedAt,
      arrivedBy: (attempt.unsureSince ?? attempt.openedAt) + run.settleMs,
      timesAgree: run.clock.isAnchored(),
      trial,
    },
    strangers.map(({ job }) => job),
  )
  switch (finding.kind) {
    case 'found': {
      const ids = new Set(finding.jobs.map(({ id }) => id))
      return adopt(
        run,
        attempt,
        strangers.filter(({ job }) => ids.has(job.id)),
      )
    }
    case 'absent':
      return noteAbsent(run, attempt)
    case 'unclear':
      return park(run, attempt, finding.candidates)
  }
}

async function noteAbsent(run: OpenRun, attempt: UnresolvedAttempt): Promise<void> {
  run.absentLooks++
  const now = run.clock.now()
  if (run.absentLooks < 2) {
    run.judgeAgainAt = now + Math.min(secondLookMs, run.settleMs / 5)
    return
  }
  await settleAttempt(run.store, { attemptId: attempt.id, at: now, to: 'absent' })
  forgetLooks(run)
  run.tell({
    kind: 'resolved',
    message: `the unanswered submission ${attempt.name} never arrived; it is planned again`,
  })
}

async function park(run: OpenRun, attempt: UnresolvedAttempt, candidates: readonly string[]): Promise<void> {
  const reason = `could be any of the jobs ${candidates.slice(0, 10).join(', ')}`
  await settleAttempt(run.store, { attemptId: attempt.id, at: run.clock.now(), to: 'parked', reason })
  forgetLooks(run)
  run.tell({ kind: 'unsure', message: `the unanswered submission ${attempt.name} ${reason}; only a person can tell` })
}

function forgetLooks(run: OpenRun): void {
  run.absentLooks = 0
  run.doubtfulLooks = 0
  run.judgeAgainAt = 0
}

/** A list proves absence only if it is complete and holds every job of ours that still exists. */
async function isEvidence(run: OpenRun, list: SeenList): Promise<boolean> {
  if (!list.complete) return false
  const shown = new Set(list.jobs.map(({ job }) => job.id))
  const hidden = [...recall(run).knownJobs().values()].filter((job) => job.listed && !shown.has(job.remoteId))
  if (hidden.length === 0) return true
  // Deleted by hand, perhaps: then they do not answer by id either. A list that hides one that does is no evidence.
  for (let from = 0; from < hidden.length; from += mostAtOnce) {
    const asked = hidden.slice(from, from + mostAtOnce)
    const read = await readJobs(
      run,
      asked.map(({ remoteId }) => remoteId),
    )
    if (asked.some(({ remoteId }) => read.get(remoteId) !== 'missing')) return false
    for (const { id, ended } of asked) {
      // One that had not ended takes two looks of its own to be given up (`collect.ts`).
      if (ended) await recordDeleted(run.store, { jobId: id, at: run.clock.now() })
    }
  }
  return hidden.every(({ ended }) => ended)
}

function doubt(run: OpenRun): void {
  run.doubtfulLooks++
  run.absentLooks = 0
  run.judgeAgainAt = run.clock.now() + secondLookMs
  if (run.doubtfulLooks < mostDoubtfulLooks) return
  run.judgeAgainAt = Number.POSITIVE_INFINITY
  const message = 'The job list lacks jobs of ours, so it cannot tell what became of a submission'
  stop(run, { by: 'unresolved', mayRead: true }, message)
}
