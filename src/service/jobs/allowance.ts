/** The backtest allowance as arithmetic over the moments at which jobs were accepted. Pure. */
import type { LimitsBody } from '../../contract/bodies.ts'
import { BACKTEST_ALLOWANCE } from '../../contract/refusals.ts'

export interface AllowanceTerms {
  /** Jobs per window and account; 0 = unlimited. */
  readonly allowance: number
  readonly window: WindowType
  /** When fixed windows begin, ms after midnight UTC; 0 … 24 h. */
  readonly phaseMs: number
}

export type WindowType = 'sliding' | 'fixed'

export interface AllowanceReading {
  readonly used: number
  /** When the next job fits, ms UTC; null when one fits now. */
  readonly nextAt: number | null
}

/** The limit of a service without a limit. It is a number, so that readers need no special case. */
const unlimited = Number.MAX_SAFE_INTEGER

/**
 * The first moment that still counts at `now`. A job accepted at t counts in [t, t + 24 h) when the window slides, and until the
 * next phase when it is fixed.
 */
export function windowStart({ window, phaseMs }: Omit<AllowanceTerms, 'allowance'>, now: number): number {
  const { windowMs } = BACKTEST_ALLOWANCE
  if (window === 'sliding') return Math.floor(now) - windowMs + 1
  return Math.floor((now - phaseMs) / windowMs) * windowMs + phaseMs
}

/** @param spentAt accepted jobs at or after `windowStart`, whole ms UTC, oldest first */
export function readAllowance(terms: AllowanceTerms, spentAt: readonly number[], now: number): AllowanceReading {
  const used = spentAt.length
  if (terms.allowance === 0 || used < terms.allowance) return { used, nextAt: null }
  const { windowMs } = BACKTEST_ALLOWANCE
  const opens = terms.window === 'sliding' ? spentAt[used - terms.allowance] : windowStart(terms, now)
  return { used, nextAt: opens + windowMs }
}

export function toLimitsBody(terms: AllowanceTerms, { used, nextAt }: AllowanceReading): Omit<LimitsBody, 'scopes'> {
  const limit = terms.allowance === 0 ? unlimited : terms.allowance
  return {
    limit,
    windowHours: BACKTEST_ALLOWANCE.windowMs / 3_600_000,
    windowType: terms.window,
    used,
    remaining: Math.max(0, limit - used),
    nextAt: nextAt === null ? null : new Date(nextAt).toISOString(),
  }
}
