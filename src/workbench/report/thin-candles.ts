/**
 * The candles of a long period, thinned: all of them around what happens to the deals of the best trials, merged ones in between. Pure.
 *
 *     minutes  ······▲·······●····················▼▲········     ▲ opened, ● added to, ▼ closed
 *     kept     [  1h  ]▲[1h]●[   1h   ][   1h   ]▼▲[   1h   ]
 *
 * Exact for these trials: between two of its events no level of a deal is touched, so none is touched by the lowest low and the highest high of the
 * candles in between; the engine makes the same deals of them, to the bit. Not so for any other configuration, nor for what is counted by the candle.
 */
import { type Candles, lowerBound } from '../../engine/candles.ts'
import { runReferenceOnce } from '../../engine/reference.ts'
import type { TrialRequest } from './model/run-trial.ts'

type Ground = Pick<TrialRequest, 'config' | 'terms'>

interface ThinRequest {
  /** Best first; configurations that can be run. */
  readonly trials: readonly Ground[]
  /** Candles that may be left. */
  readonly most: number
}

export interface ThinnedCandles {
  readonly candles: Candles
  /** How long a merged one is at most, ms. */
  readonly mergedMs: number
  /** So many of the first trials are exact. */
  readonly traced: number
}

/** Candles kept before and behind each event, as far as there is room: they are the picture of it. */
const MARGINS = [30, 10, 3, 0]

export function thinCandles(candles: Candles, { trials, most }: ThinRequest): ThinnedCandles {
  const mergedMs = mergedLength(candles)
  const events = trials.map((trial) => eventsOf(candles, trial))
  const attempts = [...MARGINS.map((margin) => ({ margin, traced: trials.length })), ...fewer(trials.length)]
  for (const { margin, traced } of attempts) {
    const kept = placesAround(events.slice(0, traced), { margin, count: candles.openTime.length })
    const starts = startsOf(candles, { kept, mergedMs })
    if (starts.length <= most || traced === 0) return { candles: mergeFrom(candles, starts), mergedMs, traced }
  }
  throw new Error('the last attempt keeps nothing')
}

/** Half as many, and so on to none, without room around their events. */
function fewer(trials: number): { readonly margin: number; readonly traced: number }[] {
  const counts: number[] = []
  for (let traced = Math.floor(trials / 2); traced > 0; traced = Math.floor(traced / 2)) counts.push(traced)
  return [...counts, 0].map((traced) => ({ margin: 0, traced }))
}

const HOUR_MS = 3_600_000
const LENGTHS = [HOUR_MS, 4 * HOUR_MS, 24 * HOUR_MS]
/** A year of hours. */
const MOST_MERGED = 9000

function mergedLength({ openTime, intervalMs }: Candles): number {
  const period = (openTime.at(-1) ?? 0) - (openTime.at(0) ?? 0) + intervalMs
  return LENGTHS.find((length) => period / length <= MOST_MERGED) ?? 7 * 24 * HOUR_MS
}

/** Places of the candles in which a deal was opened, added to or closed. */
function eventsOf(candles: Candles, { config, terms }: Ground): number[] {
  const filled: number[] = []
  const watch = {
    opened: () => undefined,
    filled: (_: number, candle: number) => filled.push(candle),
    passed: () => undefined,
  }
  const { conventions, costs, symbol } = terms
  const { deals, openDeal } = runReferenceOnce({ candles, config, conventions, costs, symbol }, watch)
  const times = [...deals.flatMap(({ openedAt, closedAt }) => [openedAt, closedAt]), openDeal?.openedAt ?? []].flat()
  return [...filled, ...times.map((time) => lowerBound(candles.openTime, time))]
}

function placesAround(
  events: readonly (readonly number[])[],
  { margin, count }: { readonly margin: number; readonly count: number },
): Uint8Array {
  const kept = new Uint8Array(count)
  kept.fill(1, count - 1) // where the last one ends, the period does, and what is open lasts until then
  for (const places of events) {
    for (const place of places) kept.fill(1, Math.max(0, place - margin), place + margin + 1)
  }
  return kept
}

/** Where each candle of the result begins: every kept one, and the first of every run of others within one length of time. */
function startsOf(
  { openTime }: Candles,
  { kept, mergedMs }: { readonly kept: Uint8Array; readonly mergedMs: number },
): number[] {
  const starts: number[] = []
  let slot = -1
  for (let i = 0; i < openTime.length; i++) {
    const own = Math.floor(openTime[i] / mergedMs)
    if (kept[i] === 1) {
      starts.push(i)
      slot = -1
    } else if (own !== slot) {
      starts.push(i)
      slot = own
    }
  }
  return starts
}

function mergeFrom({ intervalMs, openTime, open, high, low, close }: Candles, starts: readonly number[]): Candles {
  const column = (value: (from: number, to: number) => number) =>
    Float64Array.from(starts, (from, i) => value(from, starts.at(i + 1) ?? openTime.length))
  return {
    intervalMs, // times are multiples of it still
    openTime: column((from) => openTime[from]),
    open: column((from) => open[from]),
    high: column((from, to) => high.subarray(from, to).reduce((most, each) => Math.max(most, each))),
    low: column((from, to) => low.subarray(from, to).reduce((least, each) => Math.min(least, each))),
    close: column((_, to) => close[to - 1]),
    volume: new Float64Array(starts.length),
  }
}
