/** Where a screen search stands: what its history says, beside what its screen said. */
import type { Market } from '../../contract/market.ts'
import { configFingerprint } from '../study/fingerprint.ts'
import type { Proposal, TestedProposal } from '../study/proposals.ts'
import type { Objective, PlanOf } from '../study/study.ts'
import { type Agreement, testAgreement } from './agreement.ts'
import { type Confirmed, confirm, rankConfirmed } from './confirmed.ts'
import type { LocalConfig, Screened } from './screened.ts'

/**
 * True when the rest is not worth its units: two batches of chosen configurations are confirmed, and the best of them is in the first. The local engine put
 * the first before the second, and the service says the same. Asked once, after the second batch.
 */
export function isEnough(batches: readonly (readonly Confirmed[])[], objective: Pick<Objective, 'direction'>): boolean {
  if (batches.length !== 2) return false
  const [best] = rankConfirmed(batches.flat(), objective)
  return best !== undefined && batches[0].some(({ fingerprint }) => fingerprint === best.fingerprint)
}

export interface ScreenTask {
  readonly plan: PlanOf<'screen'>
  readonly objective: Objective
  readonly markets: readonly Market[]
  /** Go on although the agreement test failed. */
  readonly anyway: boolean
}

export interface ScreenState {
  readonly probes: number
  /** In the order proposed. */
  readonly samples: readonly Confirmed[]
  /** The chosen, by the batches that they were sent in. */
  readonly batches: readonly (readonly Confirmed[])[]
  /** Config fingerprints of everything that was proposed. */
  readonly paid: ReadonlySet<string>
  /** null before the first batch of chosen is confirmed. */
  readonly agreement: Agreement | null
  /** The best of two batches is in the first. */
  readonly isEnough: boolean
  /** The best confirmed of the chosen; null where none is inside the bounds with a value on every market. */
  readonly winner: (Confirmed & { readonly value: number }) | null
  /** The four behind the winner. */
  readonly finalists: readonly (Confirmed & { readonly value: number })[]
  /** What is proposed next if nothing speaks against it; empty = everything was asked. */
  readonly next: readonly Proposal[]
}

/** Chosen configurations that are sent at once. */
const BATCH = 10
const FINALISTS = 4

/** @param history every trial of it has ended */
export function readScreenState(history: readonly TestedProposal[], screened: Screened, task: ScreenTask): ScreenState {
  const { objective } = task
  const localTrials = new Map([...screened.samples, ...screened.best].map((local) => [local.fingerprint, local]))
  const confirmAll = (tested: readonly TestedProposal[]) =>
    tested.map((one) => confirm(one, localTrials.get(configFingerprint(one.config)), objective))
  const withRole = (role: Proposal['role']) => history.filter((tested) => tested.role === role)
  const chosen = withRole('chosen')
  const numbers = [...new Set(chosen.map(({ batch }) => batch))].sort((a, b) => a - b)
  const batches = numbers.map((number) => confirmAll(chosen.filter(({ batch }) => batch === number)))
  const samples = confirmAll(withRole('sample'))
  const [winner, ...rest] = rankConfirmed(batches.flat(), objective)
  const paid = new Set(history.map(({ config }) => configFingerprint(config)))
  return {
    probes: withRole('probe').length,
    samples,
    batches,
    paid,
    agreement: batches.length === 0 ? null : testAgreement({ chosen: batches[0], samples }, objective),
    isEnough: isEnough(batches, objective),
    winner: winner ?? null,
    finalists: rest.slice(0, FINALISTS),
    next: nextProposals({ samples, chosen: batches.flat(), paid }, screened, task),
  }
}

interface Proposed {
  readonly samples: readonly Confirmed[]
  readonly chosen: readonly Confirmed[]
  readonly paid: ReadonlySet<string>
}

/** Samples until all were proposed, leaving at least one configuration to be chosen; then the best in their order. */
function nextProposals({ samples, chosen, paid }: Proposed, screened: Screened, task: ScreenTask): readonly Proposal[] {
  const { plan, markets } = task
  if (screened.best.length === 0) return []
  const propose = (role: 'sample' | 'chosen', reasonOf: (number: number) => string) => {
    const source = role === 'sample' ? screened.samples : screened.best
    const known = new Set((role === 'sample' ? samples : chosen).map(({ fingerprint }) => fingerprint))
    const most = role === 'sample' ? plan.configs - 1 : plan.configs
    const affordable = takeAffordable(
      source.filter(({ fingerprint }) => !known.has(fingerprint)),
      { paid, most },
    )
    return affordable.map((local): Proposal => {
      return { config: local.config, role, reason: reasonOf(source.indexOf(local) + 1), markets }
    })
  }
  const nextSamples = chosen.length > 0 ? [] : propose('sample', (number) => `sample ${number}`)
  if (nextSamples.length > 0) return nextSamples
  return propose('chosen', (rank) => `top ${rank}`).slice(0, BATCH)
}

/** As many from the beginning as are paid already or can still be paid. */
function takeAffordable(
  localTrials: readonly LocalConfig[],
  { paid, most }: { readonly paid: ReadonlySet<string>; readonly most: number },
): readonly LocalConfig[] {
  let left = most - paid.size
  const end = localTrials.findIndex(({ fingerprint }) => !paid.has(fingerprint) && left-- <= 0)
  return end === -1 ? localTrials : localTrials.slice(0, end)
}
