/**
 * When to look at running jobs again. Few requests and fresh results pull in opposite directions: so the next look comes when about
 * half of what still runs should have ended, judging by the last one, and ever later while nothing ends.
 */

export interface PollPace {
  /** Between the last look and the next. */
  readonly intervalMs: number
  /** Looks in a row at which nothing had ended. */
  readonly quiet: number
}

export const FIRST_PACE: PollPace = { intervalMs: 2_000, quiet: 0 }

const shortestMs = 1_000
const longestMs = 45_000
/** While there is still work to submit, results can wait a little: the requests are better spent. */
const shortestWhileSubmittingMs = 5_000

export interface PollLook {
  /** Jobs that had ended since the last look. */
  readonly ended: number
  readonly running: number
  /** Since the last look. */
  readonly elapsedMs: number
  readonly submitting: boolean
}

export function nextPace(pace: PollPace, { ended, running, elapsedMs, submitting }: PollLook): PollPace {
  const floor = submitting ? shortestWhileSubmittingMs : shortestMs
  const wanted = ended === 0 ? pace.intervalMs * 1.5 : ((elapsedMs / ended) * running) / 2
  return { intervalMs: Math.min(longestMs, Math.max(floor, wanted)), quiet: ended === 0 ? pace.quiet + 1 : 0 }
}

/** Jobs that changed while the last page was read must not slip through between two looks. */
const overlapMs = 10_000
/** Services may mean "created since": every so often the question is wide enough for that reading too. */
const wideEvery = 4

/**
 * Since when jobs are asked for (ms, service time). Normally since the last look; now and then, while nothing ends, since the
 * oldest running job was submitted.
 */
export function pollSince(pace: PollPace, lookedAt: number | null, oldestSubmittedAt: number): number {
  const wide = oldestSubmittedAt - overlapMs
  if (lookedAt === null || (pace.quiet > 0 && pace.quiet % wideEvery === 0)) return wide
  return Math.max(wide, lookedAt - overlapMs)
}
