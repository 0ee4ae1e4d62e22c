/**
 * The yardstick of a verdict: what a configuration earns on spans of the market's stored history, each entered flat and filled in the worst
 * case, beside holding the same amount and beside a plain ladder.
 */
import type { StoredCandles } from '../../candles/folder/folder.ts'
import { usualSource } from '../../candles/sources/source.ts'

import { INTERVALS, type Interval, type Market, marketName } from '../../contract/market.ts'

import { DAY_MS } from '../../engine/daily-equity.ts'

import { mean } from '../analysis/quantiles.ts'

import type { Period } from '../study/study.ts'

import { dateOf } from './words.ts'

/** Starts that are tried at most; they are spread evenly over the history. */
const mostStretches = 60
/** So many that do not overlap are wanted: an error from fewer says little. */
export const leastDisjoint = 10

/** Amounts in quote, times in ms UTC. */
export interface HistoryStretch extends Period {
  readonly netProfit: number
  /** On average over its candles. */
  readonly usedCapital: number
  readonly maxDrawdownPercent: number
  /** Of the price, first open to last close. */
  readonly changePercent: number
  /** What one quote unit that was held earned, with the fee paid twice. */
  readonly holdReturn: number
  readonly plainNetProfit: number
  readonly plainUsedCapital: number
}

/** The stored candles of one interval that a verdict may use. */
export interface History extends Period {
  readonly interval: Interval
  readonly lengthMs: number
}

/**
 * The finest interval whose history holds ten stretches that do not overlap; of the horizon, else of a third of the study's period. Where
 * none holds ten, the longest history by the horizon.
 * @param before the history ends here at the latest: what the study holds out stays unseen (ms UTC)
 * @param heldOut what others hold out of the market: stretches that touch it do not count
 */
export function chooseHistory(
  stored: readonly StoredCandles[],
  {
    horizonMs,
    period,
    before,
    heldOut,
  }: {
    readonly horizonMs: number
    readonly period: Period
    readonly before: number
    readonly heldOut: readonly Period[]
  },
): History | undefined {
  const third = Math.max(DAY_MS, Math.floor((period.to - period.from) / 3 / DAY_MS) * DAY_MS)
  const histories = stored
    .flatMap(({ interval, stretches }) => {
      const known = stretches.filter(({ from }) => from < before)
      const [first, last] = [known.at(0), known.at(-1)]
      return first === undefined || last === undefined
        ? []
        : [{ interval, from: first.from, to: Math.min(last.to, before), parts: known }]
    })
    .sort((a, b) => INTERVALS[a.interval] - INTERVALS[b.interval])
  for (const lengthMs of horizonMs > third ? [horizonMs, third] : [horizonMs]) {
    const found = histories.find((one) => disjointIn(one, lengthMs, heldOut) >= leastDisjoint)
    if (found !== undefined) return historyOf(found, lengthMs)
  }
  const [longest] = histories.toSorted((a, b) => b.to - b.from - (a.to - a.from))
  return longest === undefined ? undefined : historyOf(longest, Math.min(horizonMs, third))
}

interface KnownHistory extends Omit<History, 'lengthMs'> {
  /** Without a gap. */
  readonly parts: readonly Period[]
}

function historyOf({ interval, from, to }: KnownHistory, lengthMs: number): History {
  return { interval, from, to, lengthMs }
}

/** How many of its stretches have all of their candles and do not overlap. */
function disjointIn({ parts, ...history }: KnownHistory, lengthMs: number, heldOut: readonly Period[]): number {
  const stretches = startsOf({ ...history, lengthMs }, heldOut).map((from) => ({ from, to: from + lengthMs }))
  return countDisjoint(stretches.filter(({ from, to }) => parts.some((one) => from >= one.from && to <= one.to)))
}

/** History that is worth fetching: it holds ten stretches of 30 days many times over, in few candles. */
const wantedYears = 6

/** The command that brings the hours before a period; null where no source has the exchange. `from`: ms UTC. */
export function historyToFetch(
  market: Market,
  { from: before }: Period,
): { readonly from: number; readonly command: string } | null {
  if (usualSource(market.exchange) === undefined) return null
  const date = new Date(before)
  const from = date.setUTCFullYear(date.getUTCFullYear() - wantedYears)
  const range = `--from ${dateOf(from)} --to ${dateOf(before)}`
  return { from, command: `dcalab candles fetch --market ${marketName(market)} --interval 1h ${range}` }
}

/** Evenly spaced, each on a candle; none where the history is shorter than one stretch. Without those whose stretch touches what is held out. */
export function startsOf({ from, to, lengthMs, interval }: History, heldOut: readonly Period[]): readonly number[] {
  const step = INTERVALS[interval]
  const room = Math.floor((to - from - lengthMs) / step)
  if (room < 0) return []
  const count = Math.min(mostStretches, room + 1)
  const starts = Array.from(
    { length: count },
    (_, at) => from + step * Math.round(count === 1 ? 0 : (at * room) / (count - 1)),
  )
  return starts.filter((start) => !heldOut.some((held) => held.from < start + lengthMs && held.to > start))
}

/** How many do not overlap at most, of stretches in the order of their starts. */
export function countDisjoint(stretches: readonly Period[]): number {
  let count = 0
  let free = Number.NEGATIVE_INFINITY
  for (const { from, to } of stretches) {
    if (from < free) continue
    count++
    free = to
  }
  return count
}

/** A mean with its error: the standard deviation of the stretches over the root of how many do not overlap. `t`: mean / error. */
interface Estimate {
  readonly mean: number
  readonly error: number
  readonly t: number
}

/** undefined under two stretches, and where all are alike: nothing is known of chance then. */
function estimate(values: readonly number[], disjoint: number): Estimate | undefined {
  const average = mean(values)
  if (average === undefined || values.length < 2 || disjoint < 1) return undefined
  const squares = values.reduce((sum, value) => sum + (value - average) * (value - average), 0)
  const error = Math.sqrt(squares / (values.length - 1) / disjoint)
  return error > 0 ? { mean: average, error, t: average / error } : undefined
}

export interface AgainstHolding {
  /** Average used capital over the stretches, quote. */
  readonly usualCapital: number
  /** Net profit less what that capital earned when it was held, a stretch, quote. */
  readonly excess: Estimate
  /** The same as a share of the usual capital, less the plain ladder's share, percent. */
  readonly overPlain: Estimate
  /** Means over the stretches: quote, and the plain ladder's excess in percent of its own usual capital. */
  readonly netProfit: number
  readonly held: number
  readonly excessPercent: number
  readonly plainExcessPercent: number
}

/** undefined where a ladder used no capital, or all stretches are alike. */
export function compareStretches(stretches: readonly HistoryStretch[]): AgainstHolding | undefined {
  const disjoint = countDisjoint(stretches)
  const meanOf = (value: (stretch: HistoryStretch) => number) => mean(stretches.map(value)) ?? 0
  const usualCapital = meanOf(({ usedCapital }) => usedCapital)
  const plainCapital = meanOf(({ plainUsedCapital }) => plainUsedCapital)
  if (usualCapital <= 0 || plainCapital <= 0) return undefined
  const excesses = stretches.map(({ netProfit, holdReturn }) => netProfit - usualCapital * holdReturn)
  const ofPlain = stretches.map(({ plainNetProfit, holdReturn }) => plainNetProfit / plainCapital - holdReturn)
  const excess = estimate(excesses, disjoint)
  const overPlain = estimate(
    excesses.map((own, at) => 100 * (own / usualCapital - ofPlain[at])),
    disjoint,
  )
  if (excess === undefined || overPlain === undefined) return undefined
  return {
    usualCapital,
    excess,
    overPlain,
    netProfit: meanOf(({ netProfit }) => netProfit),
    held: usualCapital * meanOf(({ holdReturn }) => holdReturn),
    excessPercent: (100 * excess.mean) / usualCapital,
    plainExcessPercent: 100 * (mean(ofPlain) ?? 0),
  }
}
