/** Finding out what became of the submission without an answer, once it cannot arrive any more: it is in the list, or it never was. */
import { shellWord } from '../../errors.ts'
import { parseLossless } from '../api/lossless-json.ts'
import { saysItFailed } from '../api/reading/spoken-refusal.ts'
import {
  describeOldJob,
  findUnresolved,
  listUndecided,
  settleAttempt,
  type UnresolvedAttempt,
} from '../store/attempts.ts'
import { recordDeleted } from '../store/jobs.ts'
import { findKnownJob, readKnownJobs } from '../store/known-jobs.ts'
import { listForeignIds } from '../store/ledger.ts'
import { findSuccess } from '../store/service-replies.ts'
import { adopt, digest, seekerOf } from './digest.ts'
import { findSubmitted, readJobs, readList, type SeenList, soughtOf } from './list.ts'
import type { OpenRun } from './open-run.ts'
import { stop } from './submit.ts'

/** Jobs of ours that the list lacks are asked for by id, so many at a time: one that answers ends it. */
const mostAtOnce = 20

/**
 * What the last process left without an answer has none: it died between intent and outcome. A request cannot leave a dead process,
 * so it is settled from now on.
 */
export async function takeOverIntent(run: OpenRun): Promise<void> {
  const attempt = findUnresolved(run.store, run.serviceAccount)
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

/** An answer that was not understood when it came may be read by the dialect of now: then the submission is that job, whatever lists show. */
export async function rereadAnswers(run: OpenRun): Promise<void> {
  for (const attempt of listUndecided(run.store, run.serviceAccount)) {
    const answer = findSuccess(run.store, attempt.id)
    const job = answer === undefined ? null : run.client.rereadJob(answer.text)
    if (job === null || findKnownJob(run.store, run.serviceAccount, job.id) !== undefined) continue
    await adopt(run, attempt, [{ job, receivedAt: run.clock.now() }])
  }
}

/** When the list may be asked about the unanswered submission (ms, service time); null when there is none. */
export function reconcileAt(run: OpenRun): number | null {
  const attempt = run.recall.unresolved()
  if (attempt === undefined) return null
  return run.unanswered.searchAt(attempt, { now: run.clock.now(), monotonic: run.system.clock.monotonic() })
}

/** Searches the complete list once. */
export async function reconcileUnanswered(run: OpenRun): Promise<void> {
  const list = await readList(run, { purpose: 'reconciliation' })
  if (list === undefined) return
  await digest(run, list.jobs)
  const attempt = findUnresolved(run.store, run.serviceAccount)
  if (attempt === undefined) return // it went by its name
  if (!(await isEvidence(run, list))) return notePoorList(run, attempt)
  const known = readKnownJobs(run.store, run.serviceAccount)
  const foreign = listForeignIds(run.store, run.serviceAccount)
  const unknownJobs = list.jobs.filter(({ job }) => !known.has(job.id) && !foreign.has(job.id))
  const sought = soughtOf(run.store, attempt, seekerOf(run, list.jobs))
  const finding = findSubmitted(
    sought,
    unknownJobs.map(({ job }) => job),
  )
  switch (finding.kind) {
    case 'found': {
      const ids = new Set(finding.jobs.map(({ id }) => id))
      return adopt(
        run,
        attempt,
        unknownJobs.filter(({ job }) => ids.has(job.id)),
      )
    }
    case 'absent':
      return noteAbsent(run, attempt)
    case 'unclear': {
      const { candidates } = finding
      const reason = `could be any of the jobs ${candidates.slice(0, 10).join(', ')}`
      return setAside(run, attempt, { reason, candidates })
    }
  }
}

async function noteAbsent(run: OpenRun, attempt: UnresolvedAttempt): Promise<void> {
  const now = run.clock.now()
  if (!run.unanswered.noteAbsent(attempt, now)) return
  const answer = acceptedBy(run, attempt)
  if (answer !== null) {
    return setAside(run, attempt, { reason: answer, candidates: [] })
  }
  await settleAttempt(run.store, { attemptId: attempt.id, at: now, to: 'absent' })
  run.messages.emit({
    kind: 'resolved',
    message: `the submission ${attempt.name} never arrived; it is planned again`,
  })
}

/** An answer that said yes, and did not say that it failed. Such a submission is not sent again on the word of a list alone. */
function acceptedBy({ store, client, serviceAccount }: OpenRun, { id }: UnresolvedAttempt): string | null {
  const answer = findSuccess(store, id)
  const json = parseLossless(answer?.text ?? '')
  if (answer === undefined || json === undefined || saysItFailed(json.value)) return null
  const job = client.rereadJob(answer.text)
  const known = job === null ? undefined : findKnownJob(store, serviceAccount, job.id)
  if (known !== undefined)
    return `${describeOldJob(known.remoteId, known.fingerprint)}, and the list shows no other for it`
  return `was answered with HTTP ${answer.status} and unreadable text, and the list does not show it`
}

interface Undecided {
  readonly reason: string
  readonly candidates: readonly string[]
}

async function setAside(run: OpenRun, attempt: UnresolvedAttempt, { reason, candidates }: Undecided): Promise<void> {
  await settleAttempt(run.store, { attemptId: attempt.id, at: run.clock.now(), to: 'undecided', reason })
  run.messages.emit({
    kind: 'unsure',
    message:
      `the submission ${attempt.name} ${reason}; decide: ` +
      [...candidates.slice(0, 3).map((id) => `--job ${shellWord(id)}`), '--absent']
        .map((word) => `\`dcalab service jobs resolve ${attempt.name} ${word}\``)
        .join(' or '),
  })
}

/** A list proves absence only if it is complete and holds every job of ours that still exists. */
async function isEvidence(run: OpenRun, list: SeenList): Promise<boolean> {
  if (!list.complete) return false
  const shown = new Set(list.jobs.map(({ job }) => job.id))
  const hidden = [...readKnownJobs(run.store, run.serviceAccount).values()].filter(
    (job) => job.listed && !shown.has(job.remoteId),
  )
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
      // One that had not ended takes two polls of its own to be given up (`collect.ts`).
      if (ended) await recordDeleted(run.store, { jobId: id, at: run.clock.now() })
    }
  }
  return hidden.every(({ ended }) => ended)
}

function notePoorList(run: OpenRun, attempt: UnresolvedAttempt): void {
  if (!run.unanswered.notePoorList(attempt, run.clock.now())) return
  const message = 'The job list lacks known jobs, so it cannot show what happened to a submission'
  stop(run, { by: 'unresolved', mayRead: true }, message)
}
