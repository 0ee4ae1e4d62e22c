/**
 * Taking in what a list says: known jobs get their news, an unanswered submission may turn up, and jobs the store does not know are
 * one of three — a second delivery, a trial somebody already paid for, or a job of somebody else, which only uses up allowance.
 */
import { type WARNINGS, warning } from '../analysis/warnings/warnings.ts'
import type { JobReading } from '../api/reading/readings.ts'
import {
  drawLetters,
  findAttemptByName,
  findUnresolved,
  listUndecided,
  type NamedAttempt,
  readLetters,
  readSentName,
  type SentName,
  settleAttempt,
  type UnresolvedAttempt,
} from '../store/attempts.ts'
import { adoptFoundJob, type FoundJob, recordDuplicateJob } from '../store/found-jobs.ts'
import { recordMissing, recordObservations } from '../store/jobs.ts'
import { findKnownJob, type KnownJob, readKnownJobs, readSentTrial } from '../store/known-jobs.ts'
import { listForeignIds, recordForeignJobs } from '../store/ledger.ts'
import type { JobObservation } from '../store/observe-job.ts'
import { readStages } from '../store/readers.ts'
import { NO_SETTINGS } from '../store/settings.ts'
import { settingsAgree } from '../study/fingerprint.ts'
import { NOTHING_KNOWN, type Settings } from '../study/settings.ts'
import type { Trial } from '../study/study.ts'
import {
  asksFor,
  findSubmitted,
  fingerprintOf,
  isAnotherName,
  isInTime,
  readJobs,
  type Seeker,
  type SeenJob,
  showsSentNames,
  soughtOf,
  toleranceMs,
} from './list.ts'
import { askedOn, type OpenRun } from './open-run.ts'
import { toObservation } from './outcome-table.ts'
import { arrivesBy } from './run-state.ts'
import { warnOfSettings } from './summary.ts'

/** Answers how many known jobs ended by it. */
export async function digest(run: OpenRun, seen: readonly SeenJob[]): Promise<number> {
  const known = knownAmong(run, seen)
  const ours = seen.filter(({ job }) => known.has(job.id))
  run.firstResult.noteListed(ours.map(({ job }) => job.id))
  const unknownJobs = seen.filter(({ job }) => !known.has(job.id))
  // News last: as long as a job of ours has not ended, the next start reads again what came before it here.
  await takeUnanswered(run, unknownJobs)
  await settleUnknownJobs(run, unknownJobs)
  return takeNews(run, ours, known)
}

/** Those of the jobs that are in the store, by the service's id. */
function knownAmong({ store, serviceAccount }: OpenRun, seen: readonly SeenJob[]): ReadonlyMap<string, KnownJob> {
  return readKnownJobs(
    store,
    serviceAccount,
    seen.map(({ job }) => job.id),
  )
}

async function takeNews(run: OpenRun, ours: readonly SeenJob[], known: ReadonlyMap<string, KnownJob>): Promise<number> {
  for (const { job } of ours) {
    if (job.state === 'unknown')
      run.messages.warnOnce(`unknownState ${job.stateText}`, warning('unknownState', { word: job.stateText }))
  }
  const news = ours.filter(({ job }) => known.get(job.id)?.ended === false || job.state === 'deleted')
  return recordObservations(run.store, {
    identity: run.serviceAccount.identity,
    observations: await completed(run, news),
  })
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
  for (const { job } of bare) if (read.get(job.id) === 'missing' && !(await isConfirmed(run, job))) read.delete(job.id)
  return seen.flatMap((listed) => {
    const single = read.get(listed.job.id)
    // Not read this time: the next poll tries again, so that no result is lost to one failed read.
    if (bareIds.has(listed.job.id) && single === undefined) return []
    const { job, receivedAt } = single === undefined || single === 'missing' ? listed : single
    warnOfSettings(run, job)
    return [toObservation(job, receivedAt)]
  })
}

/** Two 404s so long after each other say that a job is not there; one odd 404 says nothing. */
export const missingForMs = 60_000

/** Whether a job that is not found now was not found a while ago either. One of ours that nobody waits for is not asked for again. */
async function isConfirmed({ store, clock, recall, serviceAccount }: OpenRun, { id }: JobReading): Promise<boolean> {
  const open = recall.openJobs().find(({ remoteId }) => remoteId === id)
  if (open === undefined) return findKnownJob(store, serviceAccount, id) !== undefined
  await recordMissing(store, { jobId: open.id, at: clock.now() })
  return open.missingSince !== null && clock.now() - open.missingSince >= missingForMs
}

/** A job that goes by the name of a submission without an outcome proves that it arrived; no waiting needed. */
async function takeUnanswered(run: OpenRun, others: readonly SeenJob[]): Promise<void> {
  const undecided = others.length === 0 ? [] : listUndecided(run.store, run.serviceAccount)
  if (undecided.length === 0) return
  const waiting = findUnresolved(run.store, run.serviceAccount)
  const seeker = seekerOf(run, others)
  for (const attempt of undecided) {
    const named = others.filter(({ job }) => job.name === attempt.name)
    const isSought = named.length === 0 && attempt.id !== waiting?.id
    const found = isSought ? findShown(run, { attempt, seeker, others }) : named
    if (found.length > 0) await adopt(run, attempt, found)
  }
}

/** What is known of the service, for a search in its list. */
export function seekerOf({ store, serviceAccount, settleMs, clock }: OpenRun, list: readonly SeenJob[]): Seeker {
  const jobs = list.map(({ job }) => job)
  return { settleMs, timesAgree: clock.isAnchored(), echoesNames: showsSentNames(store, serviceAccount, jobs) }
}

interface Sought {
  readonly attempt: UnresolvedAttempt
  readonly seeker: Seeker
  readonly others: readonly SeenJob[]
}

/** What a person was to decide may show by now: a dialect has been completed since, or the list is longer. */
function findShown(run: OpenRun, { attempt, seeker, others }: Sought): readonly SeenJob[] {
  const { store, serviceAccount } = run
  const known = knownAmong(run, others) // those of attempts before it, too
  // Jobs seen before it was sent cannot be it; times are rounded.
  const earlier = listForeignIds(store, { ...serviceAccount, before: attempt.openedAt - toleranceMs })
  const possible = others.filter(({ job }) => !known.has(job.id) && !earlier.has(job.id))
  const finding = findSubmitted(
    soughtOf(store, attempt, seeker),
    possible.map(({ job }) => job),
  )
  return finding.kind === 'found' ? possible.filter(({ job }) => finding.jobs.includes(job)) : []
}

/** Adopts the jobs, earliest first, as what became of an unanswered submission. */
export async function adopt(run: OpenRun, attempt: UnresolvedAttempt, found: readonly SeenJob[]): Promise<void> {
  const byCreation = [...found].sort((a, b) => (a.job.createdAt ?? 0) - (b.job.createdAt ?? 0))
  await settleAttempt(run.store, {
    attemptId: attempt.id,
    at: run.clock.now(),
    to: 'adopted',
    jobs: await completedOrRunning(run, byCreation),
  })
  run.tally.noteArrived(attempt.fingerprint)
  run.messages.emit({ kind: 'resolved', message: `the submission ${attempt.name} did arrive` })
  if (byCreation.length > 1) await noteDuplicate(run, { ...attempt, state: 'adopted' }, byCreation[1].job)
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

async function settleUnknownJobs(run: OpenRun, unknownJobs: readonly SeenJob[]): Promise<void> {
  const { store, serviceAccount, study } = run
  run.labs.noteList(unknownJobs.map(({ job }) => job.id))
  if (unknownJobs.length === 0) return
  const known = knownAmong(run, unknownJobs)
  const unresolved = findUnresolved(store, serviceAccount)
  const sought = unresolved && { ...unresolved, ...seekerOf(run, unknownJobs) }
  const planned = planOf(run.workQueue.trials)
  const foreign: Origin[] = []
  let found = 0
  for (const seen of unknownJobs) {
    const { job } = seen
    if (known.has(job.id)) continue // adopted a moment ago
    const origin = originOf(run, seen, planned)
    const { attempt, trial, fingerprint } = origin
    // It may be the unanswered submission itself; reconciling will show it.
    if (sought !== undefined && (fingerprint === sought.fingerprint || !isAnotherName(job.name, sought))) {
      run.labs.passOver(job.id)
      continue
    }
    await noteOtherLab(run, origin)
    const asked = trial === undefined ? NO_SETTINGS : askedOn(run, trial.market)
    if (trial !== undefined && isWanted(run, origin)) {
      await adoptFoundJob(store, {
        ...(await describe(run, trial.fingerprint, seen)),
        account: serviceAccount.account,
        study: study.name,
        settingsId: asked.id,
        runId: run.runId,
      })
      if (!run.labs.areSeen || !run.labs.isNew(job.id)) found++
    } else if (attempt !== undefined) {
      await recordDuplicateJob(store, { ...(await describe(run, attempt.fingerprint, seen)), attemptId: attempt.id })
      await noteDuplicate(run, attempt, job)
    } else {
      foreign.push(origin)
    }
  }
  if (found > 0) run.messages.emit({ kind: 'found', message: `${found} trials were already submitted to this service` })
  await takeForeign(run, foreign)
}

/** Where a job comes from that the store does not know. */
interface Origin {
  readonly seen: SeenJob
  /** The attempt of this store that has its name. */
  readonly attempt: NamedAttempt | undefined
  /** What its name says, where a store named it. */
  readonly sent: SentName | undefined
  /** Of the trial that it was asked for, planned here or not. */
  readonly fingerprint: string | undefined
  readonly trial: Trial | undefined
}

interface Plan {
  readonly byFingerprint: ReadonlyMap<string, Trial>
  readonly byDigits: ReadonlyMap<string, Trial>
}

function planOf(trials: readonly Trial[]): Plan {
  return {
    byFingerprint: new Map(trials.map((trial) => [trial.fingerprint, trial])),
    byDigits: new Map(trials.map((trial) => [trial.fingerprint.slice(0, 12), trial])),
  }
}

function originOf({ store, serviceAccount }: OpenRun, seen: SeenJob, { byFingerprint, byDigits }: Plan): Origin {
  const { job } = seen
  const attempt =
    job.name === null ? undefined : findAttemptByName(store, { identity: serviceAccount.identity, name: job.name })
  const sent = job.name === null ? undefined : readSentName(job.name)
  const fingerprint = attempt?.fingerprint ?? fingerprintOf(job)
  if (fingerprint !== undefined) return { seen, attempt, sent, fingerprint, trial: byFingerprint.get(fingerprint) }
  // A request that is shown in part may still say that it is another one.
  const named = sent === undefined ? undefined : byDigits.get(sent.digits)
  const trial = named === undefined || asksFor(job, named) === 'no' ? undefined : named
  return { seen, attempt, sent, fingerprint: trial?.fingerprint, trial }
}

/** A store that sent a job this long ago may still send more. */
const labIsActiveMs = 3_600_000

/** Somebody else submits this study. What is in the first list may be of a lost or restored store: then nothing is said of it. */
async function noteOtherLab(run: OpenRun, { seen: { job }, attempt, sent, trial }: Origin): Promise<void> {
  if (trial === undefined || attempt !== undefined) return
  const { store, labs, clock } = run
  const isNew = labs.isNew(job.id)
  if (!isNew && (job.createdAt ?? 0) < clock.now() - labIsActiveMs) return
  const letters = sent?.letters ?? null
  if (letters !== null && letters === readLetters(store.db)) {
    if (!isNew) return
    await drawLetters(store, run.system) // a copy of this store that has kept its letters
  }
  labs.note(letters)
  run.polls.noteOtherLab()
  if (!isNew || (letters === null && mayBeOurs(run, trial)) || !labs.introduce(letters)) return
  const who = letters === null ? 'Another lab' : `Another lab (${letters})`
  const message = `${who} runs this study with this key: each sends its part, results of both count here.`
  run.messages.emit({ kind: 'found', message })
}

/** A job whose sender is not shown may be a request of ours that arrived twice, or late. */
function mayBeOurs({ store, serviceAccount }: OpenRun, { fingerprint }: Trial): boolean {
  const { job, mayArrive } = readSentTrial(store, { identity: serviceAccount.identity, fingerprint })
  return job !== null || mayArrive
}

/** Whether a job is taken as what became of its trial, which then is not submitted here. */
function isWanted(run: OpenRun, { seen: { job }, attempt, sent, trial }: Origin): boolean {
  if (trial === undefined || run.options.rerun || job.state === 'deleted') return false
  // What failed elsewhere may succeed here: another lab’s failure is not the trial’s.
  if (attempt === undefined && sent?.letters != null && job.state === 'failed') return false
  const { settings } = askedOn(run, trial.market)
  const stages = readStages(run.store, { ...run.serviceAccount, fingerprints: [trial.fingerprint], settings })
  const stage = stages.get(trial.fingerprint)
  // Rejected, and made all the same.
  const isRejectedOne = stage?.isRejected && (attempt === undefined || attempt.id === stage.attemptId)
  return (stage === undefined || isRejectedOne === true) && isSameQuestion(settings, job)
}

/** Jobs that are not ours count as spent all the same. */
async function takeForeign(run: OpenRun, foreign: readonly Origin[]): Promise<void> {
  if (foreign.length === 0) return
  const { store, serviceAccount } = run
  const jobs = foreign.map(({ seen: { job } }) => ({
    remoteId: job.id,
    name: job.name,
    countedAt: countedAt(run, job),
  }))
  const added = new Set(await recordForeignJobs(store, { ...serviceAccount, jobs }))
  for (const { seen, trial, sent } of foreign) {
    const { job } = seen
    if (!added.has(job.id)) continue
    if (trial !== undefined && !run.options.rerun && isSameQuestion(askedOn(run, trial.market).settings, job)) {
      const { job: ours } = readSentTrial(store, { ...serviceAccount, fingerprint: trial.fingerprint })
      if (ours !== null)
        warnOfPaidTwice(run, {
          trial: trial.fingerprint,
          ours,
          theirs: job.id,
          lab: sent?.letters ?? null,
          late: false,
        })
    }
    if (job.name === null && job.request === null && run.labs.isNew(job.id) && run.options.part === undefined)
      run.messages.warnOnce('unknownSender', warning('unknownSender'))
  }
}

/** Whether a job was asked to be computed under the settings of this run, as far as it shows. */
function isSameQuestion(asked: Settings, { request, result }: JobReading): boolean {
  const asStored = { ...NOTHING_KNOWN, ...request?.settings, interval: request?.interval ?? null }
  const stated = { ...NOTHING_KNOWN, ...result, interval: result?.candles?.interval ?? null }
  return settingsAgree(asked, asStored) && settingsAgree(asked, stated)
}

async function describe(run: OpenRun, fingerprint: string, seen: SeenJob): Promise<FoundJob> {
  const [observation] = await completedOrRunning(run, [seen])
  return { identity: run.serviceAccount.identity, fingerprint, countedAt: countedAt(run, seen.job), observation }
}

/** When the service counted it: at its creation; unknown or later than now counts as now. */
function countedAt(run: OpenRun, job: JobReading): number {
  const now = run.clock.now()
  return Math.min(now, job.createdAt ?? now)
}

/** A second job of one name of ours. Only one that nothing else explains is said to have been delivered twice. */
async function noteDuplicate(run: OpenRun, attempt: NamedAttempt, job: JobReading): Promise<void> {
  const { store, serviceAccount, system, labs } = run
  const { fingerprint, state } = attempt
  const { name } = job
  // Stores of a layout without letters all used this name.
  const isOfThisStore = name !== null && readSentName(name)?.letters != null
  const hasJob = state === 'acked' || state === 'adopted'
  if (isOfThisStore && hasJob && wasSentThen(run, attempt, job)) {
    run.messages.emit({ kind: 'warning', ...warning('duplicateRemote', { name }) })
  } else {
    const { job: ours } = readSentTrial(store, { ...serviceAccount, fingerprint })
    const late = isOfThisStore && !hasJob
    if (ours !== null) warnOfPaidTwice(run, { trial: fingerprint, ours, theirs: job.id, lab: null, late })
  }
  if (!isOfThisStore) return
  // If the whole machine was copied, the copy has these letters too: from now on ours are others. Labs that know us keep knowing us.
  if (!labs.areSeen) await drawLetters(store, system)
}

/** As far as its time shows, it may be the same request; a copy of this machine may send one of the same name at any time. */
function wasSentThen(run: OpenRun, { openedAt, unsureSince }: NamedAttempt, job: JobReading): boolean {
  const arrivedBy = arrivesBy({ openedAt, unsureSince }, run.settleMs)
  return isInTime(job, { openedAt, arrivedBy, timesAgree: run.clock.isAnchored() }, toleranceMs)
}

function warnOfPaidTwice(run: OpenRun, given: Parameters<typeof WARNINGS.paidTwice.say>[0]): void {
  run.messages.emit({ kind: 'warning', ...warning('paidTwice', given) })
}
