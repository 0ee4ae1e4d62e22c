/** Asking the service what it says of its allowance (`service-allowance.ts` keeps it), and telling what that shows. */
import type { Scope } from '../../contract/endpoints.ts'
import { doubt } from '../analysis/doubts/doubts.ts'
import type { ServiceIdentity } from '../api/calls.ts'
import type { LimitsReading } from '../api/reading/readings.ts'
import { readAccepted } from '../store/ledger.ts'
import { countUsed } from './allowance.ts'
import { isAnswered, noteAnswer, noteFailure, noteRefusedRead } from './notes.ts'
import type { OpenRun } from './open-run.ts'
import type { Rows } from './service-allowance.ts'
import { acceptedSince, type WindowObservation } from './window.ts'

const TRADE_SCOPE: Scope = 'CanTrade'

/** At the start: a service that says it has nothing left is believed. */
export function takeLimits(run: OpenRun, limits: LimitsReading): void {
  tellWindow(run, run.serviceAllowance.takeFirst(limits, rowsOf(run)))
}

/** Asks a full service again. */
export async function probeLimits(run: OpenRun): Promise<void> {
  run.tally.countRequest()
  const outcome = await run.client.limits(run.call)
  if (outcome.kind === 'refused') return noteRefusedRead(run, outcome)
  if (outcome.kind !== 'ok') {
    const why = outcome.kind === 'missing' ? 'not found' : outcome.reason
    return noteFailure(run, `the limits cannot be read: ${why}`, isAnswered(outcome))
  }
  run.clock.learn(outcome.raw)
  noteAnswer(run)
  tellWindow(run, run.serviceAllowance.takeProbe(outcome.value, rowsOf(run)))
}

function rowsOf(run: OpenRun): Rows & { readonly acceptedAt: readonly number[] } {
  const now = run.clock.now()
  return {
    now,
    spentAt: run.recall.spentAt(now),
    acceptedAt: readAccepted(run.store, { ...run.spender, since: acceptedSince(run.allowance.windowMs, now) }),
  }
}

function tellWindow(run: OpenRun, shown: WindowObservation | null): void {
  if (shown === null) return
  run.talk.tell({
    kind: 'observed',
    message: `allowance window: ${shown.evidence}; what it says is left is used, never more`,
  })
}

/** A submission was refused though the service had said that one is left. */
export function refuteLimits({ serviceAllowance, talk }: OpenRun): void {
  if (!serviceAllowance.refute()) return
  const message =
    'allowance window: the service refused what it had said was left; only our own count is used from now on'
  talk.tell({ kind: 'observed', message })
}

/** Says whether the key may do more than a run needs, by what the service announces alone. Our own service has no money to move. */
export function tellScopes({ talk }: OpenRun, { simulated, limits }: ServiceIdentity): void {
  if (simulated) return
  if (limits.scopes === undefined) talk.tell({ kind: 'warning', ...doubt('scopesUnknown') })
  else if (limits.scopes.includes(TRADE_SCOPE)) talk.tell({ kind: 'warning', ...doubt('keyCanTrade') })
}

/** Says once when the service counts more than we know of: somebody else uses the key, or deleted jobs that count. */
export function compareWithLedger(run: OpenRun, limits: LimitsReading): void {
  if (limits.used === null) return
  const now = run.clock.now()
  const ours = countUsed(run.recall.spentAt(now), run.allowance, now)
  if (limits.used <= ours) return
  run.talk.tell({
    kind: 'warning',
    ...doubt('allowanceDiffers', { used: limits.used, ours }),
  })
}
