/**
 * Taking in what a list says: known jobs get their news, an unanswered submission may turn up, and jobs the store does not know are
 * told apart — a second delivery, a trial somebody already paid for, or a stranger that only uses up allowance.
 */
import { doubt } from '../analysis/doubts/doubts.ts'
import type { JobReading } from '../api/reading/readings.ts'
import { findAttemptByName, findUnresolved, settleAttempt } from '../store/attempts.ts'
import { adoptFoundJob, type FoundJob, recordDuplicateJob } from '../store/found-jobs.ts'
import { recordObservations } from '../store/jobs.ts'
import { type KnownJob, readKnownJobs } from '../store/known-jobs.ts'
import { recordForeignJobs } from '../store/ledger.ts'
import type { JobObservation } from '../store/observe-job.ts'
import { readStages } from '../store/readers.ts'
import { NO_SETTINGS } from '../store/settings.ts'
import { NOTHING_KNOWN, type Settings } from '../study/settings.ts'
import { settingsAgree } from '../study/settings-agree.ts'
import { fingerprintOf } from './find-submitted.ts'
import { readJobs, type SeenJob } from './list.ts'
import { toObservation } from './observe.ts'
import { askedOn, type OpenRun } from './open-run.ts'
import { warnOfSettings } from './settings-doubts.ts'

/** Answers how many known jobs ended by it. */
export async function digest(run: OpenRun, seen: readonly SeenJob[]): Promise<number> {
  const known = knownAmong(run, seen)
  const ours = seen.filter(({ job }) => known.has(job.id))
  run.firstResult.noteListed(ours.map(({ job }) => job.id))
  const strangers = seen.filter(({ job }) => !known.has(job.id))
  // News last: as long as a job of ours has not ended, the next start looks again at what came before it here.
  await takeUnanswered(run, strangers)
  await tellApart(run, strangers)
  return takeNews(run, ours, known)
}

/** Those of the jobs that are in the store, by the service's id. */
function knownAmong({ store, spender }: OpenRun, seen: readonly SeenJob[]): ReadonlyMap<string, KnownJob> {
  return readKnownJobs(
    store,
    spender,
    seen.map(({ job }) => job.id),
  )
}

async function takeNews(run: OpenRun, ours: readonly SeenJob[], known: ReadonlyMap<string, KnownJob>): Promise<number> {
  for (const { job } of ours) {
    if (job.state === 'unknown')
      run.talk.warnOnce(`unknownState ${job.stateText}`, doubt('unknownState', { word: job.stateText }))
  }
  const news = ours.filter(({ job }) => known.get(job.id)?.ended === false || job.state === 'deleted')
  return recordObservations(run.store, { identity: run.spender.identity, observations: await completed(run, news) })
}

/** Lists may leave results and reasons out; then a job that ended is read by its id, once, and what that says is final. */
async function completed(run: OpenRun, seen: readonly SeenJob[]): Promise<JobObservation[]> {
  const isBare = ({ state, result, error }: JobReading) =>
    (state === 'done' && result === null) || (state === 'failed' && error === null)
  const bare = seen.filter(({ job }) => isBare(job))
  const read = await readJobs(
    run,
    bare.map(({ job }) => job.id),
  )
  const bareIds = new Set(bare.map(({ job }) => job.id))
  return seen.flatMap((listed) => {
    const single = read.get(listed.job.id)
    // Not read this time: the next look tries again, so that no result is lost to one failed read.
    if (bareIds.has(listed.job.id) && single === undefined) return []
    const { job, receivedAt } = single === undefined || single === 'missing' ? listed : single
    warnOfSettings(run, job)
    return [toObservation(job, receivedAt)]
  })
}

/** A job that goes by the name of the unanswered submission proves that it arrived; no waiting needed. */
async function takeUnanswered(run: OpenRun, strangers: readonly SeenJob[]): Promise<void> {
  const attempt = findUnresolved(run.store, run.spender)
  if (attempt === undefined) return
  const named = strangers.filter(({ job }) => job.name === attempt.name)
  if (named.length > 0) await adopt(run, attempt, named)
}

/** Adopts the jobs, earliest first, as what became of an unanswered submission. */
export async function adopt(
  run: OpenRun,
  attempt: { readonly id: number; readonly name: string; readonly fingerprint: string },
  found: readonly SeenJob[],
): Promise<void> {
  const byCreation = [...found].sort((a, b) => (a.job.createdAt ?? 0) - (b.job.createdAt ?? 0))
  await settleAttempt(run.store, {
    attemptId: attempt.id,
    at: run.clock.now(),
    to: 'adopted',
    jobs: await completedOrRunning(run, byCreation),
  })
  run.tally.noteArrived(attempt.fingerprint)
  run.talk.tell({ kind: 'resolved', message: `the unanswered submission ${attempt.name} did arrive` })
  if (byCreation.length > 1) warnOfDuplicate(run, attempt.name)
}

/** As `completed`, but every job is kept: one whose result could not be read yet counts as running. */
async function completedOrRunning(run: OpenRun, seen: readonly SeenJob[]): Promise<JobObservation[]> {
  const observations = await completed(run, seen)
  return seen.map(
    ({ job, receivedAt }) =>
      observations.find(({ remoteId }) => remoteId === job.id) ?? {
        ...toObservation(job, receivedAt),
        state: 'running',
      },
  )
}

async function tellApart(run: OpenRun, strangers: readonly SeenJob[]): Promise<void> {
  const { store, spender, study } = run
  const known = knownAmong(run, strangers)
  const unresolved = findUnresolved(store, spender)
  const planned = new Map(run.agenda.trials.map((trial) => [trial.fingerprint, trial]))
  const foreign: SeenJob[] = []
  let found = 0
  for (const seen of strangers) {
    const { job } = seen
    if (known.has(job.id)) continue // adopted a moment ago
    const attempt =
      job.name === null ? undefined : findAttemptByName(store, { identity: spender.identity, name: job.name })
    const fingerprint = attempt?.fingerprint ?? fingerprintOf(job)
    // It may be the unanswered submission itself; reconciling will tell.
    if (unresolved !== undefined && (fingerprint === unresolved.fingerprint || job.name === null)) continue
    const trial = fingerprint === undefined ? undefined : planned.get(fingerprint)
    const asked = trial === undefined ? NO_SETTINGS : askedOn(run, trial.market)
    if (
      trial !== undefined &&
      readStages(store, { ...spender, fingerprints: [trial.fingerprint], settings: asked.settings }).size === 0 &&
      isSameQuestion(asked.settings, job) &&
      job.state !== 'deleted' &&
      !run.options.rerun
    ) {
      await adoptFoundJob(store, {
        ...(await describe(run, trial.fingerprint, seen)),
        account: spender.account,
        study: study.name,
        settingsId: asked.id,
        runId: run.runId,
      })
      found++
    } else if (attempt !== undefined) {
      await recordDuplicateJob(store, { ...(await describe(run, attempt.fingerprint, seen)), attemptId: attempt.id })
      warnOfDuplicate(run, job.name ?? job.id)
    } else {
      foreign.push(seen)
    }
  }
  if (found > 0) run.talk.tell({ kind: 'found', message: `${found} trials were already submitted to this service` })
  const jobs = foreign.map(({ job }) => ({ remoteId: job.id, name: job.name, countedAt: countedAt(run, job) }))
  if (jobs.length > 0) await recordForeignJobs(store, { ...spender, jobs })
}

/** Whether a job was asked to be computed under the settings of this run, as far as it tells. */
function isSameQuestion(asked: Settings, { request, result }: JobReading): boolean {
  const told = { ...NOTHING_KNOWN, ...request?.settings, interval: request?.interval ?? null }
  const stated = { ...NOTHING_KNOWN, ...result, interval: result?.candles?.interval ?? null }
  return settingsAgree(asked, told) && settingsAgree(asked, stated)
}

async function describe(run: OpenRun, fingerprint: string, seen: SeenJob): Promise<FoundJob> {
  const [observation] = await completedOrRunning(run, [seen])
  return { identity: run.spender.identity, fingerprint, countedAt: countedAt(run, seen.job), observation }
}

/** When the service counted it: at its creation; unknown or later than now counts as now. */
function countedAt(run: OpenRun, job: JobReading): number {
  const now = run.clock.now()
  return Math.min(now, job.createdAt ?? now)
}

function warnOfDuplicate(run: OpenRun, name: string): void {
  run.talk.tell({ kind: 'warning', ...doubt('duplicateRemote', { name }) })
}
