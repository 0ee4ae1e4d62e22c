/** Tells how far a run is, from what it has just looked at. */
import type { OutcomeRecord } from '../store/readers.ts'
import { REQUEST_LIMITS } from '../store/request-log.ts'
import { countAvailable } from './limits.ts'
import type { Snapshot } from './plan.ts'
import { foreseeAllowance, measure, waitsForAllowance } from './progress.ts'
import { recallSpent } from './recall.ts'
import type { OpenRun } from './run-state.ts'
import { countTrials } from './summary.ts'

export function tellProgress(run: OpenRun, outcomes: ReadonlyMap<string, OutcomeRecord>, seen: Snapshot): void {
  const { now } = seen
  const counts = countTrials(run, outcomes)
  const settled = counts.done + counts.failed
  // What the first look finds ended before; it is not this run's speed.
  if (run.surveyed) run.measuredFrom ??= { at: now, settled }
  const from = run.measuredFrom ?? { at: now, settled }
  const spentAt = recallSpent(run, now)
  const todo = seen.halt === null ? Math.max(0, Math.min(seen.todo, seen.limitLeft)) : 0
  const { perSecond, leftMs } = measure({
    todo,
    running: counts.running,
    since: from.at,
    now,
    ended: settled - from.settled,
    lookedAt: run.lookedAt,
    spentAt,
    ratePerMinute: run.options.ratePerMinute ?? REQUEST_LIMITS.count,
  })
  const { windows, reopensAt, submittedInMs } = foreseeAllowance(spentAt, run.allowance, {
    now,
    todo,
    available: countAvailable(run, spentAt, now),
    opensAt: Math.max(seen.opensAt, seen.fullUntil ?? 0),
  })
  const isWait = waitsForAllowance({ windows, reopensAt })
  const waitMs = submittedInMs === null ? null : Math.max(submittedInMs, leftMs ?? 0)
  run.tell({ kind: 'progress', ...counts, perSecond, windows, reopensAt, leftMs: isWait ? waitMs : leftMs })
}
