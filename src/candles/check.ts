/**
 * Checks a set of candles and reports findings of three grades.
 *
 * `refuse`: the engine must not get such candles, and the folder never stores them. `note`: happens in real markets; know it
 * before you believe a result. `fine`: found, and usual in this amount.
 */
import type { Candles } from '../engine/candles.ts'
import { power } from '../engine/numbers.ts'
import { EARLIEST_TIME, LATEST_TIME } from './months.ts'

// Finds opens that are far from all prices around them. One damaged open is enough to open or close a deal at a price that never
// existed.
//
// The distance is measured in usual spans of this series: the median distance from low to high, including the close before. In
// recorded crashes an open was up to 12 spans from the close before (BTC-USDT, 19 May 2021) and up to 13 from everything after
// it; 20 counts as far. The limit is at least 1 %, for markets that hardly move, and at most the limit for jumps.
//
// Distances are ratios ≥ 1, so that a fall counts as much as the rise that undoes it.

const farSpans = 20
const leastFar = 1.01
/** Candles after an open with which it is compared when there is none right before it. */
const following = 30
/** At most so many spans are looked at: enough for a median, and more would only take time. */
const mostSpans = 50_000

interface OpenFindings {
  /** Rows that open far from the close right before them. */
  readonly openJump: readonly number[]
  /** Rows without a candle right before them (the first, and each after a gap) that open far from every price around them. */
  readonly strayOpen: readonly number[]
}

/** Looks at every open. `jumpBound`: the largest ordinary move from close to close, as a share. `usual`: the usual span. */
function findFarOpens(candles: Candles, jumpBound: number, usual: number): OpenFindings {
  const { intervalMs, openTime, open, close } = candles
  const count = openTime.length
  const boundOf = (span: number) => Math.min(1 + jumpBound, Math.max(leastFar, power(span, farSpans)))
  const bound = boundOf(usual)
  const openJump: number[] = []
  const strayOpen: number[] = []
  for (let i = 0; i < count; i++) {
    if (!(open[i] > 0)) continue // reported as a price of zero or less
    if (i > 0 && openTime[i] - openTime[i - 1] === intervalMs) {
      if (distance(open[i], close[i - 1]) > bound) openJump.push(i)
      continue
    }
    // A recording may begin in the middle of a crash. The candles that follow then have wide spans, which raise the limit.
    const around = usualSpan(candles, i + 1, Math.min(i + 1 + following, count))
    if (nearestPrice(candles, i) > boundOf(Math.max(usual, around))) strayOpen.push(i)
  }
  return { openJump, strayOpen }
}

/** The median span of the candles of rows `start` ≤ i < `end` that moved at all; 1 when none did. */
function usualSpan({ intervalMs, openTime, high, low, close }: Candles, start: number, end: number): number {
  const spans: number[] = []
  const step = Math.ceil((end - start) / mostSpans)
  for (let i = start; i < end; i += step) {
    const joins = i > 0 && openTime[i] - openTime[i - 1] === intervalMs
    const top = joins ? Math.max(high[i], close[i - 1]) : high[i]
    const bottom = joins ? Math.min(low[i], close[i - 1]) : low[i]
    if (bottom > 0 && top > bottom && top < Number.POSITIVE_INFINITY) spans.push(top / bottom)
  }
  const middle = Float64Array.from(spans)
    .sort()
    .at(spans.length >> 1)
  return middle ?? 1
}

/** Distance of an open from the nearest of these prices: the close before, its own close, those of the candles that follow. */
function nearestPrice({ openTime, open, high, low, close }: Candles, row: number): number {
  const price = open[row]
  const before = row === 0 ? Number.POSITIVE_INFINITY : distance(price, close[row - 1])
  let nearest = Math.min(before, distance(price, close[row]))
  for (let i = row + 1; i < Math.min(row + 1 + following, openTime.length); i++) {
    nearest = Math.min(nearest, Math.max(1, price / high[i], low[i] / price))
  }
  return nearest
}

function distance(a: number, b: number): number {
  return Math.max(a / b, b / a)
}

export type FindingCode =
  | 'order'
  | 'duplicate'
  | 'time'
  | 'misaligned'
  | 'notFinite'
  | 'price'
  | 'highLow'
  | 'volume'
  | 'gap'
  | 'jump'
  | 'openJump'
  | 'strayOpen'
  | 'wick'
  | 'zeroVolume'
  | 'flat'
  | 'flatRun'
  | 'conflict'
  | 'mixedIntervals'
  | 'timeUnit'
  | 'unreadable'

export interface Finding {
  readonly code: FindingCode
  readonly severity: 'fine' | 'note' | 'refuse'
  readonly count: number
  /** Open time of the first candle concerned, ms UTC; null where a line of a file holds no time. */
  readonly first: number | null
}

interface Gap {
  /** First missing open time, ms UTC. */
  readonly from: number
  readonly count: number
}

export interface CheckReport {
  readonly count: number
  /** Candles absent between the first and the last. */
  readonly missing: number
  /** Candles absent in the longest gap. */
  readonly longestGap: number
  readonly gaps: readonly Gap[]
  readonly findings: readonly Finding[]
}

/** What each finding means, for people. */
export const FINDINGS = {
  order: 'older than the candle before it',
  duplicate: 'a second candle of the same time',
  time: 'opens outside the years 2000–2099',
  misaligned: 'does not open on a multiple of the interval',
  notFinite: 'a value that is not a finite number',
  price: 'a price of zero or less',
  highLow: 'high below, or low above, another price of the candle',
  volume: 'a negative volume',
  gap: 'runs of missing candles',
  jump: 'closes more than --jump percent (20 by default) from the close before',
  openJump:
    'opens far from the close before: by 20 times the usual high − low of a candle, at least 1 %, at most --jump',
  strayOpen: 'the first candle, or the first after a gap, opens as far from every price around it',
  wick: 'a high or low beyond its open and close and those beside it by more than --jump percent and 20 times the usual high − low',
  zeroVolume: 'no volume',
  flat: 'open = high = low = close',
  flatRun: 'part of ten or more flat candles in a row',
  conflict: 'a second, different candle of the same time',
  mixedIntervals: 'a run of candles of a coarser interval begins',
  timeUnit: 'a time in another unit than the first one',
  unreadable: 'a line that is no candle',
} as const satisfies Record<FindingCode, string>

const usualJumpPercent = 20
const flatRunLength = 10
/** A larger share of quiet candles is unusual: the market is thin or the recording was interrupted. */
const ordinaryShare = 0.01

/**
 * Checks columns of equal length; they may be in any state, also unordered (gaps are then those of the sorted times).
 * `jumpPercent`: the largest ordinary move from close to close, and the most that an open, a high or a low may be from the prices around it.
 */
export function checkCandles(
  candles: Candles,
  { jumpPercent = usualJumpPercent }: { readonly jumpPercent?: number } = {},
): CheckReport {
  const gaps = findGaps(candles)
  const found = new Map<FindingCode, { count: number; first: number }>()
  const note = (code: FindingCode, row: number, count = 1): void => {
    const finding = found.get(code)
    if (finding === undefined) found.set(code, { count, first: candles.openTime[row] })
    else finding.count += count
  }
  checkRows(candles, note)
  checkNeighbours(candles, jumpPercent / 100, note)
  const usual = usualSpan(candles, 0, candles.openTime.length)
  checkWicks(candles, Math.max(1 + jumpPercent / 100, power(usual, farSpans)), note)
  const { openJump, strayOpen } = findFarOpens(candles, jumpPercent / 100, usual)
  for (const row of openJump) note('openJump', row)
  for (const row of strayOpen) note('strayOpen', row)
  const firstGap = gaps.at(0)
  if (firstGap !== undefined) found.set('gap', { count: gaps.length, first: firstGap.from })
  const count = candles.openTime.length
  return {
    count,
    missing: gaps.reduce((sum, gap) => sum + gap.count, 0),
    longestGap: gaps.reduce((longest, gap) => Math.max(longest, gap.count), 0),
    gaps,
    findings: [...found].map(([code, finding]) => ({
      code,
      severity: severityOf(code, finding.count, count),
      ...finding,
    })),
  }
}

type Note = (code: FindingCode, row: number, count?: number) => void

function checkRows({ intervalMs, openTime, open, high, low, close, volume }: Candles, note: Note): void {
  for (let i = 0; i < openTime.length; i++) {
    const time = openTime[i]
    const o = open[i]
    const h = high[i]
    const l = low[i]
    const c = close[i]
    const v = volume[i]
    if (!(time >= EARLIEST_TIME && time < LATEST_TIME)) note('time', i)
    else if (time % intervalMs !== 0) note('misaligned', i)
    if (!Number.isFinite(o + h + l + c + v)) note('notFinite', i)
    if (o <= 0 || h <= 0 || l <= 0 || c <= 0) note('price', i)
    if (h < o || h < c || h < l || l > o || l > c) note('highLow', i)
    if (v < 0 || Object.is(v, -0)) note('volume', i) // −0 equals 0 but gives another hash
    if (v === 0) note('zeroVolume', i)
    if (h === l) note('flat', i)
  }
}

function checkNeighbours({ intervalMs, openTime, high, low, close }: Candles, jumpBound: number, note: Note): void {
  const highest = 1 + jumpBound
  const lowest = 1 / highest // a fall as large as the rise that undoes it
  let flat = 0
  for (let i = 0; i < openTime.length; i++) {
    flat = high[i] === low[i] ? flat + 1 : 0
    if (flat === flatRunLength) note('flatRun', i - flat + 1, flat)
    else if (flat > flatRunLength) note('flatRun', i)
    if (i === 0) continue
    const step = openTime[i] - openTime[i - 1]
    if (step < 0) note('order', i)
    else if (step === 0) note('duplicate', i)
    else if (step === intervalMs) {
      const move = close[i] / close[i - 1]
      if (move > highest || move < lowest) note('jump', i)
    }
  }
}

/** One damaged high or low is enough to fill orders at prices that never existed. `bound`: a ratio. */
function checkWicks({ open, high, low, close }: Candles, bound: number, note: Note): void {
  for (let i = 0; i < open.length; i++) {
    const before = i === 0 ? open[i] : close[i - 1]
    const after = i + 1 === open.length ? close[i] : open[i + 1]
    const top = Math.max(open[i], close[i], before, after)
    const bottom = Math.min(open[i], close[i], before, after)
    if (high[i] > bound * top || low[i] * bound < bottom) note('wick', i)
  }
}

/** Runs of absent candles between the first and the last, oldest first. */
export function findGaps({ intervalMs, openTime }: Candles): Gap[] {
  const gaps: Gap[] = []
  const times = isAscending(openTime) ? openTime : Float64Array.from(openTime).sort()
  for (let i = 1; i < times.length; i++) {
    const count = Math.round((times[i] - times[i - 1]) / intervalMs) - 1
    if (count > 0) gaps.push({ from: times[i - 1] + intervalMs, count })
  }
  return gaps
}

export function isAscending(times: Float64Array): boolean {
  for (let i = 1; i < times.length; i++) if (!(times[i] > times[i - 1])) return false
  return true
}

function severityOf(code: FindingCode, count: number, candles: number): Finding['severity'] {
  switch (code) {
    case 'gap':
    case 'jump':
    case 'openJump':
    case 'strayOpen':
    case 'wick':
    case 'flatRun':
      return 'note'
    case 'zeroVolume':
    case 'flat':
      return count > candles * ordinaryShare ? 'note' : 'fine'
    default:
      return 'refuse'
  }
}
