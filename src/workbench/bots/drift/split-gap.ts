/**
 * Splits the difference in profit between a bot and its backtest. A chain of replays leads from the backtest towards the bot, and each
 * changes one thing more:
 *
 *     backtest ─ candles ─► ─ timing ─► ─ convention ─► ─ fee ─► ─ price (slippage) ─► explained
 *
 * What then still differs in a deal that opened and closed on the same candles with the same orders is fee and fill price, in one that
 * closed at another time timing. The rest is unexplained, so that the parts always add up to the gap. Pure.
 */

import type { AssumedTerms } from '../../search/calibration/hypotheses.ts'
import { matchDeals } from './match-deals.ts'
import { type LifeInput, type ReplayedLife, replayLife } from './replay-life.ts'
import { dealProfit, dealsOfFills, type TradedDeal, type TradedFill } from './traded-life.ts'

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
