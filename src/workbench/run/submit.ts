/** One submission: the intent on the disk, the request on the wire, the recorded outcome on the disk. In this order, always. */
import type { JobRequestBody, SymbolRulesBody } from '../../contract/bodies.ts'
import { STRATEGY_TYPE } from '../../contract/bot.ts'
import { Failure } from '../../errors.ts'
import { warning } from '../analysis/warnings/warnings.ts'
import type { PostOutcome, ReadOutcome, Refused } from '../api/outcome.ts'
import type { JobReading } from '../api/reading/readings.ts'
import {
  type OpenedAttempt,
  openAttempt,
  putIntoOutbox,
  type RecordedOutcome,
  settleAttempt,
} from '../store/attempts.ts'
import { readKnownJobs } from '../store/known-jobs.ts'
import type { Settings } from '../study/settings.ts'
import type { Trial } from '../study/study.ts'
import type { Halt } from './next-step.ts'
import { askedOn, type Beginning, type OpenRun } from './open-run.ts'
import { type Consequence, consequenceOf, recordedOutcomeOf } from './outcome-table.ts'
import { budgetLeft } from './progress.ts'

// What answers, refusals and silences mean for the rest of the run: the second half of every row of the outcome table.

/**
 * A read or a submission got no sensible answer: leave the service alone for a growing while, and give up after ten minutes. `answered`: the
 * service replied, and the reply was not understood or said no.
 */
export function noteFailure(run: Beginning, message: string, answered = false): void {
  const { backoffMs, isOver } = run.retryBackoff.noteFailure(run.clock.now())
  const what = answered ? 'The service’s replies lack what a run needs' : 'The service cannot be reached'
  if (isOver) stop(run, { by: 'unreachable', mayRead: false }, `${what}: ${message}`)
  else run.messages.emit({ kind: 'waiting', message: `${message}; asking again in ${Math.round(backoffMs / 1000)} s` })
}

export function noteAnswer(run: Beginning): void {
  run.retryBackoff.noteAnswer()
}

/** Whether a read failed at a reply that was received. */
export function isAnswered(outcome: Exclude<ReadOutcome<unknown>, { kind: 'ok' | 'refused' }>): boolean {
  return outcome.kind === 'missing' || (!outcome.unreachable && outcome.raw !== null)
}

/** The first reason to stop counts. */
export function stop(run: Beginning, halt: Halt, message: string): void {
  if (run.runStop.pull(halt)) run.messages.emit({ kind: 'stopped', message })
}

/** After a read that was refused as the daily limit is, where the service names no pause. */
const pauseMs = 60_000

/** A read was refused: the refusal's consequence without a submission. */
export function noteRefusedRead(run: Beginning, refused: Refused): void {
  const consequence = consequenceOf(refused)
  // No read costs allowance; a service that says so is left alone for a while.
  const isOdd = consequence.kind === 'full'
  noteConsequence(
    run,
    isOdd ? { ...consequence, kind: 'pause', ms: consequence.ms ?? pauseMs, full: false } : consequence,
    true,
  )
}

/** What the outcome table says the run does next. */
function noteConsequence(run: Beginning, consequence: Consequence, reading = false): void {
  const { tally, retryBackoff, serviceAllowance, messages } = run
  const now = run.clock.now()
  switch (consequence.kind) {
    case 'accepted':
      noteAnswer(run)
      tally.noteAccepted()
      return
    case 'rejected': {
      noteAnswer(run)
      const tooMany = tally.noteRejected()
      messages.emit({ kind: 'rejected', message: consequence.message })
      if (tooMany !== null)
        stop(run, { by: 'rejects', mayRead: true }, `Stopped after ${tooMany} rejects in a row at the start`)
      return
    }
    case 'stop':
      // What a read is refused cannot be collected either.
      stop(
        run,
        { by: 'refusal', mayRead: consequence.mayRead && !reading },
        `The service refused: ${consequence.message}`,
      )
      return
    case 'pause':
      retryBackoff.pause(now, consequence.ms)
      if (consequence.full) serviceAllowance.noteFull(now, null)
      messages.emit({
        kind: 'refused',
        message: `${consequence.message}; pausing ${Math.round((retryBackoff.quietUntil - now) / 1000)} s`,
      })
      return
    case 'full':
      serviceAllowance.noteFull(now, consequence.ms)
      messages.emit({ kind: 'refused', message: `the service’s daily limit is used: ${consequence.message}` })
      return
    case 'unsure':
      messages.emit({ kind: 'unsure', message: `no clear answer to a submission: ${consequence.message}` })
      noteUnsure(run, consequence)
      return
    case 'notSent':
      noteFailure(run, consequence.message)
      return
  }
}

const mostUnsure = 3

/** Each costs a unit of allowance, so a service that leaves several unanswered and accepts none is not asked on and on. */
function noteUnsure(run: Beginning, consequence: Consequence & { kind: 'unsure' }): void {
  const unsure = run.tally.noteUnsure()
  const isTooMany = unsure >= mostUnsure
  if (consequence.stop) stop(run, { by: 'refusal', mayRead: true }, `Wrong base address: ${consequence.message}`)
  else if (isTooMany && run.options.wait) run.retryBackoff.pauseUnsure(run.clock.now(), unsure - mostUnsure)
  else if (isTooMany)
    stop(run, { by: 'unreachable', mayRead: true }, `${unsure} submissions got no clear answer, none was accepted`)
}

/** Submits a trial, unless the ledger turns out to be full after all. */
export async function submitTrial(run: OpenRun, trial: Trial): Promise<void> {
  const { serviceAllowance, options } = run
  const now = run.clock.now()
  let onItsWord = false
  const attempt = await openAttempt(run.store, {
    ...run.serviceAccount,
    study: run.study.name,
    fingerprint: trial.fingerprint,
    settingsId: askedOn(run, trial.market).id,
    runId: run.runId,
    now,
    since: run.ledgerSince,
    admit: (spentAt) => {
      onItsWord = serviceAllowance.isOnItsWord({ spentAt, now })
      return serviceAllowance.opensAt({ spentAt, now }) <= now && budgetLeft(run) > 0
    },
  })
  if (attempt === 'full') return
  run.tally.countRequest()
  const outcome = await createJob(run, toRequest(run, trial, attempt), attempt)
  if ('raw' in outcome) run.clock.learn(outcome.raw)
  const context = { attemptId: attempt.id, now: run.clock.now(), settleMs: run.settleMs }
  const { recorded, consequence: usual } = recordedOutcomeOf(outcome, context)
  const oldJob = await keepOutcome(run, recorded)
  const consequence: Consequence = oldJob === null ? usual : { kind: 'unsure', message: `it ${oldJob}`, stop: false }
  if (consequence.kind === 'accepted') {
    run.tally.addSubmitted(trial.fingerprint)
    run.polls.noteSubmission(run.clock.now())
  }
  // An interrupt that came before it left says nothing about the service.
  if (consequence.kind !== 'notSent' || !options.signal?.aborted) noteConsequence(run, consequence)
  if (onItsWord && saysFull(consequence)) refuteLimits(run)
  if (oldJob !== null) stopAtOldJob(run, attempt, oldJob)
  if (outcome.kind === 'ambiguous' && (outcome.unread || outcome.saysFailed)) stopAtUnread(run, outcome)
}

/** The service's allowance is used up, by its own word. */
function saysFull(consequence: Consequence): boolean {
  return consequence.kind === 'full' || (consequence.kind === 'pause' && consequence.full)
}

/** A dialect that makes no body of a job ends the run before anything was sent: its attempt is free again. @throws Failure settingInvalid */
async function createJob(
  run: OpenRun,
  request: JobRequestBody,
  { id }: OpenedAttempt,
): Promise<PostOutcome<JobReading>> {
  try {
    return await run.client.createJob(request, run.call)
  } catch (error) {
    if (error instanceof Failure && error.code === 'settingInvalid') {
      const context = { attemptId: id, now: run.clock.now(), settleMs: run.settleMs }
      await keepOutcome(run, recordedOutcomeOf({ kind: 'notSent', reason: error.message }, context).recorded)
    }
    throw error
  }
}

/**
 * A service none of whose jobs was ever understood would not be understood in its list either: waiting for it would only take time. The
 * next run looks for this submission first. One that says it failed would say so of the next too, and each may have cost a unit; what runs
 * at a service that was understood before is still collected.
 */
function stopAtUnread(run: OpenRun, { reason, saysFailed }: PostOutcome<unknown> & { kind: 'ambiguous' }): void {
  const mayRead = readKnownJobs(run.store, run.serviceAccount).size > 0
  if (saysFailed) {
    const message = `Stopped: the service does not say whether that cost a backtest, so one is counted; \`dcalab run ${run.study.name}\` checks first`
    const remedy = 'if such a reply costs nothing, `refusal` of a dialect can say so (src/workbench/api/DIALECT.md)'
    stop(run, { by: 'refusal', mayRead }, `${message}; ${remedy}`)
  } else if (!mayRead) {
    const message = `The answer to the first submission cannot be read (${reason}). It is stored, and nothing more is sent`
    const remedy = '`dcalab service draft my-service.mjs` drafts a dialect (dcalab guide service)'
    stop(run, { by: 'unresolved', mayRead: false }, `${message}: ${remedy}`)
  }
}

/** A service that answers so once may do it each time, and each may cost a unit. Its list shows whether it made a job nevertheless. */
function stopAtOldJob(run: OpenRun, { name }: OpenedAttempt, oldJob: string): void {
  const counted = 'It is not known whether that cost a backtest, so one is counted. Nothing more is sent'
  const remedy = `The service’s list is read for a new job of that name; if it shows none, \`dcalab service jobs resolve\` says what to type`
  stop(run, { by: 'refusal', mayRead: true }, `The submission ${name} ${oldJob}. ${counted}. ${remedy}`)
}

function toRequest(run: OpenRun, { market, period, config }: Trial, { name }: OpenedAttempt): JobRequestBody {
  const asked = askedOn(run, market).settings
  return {
    name,
    strategyType: STRATEGY_TYPE,
    ...market,
    from: new Date(period.from).toISOString(),
    to: new Date(period.to).toISOString(),
    ...interval(run, asked),
    ...settings(asked),
    ...config,
  }
}

/** On a service that is not ours it is a wish. */
function interval({ study }: OpenRun, asked: Settings) {
  const wanted = asked.interval ?? study.interval
  return wanted === null ? {} : { interval: wanted }
}

/** Only a service of ours is asked for settings, where they are known. */
function settings({ conventions, costs, symbol }: Settings) {
  if (conventions === null && costs === null && symbol === null) return {}
  return {
    settings: {
      ...(conventions === null ? {} : { conventions }),
      ...(costs === null ? {} : { costs }),
      ...(symbol === null ? {} : { symbol: symbolRules(symbol) }),
    },
  }
}

function symbolRules({ tick, lot, minNotional }: Readonly<Record<string, unknown>>): SymbolRulesBody {
  return { tick: numberOrNull(tick), lot: numberOrNull(lot), minNotional: numberOrNull(minNotional) }
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

/** Answers as `settleAttempt`. @throws Failure storeUnusable, after putting the outcome beside the store when the store cannot take it */
async function keepOutcome(run: OpenRun, recorded: RecordedOutcome): Promise<string | null> {
  try {
    return await settleAttempt(run.store, recorded)
  } catch (error) {
    if (error instanceof Failure) putIntoOutboxQuietly(run, recorded)
    throw error
  }
}

/** The disk that refused the store may refuse the file too; the intent row then has to do. */
function putIntoOutboxQuietly(run: OpenRun, recorded: RecordedOutcome): void {
  try {
    putIntoOutbox(run.store, recorded)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    run.messages.emit({ kind: 'warning', ...warning('outcomeNotKept', { reason }) })
  }
}

/** A submission was refused though the service had said that one is left. */
function refuteLimits({ serviceAllowance, messages }: OpenRun): void {
  if (!serviceAllowance.refute()) return
  const message =
    'daily limit: the service refused a backtest although it reported some left; only the count here is used now'
  messages.emit({ kind: 'observed', message })
}
