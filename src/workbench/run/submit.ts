/** One submission: the intent on the disk, the request on the wire, the settlement on the disk. In this order, always. */
import type { JobRequestBody, SymbolRulesBody } from '../../contract/bodies.ts'
import { STRATEGY_TYPE } from '../../contract/bot.ts'
import { Failure } from '../../errors.ts'
import { doubt } from '../analysis/doubts/doubts.ts'
import type { PostOutcome } from '../api/outcome.ts'
import type { JobReading } from '../api/reading/readings.ts'
import { type OpenedAttempt, openAttempt, type Settlement, settleAttempt } from '../store/attempts.ts'
import { readKnownJobs } from '../store/known-jobs.ts'
import { spillSettlement } from '../store/spill.ts'
import type { Settings } from '../study/settings.ts'
import type { Trial } from '../study/study.ts'
import { budgetLeft } from './agent-budget.ts'
import { refuteLimits } from './limits.ts'
import { noteConsequence, stop } from './notes.ts'
import { askedOn, type OpenRun } from './open-run.ts'
import { saysFull, settlementOf } from './outcome-table.ts'

/** Submits a trial, unless the ledger turns out to be full after all. */
export async function submitTrial(run: OpenRun, trial: Trial): Promise<void> {
  const { serviceAllowance, options } = run
  const now = run.clock.now()
  let onItsWord = false
  const attempt = await openAttempt(run.store, {
    ...run.spender,
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
  const { settlement, consequence } = settlementOf(outcome, {
    attemptId: attempt.id,
    now: run.clock.now(),
    settleMs: run.settleMs,
  })
  await keepSettlement(run, settlement)
  if (consequence.kind === 'accepted') {
    run.tally.addSubmitted(trial.fingerprint)
    run.looks.noteSubmission(run.clock.now())
  }
  // An interrupt that came before it left says nothing about the service.
  if (consequence.kind !== 'notSent' || !options.signal?.aborted) noteConsequence(run, consequence)
  if (onItsWord && saysFull(consequence)) refuteLimits(run)
  if (outcome.kind === 'ambiguous' && (outcome.unread || outcome.saysFailed)) stopAtUnread(run, outcome)
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
      await keepSettlement(run, settlementOf({ kind: 'notSent', reason: error.message }, context).settlement)
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
  const mayRead = readKnownJobs(run.store, run.spender).size > 0
  if (saysFailed) {
    const message = `Stopped: the service does not say whether it spent a backtest on that, so one is counted; \`dcalab run ${run.study.name}\` asks for it first`
    const remedy = 'where such a reply spends none, `refusal` in a dialect says so (src/workbench/api/DIALECT.md)'
    stop(run, { by: 'refusal', mayRead }, `${message}; ${remedy}`)
  } else if (!mayRead) {
    const message = `The answer to the first submission cannot be read (${reason}). It is kept, and nothing more is sent`
    const remedy = '`dcalab service draft my-service.mjs` drafts what reads it (guide/real-service.md)'
    stop(run, { by: 'unresolved', mayRead: false }, `${message}: ${remedy}`)
  }
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

/** @throws Failure storeUnusable, after putting the outcome beside the store when the store cannot take it */
async function keepSettlement(run: OpenRun, settlement: Settlement): Promise<void> {
  try {
    await settleAttempt(run.store, settlement)
  } catch (error) {
    if (error instanceof Failure) spillQuietly(run, settlement)
    throw error
  }
}

/** The disk that refused the store may refuse the file too; the intent row then has to do. */
function spillQuietly(run: OpenRun, settlement: Settlement): void {
  try {
    spillSettlement(run.store, settlement)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    run.talk.tell({ kind: 'warning', ...doubt('outcomeNotKept', { reason }) })
  }
}
