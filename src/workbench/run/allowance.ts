/**
 * The arithmetic of the backtest allowance: pure answers from the list of what was spent. A unit counts from its submission until
 * `windowMs` after its latest possible arrival, so that a service never counts more than `count` in any window, sliding or fixed
 * (`decisions/0002`, A-07).
 */
import { BACKTEST_ALLOWANCE } from '../../contract/bodies.ts'
import type { LimitsReading } from '../api/reading/readings.ts'

// What the service has shown of its allowance, beside our own ledger. It can make us wait, or, where it forgets sooner than the ledger
// assumes, let us send more: never more than it says is left. `spentAt` is the ledger: ms, oldest first. All times: ms, service time.

/** Between two questions to a service that is full: it may state an opening that has passed already, or that never comes. */
const shortestCloseMs = 60_000
/** A full service is asked at least this often, and a submission is tried at most this often while its limits state nothing. */
const probeEveryMs = 60 * 60_000

interface AllowanceTerms {
  /** The whole allowance, of which `allowance` leaves the reserve. */
  readonly limit: number
  readonly allowance: Allowance
}

/** The moment of a question, and what our rows say then. */
interface Rows {
  readonly now: number
  readonly spentAt: readonly number[]
}

/** Clocks may disagree in rate and the service's dates have seconds: a minute covers both. */
export const allowanceMarginMs = 60_000

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

export interface Allowance {
  readonly count: number
  readonly windowMs: number
}

/** What is said in front of such a time. */
export const REOPENING_WORDS = {
  reported: 'reopens at',
  ledger: 'next backtest, counted here, at',
  recheck: 'the service is full and gives no time; asked again at',
} as const

/** Where a time comes from at which the next unit fits: the service said it, our own rows say it, or it is when a full service is asked again. */
export type ReopeningSource = keyof typeof REOPENING_WORDS

/** When the next unit fits: ms, service time. */
export interface Reopening {
  readonly at: number
  readonly source: ReopeningSource
}

/** As JSON shows it: ISO 8601 UTC. */
export function reopeningOrNull(reopening: Reopening | null): {
  readonly nextAt: string | null
  readonly source: ReopeningSource | null
} {
  if (reopening === null) return { nextAt: null, source: null }
  return { nextAt: new Date(reopening.at).toISOString(), source: reopening.source }
}

/** What one may use: the documented allowance, or the settings in its place, less what is to be left for others. */
export function allowanceOf(
  settings: Partial<Record<'allowance' | 'allowanceWindowMs' | 'reserve', number | undefined>> = {},
): Allowance {
  const limit = settings.allowance ?? BACKTEST_ALLOWANCE.count
  return {
    count: Math.max(0, limit - (settings.reserve ?? 0)),
    windowMs: (settings.allowanceWindowMs ?? BACKTEST_ALLOWANCE.windowMs) + allowanceMarginMs,
  }
}

/**
 * The earliest moment one more submission fits, never before `now`; Infinity when none ever does.
 * `spentAt`: ms, oldest first.
 */
export function nextOpening(spentAt: readonly number[], allowance: Allowance, now: number): number {
  if (allowance.count < 1) return Number.POSITIVE_INFINITY
  const blocking = spentAt.at(-allowance.count)
  return blocking === undefined ? now : Math.max(now, blocking + allowance.windowMs)
}

/** The earliest moment at which `n` more fit together; else as `nextOpening`, which is this for one. */
export function nextOpeningFor(n: number, spentAt: readonly number[], allowance: Allowance, now: number): number {
  return nextOpening(spentAt, { ...allowance, count: allowance.count - (n - 1) }, now)
}

/** How many of `spentAt` still count. */
export function countUsed(spentAt: readonly number[], allowance: Allowance, now: number): number {
  return spentAt.filter((at) => at > now - allowance.windowMs).length
}

/** What was spent before this moment (ms) has no say in what is allowed; a day more than the window, for clocks that are set. */
export function ledgerSince(allowance: Allowance, now: number): number {
  return now - allowance.windowMs - 24 * 3_600_000
}

/** When the last of `n` submissions fits, each sent as early as it may; `now` when there are none. */
export function finishAt(spentAt: readonly number[], allowance: Allowance, now: number, n: number): number {
  const spent = [...spentAt]
  let at = now
  for (let k = 0; k < n && Number.isFinite(at); k++) {
    at = nextOpening(spent, allowance, at)
    spent.push(at)
  }
  return at
}

/** Windows that `n` submissions take; the present one is the first, if it has room. */
export function countWindows(n: number, available: number, perWindow: number): number {
  if (n === 0 || perWindow === 0) return 0
  return (available > 0 ? 1 : 0) + Math.ceil(Math.max(0, n - available) / perWindow)
}

/** What the allowance makes of trials that are still to be submitted. */
export interface AllowanceOutlook {
  /** Windows it takes, the present one included as long as it has room; null while a full service does not say until when. */
  readonly windows: number | null
  /** When the next submission fits, ms; null when one fits now, when none is to come, or when none ever fits. */
  readonly reopensAt: number | null
  /** Where `reopensAt` comes from; null where it is. */
  readonly source: ReopeningSource | null
  /** Until the last one fits, ms; null when it never does, or while a full service does not say until when. */
  readonly submittedInMs: number | null
}

/** `available` fit now, or none before it reopens: by our ledger, or by the service's word where it differs. `spentAt`: as in `nextOpening`. */
export function foreseeAllowance(
  spentAt: readonly number[],
  allowance: Allowance,
  given: {
    readonly now: number
    readonly todo: number
    readonly available: number
    readonly reopening: Reopening | null
  },
): AllowanceOutlook {
  const { now, todo, reopening } = given
  if (todo === 0) return { windows: 0, reopensAt: null, source: null, submittedInMs: 0 }
  const when = { reopensAt: reopening?.at ?? null, source: reopening?.source ?? null }
  if (reopening?.source === 'recheck') return { ...when, windows: null, submittedInMs: null }
  const last = Math.max(reopening?.at ?? now, finishAt(spentAt, allowance, now, todo))
  return {
    ...when,
    windows: countWindows(todo, reopening === null ? given.available : 0, allowance.count),
    submittedInMs: Number.isFinite(last) ? last - now : null,
  }
}

/** What must be waited for cannot be seen from how fast it goes. */
export function waitsForAllowance({ windows, reopensAt }: Pick<AllowanceOutlook, 'windows' | 'reopensAt'>): boolean {
  return windows === null || windows > 1 || reopensAt !== null
}

// What kind of window the service counts in, as far as it shows. Our ledger assumes the strictest kind and is safe for all; a service
// that forgets sooner says so in its limits, and then what it allows is used: never more than it says is left.

export interface WindowObservation {
  readonly type: 'sliding' | 'fixed' | 'forgetful'
  /** What shows it, in one sentence. */
  readonly evidence: string
}

/** Limits may be stated with a delay; what is younger proves nothing, and is taken off what is left. */
const lagMs = 10 * 60_000

/** What was accepted before this moment (ms) shows nothing of a window of this length. */
export function acceptedSince(windowMs: number, now: number): number {
  return now - 2 * windowMs
}

/**
 * `acceptedAt`: when submissions were accepted for certain, ms, service time, oldest first. `windowMs`: the service's, without our
 * margin. What was accepted weighs more than words, and words more than counts.
 */
export function observeWindow(
  limits: LimitsReading,
  acceptedAt: readonly number[],
  { limit, windowMs, now }: { readonly limit: number; readonly windowMs: number; readonly now: number },
): WindowObservation | null {
  const { windowType, used } = limits
  const words = windowType === null ? null : { type: windowType, evidence: `the service says it is ${windowType}` }
  if (words !== null && words.type !== 'sliding') return words
  const hours = Math.round(windowMs / 3_600_000)
  const most = mostWithin(
    windowMs - lagMs,
    acceptedAt.filter((at) => at > acceptedSince(windowMs, now)),
  )
  if (most > (limits.limit ?? limit)) {
    const evidence = `it accepted ${most} within ${hours} h: not a sliding window of ${hours} h`
    return { type: 'forgetful', evidence }
  }
  if (words !== null || used === null) return words
  const certain = acceptedAt.filter((at) => at > now - windowMs + lagMs && at < now - lagMs).length
  if (used >= certain) return null
  return {
    type: 'forgetful',
    evidence: `it counts ${used} of ${certain} accepted within ${hours} h: shorter than a sliding window of ${hours} h`,
  }
}

/** The most of `times` (ascending) that lie within any `spanMs`. */
function mostWithin(spanMs: number, times: readonly number[]): number {
  let from = 0
  let most = 0
  for (const [index, at] of times.entries()) {
    while (times[from] <= at - spanMs) from++
    most = Math.max(most, index - from + 1)
  }
  return most
}

/** What the service said is left, and when (ms, service time). */
export interface Grant {
  readonly left: number
  readonly at: number
}

/** null: nothing beyond our own ledger is to be had. */
export function grantOf(
  limits: LimitsReading,
  window: WindowObservation | null,
  { allowance, now }: { readonly allowance: Allowance; readonly now: number },
): Grant | null {
  if (window === null || window.type === 'sliding' || limits.remaining === null || limits.used === null) return null
  // A reserve, or a smaller allowance than the service's, holds in its window too.
  return { left: Math.min(limits.remaining, allowance.count - limits.used), at: now }
}

/** How many more fit into what was granted; everything that may have been counted since is taken off. Pure, from rows. */
export function leftOfGrant(grant: Grant | null, spentAt: readonly number[]): number {
  if (grant === null) return 0
  return Math.max(0, grant.left - spentAt.filter((at) => at > grant.at - lagMs).length)
}

/** Whether so many fit into it together. */
export function fitsGrant(grant: Grant | null, spentAt: readonly number[], together = 1): boolean {
  return leftOfGrant(grant, spentAt) >= together
}
