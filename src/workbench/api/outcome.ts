/**
 * What became of one request. A write ends in exactly one of five ways, and the difference is money: only `acked` happened for
 * certain, only `rejected`, `refused` and `notSent` certainly did not, and everything else is `ambiguous` — also by default.
 */
import type { RefusalCode } from '../../contract/refusals.ts'

/** A reply as received. `text` is scrubbed of keys; everything else we know is derived from it. */
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
  readonly retryAfter: string | null
  /** What the service announces itself as (`SERVICE_HEADER`). */
  readonly announced: string | null
  /** Monotonic ms just before the request left. */
  readonly askedAt: number
}

/** A no that we plan with: the documented codes, a 429 that names none of them, and a base address that leads elsewhere. */
export type RefusedCode = RefusalCode | 'Unknown429' | 'WrongAddress'

/** The service said no before it did anything; nothing was spent or created. */
export interface Refused {
  readonly kind: 'refused'
  readonly code: RefusedCode
  readonly status: number
  /** The service's own words, shortened. */
  readonly message: string
  /** From Retry-After, clamped to what is sane for the code; null when absent or unreadable. */
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
  /** It may or may not have happened: reconcile, never resend. `raw` is what came back, if anything did. */
  | { readonly kind: 'ambiguous'; readonly reason: string; readonly raw: RawReply | null }
  /** No byte of it left this machine. `stale`: the bot has to be read back as a demo once more before it may. */
  | { readonly kind: 'notSent'; readonly reason: string; readonly stale?: true }

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
