/**
 * What the service has shown of its allowance, beside our own ledger. It can make us wait, or, where it forgets sooner than the ledger
 * assumes, let us send more: never more than it says is left. `spentAt` is the ledger: ms, oldest first. All times: ms, service time.
 */
import type { LimitsReading } from '../api/reading/readings.ts'
import {
  type Allowance,
  allowanceMarginMs,
  countUsed,
  fitsGrant,
  type Grant,
  grantOf,
  leftOfGrant,
  nextOpening,
  nextOpeningFor,
  observeWindow,
  type Reopening,
  type WindowObservation,
} from './allowance.ts'

/** Between two questions to a service that is full: it may state an opening that has passed already, or that never comes. */
const shortestCloseMs = 60_000
/** A full service is asked at least this often, and a submission is tried at most this often while its limits state nothing. */
const probeEveryMs = 60 * 60_000

export interface AllowanceTerms {
  /** The whole allowance, of which `allowance` leaves the reserve. */
  readonly limit: number
  readonly allowance: Allowance
}

/** The moment of a question, and what our rows say then. */
export interface Rows {
  readonly now: number
  readonly spentAt: readonly number[]
}

export class ServiceAllowance {
  readonly #terms: AllowanceTerms
  #probeAt: number | null = null
  /** It refused a submission as full just now, so what its limits say is taken with care. */
  #hasRefused = false
  /** It is full until then by its own word; null = it is not, or it does not say until when. */
  #fullUntil: number | null = null
  /** How it counts, as far as it has shown. */
  #window: WindowObservation | null = null
  /** What it said is left, where it forgets sooner than our ledger assumes. */
  #grant: Grant | null = null
  /** It refused what it had said was left: only our own ledger counts from then on. */
  #isRefuted = false
  /** Its limits state numbers. */
  #statesCounts = false
  /** It has less left than our ledger: after so many more (rows of the ledger beyond `after`) it is asked before anything is sent. */
  #cap: { readonly left: number; readonly after: number } | null = null
  /** So many have to fit together for it to count as open. */
  #wanted = 1
  /** When it was last asked whether it opens sooner than the ledger, which then opened at `opensAt`. */
  #asked: { readonly at: number; readonly opensAt: number } | null = null

  constructor(terms: AllowanceTerms) {
    this.#terms = terms
  }

  /** It says its allowance is used up, or has to be asked for another reason: asked then. null = nothing to ask. */
  get probeAt(): number | null {
    return this.#probeAt
  }

  /** When the next unit fits, and where that time comes from; null = one fits now, or none ever does. */
  reopening(rows: Rows): Reopening | null {
    const { now } = rows
    const askedAt = this.#probeAt ?? now
    const own: Reopening = { at: this.opensAt(rows), source: 'ledger' }
    const theirs: Reopening =
      this.#fullUntil === null
        ? { at: askedAt, source: 'recheck' }
        : { at: Math.max(this.#fullUntil, askedAt), source: 'reported' }
    // Where it forgets sooner than our ledger, what the ledger says is no bound.
    const isTheirs = theirs.at > (this.#forgetsSooner ? now : own.at)
    const reopening = isTheirs ? theirs : own
    return reopening.at > now && Number.isFinite(reopening.at) ? reopening : null
  }

  /** From now on it counts as open where so many more may be sent together, at least 1. */
  want(together: number): void {
    this.#wanted = together
  }

  /** What its limits say, at the start: nothing left is believed. Answers what it showed anew of its window. */
  takeFirst(limits: LimitsReading, rows: Rows & { readonly acceptedAt: readonly number[] }): WindowObservation | null {
    const shown = this.#learn(limits, rows)
    const left = this.#leftOf(limits)
    if (left !== null && left <= 0) this.#closeUntil(limits.nextAt, rows.now)
    return shown
  }

  /** What its limits say when a full service is asked again. Answers as `takeFirst`. */
  takeProbe(limits: LimitsReading, rows: Rows & { readonly acceptedAt: readonly number[] }): WindowObservation | null {
    const shown = this.#learn(limits, rows)
    const left = this.#leftOf(limits)
    const isFull = left !== null && left <= 0
    // Right after a refusal the limits cannot open anything: either they say when, or an hour has to pass.
    const isLess = left !== null && left < this.#wanted
    if (isFull) this.#closeUntil(limits.nextAt, rows.now)
    else if (this.#hasRefused) this.#closeUntil(null, rows.now)
    // When it has room for one more is no answer to those who want several.
    else if (isLess) {
      this.#fullUntil = null
      this.#probeAt = rows.now + probeEveryMs
    } else {
      this.#probeAt = null
      this.#fullUntil = null
    }
    this.#hasRefused = false
    return shown
  }

  /** It refused a submission because its allowance is used up, whatever our ledger says: its limits are asked next. */
  noteFull(now: number, retryAfterMs: number | null): void {
    this.#probeAt = now
    this.#grant = null
    this.#hasRefused = true
    this.#fullUntil = retryAfterMs === null ? null : now + retryAfterMs
  }

  /** It refused though it had said that one is left: what it says of its window is not believed again. Answers whether it was until now. */
  refute(): boolean {
    if (this.#isRefuted) return false
    this.#isRefuted = true
    this.#grant = null
    this.#window = { type: 'sliding', evidence: 'it refused a backtest although it reported some left' }
    return true
  }

  /** Our ledger has no room: what is sent now is sent on the service's word. */
  isOnItsWord({ spentAt, now }: Rows): boolean {
    return nextOpening(spentAt, this.#terms.allowance, now) > now
  }

  /** The earliest moment at which it is worth asking or sending: `now` when as many as are wanted together may be sent. */
  opensAt({ spentAt, now }: Rows): number {
    const opensAt = this.#ledgerOpensAt({ spentAt, now })
    if (opensAt <= now || fitsGrant(this.#grant, spentAt, this.#wanted)) return now
    if (!this.#forgetsSooner || this.#fullUntil === null) return opensAt
    return Math.min(opensAt, Math.max(now, this.#fullUntil))
  }

  /**
   * Decides whether it is asked before anything is sent: what it had left less than we is used up, or our ledger is full and it may forget
   * sooner. Then it is asked when the ledger's opening moves, or once an hour while its window is unknown.
   */
  askFirst({ spentAt, now }: Rows): void {
    if (this.#probeAt !== null) return
    const opensAt = this.#ledgerOpensAt({ spentAt, now })
    if (opensAt <= now) {
      if (this.#leftOfCap(spentAt) < this.#wanted) this.#probeAt = now
      return
    }
    const isGranted = fitsGrant(this.#grant, spentAt, this.#wanted)
    if (!this.#statesCounts || this.#window?.type === 'sliding' || isGranted) return
    const isDue = this.#asked === null || now - this.#asked.at >= probeEveryMs
    const isNews = this.#window !== null && this.#asked?.opensAt !== opensAt
    if (!isDue && !isNews) return
    this.#asked = { at: now, opensAt }
    this.#probeAt = now
  }

  /** How many may be sent at this moment. */
  countAvailable({ spentAt, now }: Rows): number {
    const room = this.#roomInLedger({ spentAt, now })
    return Math.max(0, Math.min(Math.max(room, leftOfGrant(this.#grant, spentAt)), this.#leftOfCap(spentAt)))
  }

  #learn(limits: LimitsReading, rows: Rows & { readonly acceptedAt: readonly number[] }): WindowObservation | null {
    const { limit, allowance } = this.#terms
    const left = this.#leftOf(limits)
    this.#statesCounts = left !== null && limits.used !== null
    const isLess = left !== null && left < this.#roomInLedger(rows)
    this.#cap = isLess ? { left, after: rows.spentAt.length } : null
    if (this.#isRefuted) return null
    const windowMs = allowance.windowMs - allowanceMarginMs
    const window = observeWindow(limits, rows.acceptedAt, { limit, windowMs, now: rows.now })
    const isNew = window !== null && window.type !== 'sliding' && window.type !== this.#window?.type
    this.#window = window ?? this.#window
    this.#grant = grantOf({ ...limits, remaining: left }, this.#window, { allowance, now: rows.now })
    return isNew ? window : null
  }

  #ledgerOpensAt({ spentAt, now }: Rows): number {
    return nextOpeningFor(this.#wanted, spentAt, this.#terms.allowance, now)
  }

  get #forgetsSooner(): boolean {
    return this.#window !== null && this.#window.type !== 'sliding'
  }

  /** Of what the service says is left, what is ours: the reserve is left alone by its count too. */
  #leftOf({ remaining }: LimitsReading): number | null {
    const { limit, allowance } = this.#terms
    return remaining === null ? null : remaining - (limit - allowance.count)
  }

  #roomInLedger({ spentAt, now }: Rows): number {
    const { allowance } = this.#terms
    return allowance.count - countUsed(spentAt, allowance, now)
  }

  #leftOfCap(spentAt: readonly number[]): number {
    return this.#cap === null ? Number.POSITIVE_INFINITY : this.#cap.left - (spentAt.length - this.#cap.after)
  }

  /** `nextAt`: when it opens by its own word; null = it does not say, and what it said before holds until it has passed. */
  #closeUntil(nextAt: number | null, now: number): void {
    const opensAt = nextAt ?? this.#fullUntil
    this.#fullUntil = opensAt !== null && opensAt > now ? opensAt : null
    this.#probeAt = Math.max(now + shortestCloseMs, Math.min(opensAt ?? Number.POSITIVE_INFINITY, now + probeEveryMs))
  }
}
