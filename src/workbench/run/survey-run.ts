/** Where a run stands at this moment: what is left to do, and the snapshot that `next-step.ts` decides from. */

import { findInconsistencies, type Inconsistency } from '../analysis/warnings/find-inconsistencies.ts'
import { warning } from '../analysis/warnings/warnings.ts'
import { listLatestDone } from '../store/jobs.ts'
import { readTried, type TrialStage } from '../store/readers.ts'
import type { Trial } from '../study/study.ts'
import { countJobs } from './ask-search.ts'
import { budgetLeft } from './estimate.ts'
import { isInPart } from './labs.ts'
import type { Snapshot } from './next-step.ts'
import type { OpenRun } from './open-run.ts'
import { reconcileAt } from './reconcile.ts'
import { stop } from './submit.ts'

/** Trials of this run's part never sent, or set free again, in grid order; with `rerun` also those that ended before this run, with `retryRejected` those of them that were rejected. */
export function findTodo(run: OpenRun, stages: ReadonlyMap<string, TrialStage>): readonly Trial[] {
  const { part } = run.options
  return run.workQueue.trials.filter((trial) => {
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
export function surveyRun(run: OpenRun, todo: readonly Trial[]): Snapshot {
  const { options, serviceAllowance } = run
  const now = run.clock.now()
  const openJobs = run.recall.openJobs()
  const running = openJobs.filter(({ state }) => state === 'running').length
  const rows = { now, spentAt: run.recall.spentAt(now) }
  // What is held back is sent as one, so that room for it is looked for before it is written down.
  const wanted = todo.length + countJobs(run.workQueue.held)
  if (wanted > 0) serviceAllowance.askFirst(rows)
  return {
    now,
    halt: run.runStop.halt,
    surveyed: run.polls.surveyed,
    quietUntil: run.retryBackoff.quietUntil,
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
    pollAt: run.polls.nextAt,
    isListDue: run.polls.isListDue,
    isRereadDue: !run.isOwn && run.rereads.isDue,
    leftOver: openJobs.length - running + run.recall.undecided(),
    searchEnd: run.workQueue.stoppedBy,
  }
}

// The first result of a service that is not ours. Until one is stored whose numbers agree with each other, one job at a time is on its way:
// amounts that are read a thousandfold wrong are then said before a second unit is spent on them, unless the first job takes longer than
// it is waited for.

/** A service may take long: its first job is waited for alone so long, ms; 100 submissions still go out within 5 minutes. */
const longestAloneMs = 3 * 60_000
/**
 * As long as the list does not show it, it is waited for no longer than absence takes to be proved (`run-state.ts`, a minute between two
 * lists): of a list that lags, a job that is much older than the next one would say nothing.
 */
const longestUnlistedMs = 50_000
/** Without an amount that can be read, so many results show as little as one. */
const enoughUnread = 3
const mostChecked = 20

/**
 * Nothing is submitted before (ms, service time); 0 = nothing is waited for. It is the oldest job that is waited for: those that are sent
 * after it do not make the wait any longer.
 */
export function aloneUntil({ firstResult, recall, options }: OpenRun): number {
  if (!firstResult.isAwaited || options.anyway) return 0
  const ends = recall
    .openJobs()
    .filter(({ state }) => state === 'running')
    .map(
      ({ remoteId, submittedAt }) =>
        submittedAt + (firstResult.isListed(remoteId) ? longestAloneMs : longestUnlistedMs),
    )
  return ends.length === 0 ? 0 : Math.min(...ends)
}

/** Looks at what is stored; stops the run where no result agrees with itself. */
export function checkResults(run: OpenRun): void {
  const { firstResult, store, options } = run
  if (!firstResult.isAwaited) return
  const latest = listLatestDone(store, run.serviceAccount, mostChecked)
  if (latest.length === 0 || !firstResult.isNews(latest[0].id)) return
  const checked = latest.map(({ fingerprint }) => checkTrial(run, fingerprint))
  const contradiction = checked.find((found) => found !== 'agrees' && found !== 'unread')
  if (checked.includes('agrees') || (contradiction === undefined && checked.length >= enoughUnread)) {
    firstResult.noteRead()
  } else if (contradiction !== undefined) {
    const found = warning('inconsistentNumbers', contradiction)
    if (options.anyway) run.messages.warnOnce(found.code, found)
    else stop(run, { by: 'inconsistent', mayRead: true }, `${found.message}; ${REMEDY}`)
  }
}

const REMEDY = 'correct the dialect and run `dcalab store reread`, or continue with `run --anyway`'

function checkTrial(run: OpenRun, fingerprint: string): Inconsistency | 'agrees' | 'unread' {
  const trial = readTried(run.store, fingerprint).find(
    ({ identity, state }) => identity === run.serviceAccount.identity && state === 'done',
  )
  if (trial === undefined || trial.metrics === null) return 'unread'
  const found = findInconsistencies(trial).at(0)
  return found ?? (trial.metrics.netProfit === null ? 'unread' : 'agrees')
}
