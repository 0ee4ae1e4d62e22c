/** Tells how far a run is, from what it has just looked at. */
import type { TrialStage } from '../store/readers.ts'
import { REQUEST_LIMITS } from '../store/request-log.ts'
import type { Snapshot } from './next-step.ts'
import type { OpenRun } from './open-run.ts'
import { foreseeAllowance, measure, waitsForAllowance } from './progress.ts'
import { findSlowJob } from './stalling.ts'
import { countTrials } from './summary.ts'

export function tellProgress(run: OpenRun, stages: ReadonlyMap<string, TrialStage>, seen: Snapshot): void {
  const { now } = seen
  const counts = countTrials(run, stages)
  const ended = counts.done + counts.failed
  const from = run.speedometer.measureFrom({ at: now, ended }, { isStarted: run.looks.surveyed })
  const spentAt = run.recall.spentAt(now)
  const todo = seen.halt === null ? Math.max(0, Math.min(seen.todo, seen.limitLeft, seen.budgetLeft)) : 0
  const { perSecond, leftMs } = measure({
    todo,
    running: counts.running,
    since: from.at,
    now,
    ended: ended - from.ended,
    lookedAt: run.looks.lookedAt,
    spentAt,
    ratePerMinute: run.options.ratePerMinute ?? REQUEST_LIMITS.count,
  })
  const { submittedInMs, ...outlook } = foreseeAllowance(spentAt, run.allowance, {
    now,
    todo,
    available: run.serviceAllowance.countAvailable({ spentAt, now }),
    reopening: seen.reopening,
  })
  const waitMs = submittedInMs === null ? null : Math.max(submittedInMs, leftMs ?? 0)
  const slowest = findSlowJob(run.recall.openJobs(), () => run.recall.longestJobMs(), now)
  run.talk.tell({
    kind: 'progress',
    ...counts,
    perSecond,
    ...outlook,
    leftMs: waitsForAllowance(outlook) ? waitMs : leftMs,
    ...(slowest === undefined ? {} : { slowest }),
  })
}
