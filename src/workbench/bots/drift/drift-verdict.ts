/** How much a bot drifts from its backtest, and why, in words. Pure. */

import type { AssumedTerms } from '../../search/calibration/hypotheses.ts'
import type { DriftAlternative } from './explain-life.ts'
import { matchDeals, type PairCounts } from './match-deals.ts'
import {
  dealProfit,
  dealsOfFills,
  type LifeInput,
  type ReplayedLife,
  replayLife,
  type TradedDeal,
  type TradedFill,
} from './replay-life.ts'

// Splits the difference in profit between a bot and its backtest. A chain of replays leads from the backtest towards the bot, and each
// changes one thing more:
//
//     backtest ─ candles ─► ─ timing ─► ─ convention ─► ─ fee ─► ─ price (slippage) ─► explained
//
// What then still differs in a deal that opened and closed on the same candles with the same orders is fee and fill price, in one that
// closed at another time timing. The rest is unexplained, so that the parts always add up to the gap. Pure.

export const GAP_CAUSES = ['price', 'fee', 'timing', 'convention', 'candles', 'unexplained'] as const
export type GapCause = (typeof GAP_CAUSES)[number]

/** Quote; they add up to the gap. */
export type GapParts = Readonly<Record<GapCause, number>>

interface GapChain {
  /** What the backtest was computed on, and under. */
  readonly input: LifeInput
  readonly own: AssumedTerms
  /** The candles as the bot's fills show them; the same where they show nothing else. */
  readonly candles: LifeInput['candles']
  /** With the bot's rests. */
  readonly commands: LifeInput['commands']
  /** What explains the bot best; `own` where nothing does. */
  readonly best: AssumedTerms
  /** It explains all of it: what is left in deals is the rounding of what was reported. */
  readonly isExact: boolean
}

/** @param bot its fills, and its profit in quote at the end of the candles */
export function splitGap(
  { input, own, candles, commands, best, isExact }: GapChain,
  bot: { readonly fills: readonly TradedFill[]; readonly netProfit: number },
): GapParts {
  const replay = (part: Partial<LifeInput>, terms: AssumedTerms) => replayLife({ ...input, ...part }, terms)
  const { feePercent } = best.costs
  const chain: readonly ReplayedLife[] = [
    replay({}, own),
    replay({ candles }, own),
    replay({ candles, commands }, own),
    replay({ candles, commands }, { conventions: best.conventions, costs: own.costs }),
    replay({ candles, commands }, { ...best, costs: { ...own.costs, feePercent } }),
    replay({ candles, commands }, best),
  ]
  const [byCandles, byTiming, byConvention, byFee, bySlippage] = chain
    .slice(1)
    .map(({ netProfit }, index) => netProfit - chain[index].netProfit)
  const explained = chain[chain.length - 1]
  const lastClose = candles.close.at(-1) ?? 0
  const valued = { lastClose, feePercent, intervalMs: candles.intervalMs }
  const left = isExact ? { price: 0, fee: 0, timing: 0 } : leftInDeals(explained, bot.fills, valued)
  const parts = {
    price: bySlippage + left.price,
    fee: byFee + left.fee,
    timing: byTiming + left.timing,
    convention: byConvention,
    candles: byCandles,
  }
  const sum = Object.values(parts).reduce((total, part) => total + part, 0)
  return { ...parts, unexplained: bot.netProfit - chain[0].netProfit - sum }
}

function leftInDeals(
  explained: ReplayedLife,
  fills: readonly TradedFill[],
  valued: { readonly lastClose: number; readonly feePercent: number; readonly intervalMs: number },
): { readonly price: number; readonly fee: number; readonly timing: number } {
  const left = { price: 0, fee: 0, timing: 0 }
  for (const { kind, bot, backtest } of matchDeals(dealsOfFills(fills), explained.deals, valued)) {
    if (bot === null || backtest === null) continue
    const more = dealProfit(bot, valued) - dealProfit(backtest, valued)
    if (kind !== 'matched') left.timing += more
    else if (bot.exit === backtest.exit && bot.safetyOrders === backtest.safetyOrders) {
      const fee = feesOf(backtest, valued.feePercent) - feesOf(bot, valued.feePercent)
      left.fee += fee
      left.price += more - fee
    }
  }
  return left
}

/** Of what was bought and sold, quote. */
function feesOf({ fills }: TradedDeal, feePercent: number): number {
  return fills.reduce((sum, { fee, price, quantity }) => sum + (fee ?? (price * quantity * feePercent) / 100), 0)
}

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

function causesOfChanges(changes: DriftAlternative['changes']): readonly GapCause[] {
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
