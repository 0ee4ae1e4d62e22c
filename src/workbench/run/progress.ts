/** How far a run is, how fast it goes, and how long the rest takes. Pure arithmetic on counts and times. */
import type { OpenJob } from '../store/jobs.ts'
import { type Allowance, countWindows, finishAt, type Reopening, type ReopeningSource } from './allowance.ts'

interface TrialCounts {
  readonly total: number
  readonly done: number
  readonly failed: number
  readonly running: number
}

/** What the allowance makes of trials that are still to be submitted. */
export interface AllowanceOutlook {
  /** Windows it takes, the present one included as long as it has room; null while a full service does not say until when. */
  readonly windows: number | null
  /** When the next submission fits, ms; null when one fits now, when none is to come, or when none ever fits. */
  readonly reopensAt: number | null
  /** Where `reopensAt` comes from; null where it is. */
  readonly source: ReopeningSource | null
  /** Until the last one fits, ms; null when it never does, or while a full service does not say until when. */
  readonly submittedInMs: number | null
}

export interface Progress extends TrialCounts, Pick<AllowanceOutlook, 'windows' | 'reopensAt' | 'source'> {
  /** Trials a second that end or, before the first has ended, that are submitted; null while there is none of either. */
  readonly perSecond: number | null
  /** Until the last trial has ended, ms; null while nothing shows it. */
  readonly leftMs: number | null
  /** Absent while no job takes unusually long. */
  readonly slowest?: SlowJob
}

/** `available` fit now, or none before it reopens: by our ledger, or by the service's word where it differs. `spentAt`: as in `nextOpening`. */
export function foreseeAllowance(
  spentAt: readonly number[],
  allowance: Allowance,
  given: {
    readonly now: number
    readonly todo: number
    readonly available: number
    readonly reopening: Reopening | null
  },
): AllowanceOutlook {
  const { now, todo, reopening } = given
  if (todo === 0) return { windows: 0, reopensAt: null, source: null, submittedInMs: 0 }
  const when = { reopensAt: reopening?.at ?? null, source: reopening?.source ?? null }
  if (reopening?.source === 'recheck') return { ...when, windows: null, submittedInMs: null }
  const last = Math.max(reopening?.at ?? now, finishAt(spentAt, allowance, now, todo))
  return {
    ...when,
    windows: countWindows(todo, reopening === null ? given.available : 0, allowance.count),
    submittedInMs: Number.isFinite(last) ? last - now : null,
  }
}

/** What must be waited for cannot be seen from how fast it goes. */
export function waitsForAllowance({ windows, reopensAt }: Pick<Progress, 'windows' | 'reopensAt'>): boolean {
  return windows === null || windows > 1 || reopensAt !== null
}

export interface Speed {
  readonly todo: number
  readonly running: number
  /** Since when speed is measured: the start, or the end of a long wait. All times ms of one clock. */
  readonly since: number
  readonly now: number
  /** Trials that ended since then, as the last poll showed. */
  readonly ended: number
  readonly polledAt: number | null
  readonly spentAt: readonly number[]
  readonly ratePerMinute: number
}

const minuteMs = 60_000

/** Submissions are measured over a minute, because pauses between them come and go; results since the start, because they come in heaps. */
export function measure(speed: Speed): Pick<Progress, 'perSecond' | 'leftMs'> {
  const { todo, running, since, now, ended, polledAt, spentAt, ratePerMinute } = speed
  const from = Math.max(since, now - minuteMs)
  const sent = spentAt.filter((at) => at > from).length
  const sentPerMs = sent > 0 && now > from ? sent / (now - from) : null
  const endedPerMs = ended > 0 && polledAt !== null && polledAt > since ? ended / (polledAt - since) : null
  // A burst is over when the minute is full.
  const steadyPerMs = sent + todo > ratePerMinute ? ratePerMinute / minuteMs : Number.POSITIVE_INFINITY
  const submitMs = todo === 0 || sentPerMs === null ? null : todo / Math.min(sentPerMs, steadyPerMs)
  const collectMs = todo + running === 0 || endedPerMs === null ? null : (todo + running) / endedPerMs
  const perMs = endedPerMs ?? sentPerMs
  const isUnknown = todo > 0 ? submitMs === null : collectMs === null
  return {
    perSecond: perMs === null ? null : perMs * 1000,
    leftMs: isUnknown ? null : Math.max(submitMs ?? 0, collectMs ?? 0),
  }
}

// When a job that does not end is no longer waited for: after a multiple of what this service's jobs take. As long as jobs end one after
// the other, the longest of them grows with the queue, so that a queue is never taken for a standstill. Times: ms, service time.

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
