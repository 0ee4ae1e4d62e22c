/**
 * When a job that does not end is no longer waited for: after a multiple of what this service's jobs take. As long as jobs end one after
 * the other, the longest of them grows with the queue, so that a queue is never taken for a standstill. Times: ms, service time.
 */
import type { OpenJob } from '../store/jobs.ts'

const timesTheLongest = 20
const stallsAfterMs = { atLeast: 3_600_000, atMost: 24 * 3_600_000 } as const
/** A job is slow, and that is said, once it has run for this many times the longest, or for a few minutes where none has ended yet. */
const slowTimesTheLongest = 5
const slowAfterMs = 5 * 60_000

/** `longestMs`: what the longest of the service's latest jobs took; null = none has ended yet. */
export function stallsAfter(longestMs: number | null): number {
  const { atLeast, atMost } = stallsAfterMs
  return longestMs === null ? atMost : Math.min(atMost, Math.max(atLeast, timesTheLongest * longestMs))
}

/** The oldest job that runs, once it takes longer than jobs of this service usually do. */
export interface SlowJob {
  readonly runsForMs: number
  readonly longestMs: number | null
  /** When it is given up, unless another job has taken longer by then. */
  readonly stallsAt: number
}

/** `open`: oldest first; undefined while nothing takes unusually long. */
export function findSlowJob(
  open: readonly OpenJob[],
  longestMs: () => number | null,
  now: number,
): SlowJob | undefined {
  const oldest = open.find(({ state }) => state === 'running')
  const runsForMs = oldest === undefined ? 0 : now - oldest.submittedAt
  if (oldest === undefined || runsForMs < slowAfterMs) return undefined
  const longest = longestMs()
  if (longest !== null && runsForMs < slowTimesTheLongest * longest) return undefined
  return { runsForMs, longestMs: longest, stallsAt: oldest.submittedAt + stallsAfter(longest) }
}
