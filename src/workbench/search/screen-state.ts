/** Where a screen search stands: what its history says, beside what its screen said, and whether the two agree. */
import type { Market } from '../../contract/market.ts'
import { type RankCorrelation, rankCorrelation } from '../analysis/correlation.ts'
import { configFingerprint } from '../study/fingerprint.ts'
import { reduceAcross } from '../study/objective.ts'
import type { AgreementPart, Proposal, TestedProposal } from '../study/proposals.ts'
import type { Objective, PlanOf } from '../study/study.ts'
import { type Confirmed, confirm, type Pair, rankConfirmed } from './confirmed.ts'
import type { LocalConfig, Screened } from './screened.ts'

// Whether the service agrees with the local engine that chose what to spend units on. It is a rule for spending, not a test of significance: the rank
// correlation over a few samples has a wide interval, so it is shown and decides nothing.

/** Of the samples: `n` pairs of local run and service that both have a value, and their rank correlation. */
export interface Agreement extends RankCorrelation {
  /** Median objective of the chosen; null where half of them or more failed, have no value or are outside the bounds. */
  readonly median: number | null
  /** The same of the samples; null also where there are none. */
  readonly samples: number | null
  /** Share of `signPairs` whose profit has the same sign in both, 0–1; null without such pairs. */
  readonly signs: number | null
  /** Trials for which the local engine's profit is more than 0.2 % of the investment. */
  readonly signPairs: number
  /** Share of the trials that meet the bounds in both or in neither, 0–1; null where the objective has no bounds. */
  readonly bounds: number | null
  /** What did not hold; empty where it passed. */
  readonly failed: readonly AgreementPart[]
  readonly passed: boolean
}

/** Share of pairs that must be alike. */
const ALIKE = 0.8
/** A smaller profit of the local engine has a sign by chance: share of the investment. */
const CLEAR_PROFIT = 0.002

/**
 * Passes when the chosen's median is not worse than the samples' (a trial that failed or is outside the bounds counts as worst), profits have the same sign and bounds are met or
 * broken alike in at least 80 % of the pairs. Without samples there is no median to compare, without bounds no bound; without one clear profit it fails.
 * @param chosen of the first batch; a configuration may be among the samples, too
 */
export function testAgreement(
  { chosen, samples }: { readonly chosen: readonly Confirmed[]; readonly samples: readonly Confirmed[] },
  objective: Pick<Objective, 'direction' | 'where'>,
): Agreement {
  const { direction } = objective
  const median = medianOf(chosen, direction)
  const medianOfSamples = medianOf(samples, direction)
  const pairs = distinct([...samples, ...chosen]).flatMap((one) => one.pairs)
  const clear = pairs.filter(({ investment, local }) => Math.abs(local.netProfit) > CLEAR_PROFIT * investment)
  const signs = shareOf(clear, hasSameSign)
  const bounds = objective.where.length === 0 ? null : shareOf(pairs, isBoundAlike)
  const failed = [
    ...(isAtLeast(median, medianOfSamples, direction) ? [] : (['median'] as const)),
    ...(signs === null ? (['profits'] as const) : signs >= ALIKE ? [] : (['signs'] as const)),
    ...(objective.where.length === 0 || (bounds !== null && bounds >= ALIKE) ? [] : (['bounds'] as const)),
  ]
  const correlation = rankCorrelation(
    samples.flatMap(({ value, localValue }) => (value === null || localValue === null ? [] : [[localValue, value]])),
  )
  return {
    median,
    samples: medianOfSamples,
    signs,
    signPairs: clear.length,
    bounds,
    failed,
    passed: failed.length === 0,
    ...correlation,
  }
}

/** Without a value or outside the bounds counts as worst: as one that is infinitely bad in the objective's direction. The chosen are inside; samples need not be. */
function medianOf(confirmed: readonly Confirmed[], direction: Objective['direction']): number | null {
  const worst = direction === 'maximize' ? -Infinity : Infinity
  const values = confirmed.map(({ value, isInside }) => (isInside ? (value ?? worst) : worst))
  const median = reduceAcross(values, { across: 'median', direction })
  return median === worst ? null : median
}

/** null is worse than every number. */
function isAtLeast(value: number | null, other: number | null, direction: Objective['direction']): boolean {
  if (value === null || other === null) return value !== null
  return direction === 'maximize' ? value >= other : value <= other
}

function distinct(confirmed: readonly Confirmed[]): readonly Confirmed[] {
  return [...new Map(confirmed.map((one) => [one.fingerprint, one])).values()]
}

function shareOf(pairs: readonly Pair[], holds: (pair: Pair) => boolean): number | null {
  return pairs.length === 0 ? null : pairs.filter(holds).length / pairs.length
}

function hasSameSign({ local, service }: Pair): boolean {
  const netProfit = service?.netProfit ?? null
  return netProfit !== null && Math.sign(netProfit) === Math.sign(local.netProfit)
}

function isBoundAlike({ local, service }: Pair): boolean {
  return service !== null && service.isInside === local.isInside
}

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
  readonly tests: number
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
    tests: withRole('test').length,
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
  const nextSamples = chosen.length > 0 ? [] : propose('sample', (number) => `control ${number}`)
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
