/**
 * The outcome table: what became of a submission, for the attempt, for its trial, and for the run. Every row is money, so the
 * table is one pure function and its default is "unknown".
 *
 *     seen                              attempt     the run then
 *     2xx with a usable id              acked       goes on
 *     2xx with the id of a job          ambiguous   stops, reconciles
 *       that the store has already
 *     2xx whose body is a documented    as that     as that code
 *       code, with no id                  code
 *     2xx whose body says it failed     ambiguous   stops, reconciles
 *     400, 422 … not one of below       rejected    goes on; stops after so many in a row at its start
 *     401, 403, 404                     released    stops
 *     429 ApiKeyRateLimit               released    pauses at least a minute
 *     429 ApiKeyBacktestLimit           released    the allowance is full, whatever our ledger says
 *     429 without a known code          released    both
 *     3xx                               ambiguous   stops, reconciles
 *     anything else that left           ambiguous   reconciles before the next submission
 *     no byte left                      released    backs off
 */
import type { PostOutcome, RawReply, Refused } from '../api/outcome.ts'
import type { JobReading } from '../api/reading/readings.ts'
import type { RecordedOutcome } from '../store/attempts.ts'
import type { JobObservation } from '../store/observe-job.ts'

export type Consequence =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly message: string }
  /** `mayRead`: what already runs may still be collected. */
  | { readonly kind: 'stop'; readonly message: string; readonly mayRead: boolean }
  /** No submission for so long; `full`: the service's allowance is used up as well. */
  | { readonly kind: 'pause'; readonly ms: number; readonly full: boolean; readonly message: string }
  | { readonly kind: 'full'; readonly ms: number | null; readonly message: string }
  | { readonly kind: 'unsure'; readonly message: string; readonly stop: boolean }
  | { readonly kind: 'notSent'; readonly message: string }

const shortestRatePauseMs = 60_000

/** `now`: ms, service time, when the outcome was known. `settleMs`: how much later the request may still arrive. */
export function recordedOutcomeOf(
  outcome: PostOutcome<JobReading>,
  context: { readonly attemptId: number; readonly now: number; readonly settleMs: number },
): { readonly recorded: RecordedOutcome; readonly consequence: Consequence } {
  const { attemptId, now: at, settleMs } = context
  switch (outcome.kind) {
    case 'acked': {
      const observation = toObservation(outcome.value, outcome.raw.receivedAt)
      const reply = replyOf(outcome.raw, null)
      return { recorded: { attemptId, at, to: 'acked', observation, reply }, consequence: { kind: 'accepted' } }
    }
    case 'rejected':
      return {
        recorded: {
          attemptId,
          at,
          to: 'rejected',
          reason: outcome.message,
          reply: replyOf(outcome.raw, outcome.code),
        },
        consequence: { kind: 'rejected', message: `rejected (${outcome.status}): ${outcome.message}` },
      }
    case 'refused':
      return {
        recorded: {
          attemptId,
          at,
          to: 'released',
          reason: outcome.message,
          reply: replyOf(outcome.raw, outcome.code),
        },
        consequence: consequenceOf(outcome),
      }
    case 'notSent':
      return {
        recorded: { attemptId, at, to: 'released', reason: outcome.reason, reply: replyOf(null, null) },
        consequence: { kind: 'notSent', message: outcome.reason },
      }
    case 'ambiguous': {
      const status = outcome.raw?.status ?? 0
      return {
        recorded: {
          attemptId,
          at,
          to: 'ambiguous',
          countedAt: at + settleMs,
          reason: outcome.reason,
          reply: replyOf(outcome.raw, null),
        },
        consequence: { kind: 'unsure', message: outcome.reason, stop: status >= 300 && status <= 399 },
      }
    }
  }
}

function replyOf(raw: RawReply | null, code: string | null) {
  return { status: raw?.status ?? null, code, text: raw?.text ?? null }
}

/** A no before anything was spent. The same codes answer reads. */
export function consequenceOf(refused: Refused): Consequence {
  const { code, retryAfterMs } = refused
  const message = `${code}: ${refused.message}`
  switch (code) {
    case 'ApiKeyInvalid':
    case 'AuthRequired':
    case 'ApiKeyAddress':
    case 'WrongAddress':
      return { kind: 'stop', message, mayRead: false }
    case 'ApiKeyScope':
    case 'BotPlanLimit':
      return { kind: 'stop', message, mayRead: true }
    case 'ApiKeyBacktestLimit':
      return { kind: 'full', ms: retryAfterMs, message }
    case 'ApiKeyRateLimit':
      return { kind: 'pause', ms: Math.max(retryAfterMs ?? 0, shortestRatePauseMs), full: false, message }
    case 'Unknown429':
      return { kind: 'pause', ms: Math.max(retryAfterMs ?? 0, shortestRatePauseMs), full: true, message }
  }
}

// What the client read becomes what the store keeps.

/** Unknown states count as running: they keep being polled. */
const STATES = {
  pending: 'running',
  unknown: 'running',
  done: 'done',
  failed: 'failed',
  deleted: 'gone',
} as const satisfies Record<JobReading['state'], JobObservation['state']>

/** `receivedAt`: ms UTC of our clock. */
export function toObservation(job: JobReading, receivedAt: number): JobObservation {
  return {
    remoteId: job.id,
    name: job.name,
    state: STATES[job.state],
    remoteState: job.stateText === '' ? null : job.stateText,
    finishedAt: job.finishedAt,
    failure: job.state === 'failed' ? (job.error ?? 'failed without a reason') : null,
    body: job.rawText,
    receivedAt,
    result: job.result,
  }
}
