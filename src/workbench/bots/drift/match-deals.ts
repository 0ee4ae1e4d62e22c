/**
 * Lays the deals of a bot beside those of its replay, in the order of time. Deals that opened on the same candle belong together; of
 * the rest, between two such pairs, those whose times overlap. What is left is missing from the bot, or extra in it. Pure.
 */
import type { TradedDeal } from './replay-life.ts'

/** A bot's deal is early when it closed (or, closing together, opened) before its replay's. */
const PAIR_KINDS = ['matched', 'early', 'late', 'missing', 'extra'] as const
type PairKind = (typeof PAIR_KINDS)[number]

export interface DealPair {
  readonly kind: PairKind
  /** Null = missing. */
  readonly bot: TradedDeal | null
  /** Null = extra. */
  readonly backtest: TradedDeal | null
}

/** Both oldest first. Every deal is in exactly one pair. */
export function matchDeals(
  bot: readonly TradedDeal[],
  backtest: readonly TradedDeal[],
  { intervalMs }: { readonly intervalMs: number },
): readonly DealPair[] {
  const pairs: DealPair[] = []
  const openings = new Map(backtest.map((deal, index) => [candleOf(deal.openedAt, intervalMs), index]))
  let [fromBot, fromBacktest] = [0, 0]
  bot.forEach((deal, index) => {
    const partner = openings.get(candleOf(deal.openedAt, intervalMs))
    if (partner === undefined || partner < fromBacktest) return
    pairs.push(...matchOverlaps(bot.slice(fromBot, index), backtest.slice(fromBacktest, partner), intervalMs))
    pairs.push(pairOf(deal, backtest[partner], intervalMs))
    fromBot = index + 1
    fromBacktest = partner + 1
  })
  return [...pairs, ...matchOverlaps(bot.slice(fromBot), backtest.slice(fromBacktest), intervalMs)]
}

function matchOverlaps(bot: readonly TradedDeal[], backtest: readonly TradedDeal[], intervalMs: number): DealPair[] {
  const pairs: DealPair[] = []
  let [i, j] = [0, 0]
  while (i < bot.length && j < backtest.length) {
    const [one, other] = [bot[i], backtest[j]]
    if (endOf(one) < other.openedAt) {
      pairs.push({ kind: 'extra', bot: one, backtest: null })
      i++
    } else if (endOf(other) < one.openedAt) {
      pairs.push({ kind: 'missing', bot: null, backtest: other })
      j++
    } else {
      pairs.push(pairOf(one, other, intervalMs))
      i++
      j++
    }
  }
  for (const deal of bot.slice(i)) pairs.push({ kind: 'extra', bot: deal, backtest: null })
  for (const deal of backtest.slice(j)) pairs.push({ kind: 'missing', bot: null, backtest: deal })
  return pairs
}

function endOf({ closedAt }: TradedDeal): number {
  return closedAt ?? Number.POSITIVE_INFINITY
}

function candleOf(at: number, intervalMs: number): number {
  return Math.floor(at / intervalMs)
}

function pairOf(bot: TradedDeal, backtest: TradedDeal, intervalMs: number): DealPair {
  const closes = compareCandles(endOf(bot), endOf(backtest), intervalMs)
  const difference = closes === 0 ? compareCandles(bot.openedAt, backtest.openedAt, intervalMs) : closes
  return { kind: difference === 0 ? 'matched' : difference < 0 ? 'early' : 'late', bot, backtest }
}

function compareCandles(one: number, other: number, intervalMs: number): number {
  if (one === other) return 0 // both still open
  return Math.sign(candleOf(one, intervalMs) - candleOf(other, intervalMs))
}

export type PairCounts = Readonly<Record<PairKind, number>>

export function countKinds(kinds: readonly PairKind[]): PairCounts {
  const counts = { matched: 0, early: 0, late: 0, missing: 0, extra: 0 }
  for (const kind of kinds) counts[kind]++
  return counts
}

/** The filled orders of the pairs, each beside the one of the same role: matched on the same candle, else early or late. */
export function matchFills(pairs: readonly DealPair[], { intervalMs }: { readonly intervalMs: number }): PairCounts {
  const kinds: PairKind[] = []
  for (const { bot, backtest } of pairs) {
    const rest = new Map((backtest?.fills ?? []).map((fill) => [`${fill.role} ${fill.safetyOrder}`, fill]))
    for (const fill of bot?.fills ?? []) {
      const key = `${fill.role} ${fill.safetyOrder}`
      const partner = rest.get(key)
      rest.delete(key)
      if (partner === undefined) kinds.push('extra')
      else {
        const sign = compareCandles(fill.at, partner.at, intervalMs)
        kinds.push(sign === 0 ? 'matched' : sign < 0 ? 'early' : 'late')
      }
    }
    for (let left = rest.size; left > 0; left--) kinds.push('missing')
  }
  return countKinds(kinds)
}
