/** A run's deals as marks on its price chart, inside a window of time. Pure. */
import { EXITS, type Exit } from '../../../contract/bot.ts'
import { tooltipText } from '../charts/columns.ts'
import { formatInstant, formatNumber, formatSigned, type Quote } from '../format.ts'
import type { PriceBar, TimeWindow } from './price-window.ts'
import type { TracedDeal } from './run-trial.ts'

export type DealMark = 'base' | 'rung' | Exit
export type DealLevel = 'rung' | 'waiting' | 'average' | 'takeProfit' | 'stop'

export interface MarkRow {
  readonly time: number
  readonly price: number
  readonly mark: DealMark
  readonly tooltip: string
}

export interface LevelRow {
  readonly time: number
  readonly end: number
  readonly price: number
  readonly level: DealLevel
}

export interface DealPicture {
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
  const marks = all.length > MOST_MARKS ? all.filter(({ mark }) => mark !== 'rung') : all
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
  const price = (value: number) => formatNumber(value, priceDecimals(value))
  const amount = (value: number) => `${formatNumber(value, quote.decimals)} ${quote.asset}`
  const fills = filledAt.map((time, rung): MarkRow => {
    const size = ladder.quote[rung] - (rung === 0 ? 0 : ladder.quote[rung - 1])
    return {
      time,
      price: ladder.price[rung],
      mark: rung === 0 ? 'base' : 'rung',
      tooltip: tooltipText(`${name}: ${rung === 0 ? 'base order' : `safety order ${rung}`}`, [
        ['Filled', formatInstant(time)],
        ['Price', price(ladder.price[rung])],
        ['Size', amount(size)],
        ['Cost so far, with fees', amount(ladder.cost[rung])],
        ['Average', price(ladder.quote[rung] / ladder.quantity[rung])],
        ['Take profit', price(ladder.takeProfit[rung])],
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
      ['Price', price(deal.exitPrice)],
      ['Profit', `${formatSigned(deal.profit, quote.decimals)} ${quote.asset}`],
      ['Worst open loss', amount(deal.lowestValue)],
    ]),
  }
  return [...fills, exit]
}

/** Every placed rung from open to close; average, take profit and stop as they stood between one fill and the next. */
function levelsOf(deal: TracedDeal, window: TimeWindow): LevelRow[] {
  const { ladder, filledAt, openedAt } = deal
  const end = endOfDeal(deal, window)
  const rows: LevelRow[] = []
  for (let rung = 0; rung <= ladder.placed; rung++) {
    rows.push({ time: openedAt, end, price: ladder.price[rung], level: rung < filledAt.length ? 'rung' : 'waiting' })
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

/** Decimals that show six digits of a price. */
export function priceDecimals(price: number): number {
  if (!(price > 0)) return 2
  return Math.min(10, Math.max(2, 5 - Math.floor(Math.log10(price))))
}
