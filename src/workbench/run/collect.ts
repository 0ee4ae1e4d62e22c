/** Looking: once over the whole list at the start, then at what runs, and at what the list no longer shows. */
import { doubt } from '../analysis/doubts/doubts.ts'
import { listUndecided } from '../store/attempts.ts'
import { type OpenJob, recordDeleted, recordMissing, recordObservations, recordStalled } from '../store/jobs.ts'
import { digest } from './digest.ts'
import { zoneErrorMs } from './find-submitted.ts'
import { readJobs, readList, type SeenJob } from './list.ts'
import { toObservation } from './observe.ts'
import type { OpenRun } from './open-run.ts'
import { noteListed } from './reread-results.ts'
import { stallsAfter } from './stalling.ts'

/** A second 404 this much later, and no trace in a complete list: deleted. */
const missingForMs = 60_000
/** Jobs that a wide list does not show are asked for by id, so many at a time. */
const mostMissing = 20

/**
 * The first look: everything that may still count against the allowance or is still open, back to the oldest submission without an outcome. Rebuilds the ledger where jobs are in the
 * list that the store does not know.
 */
export async function survey(run: OpenRun): Promise<void> {
  const now = run.clock.now()
  const open = run.recall.openJobs()
  const running = open.filter(({ state }) => state === 'running').map(({ submittedAt }) => submittedAt)
  const undecided = listUndecided(run.store, run.spender).map(({ openedAt }) => openedAt - zoneErrorMs)
  const since = Math.min(now - run.allowance.windowMs, ...running, ...undecided)
  const list = await readList(run, { since: Math.max(0, since) })
  if (list === undefined) return
  await digest(run, list.jobs)
  noteListed(run, list.jobs)
  const shown = new Set(list.jobs.map(({ job }) => job.id))
  const stalled = open.filter(({ state, remoteId }) => state === 'stalled' && !shown.has(remoteId))
  await askById(run, stalled)
  run.looks.noteSurvey(now)
}

/**
 * A look at what runs, and before a submission now and then at what others sent; answers how many ended. The list first, single jobs only
 * where the list does not show them.
 */
export async function poll(run: OpenRun, { submitting }: { submitting: boolean }): Promise<number> {
  const now = run.clock.now()
  const before = await listRunning(run, now)
  const isForOthers = run.looks.isListDue
  if (before.length === 0 && !isForOthers) return 0
  // One that was not found is looked for at once: only lists that would show it can confirm that it is gone.
  const isMissed = before.some(({ missingSince }) => missingSince !== null)
  const oldestSubmittedAt = before.at(0)?.submittedAt ?? now
  const sinceAll = run.looks.listSince
  const since = Math.min(
    run.looks.askSince(oldestSubmittedAt, { isMissed }),
    isForOthers ? sinceAll : Number.POSITIVE_INFINITY,
  )
  const isWide = since < oldestSubmittedAt
  const open = new Set(before.map(({ remoteId }) => remoteId))
  const list = await readList(run, {
    since: Math.max(0, since),
    ...(isForOthers
      ? {}
      : { enough: (seen: readonly SeenJob[]) => seen.filter(({ job }) => open.has(job.id)).length === open.size }),
  })
  if (list === undefined) return 0
  const ended = await digest(run, list.jobs)
  const shown = new Set(list.jobs.map(({ job }) => job.id))
  if (isWide && list.complete)
    await askById(
      run,
      before.filter(({ remoteId }) => !shown.has(remoteId)),
    )
  run.looks.noteLook(
    { ended, running: before.length - ended, submitting },
    { startedAt: now, now: run.clock.now(), oldestSubmittedAt, isWide },
  )
  // One that cannot be read whole would not become whole by being read again before each submission.
  if (isForOthers || (list.complete && since <= sinceAll)) run.looks.noteList(now)
  return ended
}

/**
 * Jobs that are waited for, oldest first. What has run too long has stalled and is set aside: the study goes on without it, and it is never
 * sent again by itself.
 */
async function listRunning(run: OpenRun, now: number): Promise<readonly OpenJob[]> {
  const running = () => run.recall.openJobs().filter(({ state }) => state === 'running')
  const jobs = running()
  if (jobs.length === 0) return jobs
  const longestMs = run.recall.longestJobMs()
  // As long as the service cannot be asked, nothing is known to hang.
  const before = (run.looks.sawAllAt ?? Number.NEGATIVE_INFINITY) - stallsAfter(longestMs)
  const stalled = jobs.filter(({ submittedAt }) => submittedAt < before)
  if (stalled.length === 0) return jobs
  await recordStalled(run.store, { ...run.spender, before })
  for (const { remoteId, submittedAt } of stalled) {
    const given = { job: remoteId, ranForMs: now - submittedAt, longestMs }
    run.talk.warnOnce(`stalledJob ${remoteId}`, doubt('stalledJob', given))
  }
  return running()
}

/** Jobs that the list did not show. Two 404s a minute apart beside it mean that a job was deleted. */
async function askById(run: OpenRun, jobs: readonly OpenJob[]): Promise<void> {
  const asked = jobs.slice(0, mostMissing)
  const read = await readJobs(
    run,
    asked.map(({ remoteId }) => remoteId),
  )
  const now = run.clock.now()
  for (const job of asked) {
    const seen = read.get(job.remoteId)
    if (seen === 'missing') {
      if (job.missingSince === null) await recordMissing(run.store, { jobId: job.id, at: now })
      else if (now - job.missingSince >= missingForMs) await recordDeleted(run.store, { jobId: job.id, at: now })
    } else if (seen !== undefined) {
      const observations = [toObservation(seen.job, seen.receivedAt)]
      await recordObservations(run.store, { identity: run.spender.identity, observations })
    }
  }
}
