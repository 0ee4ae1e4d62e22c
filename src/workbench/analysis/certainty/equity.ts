/**
 * From which parts of its time, and from which deal, a result has its profit. A profit that one month or one deal made says less of a
 * configuration than one that came evenly. Daily equity is end-of-day UTC equity with the open deal marked, so the parts sum to the net profit.
 * Below: the profit's standard error, and what a steady fall does to a ladder.
 */

import { backtest } from '../../../engine/backtest.ts'
import type { Candles } from '../../../engine/candles.ts'
import type { BacktestInput, ClosedDeal, OpenDeal } from '../../../engine/deal.ts'
import type { DatedEquity } from '../correlation.ts'
import { mean } from '../quantiles.ts'

/**
 * `parts` spans of `count` things as numpy's `array_split`: as equal as can be, the longer ones first. Empty where there are fewer things than parts.
 */
export function splitEvenly(count: number, parts: number): { readonly start: number; readonly end: number }[] {
  if (count < parts) return []
  const startOf = (part: number) => part * Math.floor(count / parts) + Math.min(part, count % parts)
  return Array.from({ length: parts }, (_, part) => ({ start: startOf(part), end: startOf(part + 1) }))
}

/** What a result was worth day by day: end-of-day UTC equity in quote with the open deal marked, oldest first. It starts from the investment. */
export interface EquityCurve {
  /** Quote. */
  readonly investment: number
  readonly dailyEquity: readonly DatedEquity[]
}

/** The last equity, quote; without days the investment. */
function lastEquity({ investment, dailyEquity }: EquityCurve): number {
  return dailyEquity.at(-1)?.equity ?? investment
}

/** What each day gained, quote; the first from the investment. */
function dailyGains({ investment, dailyEquity }: EquityCurve): number[] {
  return dailyEquity.map(({ equity }, index) => equity - (index === 0 ? investment : dailyEquity[index - 1].equity))
}

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

// How much a net profit could have differed by chance, as one standard error. If days were independent draws, the sum of n of them has the
// standard deviation s · √n, where s is that of one day. It is a unit of measure and no interval: days are not independent, and few of them know
// little of the rare ones. The open deal has to be marked in the equity: deals alone hide its loss.

/** Sample standard deviation (n − 1) of the daily equity changes · √days, quote. Null under two days. */
export function profitNoise(curve: EquityCurve): number | null {
  return standardErrorOfSum(dailyGains(curve))
}

/**
 * One standard error of the lead of `a` over `b`, quote: the noise of their daily difference, in which what both gain and lose together is gone.
 * Null under two days, and where they do not have the same dates.
 */
export function leadNoise(a: EquityCurve, b: EquityCurve): number | null {
  if (!haveSameDates(a, b)) return null
  const ofB = dailyGains(b)
  return standardErrorOfSum(dailyGains(a).map((gain, index) => gain - ofB[index]))
}

/**
 * By how much the net profit of `a` exceeds that of `b`, quote: with the same investment, the difference of their last equities.
 * Null where they do not have the same dates.
 */
export function leadOver(a: EquityCurve, b: EquityCurve): number | null {
  if (!haveSameDates(a, b)) return null
  return lastEquity(a) - lastEquity(b) - (a.investment - b.investment)
}

function haveSameDates({ dailyEquity: a }: EquityCurve, { dailyEquity: b }: EquityCurve): boolean {
  return a.length === b.length && a.every(({ date }, index) => date === b[index].date)
}

function standardErrorOfSum(values: readonly number[]): number | null {
  const average = mean(values)
  if (average === undefined || values.length < 2) return null
  const squares = values.reduce((sum, value) => sum + (value - average) * (value - average), 0)
  return Math.sqrt((squares / (values.length - 1)) * values.length)
}

// What a ladder does when the price falls steadily after its base order: the question of a deal's worst case, asked of the engine itself on made-up
// candles. Each candle falls by one percent of the start price from its open, which is its high, to its close, which is its low; the next opens there.
// Walked high first, such candles are one falling line: no gap jumps over a stop, no path inside a candle is a guess.

const DROPS_PERCENT = [20, 40, 60] as const

interface Fall {
  /** Of the price from `startPrice`, at which the base order was bought (slippage on top). */
  readonly dropPercent: (typeof DROPS_PERCENT)[number]
  /** Quote that the deal has cost by then, fees included; where the stop closed it, what it had cost when it was sold. 0 where not even the base order fits. */
  readonly tied: number
  /** Quote, above 0 for a loss: cost less what a sale at this price brings after its fee; where the stop closed the deal, the loss it made. */
  readonly loss: number
  /**
   * By how many percent the price has to rise from here until a sale of everything pays the cost with fees: 100 · (cost / value after the fee − 1),
   * wherever the take profit lies. Null where nothing is held: the stop closed the deal, or there was none.
   */
  readonly breakEvenRisePercent: number | null
  readonly rungsFilled: number
  /** The stop has closed the deal on the way. Without it a bot would open its next deal, which is not part of the answer. */
  readonly stopped: boolean
}

/** One row per drop of 20, 40 and 60 %. Takes a valid config and resolved conventions; `startPrice` in quote, above 0. */
export function fallAfterBaseOrder({
  startPrice,
  ...terms
}: Omit<BacktestInput, 'candles'> & { readonly startPrice: number }): readonly Fall[] {
  const conventions = { ...terms.conventions, intrabar: 'high-first', afterStopLoss: 'stop' } as const
  return DROPS_PERCENT.map((dropPercent) => {
    const candles = fallingCandles(startPrice, dropPercent)
    const { deals, openDeal } = backtest({ ...terms, conventions, candles })
    return { dropPercent, ...describeDeal(openDeal ?? deals.at(0)) }
  })
}

function describeDeal(deal: OpenDeal | ClosedDeal | undefined): Omit<Fall, 'dropPercent'> {
  if (deal === undefined) return { tied: 0, loss: 0, breakEvenRisePercent: null, rungsFilled: 0, stopped: false }
  const stopped = 'exit' in deal
  return {
    tied: deal.cost,
    loss: -deal.profit,
    breakEvenRisePercent: stopped ? null : 100 * (deal.cost / deal.value - 1),
    rungsFilled: deal.safetyOrders,
    stopped,
  }
}

/** One candle per percent of the start price; the last close is `dropPercent` below it. */
function fallingCandles(startPrice: number, dropPercent: number): Candles {
  const intervalMs = 60_000
  const priceAfter = (percent: number) => startPrice * (1 - percent / 100)
  const rows = Float64Array.from({ length: dropPercent }, (_, row) => row)
  const [open, close] = [rows.map(priceAfter), rows.map((percent) => priceAfter(percent + 1))]
  return { intervalMs, openTime: rows.map((at) => at * intervalMs), open, high: open, low: close, close, volume: rows }
}
