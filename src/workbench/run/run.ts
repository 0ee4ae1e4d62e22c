/**
 * Running a study: submit what is missing within the limits, collect what has run, continue where the last run stopped. The loop
 * decides nothing (`next-step.ts`) and remembers nothing that matters: kill it between any two lines and the next start finds every
 * submission in the store or in the service's list.
 */
import type { Scope } from '../../contract/endpoints.ts'
import { type Market, marketName } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import { findInconsistencies, type Inconsistency } from '../analysis/warnings/find-inconsistencies.ts'
import { WARNINGS, warning } from '../analysis/warnings/warnings.ts'
import type { ServiceIdentity } from '../api/calls.ts'
import type { LimitsReading } from '../api/reading/readings.ts'
import { emptyOutboxes, keepLetters, readLastAttemptId, readLetters } from '../store/attempts.ts'
import { emptyLog, findReaders } from '../store/file-check.ts'
import { refuseOpened } from '../store/holdouts.ts'
import { listLatestDone } from '../store/jobs.ts'
import type { Searching } from '../store/kept-proposals.ts'
import { readKnownJobs } from '../store/known-jobs.ts'
import { pullBackFutureTimes, readAccepted } from '../store/ledger.ts'
import { holdLock, type Lock } from '../store/lock.ts'
import { readTried, type TrialStage } from '../store/readers.ts'
import { findStudySettings, type MarketSettings } from '../store/settings.ts'
import { recordStudyRun, startStudyRun } from '../store/studies.ts'
import { settingsOf } from '../study/parse.ts'
import type { Settings } from '../study/settings.ts'
import type { Trial } from '../study/study.ts'
import { acceptedSince, countUsed, type WindowObservation } from './allowance.ts'
import { askSearch, countJobs, followSearch, takeUpHeld } from './ask-search.ts'
import { poll, rereadResults, survey } from './collect.ts'
import { isInPart } from './labs.ts'
import { nextStep, type Snapshot, type Step, type StoppedBy } from './next-step.ts'
import { type Beginning, beginRun, type OpenRun, openRun } from './open-run.ts'
import type { RunEvent, RunInput } from './options.ts'
import { budgetLeft } from './progress.ts'
import { reconcileAt, reconcileUnanswered, rereadAnswers, takeOverIntent } from './reconcile.ts'
import { haveEnded } from './run-state.ts'
import { refuseWrongClock } from './service-clock.ts'
import { isAnswered, noteAnswer, noteFailure, noteRefusedRead, stop, submitTrial } from './submit.ts'
import { type RunSummary, reportProgress, reportSettingsWarnings, summarize, summarizeNothing } from './summary.ts'

// Where a run stands at this moment: what is left to do, and the snapshot that `next-step.ts` decides from.

/** Trials of this run's part never sent, or set free again, in grid order; with `retryRejected` also those that were rejected before it, with `rerun` all that had ended, oldest first. */
function findTodo(run: OpenRun, stages: ReadonlyMap<string, TrialStage>): readonly Trial[] {
  const { part } = run.options
  const todo = run.workQueue.trials.filter((trial) => {
    if (part !== undefined && !isInPart(trial, part)) return false
    const { fingerprint } = trial
    const stage = stages.get(fingerprint)
    if (stage === undefined) return true
    const isOver = ['done', 'failed', 'gone', 'stalled'].includes(stage.state)
    const isAskedAgain = run.options.rerun === true || (run.options.retryRejected === true && stage.isRejected)
    return isAskedAgain && isOver && stage.attemptId <= run.lastAttemptBefore
  })
  if (run.options.rerun !== true) return todo
  // So a rerun that was stopped is continued by the next.
  return todo.toSorted(
    (a, b) => (stages.get(a.fingerprint)?.attemptId ?? 0) - (stages.get(b.fingerprint)?.attemptId ?? 0),
  )
}

/** What the next step is decided from. */
function surveyRun(run: OpenRun, todo: readonly Trial[]): Snapshot {
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
function aloneUntil({ firstResult, recall, options }: OpenRun): number {
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

const REMEDY = 'correct the dialect and run `dcalab store reread`, or continue with `run --anyway`'

/** Looks at what is stored; stops the run where no result agrees with itself. */
function checkResults(run: OpenRun): void {
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

function checkTrial(run: OpenRun, fingerprint: string): Inconsistency | 'agrees' | 'unread' {
  const trial = readTried(run.store, fingerprint).find(
    ({ identity, state }) => identity === run.serviceAccount.identity && state === 'done',
  )
  if (trial === undefined || trial.metrics === null) return 'unread'
  const found = findInconsistencies(trial).at(0)
  return found ?? (trial.metrics.netProfit === null ? 'unread' : 'agrees')
}

export type { RunEvent, RunSummary }

/**
 * Runs a study on the service behind `client` until everything is done or something stops it; `stoppedBy` says what. Refusals, an
 * unreachable service, another process that submits with the same key, a full disk and an interrupt end it with a summary, never with
 * a lost or doubled submission.
 * @throws Failure storeUnusable when the store cannot even be read; holdoutOpened after the study's hold-out was opened; clockWrong
 */
export async function runStudy(input: RunInput): Promise<RunSummary> {
  const beginning = beginRun(input)
  // After that, nothing of the study is proposed but what was begun then.
  if (input.search?.recordTogether === undefined) refuseOpened(input.store, input.study.name)
  const service = await meetService(beginning)
  if (service === undefined) return summarizeNothing(beginning, stopOf(beginning))
  // Accounts share the identity of our embedded service; a real service is one identity per key.
  const account = service.simulated ? (beginning.options.account ?? '') : ''
  const opening = { serviceAccount: { identity: service.identity, account }, isOwn: service.simulated }
  const timesAgree = beginning.clock.isAnchored() || (beginning.options.trustClock ?? false)
  refuseWrongClock(beginning.store, { serviceAccount: opening.serviceAccount, now: beginning.clock.now(), timesAgree })
  const openReadOnly = () =>
    openRun(beginning, { ...opening, runId: 0, asked: askedSoFar(beginning, service), lastAttemptBefore: 0 })
  if (beginning.options.dryRun) return rehearse(begunSearch(openReadOnly(), input.search), service)

  const lock = takeKey(beginning, service)
  if (lock instanceof Failure) {
    const run = begunSearch(openReadOnly(), input.search)
    const { rerun, retryRejected } = run.options
    const isOver = !rerun && !retryRejected && haveEnded(input.trials, run.recall.stages())
    if (isOver && input.search === undefined) return summarize(run, null) // then nobody's key is needed
    run.messages.emit({ kind: 'stopped', message: `${lock.message}; ${lock.hint}` })
    return summarize(run, 'busy')
  }
  try {
    const { store, study } = beginning
    const { trials, search, rerun = null } = input
    const lastAttemptBefore = readLastAttemptId(store)
    const settingsOn = service.simulated ? wishesOf(beginning) : null
    const askedBy = beginning.options.agentBudget === undefined ? null : 'agent'
    await keepLetters(store, beginning.system)
    const started = await startStudyRun(store, { study, trials, service, settingsOn, rerun, askedBy })
    const open = openRun(beginning, { ...opening, runId: started.id, asked: started.settings, lastAttemptBefore })
    const run = begunSearch(open, search)
    reportSettingsWarnings(run)
    const stoppedBy = await untilStopped(run, service, search)
    if (stoppedBy !== 'store') await run.options.complete?.()
    await recordEnd(run, stoppedBy)
    return summarize(run, stoppedBy)
  } finally {
    lock.release()
  }
}

/** What the study asked when it was first run on our service, else what it would ask. */
function askedSoFar(beginning: Beginning, { simulated }: ServiceIdentity): MarketSettings {
  const { store, study } = beginning
  if (!simulated) return new Map()
  const wishOn = wishesOf(beginning)
  return new Map(
    study.markets.map((market) => [
      marketName(market),
      findStudySettings(store, study, market) ?? { id: null, settings: wishOn(market) },
    ]),
  )
}

/** What a study that was never run would ask a service of ours for. */
function wishesOf({ study, options }: Beginning): (market: Market) => Settings {
  return options.settingsOn ?? (() => settingsOf(study))
}

/** The right to submit with this key, or why another process has it. */
function takeKey(run: Beginning, { identity }: ServiceIdentity): Lock | Failure {
  const { lockFolder } = run.options
  try {
    return holdLock(run.store, { identity, folder: lockFolder })
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'keyBusy') throw error
    return error
  }
}

function stopOf(run: Beginning): StoppedBy {
  return run.options.signal?.aborted ? 'interrupt' : (run.runStop.halt?.by ?? 'unreachable')
}

/** The first request: who is it, and what time is it there. undefined when the run is over before it began. */
async function meetService(run: Beginning): Promise<ServiceIdentity | undefined> {
  const { signal } = run.options
  try {
    while (run.runStop.halt === null && !signal?.aborted) {
      const rest = run.retryBackoff.quietUntil - run.clock.now()
      if (rest > 0) await run.system.clock.sleep(rest, signal)
      run.tally.countRequest()
      const outcome = await run.client.identify(run.call)
      if (outcome.kind === 'ok') {
        run.clock.learn(outcome.raw)
        noteAnswer(run)
        run.retryBackoff.endPause()
        return outcome.value
      }
      if (outcome.kind === 'refused') noteRefusedRead(run, outcome)
      else {
        const why = outcome.kind === 'failed' ? outcome.reason : 'the service has no limits'
        noteFailure(run, why, isAnswered(outcome))
      }
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  }
  return undefined
}

function rehearse(run: OpenRun, service: ServiceIdentity): RunSummary {
  reportSettingsWarnings(run)
  takeLimits(run, service.limits)
  const todo = findTodo(run, run.recall.stages()).length
  const now = Math.min(todo, run.options.limit ?? todo, summarize(run, null).allowance?.available ?? 0)
  const then = run.workQueue.method === null ? '' : ', then what the search may propose next'
  run.messages.emit({
    kind: 'waiting',
    message: `${todo} trials to submit, ${now} of them now${then}; nothing was sent (dry run)`,
  })
  return summarize(run, null)
}

/** At the start: a service that says it has nothing left is believed. */
function takeLimits(run: OpenRun, limits: LimitsReading): void {
  reportWindow(run, run.serviceAllowance.takeFirst(limits, rowsOf(run)))
}

function rowsOf(run: OpenRun) {
  const now = run.clock.now()
  return {
    now,
    spentAt: run.recall.spentAt(now),
    acceptedAt: readAccepted(run.store, { ...run.serviceAccount, since: acceptedSince(run.allowance.windowMs, now) }),
  }
}

function reportWindow(run: OpenRun, shown: WindowObservation | null): void {
  if (shown === null) return
  run.messages.emit({
    kind: 'observed',
    message: `daily limit: ${shown.evidence}; the reported rest is used, never more`,
  })
}

function begunSearch(run: OpenRun, search: Searching | undefined): OpenRun {
  if (search !== undefined) followSearch(run, search)
  return run
}

const TRADE_SCOPE: Scope = 'CanTrade'

async function untilStopped(
  run: OpenRun,
  service: ServiceIdentity,
  search: Searching | undefined,
): Promise<StoppedBy | null> {
  const { signal } = run.options
  try {
    await emptyOutboxes(run.store)
    await takeOverIntent(run)
    await rereadAnswers(run)
    await pullBackFutureTimes(run.store, { ...run.serviceAccount, now: run.clock.now(), settleMs: run.settleMs })
    takeLimits(run, service.limits)
    reportScopes(run, service)
    for (let compared = false; ; ) {
      if (signal?.aborted) return 'interrupt'
      checkResults(run)
      const stages = run.recall.stages()
      const todo = findTodo(run, stages)
      if (search !== undefined && todo.length === 0 && run.runStop.halt === null && run.workQueue.isDue(stages)) {
        await askSearch(run, search)
        continue
      }
      const seen = surveyRun(run, todo)
      reportProgress(run, stages, seen)
      const step = nextStep(seen)
      if (step.kind === 'end') return step.stoppedBy
      await carryOut(run, step, { todo, search })
      takeUpPassedOver(run)
      if (run.polls.surveyed && !compared) {
        compared = true
        compareWithLedger(run, service.limits)
      }
    }
  } catch (error) {
    if (signal?.aborted && error === signal.reason) return 'interrupt'
    if (!(error instanceof Failure) || error.code !== 'storeUnusable') throw error
    run.messages.emit({ kind: 'stopped', message: `${error.message}; ${error.hint}` })
    return 'store'
  }
}

/**
 * Jobs that could have been the unanswered submission were left aside. Once it has an outcome, those that are not of this store are looked
 * for in the whole list again: another lab may have sent them, and later lists show only what is newer.
 */
function takeUpPassedOver(run: OpenRun): void {
  if (!run.labs.hasPassedOver || run.recall.unresolved() !== undefined) return
  const ids = run.labs.takePassedOver()
  const known = readKnownJobs(run.store, run.serviceAccount, ids)
  if (ids.some((id) => !known.has(id))) run.polls.surveyAgain()
}

/** Says whether the key may do more than a run needs, by what the service announces alone. Our own service has no money to move. */
function reportScopes({ messages }: OpenRun, { simulated, limits }: ServiceIdentity): void {
  if (simulated) return
  if (limits.scopes === undefined) messages.emit({ kind: 'warning', ...warning('scopesUnknown') })
  else if (limits.scopes.includes(TRADE_SCOPE)) messages.emit({ kind: 'warning', ...warning('keyCanTrade') })
}

/** Says once when the service counts more than we know of: somebody else uses the key, or deleted jobs that count. */
function compareWithLedger(run: OpenRun, limits: LimitsReading): void {
  if (limits.used === null) return
  const now = run.clock.now()
  const ours = countUsed(run.recall.spentAt(now), run.allowance, now)
  if (limits.used <= ours) return
  run.messages.emit({
    kind: 'warning',
    ...warning('allowanceDiffers', { used: limits.used, ours }),
  })
}

interface Work {
  readonly todo: readonly Trial[]
  readonly search: Searching | undefined
}

async function carryOut(run: OpenRun, step: Exclude<Step, { kind: 'end' }>, { todo, search }: Work): Promise<void> {
  switch (step.kind) {
    case 'survey':
      return survey(run)
    case 'reconcile':
      return reconcileUnanswered(run)
    case 'poll': {
      const ended = await poll(run, { submitting: todo.length > 0 })
      if (ended > 0) await recordStudyRun(run.store, { id: run.runId, requests: run.tally.requests })
      return
    }
    case 'reread':
      return rereadResults(run)
    case 'askLimits':
      return probeLimits(run)
    case 'submit':
      if (search !== undefined && run.workQueue.held.length > 0) return takeUpHeld(run, search)
      return submitTrial(run, run.labs.choose(todo, readLetters(run.store.db)))
    case 'sleep':
      return sleepUntil(run, step)
  }
}

/** Asks a full service again. */
async function probeLimits(run: OpenRun): Promise<void> {
  run.tally.countRequest()
  const outcome = await run.client.limits(run.call)
  if (outcome.kind === 'refused') return noteRefusedRead(run, outcome)
  if (outcome.kind !== 'ok') {
    const why = outcome.kind === 'missing' ? 'not found' : outcome.reason
    return noteFailure(run, `the limits cannot be read: ${why}`, isAnswered(outcome))
  }
  run.clock.learn(outcome.raw)
  noteAnswer(run)
  reportWindow(run, run.serviceAllowance.takeProbe(outcome.value, rowsOf(run)))
}

/** A store that cannot be written has nothing to add; the summary says so. */
async function recordEnd(run: OpenRun, stoppedBy: StoppedBy | null): Promise<void> {
  try {
    await recordStudyRun(run.store, { id: run.runId, requests: run.tally.requests, stoppedBy })
  } catch (error) {
    if (stoppedBy !== 'store') throw error
  }
}

/** Waiting between two steps: said once on one line, and a good moment to empty the store's log. */
async function sleepUntil(run: OpenRun, { until, why, goal }: Step & { kind: 'sleep' }): Promise<void> {
  const now = run.clock.now()
  const words = `${why} ${new Date(goal).toISOString().slice(0, 19)}Z`
  const isLong = run.messages.announceWait(words, goal - now)
  emptyStoreLog(run)
  await run.system.clock.sleep(Math.max(1, until - now), run.options.signal)
  run.polls.noteRest()
  if (isLong) run.throughput.startAnew() // the last piece of a long wait is part of it
}

/** A log that cannot be emptied grows until it fills the disk; usually somebody has a long question open. */
function emptyStoreLog({ store, messages }: OpenRun): void {
  const megabytes = emptyLog(store) / 1024 / 1024
  if (megabytes < WARNINGS.logGrows.threshold || messages.hasWarned('logGrows')) return
  messages.warnOnce('logGrows', warning('logGrows', { megabytes, readers: findReaders(store.path) }))
}
