/** What the client read becomes what the store keeps. */
import type { JobReading } from '../api/reading/readings.ts'
import type { JobObservation } from '../store/observe-job.ts'

/** Unknown states count as running: they keep being polled. */
const STATES = {
  pending: 'running',
  unknown: 'running',
  done: 'done',
  failed: 'failed',
  deleted: 'gone',
} as const satisfies Record<JobReading['state'], JobObservation['state']>

/** `receivedAt`: ms UTC of our clock. */
export function toObservation(job: JobReading, receivedAt: number): JobObservation {
  return {
    remoteId: job.id,
    name: job.name,
    state: STATES[job.state],
    remoteState: job.stateText === '' ? null : job.stateText,
    finishedAt: job.finishedAt,
    failure: job.state === 'failed' ? (job.error ?? 'failed without a reason') : null,
    body: job.rawText,
    receivedAt,
    result: job.result,
  }
}
