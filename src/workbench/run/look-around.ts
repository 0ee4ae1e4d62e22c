/** Where a run stands at this moment: what is left to do, and the snapshot that `next-step.ts` decides from. */
import type { TrialStage } from '../store/readers.ts'
import type { Trial } from '../study/study.ts'
import { budgetLeft } from './agent-budget.ts'
import { countJobs } from './ask-search.ts'
import { aloneUntil } from './check-results.ts'
import { isInPart } from './labs.ts'
import type { Snapshot } from './next-step.ts'
import type { OpenRun } from './open-run.ts'
import { reconcileAt } from './reconcile.ts'

/** Trials of this run's part never sent, or set free again, in grid order; with `rerun` also those that ended before this run, with `retryRejected` those of them that were rejected. */
export function findTodo(run: OpenRun, stages: ReadonlyMap<string, TrialStage>): readonly Trial[] {
  const { part } = run.options
  return run.agenda.trials.filter((trial) => {
    if (part !== undefined && !isInPart(trial, part)) return false
    const { fingerprint } = trial
    const stage = stages.get(fingerprint)
    if (stage === undefined) return true
    const isOver = ['done', 'failed', 'gone', 'stalled'].includes(stage.state)
    const isAskedAgain = run.options.rerun === true || (run.options.retryRejected === true && stage.isRejected)
    return isAskedAgain && isOver && stage.attemptId <= run.lastAttemptBefore
  })
}

/** What the next step is decided from. */
export function lookAround(run: OpenRun, todo: readonly Trial[]): Snapshot {
  const { options, serviceAllowance } = run
  const now = run.clock.now()
  const openJobs = run.recall.openJobs()
  const running = openJobs.filter(({ state }) => state === 'running').length
  const rows = { now, spentAt: run.recall.spentAt(now) }
  // What is held back is sent as one, so that room for it is looked for before it is written down.
  const wanted = todo.length + countJobs(run.agenda.held)
  if (wanted > 0) serviceAllowance.askFirst(rows)
  return {
    now,
    halt: run.brake.halt,
    surveyed: run.looks.surveyed,
    quietUntil: run.patience.quietUntil,
    todo: wanted,
    limitLeft: (options.limit ?? Number.POSITIVE_INFINITY) - run.tally.sent,
    budgetLeft: budgetLeft(run),
    aloneUntil: aloneUntil(run),
    opensAt: serviceAllowance.opensAt(rows),
    heardAt: run.clock.heardAt(),
    probeAt: serviceAllowance.probeAt,
    reopening: serviceAllowance.reopening(rows),
    wait: options.wait ?? false,
    reconcileAt: reconcileAt(run),
    running,
    pollAt: run.looks.nextAt,
    isListDue: run.looks.isListDue,
    isRereadDue: !run.isOwn && run.rereads.isDue,
    leftOver: openJobs.length - running + run.recall.parked(),
    searchEnd: run.agenda.stoppedBy,
  }
}
