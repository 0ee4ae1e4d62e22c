/**
 * Results may change at a service after they were paid for. So a run reads a few of its study's once more, when nothing else is to be done: by id,
 * those that waited longest first. What a list shows otherwise is only a reason to read that one sooner.
 */
import { doubt } from '../analysis/doubts/doubts.ts'
import type { ResultChanges } from '../store/records.ts'
import {
  countRevised,
  listCheckable,
  readResultBody,
  readStoredMetrics,
  recordCheck,
} from '../store/revised-results.ts'
import { readJobs, type SeenJob } from './list.ts'
import { toObservation } from './observe.ts'
import type { OpenRun } from './open-run.ts'
import { compareResults } from './rereads.ts'

/** Notes jobs of a list whose numbers are not those that are stored. */
export function noteListed(run: OpenRun, jobs: readonly SeenJob[]): void {
  if (run.isOwn) return
  const shown = new Map(
    jobs.flatMap(({ job: { id, result } }) => (result === null ? [] : [[id, result.metrics] as const])),
  )
  const { identity } = run.spender
  const stored = readStoredMetrics(run.store, { identity, remoteIds: [...shown.keys()] })
  for (const [id, metrics] of stored) {
    const now = shown.get(id)
    if (now !== undefined && isChanged(compareResults(metrics, now))) run.rereads.noteListedOtherwise(id)
  }
}

/** Reads some of the results again and records what differs; says so once a run. */
export async function rereadResults(run: OpenRun): Promise<void> {
  const { store, system, recall } = run
  const { identity } = run.spender
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
  if (counts.revised > 0) run.talk.warnOnce('revisedResults', doubt('revisedResults', counts))
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
