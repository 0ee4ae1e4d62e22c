/**
 * From which parts of its time, and from which deal, a result has its profit. A profit that one month or one deal made says less of a
 * configuration than one that came evenly. Daily equity is end-of-day UTC equity with the open deal marked, so the parts sum to the net profit.
 */
import { type EquityCurve, lastEquity } from './equity-curve.ts'
import { splitEvenly } from './split-evenly.ts'

interface Part {
  /** Quote. */
  readonly profit: number
  /** Of the net profit; above 100 where the rest lost. */
  readonly sharePercent: number
}

interface PartsOfProfit<Time> {
  /**
   * Profit of each third of the days, quote, oldest first. Spans as numpy's `array_split`: the first ones have a day more where the days do not
   * divide by three. Empty under three days.
   */
  readonly thirds: readonly number[]
  /** Profit of each UTC month (`2025-05`), quote, oldest first; the first and the last may be partial. */
  readonly months: readonly { readonly month: string; readonly profit: number }[]
  /** Null where the net profit is not above 0, so that a share of it would have no meaning. */
  readonly largestMonth: ({ readonly month: string } & Part) | null
  /** `index` counts from 0. Null also under three days. */
  readonly largestThird: ({ readonly index: number } & Part) | null
  /** Null also without deals. */
  readonly largestDeal: ({ readonly openedAt: Time } & Part) | null
}

/**
 * Splits the net profit (last equity − investment) by time and by deal. The profit of a span is the equity at its end less the one before it, the
 * first from the investment. Where two parts are equally large, the earlier one is the largest.
 * @param deals in the order of their opening, profits in quote; give the open deal as one of them where it shall count
 */
export function partsOfProfit<Time>({
  investment,
  dailyEquity,
  deals,
}: EquityCurve & {
  readonly deals: readonly { readonly openedAt: Time; readonly profit: number }[]
}): PartsOfProfit<Time> {
  const thirdEnds = splitEvenly(dailyEquity.length, 3).map(({ end }) => dailyEquity[end - 1].equity)
  const thirds = gains(investment, thirdEnds)
  const monthEnds = new Map(dailyEquity.map(({ date, equity }) => [date.slice(0, 7), equity]))
  const monthGains = gains(investment, [...monthEnds.values()])
  const months = [...monthEnds.keys()].map((month, index) => ({ month, profit: monthGains[index] }))
  const netProfit = lastEquity({ investment, dailyEquity }) - investment
  const largest = <Of extends { readonly profit: number }>(parts: readonly Of[]) => largestOf(parts, netProfit)
  return {
    thirds,
    months,
    largestMonth: largest(months),
    largestThird: largest(thirds.map((profit, index) => ({ index, profit }))),
    largestDeal: largest(deals.map(({ openedAt, profit }) => ({ openedAt, profit }))),
  }
}

/** From each value to the next, the first from `start`. */
function gains(start: number, ends: readonly number[]): number[] {
  return ends.map((end, index) => end - (index === 0 ? start : ends[index - 1]))
}

function largestOf<Of extends { readonly profit: number }>(
  parts: readonly Of[],
  netProfit: number,
): (Of & { readonly sharePercent: number }) | null {
  if (parts.length === 0 || netProfit <= 0) return null
  const largest = parts.reduce((best, part) => (part.profit > best.profit ? part : best))
  return { ...largest, sharePercent: (100 * largest.profit) / netProfit }
}
