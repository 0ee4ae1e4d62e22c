/**
 * The arithmetic of the backtest allowance: pure answers from the list of what was spent. A unit counts from its submission until
 * `windowMs` after its latest possible arrival, so that a service never counts more than `count` in any window, sliding or fixed
 * (`decisions/0002`, A-07).
 */
import { BACKTEST_ALLOWANCE } from '../../contract/refusals.ts'

export interface Allowance {
  readonly count: number
  readonly windowMs: number
}

/** Where a time comes from at which the next unit fits: the service said it, our own rows say it, or it is when a full service is asked again. */
export type ReopeningSource = keyof typeof REOPENING_WORDS

/** When the next unit fits: ms, service time. */
export interface Reopening {
  readonly at: number
  readonly source: ReopeningSource
}

/** What is said in front of such a time. */
export const REOPENING_WORDS = {
  reported: 'reopens at',
  ledger: 'by our own count a unit is free at',
  probe: 'the service is full; it does not say until when; asked again at',
} as const

/** As JSON shows it: ISO 8601 UTC. */
export function reopeningOrNull(reopening: Reopening | null): {
  readonly nextAt: string | null
  readonly source: ReopeningSource | null
} {
  if (reopening === null) return { nextAt: null, source: null }
  return { nextAt: new Date(reopening.at).toISOString(), source: reopening.source }
}

/** Clocks may disagree in rate and the service's dates have seconds: a minute covers both. */
export const allowanceMarginMs = 60_000

/** What one may use: the documented allowance, or the settings in its place, less what is to be left for others. */
export function allowanceOf(
  settings: { readonly allowance?: number; readonly allowanceWindowMs?: number; readonly reserve?: number } = {},
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
