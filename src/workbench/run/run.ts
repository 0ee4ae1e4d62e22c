/**
 * Running a study: submit what is missing within the limits, collect what has run, continue where the last run stopped. The loop
 * decides nothing (`plan.ts`) and remembers nothing that matters: kill it between any two lines and the next start finds every
 * submission in the store or in the service's list.
 */

import { Failure } from '../../errors.ts'
import type { ServiceIdentity } from '../api/calls.ts'
import { readLastAttemptId } from '../store/attempts.ts'
import { pullBackFutureTimes } from '../store/ledger.ts'
import { holdLock, type Lock } from '../store/lock.ts'
import type { OutcomeRecord } from '../store/readers.ts'
import { replaySpills } from '../store/spill.ts'
import { recordStudyRun, startStudyRun } from '../store/studies.ts'
import type { Trial } from '../study/study.ts'
import { poll, survey } from './collect.ts'
import { allowanceOpensAt, askFirst, compareWithLedger, probeLimits, takeLimits } from './limits.ts'
import { noteAnswer, noteFailure, noteRefusedRead } from './notes.ts'
import { nextStep, type Snapshot, type Step, type StoppedBy } from './plan.ts'
import { firstPace, OWN_TERMS } from './poll.ts'
import { recall, recallSpent } from './recall.ts'
import { sleepUntil } from './rest.ts'
import { createRunState, type OpenRun, type RunEvent, type RunInput, type RunState } from './run-state.ts'
import { tellSettingsDoubts } from './settings-doubts.ts'
import { judgeAt, settleUnanswered, takeOverIntent } from './settle.ts'
import { submitTrial } from './submit.ts'
import { type RunSummary, requestsOf, summarize, summarizeNothing } from './summary.ts'
import { tellProgress } from './tell-progress.ts'

export type { RunEvent, RunSummary }

/**
 * Runs a study on the service behind `client` until everything is done or something stops it; `stoppedBy` says what. Refusals, an
 * unreachable service, another process that submits with the same key, a full disk and an interrupt end it with a summary, never with
 * a lost or doubled submission.
 * @throws Failure storeUnusable when the store cannot even be read
 */
export async function runStudy(input: RunInput): Promise<RunSummary> {
  const state = createRunState(input)
  const service = await meetService(state)
  if (service === undefined) return summarizeNothing(state, stopOf(state))
  // Accounts share the identity of our embedded service; a real service is one identity per key.
  const account = service.simulated ? (state.options.account ?? '') : ''
  const spender = { identity: service.identity, account }
  if (state.options.dryRun) return rehearse(openRun(state, { spender, runId: 0, lastAttemptBefore: 0 }), service)

  const lock = takeKey(state, service)
  if (lock === undefined) return summarize(openRun(state, { spender, runId: 0, lastAttemptBefore: 0 }), 'busy')
  try {
    const lastAttemptBefore = readLastAttemptId(state.store)
    const runId = await startStudyRun(state.store, { study: state.study, trials: state.trials, service })
    const run = openRun(state, { spender, runId, lastAttemptBefore })
    run.knewTime = run.clock.isAnchored()
    if (service.simulated) askEagerly(run)
    tellSettingsDoubts(run)
    const stoppedBy = await untilStopped(run, service)
    await recordEnd(run, stoppedBy)
    return summarize(run, stoppedBy)
  } finally {
    lock.release()
  }
}

function askEagerly(run: OpenRun): void {
  run.pollTerms = OWN_TERMS
  run.pace = firstPace(OWN_TERMS)
}

/** The right to submit with this key; undefined when another process has it, which is said. */
function takeKey(run: RunState, { identity }: ServiceIdentity): Lock | undefined {
  const { lockFolder } = run.options
  try {
    return holdLock(run.store, { identity, ...(lockFolder === undefined ? {} : { folder: lockFolder }) })
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'keyBusy') throw error
    run.tell({ kind: 'stopped', message: `${error.message}; ${error.hint}` })
    return undefined
  }
}

/** The same object with its missing parts: what notes about the run were taken before stay where they are. */
function openRun(state: RunState, parts: Pick<OpenRun, 'spender' | 'runId' | 'lastAttemptBefore'>): OpenRun {
  return Object.assign(state, parts)
}

function stopOf(run: RunState): StoppedBy {
  return run.options.signal?.aborted ? 'interrupt' : (run.halt?.by ?? 'unreachable')
}

/** The first request: who is it, and what time is it there. undefined when the run is over before it began. */
async function meetService(run: RunState): Promise<ServiceIdentity | undefined> {
  const { signal } = run.options
  try {
    while (run.halt === null && !signal?.aborted) {
      const rest = run.quietUntil - run.clock.now()
      if (rest > 0) await run.system.clock.sleep(rest, signal)
      run.requests++
      const outcome = await run.client.identify(signal === undefined ? {} : { signal })
      if (outcome.kind === 'ok') {
        run.clock.learn(outcome.raw)
        noteAnswer(run)
        run.quietUntil = 0
        return outcome.value
      }
      if (outcome.kind === 'refused') noteRefusedRead(run, outcome)
      else noteFailure(run, outcome.kind === 'failed' ? outcome.reason : 'the service has no limits')
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  }
  return undefined
}

function rehearse(run: OpenRun, service: ServiceIdentity): RunSummary {
  tellSettingsDoubts(run)
  takeLimits(run, service.limits)
  const todo = findTodo(run, recall(run).outcomes()).length
  const now = Math.min(todo, run.options.limit ?? todo, summarize(run, null).allowance.available)
  run.tell({ kind: 'waiting', message: `${todo} trials to submit, ${now} of them now; nothing was sent (dry run)` })
  return summarize(run, null)
}

async function untilStopped(run: OpenRun, service: ServiceIdentity): Promise<StoppedBy | null> {
  const { signal } = run.options
  try {
    await replaySpills(run.store)
    await takeOverIntent(run)
    await pullBackFutureTimes(run.store, { ...run.spender, now: run.clock.now() })
    takeLimits(run, service.limits)
    for (let compared = false; ; ) {
      if (signal?.aborted) return 'interrupt'
      const outcomes = recall(run).outcomes()
      const todo = findTodo(run, outcomes)
      const seen = lookAround(run, todo)
      tellProgress(run, outcomes, seen)
      const step = nextStep(seen)
      if (step.kind === 'end') return step.stoppedBy
      await carryOut(run, step, todo)
      if (run.surveyed && !compared) {
        compared = true
        compareWithLedger(run, service.limits)
      }
    }
  } catch (error) {
    if (signal?.aborted && error === signal.reason) return 'interrupt'
    if (!(error instanceof Failure) || error.code !== 'storeUnusable') throw error
    run.tell({ kind: 'stopped', message: `${error.message}; ${error.hint}` })
    return 'store'
  }
}

/** Trials without an outcome, in grid order; with `rerun` also those whose outcome is older than this run. */
function findTodo(run: OpenRun, outcomes: ReadonlyMap<string, OutcomeRecord>): readonly Trial[] {
  return run.trials.filter(({ fingerprint }) => {
    const outcome = outcomes.get(fingerprint)
    if (outcome === undefined) return true
    const isSettled = ['done', 'failed', 'gone', 'stalled'].includes(outcome.state)
    return run.options.rerun === true && isSettled && outcome.attemptId <= run.lastAttemptBefore
  })
}

function lookAround(run: OpenRun, todo: readonly Trial[]): Snapshot {
  const { options } = run
  const now = run.clock.now()
  const recalled = recall(run)
  const openJobs = recalled.openJobs()
  const running = openJobs.filter(({ state }) => state === 'running').length
  const spentAt = recallSpent(run, now)
  if (todo.length > 0) askFirst(run, spentAt, now)
  return {
    now,
    halt: run.halt,
    surveyed: run.surveyed,
    quietUntil: run.quietUntil,
    todo: todo.length,
    limitLeft: (options.limit ?? Number.POSITIVE_INFINITY) - run.sent,
    opensAt: allowanceOpensAt(run, spentAt, now),
    heardAt: run.clock.heardAt(),
    probeAt: run.probeAt,
    fullUntil: run.fullUntil,
    wait: options.wait ?? false,
    judgeAt: judgeAt(run),
    running,
    pollAt: run.pollAt,
    leftOver: openJobs.length - running + recalled.parked(),
  }
}

async function carryOut(run: OpenRun, step: Exclude<Step, { kind: 'end' }>, todo: readonly Trial[]): Promise<void> {
  switch (step.kind) {
    case 'survey':
      return survey(run)
    case 'reconcile':
      return settleUnanswered(run)
    case 'poll': {
      const ended = await poll(run, { submitting: todo.length > 0 })
      if (ended > 0) await recordStudyRun(run.store, { id: run.runId, requests: requestsOf(run) })
      return
    }
    case 'probe':
      return probeLimits(run)
    case 'submit':
      return submitTrial(run, todo[0])
    case 'sleep':
      return sleepUntil(run, step)
  }
}

/** A store that cannot be written has nothing to add; the summary tells. */
async function recordEnd(run: OpenRun, stoppedBy: StoppedBy | null): Promise<void> {
  try {
    await recordStudyRun(run.store, { id: run.runId, requests: requestsOf(run), stoppedBy })
  } catch (error) {
    if (stoppedBy !== 'store') throw error
  }
}
