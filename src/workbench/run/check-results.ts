/**
 * The first result of a service that is not ours. Until one is stored whose numbers agree with each other, one job at a time is on its way:
 * amounts that are read a thousandfold wrong are then said before a second unit is spent on them, unless the first job takes longer than
 * it is waited for.
 */
import { doubt } from '../analysis/doubts/doubts.ts'
import { findInconsistencies, type Inconsistency } from '../analysis/doubts/find-inconsistencies.ts'
import { listLatestDone } from '../store/jobs.ts'
import { readTried } from '../store/readers.ts'
import { stop } from './notes.ts'
import type { OpenRun } from './open-run.ts'

/** A service may take long: its first job is waited for alone so long, ms; 100 submissions still go out within 5 minutes. */
const longestAloneMs = 3 * 60_000
/**
 * As long as the list does not show it, it is waited for no longer than absence takes to be proved (`unanswered.ts`, a minute between two
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
  const latest = listLatestDone(store, run.spender, mostChecked)
  if (latest.length === 0 || !firstResult.isNews(latest[0].id)) return
  const checked = latest.map(({ fingerprint }) => checkTrial(run, fingerprint))
  const contradiction = checked.find((found) => found !== 'agrees' && found !== 'unread')
  if (checked.includes('agrees') || (contradiction === undefined && checked.length >= enoughUnread)) {
    firstResult.noteRead()
  } else if (contradiction !== undefined) {
    const found = doubt('inconsistentNumbers', contradiction)
    if (options.anyway) run.talk.warnOnce(found.code, found)
    else stop(run, { by: 'inconsistent', mayRead: true }, `${found.message}; ${REMEDY}`)
  }
}

const REMEDY =
  'nothing more is sent before a dialect reads it right (`dcalab store reread` reads again), or `run --anyway` goes on'

function checkTrial(run: OpenRun, fingerprint: string): Inconsistency | 'agrees' | 'unread' {
  const trial = readTried(run.store, fingerprint).find(
    ({ identity, state }) => identity === run.spender.identity && state === 'done',
  )
  if (trial === undefined || trial.metrics === null) return 'unread'
  const found = findInconsistencies(trial).at(0)
  return found ?? (trial.metrics.netProfit === null ? 'unread' : 'agrees')
}
