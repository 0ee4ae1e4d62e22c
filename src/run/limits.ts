/** What the service says of its allowance: an observation beside our ledger. It can make us wait; more than it says is left is never sent. */
import type { LimitsReading } from '../api/readings.ts'
import { readAccepted, readSpent } from '../store/ledger.ts'
import { allowanceMarginMs, countUsed, nextOpening } from './allowance.ts'
import { noteAnswer, noteFailure, noteRefusedRead } from './notes.ts'
import type { OpenRun } from './run-state.ts'
import { fitsGrant, grantOf, observeWindow } from './window.ts'

/** A full service is asked at most this often, and a submission is tried at most this often while its limits tell nothing. */
const probeEveryMs = 60 * 60_000

/** At the start: a service that says it has nothing left is believed. */
export function takeLimits(run: OpenRun, limits: LimitsReading): void {
  learnWindow(run, limits)
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
  learnWindow(run, outcome.value)
  const { remaining, nextAt } = outcome.value
  const { refusedFull } = run
  run.refusedFull = false
  // Right after a refusal the limits cannot open anything: either they say when, or an hour has to pass.
  if (refusedFull || remaining === 0) return closeUntil(run, remaining === 0 ? nextAt : null)
  run.probeAt = null
  run.fullUntil = null
}

function learnWindow(run: OpenRun, limits: LimitsReading): void {
  const now = run.clock.now()
  const acceptedAt = readAccepted(run.store, run.spender)
  const windowMs = run.allowance.windowMs - allowanceMarginMs
  const window = observeWindow(limits, acceptedAt, { windowMs, now })
  if (window !== null && window.type !== 'sliding' && window.type !== run.window?.type) {
    run.tell({
      kind: 'observed',
      message: `allowance window: ${window.evidence}; what it says is left is used, never more`,
    })
  }
  run.window = window ?? run.window
  run.grant = grantOf(limits, run.window, { allowance: run.allowance, now })
}

/** The earliest moment at which it is worth asking or sending (ms, service time): `now` when one more may be sent. */
export function allowanceOpensAt(run: OpenRun, spentAt: readonly number[], now: number): number {
  const opensAt = nextOpening(spentAt, run.allowance, now)
  if (opensAt <= now || fitsGrant(run.grant, spentAt)) return now
  const isSooner = run.window !== null && run.window.type !== 'sliding' && run.fullUntil !== null
  return isSooner ? Math.min(opensAt, Math.max(now, run.fullUntil ?? now)) : opensAt
}

/** Our ledger is full, but the service forgets sooner: it is asked once when it opens next. */
export function askIfSooner(run: OpenRun, spentAt: readonly number[], now: number): void {
  const opensAt = nextOpening(spentAt, run.allowance, now)
  if (opensAt <= now || run.probeAt !== null || run.window === null || run.window.type === 'sliding') return
  if (run.askedFor === opensAt || fitsGrant(run.grant, spentAt)) return
  run.askedFor = opensAt
  run.probeAt = now
}

function closeUntil(run: OpenRun, nextAt: number | null): void {
  const now = run.clock.now()
  const opensAt = nextAt ?? run.fullUntil ?? now + probeEveryMs
  run.fullUntil = Math.max(opensAt, now + 1)
  run.probeAt = Math.max(now + 1, Math.min(opensAt, now + probeEveryMs))
}

/** Says once when the service counts more than we know of: somebody else uses the key, or deleted jobs that count. */
export function compareWithLedger(run: OpenRun, limits: LimitsReading): void {
  if (limits.used === null) return
  const now = run.clock.now()
  const ours = countUsed(readSpent(run.store, { ...run.spender, now }), run.allowance, now)
  if (limits.used <= ours) return
  run.tell({
    kind: 'warning',
    code: 'allowanceDiffers',
    message: `the service has counted ${limits.used} backtests, our ledger ${ours}; it may refuse before we expect it`,
  })
}
