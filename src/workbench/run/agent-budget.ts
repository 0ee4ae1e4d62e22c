/** What agents may still spend. It is counted in the store whenever it is asked, so that no restart and no second server begins anew. */
import { readAgentSpent } from '../store/agent-ledger.ts'
import type { Store } from '../store/store.ts'
import { type Allowance, allowanceOf, countUsed } from './allowance.ts'
import type { OpenRun } from './open-run.ts'

export interface AgentSpending {
  /** Backtests that agents spent within a window. */
  readonly used: number
  readonly left: number
  /** When one more fits, ms; null = now, or never with a budget of 0. */
  readonly nextAt: number | null
}

/** `now`: ms. The window is that of the allowance. */
export function readAgentSpending(
  store: Store,
  { budget, now, windowMs }: { readonly budget: number; readonly now: number } & Pick<Allowance, 'windowMs'>,
): AgentSpending {
  const spentAt = readAgentSpent(store, { now, since: now - windowMs }).toSorted((a, b) => a - b)
  const used = countUsed(spentAt, { count: budget, windowMs }, now)
  const blocking = used < budget ? undefined : spentAt.at(-budget)
  return { used, left: Math.max(0, budget - used), nextAt: blocking === undefined ? null : blocking + windowMs }
}

/** Infinity where a person asks. Inside a transaction it is what the row that follows rests on. */
export function budgetLeft({ options, store, clock }: Pick<OpenRun, 'options' | 'store' | 'clock'>): number {
  const { agentBudget: budget } = options
  if (budget === undefined) return Number.POSITIVE_INFINITY
  const { windowMs } = allowanceOf() // the documented one: a run with a shorter one of its own gives agents no more
  return readAgentSpending(store, { budget, now: clock.now(), windowMs }).left
}
