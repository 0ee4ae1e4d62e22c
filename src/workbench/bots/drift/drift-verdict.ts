/** How much a bot drifts from its backtest, and why, in words. Pure. */
import type { DriftAlternative, TermChanges } from './explain-life.ts'
import type { PairCounts } from './match-deals.ts'
import { GAP_CAUSES, type GapCause, type GapParts } from './split-gap.ts'

/** Beyond one of them a drift is large. */
export const DRIFT_THRESHOLDS = {
  /** Of the profit, in percent of the investment: the same beyond which a local engine differs from a service. */
  gapPercent: 0.2,
  /** Fewer of the deals, of both together, match. */
  matchedPercent: 95,
} as const

export interface DriftVerdict {
  /** `none`: every fill, order and amount agrees, as finely as the service reports it. */
  readonly drift: 'none' | 'small' | 'large' | 'unknown'
  /** What it is put down to; `unexplained` where nothing that was tried explains all of it. Empty without a drift. */
  readonly causes: readonly GapCause[]
  readonly thresholds: typeof DRIFT_THRESHOLDS
  readonly sentence: string
}

interface DriftEvidence {
  readonly deals: PairCounts
  readonly gap: number
  readonly causes: GapParts
  readonly investment: number
  readonly alternatives: readonly DriftAlternative[]
  /** The bot let candles pass on which it should have begun a deal. */
  readonly rests: boolean
  /** Open times of candles that must have been others, ms UTC. */
  readonly otherCandles: readonly number[]
  /** All of it is explained. */
  readonly isExact: boolean
  readonly isComplete: boolean
}

export function decideDrift(evidence: DriftEvidence): DriftVerdict {
  const { deals, gap, investment } = evidence
  const causes = findCauses(evidence)
  const all = Object.values(deals).reduce((sum, count) => sum + count, 0)
  const isLarge =
    (100 * Math.abs(gap)) / investment > DRIFT_THRESHOLDS.gapPercent ||
    (all > 0 && (100 * deals.matched) / all < DRIFT_THRESHOLDS.matchedPercent)
  const drift = causes.length === 0 ? 'none' : isLarge ? 'large' : 'small'
  return { drift, causes, thresholds: DRIFT_THRESHOLDS, sentence: describeDrift(drift, causes, evidence, all) }
}

const CONVENTION_COSTS: Readonly<Record<string, GapCause>> = { feePercent: 'fee', slippagePercent: 'price' }

function causesOfChanges(changes: TermChanges): readonly GapCause[] {
  return Object.keys(changes).map((name) => CONVENTION_COSTS[name] ?? 'convention')
}

function findCauses({
  alternatives,
  rests,
  otherCandles,
  isExact,
  deals,
  gap,
  causes,
}: DriftEvidence): readonly GapCause[] {
  if (isExact) {
    const found = new Set<GapCause>(causesOfChanges(alternatives.at(0)?.changes ?? {}))
    if (rests) found.add('timing')
    if (otherCandles.length > 0) found.add('candles')
    return GAP_CAUSES.filter((cause) => found.has(cause))
  }
  const { matched, ...others } = deals
  const allMatch = Object.values(others).every((count) => count === 0)
  const isLittle = (part: number) => Math.abs(part) <= Math.max(1e-6, Math.abs(gap) / 100)
  const parts = GAP_CAUSES.filter((cause) => !isLittle(causes[cause]))
  return allMatch && matched > 0 && isLittle(causes.unexplained) && parts.length > 0 ? parts : ['unexplained']
}

function describeDrift(
  drift: 'none' | 'small' | 'large',
  causes: readonly GapCause[],
  { deals, gap, alternatives, isExact, isComplete, investment }: DriftEvidence,
  all: number,
): string {
  const count = `${deals.matched} of ${all} deals match`
  if (drift === 'none')
    return `no drift: ${all === 0 ? 'no deal yet, as in the backtest' : `${count}, to every order and amount`}`
  const percent = ((100 * Math.abs(gap)) / investment).toPrecision(3)
  const head = `${drift} drift: ${count}, profit ${Math.abs(gap).toPrecision(4)} ${gap < 0 ? 'lower' : 'higher'} (${percent} % of the investment)`
  const proposed = alternatives.map(
    (alternative) => `with ${describeChanges(alternative)} ${alternative.matched} of ${alternative.of} deals match`,
  )
  if (isExact && alternatives.length > 0) {
    const tie = alternatives.length > 1 ? `; ${alternatives.length} settings explain it alike` : ''
    return `${head}; fully explained by ${proposed.slice(0, 3).join(', or ')}${tie}`
  }
  const why = causes.includes('unexplained')
    ? 'no fee or fill rule explains all of it'
    : `it is ${causes.join(' and ')}`
  const tried = isComplete ? '' : ', not all were tried'
  return `${head}; ${why}${tried}${proposed.length === 0 ? '' : `; nearest: ${proposed[0]}`}`
}

/** `afterStopLoss: stop, feePercent: 0.2` */
function describeChanges({ changes, conventions }: DriftAlternative): string {
  return Object.entries(changes)
    .map(([name, value]) => `${name}: ${value}${value === 'explicit' ? ` (${conventions.safetyOrderSize})` : ''}`)
    .join(', ')
}
