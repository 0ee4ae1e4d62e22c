/** A run's deals as marks on its price chart, inside a window of time. Pure. */
import { EXITS, type Exit } from '../../../contract/bot.ts'
import { type Candles, lowerBound } from '../../../engine/candles.ts'
import { formatAmount, formatGain, formatInstant, formatPrice, type Quote, tooltipText } from '../format.ts'
import type { TracedDeal } from './run-trial.ts'

type DealMark = 'base' | 'safetyOrder' | Exit
type DealLevel = 'safetyOrder' | 'waiting' | 'average' | 'takeProfit' | 'stop'

export interface MarkRow {
  readonly time: number
  readonly price: number
  readonly mark: DealMark
  readonly tooltip: string
}

interface LevelRow {
  readonly time: number
  readonly end: number
  readonly price: number
  readonly level: DealLevel
}

interface DealPicture {
  readonly marks: readonly MarkRow[]
  readonly levels: readonly LevelRow[]
  /** Prices between which everything is drawn. */
  readonly low: number
  readonly high: number
}

/** A deal that is narrower than this share of the chart shows no ladder: its lines would be a blot. */
const NARROWEST = 0.004
/** Levels that the price did not reach may make the chart so much higher, as a share of what the price did. */
const ROOM_ABOVE = 0.5
const ROOM_BELOW = 0.4
/** More marks than this are thinned: fills of safety orders first. */
const MOST_MARKS = 1500

export function drawDeals(
  deals: readonly TracedDeal[],
  { window, bars, quote }: { readonly window: TimeWindow; readonly bars: readonly PriceBar[]; readonly quote: Quote },
): DealPicture {
  const visible = deals.filter((deal) => deal.openedAt < window.to && endOfDeal(deal, window) >= window.from)
  const all = visible
    .flatMap((deal) => marksOf(deal, deals.indexOf(deal), quote))
    .filter(({ time }) => time >= window.from && time < window.to)
  const marks = all.length > MOST_MARKS ? all.filter(({ mark }) => mark !== 'safetyOrder') : all
  const wide = visible.filter(
    (deal) => endOfDeal(deal, window) - deal.openedAt >= NARROWEST * (window.to - window.from),
  )
  const levels = wide.flatMap((deal) => levelsOf(deal, window))
  const lowest = Math.min(...bars.map(({ low }) => low), ...marks.map(({ price }) => price))
  const highest = Math.max(...bars.map(({ high }) => high), ...marks.map(({ price }) => price))
  const range = Math.max(highest - lowest, highest * 1e-4)
  const near = levels.filter(
    ({ price }) => price <= highest + ROOM_ABOVE * range && price >= lowest - ROOM_BELOW * range,
  )
  const prices = near.map(({ price }) => price)
  return {
    marks,
    levels: near,
    low: Math.min(lowest, ...prices) - 0.03 * range,
    high: Math.max(highest, ...prices) + 0.03 * range,
  }
}

function endOfDeal({ closedAt }: TracedDeal, { to }: TimeWindow): number {
  return closedAt ?? to
}

function marksOf(deal: TracedDeal, index: number, quote: Quote): MarkRow[] {
  const { ladder, filledAt } = deal
  const name = `Deal ${index + 1}`
  const fills = filledAt.map((time, safetyOrder): MarkRow => {
    const size = ladder.quote[safetyOrder] - (safetyOrder === 0 ? 0 : ladder.quote[safetyOrder - 1])
    return {
      time,
      price: ladder.price[safetyOrder],
      mark: safetyOrder === 0 ? 'base' : 'safetyOrder',
      tooltip: tooltipText(`${name}: ${safetyOrder === 0 ? 'base order' : `safety order ${safetyOrder}`}`, [
        ['Filled', formatInstant(time)],
        ['Price', formatPrice(ladder.price[safetyOrder])],
        ['Size', formatAmount(size, quote)],
        ['Cost so far, with fees', formatAmount(ladder.cost[safetyOrder], quote)],
        ['Average', formatPrice(ladder.quote[safetyOrder] / ladder.quantity[safetyOrder])],
        ['Take profit', formatPrice(ladder.takeProfit[safetyOrder])],
      ]),
    }
  })
  if (deal.closedAt === null || deal.exit === null) return fills
  const exit: MarkRow = {
    time: deal.closedAt,
    price: deal.exitPrice,
    mark: deal.exit,
    tooltip: tooltipText(`${name}: ${EXITS[deal.exit].says}`, [
      ['Closed', formatInstant(deal.closedAt)],
      ['Price', formatPrice(deal.exitPrice)],
      ['Profit', formatGain(deal.profit, quote)],
      ['Worst open loss', formatAmount(deal.lowestValue, quote)],
    ]),
  }
  return [...fills, exit]
}

/** Every placed safety order from open to close; average, take profit and stop as they stood between one fill and the next. */
function levelsOf(deal: TracedDeal, window: TimeWindow): LevelRow[] {
  const { ladder, filledAt, openedAt } = deal
  const end = endOfDeal(deal, window)
  const rows: LevelRow[] = []
  for (let safetyOrder = 0; safetyOrder <= ladder.placed; safetyOrder++) {
    rows.push({
      time: openedAt,
      end,
      price: ladder.price[safetyOrder],
      level: safetyOrder < filledAt.length ? 'safetyOrder' : 'waiting',
    })
  }
  for (const [filled, time] of filledAt.entries()) {
    const until = filledAt.at(filled + 1) ?? end
    rows.push({ time, end: until, price: ladder.quote[filled] / ladder.quantity[filled], level: 'average' })
    rows.push({ time, end: until, price: ladder.takeProfit[filled], level: 'takeProfit' })
    if (ladder.stop[filled] > 0) rows.push({ time, end: until, price: ladder.stop[filled], level: 'stop' })
  }
  return rows.flatMap((row) =>
    row.end >= window.from && row.time <= window.to
      ? [{ ...row, time: Math.max(row.time, window.from), end: Math.min(row.end, window.to) }]
      : [],
  )
}

// The price over a stretch of time, as few rows as a screen can show. Pure.

/** Open times, ms UTC; `to` is exclusive. */
export interface TimeWindow {
  readonly from: number
  readonly to: number
}

/** What happened between two times, ms UTC; prices in quote. */
interface PriceBar {
  readonly time: number
  readonly end: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

/** Below it single candles can be told apart. */
const STICKS_BELOW_MS = 3 * 86_400_000
const MOST_STICKS = 180
const MOST_BARS = 600

export function wholeWindow({ openTime, intervalMs }: Candles): TimeWindow {
  return { from: openTime.at(0) ?? 0, to: (openTime.at(-1) ?? 0) + intervalMs }
}

export function showsSticks({ from, to }: TimeWindow): boolean {
  return to - from < STICKS_BELOW_MS
}

/**
 * Bars of equal length over the window, each from the candles in it: nothing that the price touched is lost. Without candles there is no bar.
 * @param longestMs of merged candles, which reach to the next one
 */
export function priceBars(candles: Candles, window: TimeWindow, longestMs = candles.intervalMs): PriceBar[] {
  const { openTime, intervalMs, open, high, low, close } = candles
  const most = showsSticks(window) ? MOST_STICKS : MOST_BARS
  const length = intervalMs * Math.max(1, Math.ceil((window.to - window.from) / intervalMs / most))
  const bars: PriceBar[] = []
  let i = lowerBound(openTime, window.from)
  const last = lowerBound(openTime, window.to)
  while (i < last) {
    const time = Math.floor(openTime[i] / length) * length
    const bar = { time, end: time + length, open: open[i], high: high[i], low: low[i], close: close[i] }
    for (; i < last && openTime[i] < bar.end; i++) {
      bar.high = Math.max(bar.high, high[i])
      bar.low = Math.min(bar.low, low[i])
      bar.close = close[i]
    }
    bar.end = Math.max(bar.end, Math.min(openTime.at(i) ?? bar.end, openTime[i - 1] + longestMs))
    bars.push(bar)
  }
  return bars
}

const SHORTEST_CANDLES = 20

/** `window` made `factor` times as long around its middle, inside `whole` and not shorter than twenty candles. */
export function zoomed(
  window: TimeWindow,
  factor: number,
  { whole, intervalMs }: { readonly whole: TimeWindow; readonly intervalMs: number },
): TimeWindow {
  const middle = (window.from + window.to) / 2
  const length = Math.max(SHORTEST_CANDLES * intervalMs, factor * (window.to - window.from))
  return within({ from: middle - length / 2, to: middle + length / 2 }, whole)
}

/** Moved by a share of its own length. */
export function moved(window: TimeWindow, share: number, whole: TimeWindow): TimeWindow {
  const by = share * (window.to - window.from)
  return within({ from: window.from + by, to: window.to + by }, whole)
}

/** As long as it was, where that fits. */
export function within({ from, to }: TimeWindow, whole: TimeWindow): TimeWindow {
  const length = Math.min(to - from, whole.to - whole.from)
  const start = Math.min(Math.max(from, whole.from), whole.to - length)
  return { from: start, to: start + length }
}
