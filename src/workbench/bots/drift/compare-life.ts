/** A bot beside its backtest: deal by deal, order by order, in profit, and what the difference is put down to. Pure. */

import { type Candles, lowerBound } from '../../../engine/candles.ts'
import type { LiveCommand } from '../../../engine/live.ts'
import type { AssumedTerms } from '../../search/calibration/hypotheses.ts'
import { DRIFT_THRESHOLDS, type DriftVerdict, GAP_CAUSES, type GapCause } from './drift-verdict.ts'
import { type DriftAlternative, explainLife, type LifeExplanation, slippageOf } from './explain-life.ts'
import { countKinds, type DealPair, matchDeals, matchFills, type PairCounts } from './match-deals.ts'
import {
  type BotLife,
  type Decimals,
  dealProfit,
  dealsOfFills,
  decimalsOfLife,
  isSameLife,
  isSameOrder,
  keyOfOrder,
  type LifeInput,
  type ReplayedLife,
  replayLife,
  type TradedDeal,
  type TradedFill,
} from './replay-life.ts'

/** Quote; they add up to the gap. */
type GapParts = Readonly<Record<GapCause, number>>

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

const CONVENTION_COSTS: Readonly<Record<string, GapCause>> = { feePercent: 'fee', slippagePercent: 'price' }

// Candles as a bot's fills show them: where it bought or sold at a price that our candle does not reach, the service's candle did, and
// ours is widened to it. Only what a fill contradicts is changed. Pure.

/** Prices of fills are rounded to a step of the price; nearer than this they are the same. */
const SAME_PRICE = 1e-6

interface ShownCandles {
  readonly candles: Candles
  /** Open times of those that were changed, ms UTC. */
  readonly changed: readonly number[]
}

/** @param slippagePercent of market orders: a base order fills that much above the open */
function candlesShownBy(
  fills: readonly TradedFill[],
  candles: Candles,
  { slippagePercent }: { readonly slippagePercent: number },
): ShownCandles {
  const rows = new Map(Array.from(candles.openTime, (at, index) => [at, index]))
  const columns = { open: candles.open.slice(), high: candles.high.slice(), low: candles.low.slice() }
  const changed = new Set<number>()
  for (const { role, at, price } of fills) {
    const row = rows.get(at)
    if (row === undefined || role === 'close' || role === 'stopLoss') continue
    if (role === 'base') {
      const open = price / (1 + slippagePercent / 100)
      if (Math.abs(open / candles.open[row] - 1) <= SAME_PRICE) continue
      columns.open[row] = open
      columns.high[row] = Math.max(columns.high[row], open)
      columns.low[row] = Math.min(columns.low[row], open)
      changed.add(at)
    } else if (role === 'safety' && price < columns.low[row] * (1 - SAME_PRICE)) {
      columns.low[row] = price
      changed.add(at)
    } else if (role === 'takeProfit' && price > columns.high[row] * (1 + SAME_PRICE)) {
      columns.high[row] = price
      changed.add(at)
    }
  }
  return { candles: changed.size === 0 ? candles : { ...candles, ...columns }, changed: [...changed] }
}

export interface LifeComparison {
  readonly deals: PairCounts
  /** Filled orders. `different`: placed orders with another price, quantity or state; null where the service does not report its orders. */
  readonly orders: PairCounts & { readonly different: number | null }
  readonly profit: {
    /** Quote, at the end of the candles, as is `backtest`. */
    readonly bot: number
    readonly backtest: number
    /** bot − backtest */
    readonly gap: number
    readonly causes: GapParts
  }
  readonly alternatives: readonly DriftAlternative[]
  readonly verdict: DriftVerdict
  readonly pairs: readonly DealPair[]
  readonly botDeals: readonly TradedDeal[]
  readonly backtest: ReplayedLife
}

const NOTHING_ELSE = { alternatives: [], isComplete: true, changed: [] }

/** @param own the conventions and costs that the backtest is computed under */
export function compareLife(input: LifeInput, bot: BotLife, own: AssumedTerms): LifeComparison {
  const { candles } = input
  const backtest = replayLife(input, own)
  const botDeals = dealsOfFills(bot.fills)
  const decimals = decimalsOfLife(bot)
  const pairs = matchDeals(botDeals, backtest.deals, candles)
  const valued = { lastClose: candles.close.at(-1) ?? 0, feePercent: own.costs.feePercent }
  const netProfit = bot.netProfit ?? botDeals.reduce((sum, deal) => sum + dealProfit(deal, valued), 0)
  const found = isSameLife({ bot, decimals, intervalMs: candles.intervalMs }, backtest)
    ? { ...NOTHING_ELSE, input, isExact: true }
    : findExplanation(input, bot, own, decimals)
  const [first] = found.alternatives
  const causes = splitGap(
    {
      ...{ input, own },
      candles: found.input.candles,
      commands: found.input.commands,
      best: found.isExact && first !== undefined ? first : own,
      isExact: found.isExact,
    },
    { fills: bot.fills, netProfit },
  )
  const deals = countKinds(pairs.map(({ kind }) => kind))
  const gap = netProfit - backtest.netProfit
  return {
    deals,
    orders: { ...matchFills(pairs, candles), different: countOtherOrders(pairs, bot, backtest, decimals) },
    profit: { bot: netProfit, backtest: backtest.netProfit, gap, causes },
    alternatives: found.alternatives,
    verdict: decideDrift({
      ...{ deals, gap, causes, investment: investmentOf(input), alternatives: found.alternatives },
      rests: found.input.commands !== input.commands,
      otherCandles: found.changed,
      isExact: found.isExact,
      isComplete: found.isComplete,
    }),
    ...{ pairs, botDeals, backtest },
  }
}

interface FoundExplanation extends LifeExplanation {
  /** With the candles and commands that the explanation needs. */
  readonly input: LifeInput
  /** Open times of candles that must have been others, ms UTC. */
  readonly changed: readonly number[]
  readonly isExact: boolean
}

/** First on our own candles, so that what a convention explains is not put down to candles. */
function findExplanation(input: LifeInput, bot: BotLife, own: AssumedTerms, decimals: Decimals): FoundExplanation {
  const { candles } = input
  const rested = { ...input, commands: withRests(input.commands, dealsOfFills(bot.fills), candles) }
  const byTerms = explainOn(rested, bot, own, decimals)
  if (byTerms.isExact) return { ...byTerms, input: rested, changed: [] }
  const slippagePercent = slippageOf(bot.fills, input) ?? own.costs.slippagePercent
  const shown = candlesShownBy(bot.fills, candles, { slippagePercent })
  if (shown.changed.length > 0) {
    const other = { ...rested, candles: shown.candles }
    const byCandles = explainOn(other, bot, own, decimals)
    if (byCandles.isExact) return { ...byCandles, input: other, changed: shown.changed }
  }
  return { ...byTerms, input: rested, changed: [] }
}

/** The same, with a rest wherever the bot let a candle pass without a deal. The same list when it did so nowhere. */
function withRests(
  commands: readonly LiveCommand[],
  deals: readonly TradedDeal[],
  { openTime, intervalMs }: Pick<Candles, 'openTime' | 'intervalMs'>,
): readonly LiveCommand[] {
  const first = commands.at(0)
  if (first?.kind !== 'start') return commands
  const { config } = first
  const passes = (from: number, to: number) => lowerBound(openTime, from) < lowerBound(openTime, to)
  const rests: LiveCommand[] = []
  let start: LiveCommand = first
  deals.forEach(({ openedAt }, index) => {
    const before = index === 0 ? undefined : deals[index - 1]
    if (before === undefined) {
      if (passes(first.at, openedAt)) start = { ...first, at: openedAt }
      return
    }
    if (before.closedAt === null || before.exit === 'close') return
    const free = Math.floor(before.closedAt / intervalMs) * intervalMs + intervalMs
    if (!passes(free, openedAt)) return
    rests.push({ kind: 'stop', at: free, closePosition: false }, { kind: 'start', at: openedAt, config })
  })
  if (rests.length === 0 && start === first) return commands
  return [start, ...[...commands.slice(1), ...rests].toSorted((a, b) => a.at - b.at)]
}

function explainOn(
  input: LifeInput,
  bot: BotLife,
  own: AssumedTerms,
  decimals: Decimals,
): LifeExplanation & { readonly isExact: boolean } {
  const isSame = isSameLife({ bot, decimals, intervalMs: input.candles.intervalMs }, replayLife(input, own))
  if (isSame) return { ...NOTHING_ELSE, isExact: true }
  const explained = explainLife(input, bot, own)
  return { ...explained, isExact: explained.alternatives.some(({ isExact }) => isExact) }
}

function investmentOf({ commands }: LifeInput): number {
  const start = commands.find(({ kind }) => kind === 'start')
  return start?.kind === 'start' ? start.config.investment : 0
}

/** Orders of deals that are paired. */
function countOtherOrders(
  pairs: readonly DealPair[],
  bot: BotLife,
  backtest: ReplayedLife,
  decimals: Decimals,
): number | null {
  if (bot.orders === null) return null
  const partners = new Map(pairs.map((pair) => [pair.bot?.number, pair.backtest?.number]))
  const computed = new Map(backtest.orders.map((order) => [keyOfOrder(order), order]))
  return bot.orders.filter((order) => {
    const deal = partners.get(order.deal)
    if (deal === undefined) return false
    const partner = computed.get(keyOfOrder({ ...order, deal }))
    return partner === undefined || !isSameOrder(order, partner, decimals)
  }).length
}

/**
 * Splits the difference in profit between a bot and its backtest. A chain of replays leads from the backtest towards the bot, and each
 * changes one thing more:
 *
 *     backtest ─ candles ─► ─ timing ─► ─ convention ─► ─ fee ─► ─ price (slippage) ─► explained
 *
 * What then still differs in a deal that opened and closed on the same candles with the same orders is fee and fill price, in one that
 * closed at another time timing. The rest is unexplained, so that the parts always add up to the gap. Pure.
 * @param bot its fills, and its profit in quote at the end of the candles
 */
function splitGap(
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

function decideDrift(evidence: DriftEvidence): DriftVerdict {
  const { deals, gap, investment } = evidence
  const causes = findCauses(evidence)
  const all = Object.values(deals).reduce((sum, count) => sum + count, 0)
  const isLarge =
    (100 * Math.abs(gap)) / investment > DRIFT_THRESHOLDS.gapPercent ||
    (all > 0 && (100 * deals.matched) / all < DRIFT_THRESHOLDS.matchedPercent)
  const drift = causes.length === 0 ? 'none' : isLarge ? 'large' : 'small'
  return { drift, causes, thresholds: DRIFT_THRESHOLDS, sentence: describeDrift(drift, causes, evidence, all) }
}

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

/** 1.235e+4 → "12350". */
function significant(value: number, digits: number): string {
  const text = value.toPrecision(digits)
  return text.includes('e+') ? String(Number(text)) : text
}

/** What sums of prices and amounts differ by, as a part of the investment. */
const ROUNDING = 1e-12

function describeDrift(
  drift: 'none' | 'small' | 'large',
  causes: readonly GapCause[],
  { deals, gap, alternatives, isExact, isComplete, investment }: DriftEvidence,
  all: number,
): string {
  const count = `${deals.matched} of ${all} deals match`
  if (drift === 'none')
    return `no drift: ${all === 0 ? 'no deal yet, as in the backtest' : `${count}, to every order and amount`}`
  const size = Math.abs(gap)
  const percent = significant((100 * size) / investment, 3)
  const apart = `profit ${significant(size, 4)} ${gap < 0 ? 'lower' : 'higher'} (${percent} % of the investment)`
  const head = `${drift} drift: ${count}, ${size < ROUNDING * investment ? 'the same profit' : apart}`
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
