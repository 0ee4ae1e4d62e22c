/** What the service says of its allowance: an observation beside our ledger. It can make us wait; more than it says is left is never sent. */
import type { LimitsReading } from '../api/reading/readings.ts'
import { readAccepted } from '../store/ledger.ts'
import { allowanceMarginMs, countUsed, nextOpening } from './allowance.ts'
import { noteAnswer, noteFailure, noteRefusedRead } from './notes.ts'
import { recallSpent } from './recall.ts'
import type { OpenRun } from './run-state.ts'
import { fitsGrant, grantOf, leftOfGrant, observeWindow } from './window.ts'

/** Between two questions to a service that is full: it may tell an opening that has passed already, or that never comes. */
const shortestCloseMs = 60_000
/** A full service is asked at least this often, and a submission is tried at most this often while its limits tell nothing. */
const probeEveryMs = 60 * 60_000

/** At the start: a service that says it has nothing left is believed. */
export function takeLimits(run: OpenRun, limits: LimitsReading): void {
  learn(run, limits)
  if (limits.remaining === null || limits.remaining > 0) return
  closeUntil(run, limits.nextAt)
}

/** Asks a full service again. */
export async function probeLimits(run: OpenRun): Promise<void> {
  const { signal } = run.options
  run.requests++
  const outcome = await run.client.limits(signal === undefined ? {} : { signal })
  if (outcome.kind === 'refused') return noteRefusedRead(run, outcome)
  if (outcome.kind !== 'ok') return noteFailure(run, 'the limits cannot be read')
  run.clock.learn(outcome.raw)
  noteAnswer(run)
  learn(run, outcome.value)
  const { remaining, nextAt } = outcome.value
  const { refusedFull } = run
  run.refusedFull = false
  // Right after a refusal the limits cannot open anything: either they say when, or an hour has to pass.
  if (refusedFull || remaining === 0) return closeUntil(run, remaining === 0 ? nextAt : null)
  run.probeAt = null
  run.fullUntil = null
}

function learn(run: OpenRun, limits: LimitsReading): void {
  const now = run.clock.now()
  const spentAt = recallSpent(run, now)
  const { remaining, used } = limits
  const room = run.allowance.count - countUsed(spentAt, run.allowance, now)
  run.tellsCounts = remaining !== null && used !== null
  run.cap = remaining !== null && remaining < room ? { left: remaining, after: spentAt.length } : null
  if (run.limitsRefuted) return
  const acceptedAt = readAccepted(run.store, run.spender)
  const windowMs = run.allowance.windowMs - allowanceMarginMs
  const window = observeWindow(limits, acceptedAt, { limit: run.limit, windowMs, now })
  if (window !== null && window.type !== 'sliding' && window.type !== run.window?.type) {
    run.tell({
      kind: 'observed',
      message: `allowance window: ${window.evidence}; what it says is left is used, never more`,
    })
  }
  run.window = window ?? run.window
  run.grant = grantOf(limits, run.window, { allowance: run.allowance, now })
}

/** A submission was refused though the service had said that one is left: what it says of its window is not believed again. */
export function refuteLimits(run: OpenRun): void {
  if (run.limitsRefuted) return
  run.limitsRefuted = true
  run.grant = null
  run.window = { type: 'sliding', evidence: 'it refused what it had said was left' }
  const message =
    'allowance window: the service refused what it had said was left; only our own count is used from now on'
  run.tell({ kind: 'observed', message })
}

/** Our ledger has no room: what is sent now is sent on the service's word. */
export function isOnItsWord(run: OpenRun, spentAt: readonly number[], now: number): boolean {
  return nextOpening(spentAt, run.allowance, now) > now
}

/** The earliest moment at which it is worth asking or sending (ms, service time): `now` when one more may be sent. */
export function allowanceOpensAt(run: OpenRun, spentAt: readonly number[], now: number): number {
  const opensAt = nextOpening(spentAt, run.allowance, now)
  if (opensAt <= now || fitsGrant(run.grant, spentAt)) return now
  const isSooner = run.window !== null && run.window.type !== 'sliding' && run.fullUntil !== null
  return isSooner ? Math.min(opensAt, Math.max(now, run.fullUntil ?? now)) : opensAt
}

/**
 * Whether the service is asked before anything is sent: what it had left less than we is used up, or our ledger is full and it may
 * forget sooner. Then it is asked when the ledger's opening moves, or once an hour while its window is unknown.
 */
export function askFirst(run: OpenRun, spentAt: readonly number[], now: number): void {
  if (run.probeAt !== null) return
  const opensAt = nextOpening(spentAt, run.allowance, now)
  if (opensAt <= now) {
    if (leftOfCap(run, spentAt) <= 0) run.probeAt = now
    return
  }
  if (!run.tellsCounts || run.window?.type === 'sliding' || fitsGrant(run.grant, spentAt)) return
  const isDue = run.asked === null || now - run.asked.at >= probeEveryMs
  const isNews = run.window !== null && run.asked?.opensAt !== opensAt
  if (!isDue && !isNews) return
  run.asked = { at: now, opensAt }
  run.probeAt = now
}

function leftOfCap({ cap }: OpenRun, spentAt: readonly number[]): number {
  return cap === null ? Number.POSITIVE_INFINITY : cap.left - (spentAt.length - cap.after)
}

/** How many may be sent at this moment. */
export function countAvailable(run: OpenRun, spentAt: readonly number[], now: number): number {
  const room = run.allowance.count - countUsed(spentAt, run.allowance, now)
  return Math.max(0, Math.min(Math.max(room, leftOfGrant(run.grant, spentAt)), leftOfCap(run, spentAt)))
}

function closeUntil(run: OpenRun, nextAt: number | null): void {
  const now = run.clock.now()
  const opensAt = nextAt ?? run.fullUntil ?? now + probeEveryMs
  run.fullUntil = Math.max(opensAt, now + 1)
  run.probeAt = Math.max(now + shortestCloseMs, Math.min(opensAt, now + probeEveryMs))
}

/** Says once when the service counts more than we know of: somebody else uses the key, or deleted jobs that count. */
export function compareWithLedger(run: OpenRun, limits: LimitsReading): void {
  if (limits.used === null) return
  const now = run.clock.now()
  const ours = countUsed(recallSpent(run, now), run.allowance, now)
  if (limits.used <= ours) return
  run.tell({
    kind: 'warning',
    code: 'allowanceDiffers',
    message: `the service has counted ${limits.used} backtests, our ledger ${ours}; it may refuse before we expect it`,
  })
}
