/**
 * The outcome of one request. A write ends in one of five ways, and the difference is money: `acked` certainly happened;
 * `rejected`, `refused` and `notSent` certainly did not; everything else is `ambiguous`, which is also the default.
 */
import type { RefusalCode } from '../../contract/bodies.ts'
import { Failure, type FailureCode } from '../../errors.ts'

/** A reply as received. Keys are removed from `text`; everything else is derived from it. */
export interface RawReply {
  readonly status: number
  readonly text: string
  /** Wall clock, ms UTC, when the last byte was read. */
  readonly receivedAt: number
  /** The service's `Date` header, ms UTC. */
  readonly serverDate: number | null
}

/** A complete answer. */
export interface Reply {
  readonly raw: RawReply
  /** The body as strict JSON, keys struck out; undefined when it is not JSON. */
  readonly json: { readonly value: unknown } | undefined
  /** The bytes of a body that is not UTF-8, keys removed; null = `raw.text` is the body. */
  readonly binary: Uint8Array | null
  readonly retryAfter: string | null
  /** How the service identifies itself (`SERVICE_HEADER`). */
  readonly announced: string | null
  /** Monotonic ms just before the request left. */
  readonly askedAt: number
}

/** A refusal that the program expects: the documented codes, a 429 without one of them, and a wrong base address. */
export type RefusedCode = RefusalCode | 'Unknown429' | 'WrongAddress'

/** The service refused before it did anything; nothing was spent or created. `status` may be a success whose body says the code. */
export interface Refused {
  readonly kind: 'refused'
  readonly code: RefusedCode
  readonly status: number
  /** The service's own words, shortened. */
  readonly message: string
  /** From Retry-After, limited to a range that makes sense for the code; null when absent or unreadable. */
  readonly retryAfterMs: number | null
  readonly raw: RawReply
}

/** The outcome of a write. It is sent at most once, whatever happens. */
export type PostOutcome<T> =
  | { readonly kind: 'acked'; readonly value: T; readonly raw: RawReply }
  /** The service read this request and will not do it (400, 422 …); the next one may be fine. */
  | {
      readonly kind: 'rejected'
      readonly status: number
      readonly code: string | null
      readonly message: string
      readonly raw: RawReply
    }
  | Refused
  /** It may or may not have happened: reconcile it, never send it again. `raw` is the reply, if there was one. */
  | {
      readonly kind: 'ambiguous'
      readonly reason: string
      readonly raw: RawReply | null
      /** It was accepted, and the JSON that says so has a shape that is not understood. */
      readonly unread?: true
      /** A success by its status whose body says that it failed, without a documented code. */
      readonly saysFailed?: true
    }
  /** Nothing of it was sent. `stale`: the bot must be read back as a demo again first. */
  | { readonly kind: 'notSent'; readonly reason: string; readonly stale?: true | undefined }

/** The outcome of a read, after the gate's bounded retries. */
export type ReadOutcome<T> =
  | { readonly kind: 'ok'; readonly value: T; readonly raw: RawReply }
  /** 404 for the id or exchange asked for. */
  | { readonly kind: 'missing'; readonly raw: RawReply }
  | Refused
  /** `unreachable`: no answer or only 5xx; otherwise an answer came that cannot be read. */
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly unreachable: boolean
      readonly raw: RawReply | null
    }

// Turns an outcome with which a command cannot continue into the Failure that ends it.

const REFUSED_AS: Readonly<Record<RefusedCode, FailureCode>> = {
  ApiKeyInvalid: 'keyRefused',
  AuthRequired: 'keyRefused',
  ApiKeyAddress: 'addressRefused',
  ApiKeyScope: 'scopeRefused',
  BotPlanLimit: 'planRefused',
  ApiKeyRateLimit: 'serviceRefused',
  Unknown429: 'serviceRefused',
  ApiKeyBacktestLimit: 'allowanceSpent',
  WrongAddress: 'serviceUnreadable',
}

type Unhappy = Exclude<ReadOutcome<unknown>, { kind: 'ok' }> | Exclude<PostOutcome<unknown>, { kind: 'acked' }>

/** `tried`: what we were doing, e.g. "Reading bot 12". The service's own words follow. */
export function failureOf(outcome: Unhappy, tried: string): Failure {
  switch (outcome.kind) {
    case 'refused': {
      const message = `${tried}: the service refused (${outcome.status} ${outcome.code}): ${outcome.message}`
      const hint = outcome.code === 'WrongAddress' ? { hint: 'check DCALAB_BASE_URL: its paths lead elsewhere' } : {}
      return new Failure(REFUSED_AS[outcome.code], message, hint)
    }
    case 'rejected': {
      const code = outcome.code === null ? '' : ` ${outcome.code}`
      return new Failure(
        'serviceRefused',
        `${tried}: the service said no (${outcome.status}${code}): ${outcome.message}`,
      )
    }
    case 'missing':
      return new Failure('notFound', `${tried}: the service does not know it`, {
        hint: '`dcalab bots list`, `dcalab service jobs list` and `dcalab service symbols` show what the service knows',
      })
    case 'failed':
      return new Failure(
        outcome.unreachable ? 'serviceUnreachable' : 'serviceUnreadable',
        `${tried}: ${outcome.reason}`,
      )
    case 'notSent':
      if (outcome.stale) return new Failure('proofExpired', `${tried}: it was not sent: ${outcome.reason}`)
      return new Failure('serviceUnreachable', `${tried}: it was not sent: ${outcome.reason}`)
    case 'ambiguous':
      return new Failure('attemptUnresolved', `${tried}: it is not known whether it happened: ${outcome.reason}`)
  }
}
