/** Polling: the whole list once at the start, then what runs, and what the list no longer shows. */
import { METRIC_NAMES, type MetricsAsRead, metricValue } from '../../contract/metrics.ts'
import { warning } from '../analysis/warnings/warnings.ts'
import { findLastSending, listUndecided } from '../store/attempts.ts'
import { type OpenJob, recordDeleted, recordMissing, recordObservations, recordStalled } from '../store/jobs.ts'
import type { ResultChanges } from '../store/records.ts'
import {
  countRevised,
  listCheckable,
  readResultBody,
  readStoredMetrics,
  recordCheck,
} from '../store/revised-results.ts'
import { digest, missingForMs } from './digest.ts'
import { fingerprintOf, isSentName, readJobs, readList, type SeenJob, zoneErrorMs } from './list.ts'
import { type OpenRun, watch } from './open-run.ts'
import { toObservation } from './outcome-table.ts'
import { countRunning, stallsAfter } from './progress.ts'

/** Jobs that a wide list does not show are asked for by id, so many at a time. */
const mostMissing = 20

/**
 * The first reading of the list: everything that may still count against the allowance or is still open, back to the oldest submission
 * without an outcome; and what may have been paid for without this store. Rebuilds the ledger where jobs are in the list that the store does not know.
 */
export async function survey(run: OpenRun): Promise<void> {
  const now = run.clock.now()
  const open = run.recall.openJobs()
  const running = open.filter(({ state }) => state === 'running').map(({ submittedAt }) => submittedAt)
  const undecided = listUndecided(run.store, run.serviceAccount).map(({ openedAt }) => openedAt - zoneErrorMs)
  const counted = Math.min(now - run.allowance.windowMs, ...running, ...undecided)
  const since = Math.max(0, Math.min(counted, sinceLastSent(run)))
  const list = await readList(run, since === 0 ? {} : { since })
  if (list === undefined) return
  const jobs = list.jobs.filter((seen) => mayCount(seen, counted) || isOfStudy(seen))
  await digest(run, jobs)
  noteListed(run, jobs)
  const shown = new Set(jobs.map(({ job }) => job.id))
  const stalled = open.filter(({ state, remoteId }) => state === 'stalled' && !shown.has(remoteId))
  const longestUnseen = stalled.toSorted((a, b) => (a.lastSeenAt ?? 0) - (b.lastSeenAt ?? 0))
  await askById(run, longestUnseen, { mayBeGone: list.complete })
  run.polls.noteSurvey(now)
  await setAside(run)
}

/** Our clock and the service's may differ by as much. */
const clockErrorMs = 3_600_000

/** A store that is new here, or was restored from a backup, does not know what was paid for since the last run in which it sent anything. */
function sinceLastSent({ store, serviceAccount }: OpenRun): number {
  const last = findLastSending(store, serviceAccount)
  return last === undefined ? 0 : last - clockErrorMs
}

/** Whether a job may be one that still counts, or is open. What others sent before that does not. */
function mayCount({ job: { createdAt } }: SeenJob, since: number): boolean {
  return createdAt === null || createdAt >= since - zoneErrorMs
}

function isOfStudy({ job }: SeenJob): boolean {
  return isSentName(job.name) || fingerprintOf(job) !== undefined
}

/**
 * Polls what runs, and before a submission now and then what others sent; answers how many ended. The list first, single jobs only
 * where the list does not show them.
 */
export async function poll(run: OpenRun, { submitting }: { submitting: boolean }): Promise<number> {
  const now = run.clock.now()
  const before = listRunning(run)
  run.polls.noteRunning(before, run.system.clock.monotonic())
  const isForOthers = run.polls.isListDue
  if (before.length === 0 && !isForOthers) return 0
  // For a job that was not found the list is read at once: only a list that would show it can confirm that it is gone.
  const isMissed = before.some(({ missingSince }) => missingSince !== null)
  const oldestSubmittedAt = before.at(0)?.submittedAt ?? now
  const sinceAll = run.polls.listSince
  const since = Math.min(
    run.polls.askSince(oldestSubmittedAt, { isMissed }),
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
  const unseen = before.filter(({ remoteId }) => !shown.has(remoteId))
  if (isWide) {
    await askById(run, unseen, { mayBeGone: list.complete })
    await setAside(run)
  }
  run.polls.notePoll(
    { ended, running: before.length - ended, submitting },
    { startedAt: now, now: run.clock.now(), oldestSubmittedAt },
  )
  // A list that cannot be read whole is not read again before each submission: it would come out the same.
  if (isForOthers || (list.complete && since <= sinceAll)) run.polls.noteList(now)
  return ended
}

/** Jobs that are waited for, oldest first. */
function listRunning({ recall }: OpenRun): readonly OpenJob[] {
  return recall.openJobs().filter(({ state }) => state === 'running')
}

/**
 * What has run too long has stalled and is set aside: the study goes on without it, and it is never sent again by itself. Call when everything
 * was asked for: as long as the service cannot be asked, nothing is known to hang.
 */
async function setAside(run: OpenRun): Promise<void> {
  const running = listRunning(run)
  if (running.length === 0) return
  const longestMs = run.recall.longestJobMs()
  const stallsAfterMs = stallsAfter(longestMs)
  const stalled = running
    .map((job) => ({ ...job, ranForMs: countRunning(job, watch(run, job), stallsAfterMs) }))
    .filter(({ ranForMs }) => ranForMs > stallsAfterMs)
  if (stalled.length === 0) return
  const ids = stalled.map(({ id }) => id)
  await recordStalled(run.store, ids)
  for (const { remoteId, ranForMs } of stalled) {
    const given = { job: remoteId, ranForMs, longestMs }
    run.messages.warnOnce(`stalledJob ${remoteId}`, warning('stalledJob', given))
  }
}

/** Jobs that the list did not show. Two 404s a minute apart beside it mean that a job was deleted. @param mayBeGone the list was read whole */
async function askById(run: OpenRun, jobs: readonly OpenJob[], { mayBeGone } = { mayBeGone: true }): Promise<void> {
  const asked = jobs.slice(0, mostMissing)
  const read = await readJobs(
    run,
    asked.map(({ remoteId }) => remoteId),
  )
  const now = run.clock.now()
  for (const job of asked) {
    const seen = read.get(job.remoteId)
    if (seen === 'missing') {
      if (!mayBeGone) continue
      if (job.missingSince === null) await recordMissing(run.store, { jobId: job.id, at: now })
      else if (now - job.missingSince >= missingForMs) await recordDeleted(run.store, { jobId: job.id, at: now })
    } else if (seen !== undefined) {
      const observations = [toObservation(seen.job, seen.receivedAt)]
      await recordObservations(run.store, { identity: run.serviceAccount.identity, observations })
    }
  }
}

// Results may change at a service after they were paid for. So a run reads a few of its study's once more, when nothing else is to be done: by id,
// those that waited longest first. What a list shows otherwise is only a reason to read that one sooner.

/** Notes jobs of a list whose numbers are not those that are stored. */
export function noteListed(run: OpenRun, jobs: readonly SeenJob[]): void {
  if (run.isOwn) return
  const shown = new Map(
    jobs.flatMap(({ job: { id, result } }) => (result === null ? [] : [[id, result.metrics] as const])),
  )
  const { identity } = run.serviceAccount
  const stored = readStoredMetrics(run.store, { identity, remoteIds: [...shown.keys()] })
  for (const [id, metrics] of stored) {
    const now = shown.get(id)
    if (now !== undefined && isChanged(compareResults(metrics, now))) run.rereads.noteListedOtherwise(id)
  }
}

/** Metrics that both state and that differ by more than a rounding of one of them. Pure. */
export function compareResults(first: MetricsAsRead, later: MetricsAsRead): ResultChanges {
  return Object.fromEntries(
    METRIC_NAMES.flatMap((name) => {
      const [was, is] = [metricValue(first, name), metricValue(later, name)]
      return was === null || is === null || agree(was, is) ? [] : [[name, [was, is]]]
    }),
  )
}

/** Equal to the last digit of the one that is written with fewer: a list may round what a single job does not. */
function agree(a: number, b: number): boolean {
  const halfDigit = Number(`0.5e${-Math.min(decimalsOf(a), decimalsOf(b))}`)
  return Math.abs(a - b) <= halfDigit * (1 + 1e-9)
}

function decimalsOf(value: number): number {
  const [digits, exponent = '0'] = String(value).split('e')
  return (digits.split('.')[1]?.length ?? 0) - Number(exponent)
}

/** Reads some of the results again and records what differs; says so once a run. */
export async function rereadResults(run: OpenRun): Promise<void> {
  const { store, system, recall } = run
  const { identity } = run.serviceAccount
  const done = [...recall.stages()].filter(([, { state }]) => state === 'done')
  const attempts = done.map(([, { attemptId }]) => attemptId)
  const taken = run.rereads.take(() => listCheckable(store, { attempts, before: run.startedAt }))
  const read = await readJobs(
    run,
    taken.map(({ remoteId }) => remoteId),
  )
  for (const { jobId, remoteId } of taken) {
    const seen = read.get(remoteId)
    if (seen === undefined) continue // it could not be read: the next run tries again
    const found = seen === 'missing' ? null : findRevision(run, jobId, seen)
    await recordCheck(store, { jobId, at: system.clock.wall(), found })
  }
  const counts = countRevised(store, { identity, fingerprints: done.map(([trial]) => trial) })
  if (counts.revised > 0) run.messages.warnOnce('revisedResults', warning('revisedResults', counts))
}

/**
 * What a reply says otherwise than the one that the result was read from; null = nothing. Both are read by the present dialect, so that another
 * dialect is no revision. A job that computes again, or has no numbers any more, says nothing yet.
 */
function findRevision(run: OpenRun, jobId: number, { job, receivedAt }: SeenJob) {
  const body = readResultBody(run.store, jobId)
  const first = body === undefined ? null : run.client.rereadJob(body)
  if (first?.result == null || job.state !== 'done' || job.result === null) return null
  const changes = compareResults(first.result.metrics, job.result.metrics)
  return isChanged(changes) ? { observation: toObservation(job, receivedAt), changes } : null
}

function isChanged(changes: ResultChanges): boolean {
  return Object.keys(changes).length > 0
}
