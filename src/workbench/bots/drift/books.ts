/**
 * A bot's books before its replay: whether its fills, its clock, its fees, its orders and the profits that its service reports agree with each
 * other. What disagrees is named with both figures, because a replay would put it down to something else. Amounts agree within half a unit
 * of the last digit of each. Pure.
 */
import { type Candles, sliceCandles } from '../../../engine/candles.ts'
import type { SymbolRules } from '../../../engine/conventions.ts'
import type { ExecutionReading, OrderReading, PnlReading } from '../../api/reading/readings.ts'
import { resolutionAt } from '../../search/calibration/compared-metrics.ts'
import type { DriftTerms } from './drift-terms.ts'
import {
  type BotSpan,
  commandsOf,
  type Decimals,
  dealsOfFills,
  decimalsOfLife,
  replayLife,
  type TradedFill,
} from './replay-life.ts'

export interface BookFinding {
  readonly code: 'parts' | 'clock' | 'fees' | 'realized' | 'profits' | 'held' | 'orders' | 'terms'
  readonly text: string
}

const QUARTER = 900_000
/** As zones go. */
export const FARTHEST = 14 * 3_600_000
/** Of prices that meet. */
const SAME_PRICE = 0.0002

/** Fills of one order are one: its quantity, its average price, its fees. Newest first, as they came. */
export function joinParts(executions: readonly ExecutionReading[]): readonly ExecutionReading[] {
  const orders = new Map<string, ExecutionReading[]>()
  let last: { readonly key: string; readonly of: ExecutionReading } | undefined
  executions.toReversed().forEach((one, index) => {
    const { orderId, deal, role, side, safetyOrder, price } = one
    const isNamed = deal !== null && role !== null && (role !== 'safety' || safetyOrder !== null)
    const isSame = price !== null && last?.of.price === price && last.of.side === side && last.of.role === role
    const own = orderId ?? (isNamed ? '' : isSame ? null : `no. ${index}`)
    const key = own === null ? (last?.key ?? '') : JSON.stringify([own, deal, role, side, safetyOrder])
    orders.set(key, [...(orders.get(key) ?? []), one])
    last = { key, of: one }
  })
  return [...orders.values()].map(joined).reverse()
}

function joined(parts: readonly ExecutionReading[]): ExecutionReading {
  if (parts.length === 1) return parts[0]
  const sum = (field: 'quantity' | 'quote' | 'fee') => {
    const given = parts.flatMap((part) => part[field] ?? [])
    return given.length === parts.length ? roundedAs(added(given), given) : null
  }
  const [quantity, quote] = [sum('quantity'), sum('quote')]
  const prices = parts.flatMap(({ price }) => price ?? [])
  const cost = added(parts.map((part) => part.quote ?? (part.price ?? 0) * (part.quantity ?? 0)))
  const profits = parts.flatMap(({ profit }) => profit ?? [])
  const isOnePrice = prices.every((price) => price === prices[0])
  return {
    ...parts[0],
    ...{ quantity, quote, fee: sum('fee') },
    price:
      isOnePrice || quantity === null || quantity === 0 ? (prices.at(0) ?? null) : roundedAs(cost / quantity, prices),
    profit: profits.length === 0 ? null : added(profits),
  }
}

function added(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}

/** To the last decimal that the others have. */
function roundedAs(value: number, others: readonly number[]): number {
  return Number(value.toFixed(Math.min(100, Math.round(-Math.log10(resolutionAt(others))))))
}

type Timed = Pick<TradedFill, 'at' | 'price' | 'role'>

/**
 * By how much the bot's times are ahead of its replay's, ms: where at least 90 % of six or more fills meet a replayed one at their price,
 * and no other offset comes within 30 points. Null = none does so better than another.
 */
export function offsetOf(fills: readonly Timed[], replayed: readonly Timed[], intervalMs: number): number | null {
  if (fills.length < 6) return null
  const step = Math.min(intervalMs, QUARTER)
  const byPrice = replayed.toSorted((a, b) => a.price - b.price)
  const meets = new Map<number, number>()
  for (const { at, price, role } of fills) {
    const offsets = new Set<number>()
    let from = 0
    for (let to = byPrice.length; from < to; ) {
      const middle = (from + to) >> 1
      if (byPrice[middle].price < price * (1 - SAME_PRICE)) from = middle + 1
      else to = middle
    }
    for (const other of byPrice.slice(from)) {
      if (other.price > price * (1 + SAME_PRICE)) break
      const ahead = Math.floor((at - other.at) / step) * step
      if (isPurchase(other) !== isPurchase({ role }) || Math.abs(ahead) > FARTHEST) continue
      // A fill is somewhere in the candle on which its replay has it.
      for (let offset = ahead; offset > ahead - intervalMs; offset -= step) offsets.add(offset)
    }
    for (const offset of offsets) meets.set(offset, (meets.get(offset) ?? 0) + 1)
  }
  const ranked = [...meets].sort(([one, count], [other, most]) => most - count || other - one)
  const [best] = ranked
  if (best === undefined || best[1] < 0.9 * fills.length) return null
  const second = ranked.find(([offset]) => Math.abs(offset - best[0]) >= intervalMs)?.[1] ?? 0
  return best[1] - second >= 0.3 * fills.length ? best[0] : null
}

/** What replays a bot from another start. */
interface TimedLife {
  /** As far before and after the bot's life as they are stored. */
  readonly candles: Candles
  readonly symbol: SymbolRules
  readonly span: BotSpan
  /** End of what the bot has seen, ms UTC. */
  readonly to: number
}

/** The same where all times of the service are ahead, the start included: first the offsets at which base orders fill at an open, then a replay of each. */
export function offsetOfAll(
  fills: readonly Timed[],
  { candles, symbol, span, to }: TimedLife,
  terms: Omit<DriftTerms, 'source'>,
): number | null {
  const { intervalMs, openTime } = candles
  const opens = new Map(Array.from(openTime, (at, row) => [at, candles.open[row]]))
  const bases = fills.filter(({ role }) => role === 'base')
  const meet = (offset: number) =>
    bases.filter(({ at, price }) => {
      const open = opens.get(Math.floor((at - offset) / intervalMs) * intervalMs) ?? Number.NaN
      return Math.abs(price / (1 + terms.costs.slippagePercent / 100) / open - 1) <= SAME_PRICE
    }).length
  if (meet(0) * 2 >= bases.length) return null
  const later = [...offsetsUpTo(FARTHEST, QUARTER), ...offsetsUpTo(3_600_000, intervalMs)]
  const likely = later
    .flatMap((offset) => [offset, -offset])
    .map((offset) => ({ offset, count: meet(offset) }))
    .filter(({ count }) => count >= 2 && count >= 0.9 * bases.length)
    .sort((a, b) => b.count - a.count)
    .slice(0, 3)
  const found = likely.find(({ offset }) => {
    const from = span.from - offset
    const stoppedAt = span.stoppedAt === null ? null : span.stoppedAt - offset
    const part = sliceCandles(candles, from, to - offset)
    const commands = commandsOf({ ...span, from, stoppedAt }, [])
    const shifted = fills.map((fill) => ({ ...fill, at: fill.at - offset }))
    return offsetOf(shifted, replayLife({ candles: part, symbol, commands }, terms).fills, intervalMs) === 0
  })
  return found?.offset ?? null
}

function offsetsUpTo(most: number, step: number): readonly number[] {
  return Array.from({ length: Math.floor(most / step) }, (_, index) => (index + 1) * step)
}

function isPurchase({ role }: Pick<TradedFill, 'role'>): boolean {
  return role === 'base' || role === 'safety'
}

export function clockFinding(offset: number): BookFinding {
  const minutes = Math.abs(offset) / 60_000
  const text = minutes >= 60 ? `${Number((minutes / 60).toFixed(2))} h` : `${minutes} min`
  const way = offset > 0 ? 'ahead of' : 'behind'
  const isZone = offset % QUARTER === 0
  const what = isZone
    ? `its times are ${text} ${way} UTC: another time zone`
    : `its fills are ${text} ${way} their candles: a delay`
  return { code: 'clock', text: `${what}; compared without it` }
}

interface Sums {
  /** Sold less bought, before fees. */
  readonly gross: number
  readonly fees: number
  readonly volume: number
  /** Half a unit of the last digit of each amount. */
  readonly slack: number
}

interface BookQuestion {
  /** Those of one order are one. */
  readonly fills: readonly TradedFill[]
  /** As they came: an order may have several. */
  readonly executions: readonly ExecutionReading[]
  readonly orders: readonly OrderReading[]
  readonly pnl: PnlReading | null
  /** Of a fill whose fee is not reported. */
  readonly feePercent: number
}

/** What of the books disagrees; empty where they agree, as finely as they are given. */
export function checkBooks(question: BookQuestion): readonly BookFinding[] {
  const unit = decimalsOfLife({ fills: question.fills, orders: null, netProfit: null, feePercent: null })
  const books = { ...question, unit }
  return [
    ...checkRates(books),
    ...checkRealized(books),
    ...checkProfits(books),
    ...checkHeld(books),
    ...checkOrders(books),
  ]
}

interface Books extends BookQuestion {
  readonly unit: Decimals
}

function sumsOf(fills: readonly TradedFill[], { unit, feePercent }: Books): Sums {
  let [gross, fees, volume, slack] = [0, 0, 0, 0]
  for (const deal of dealsOfFills(fills)) {
    // What was bought is sold: rounded quantities weigh by the distance of prices, and by what is over of them.
    const traded = added(deal.fills.map(({ quantity }) => quantity))
    const mean = added(deal.fills.map(({ price, quantity }) => price * quantity)) / traded
    const over = Math.abs(added(deal.fills.map((fill) => (isPurchase(fill) ? fill.quantity : -fill.quantity))))
    if (deal.closedAt !== null) slack += mean * Math.min(over, (unit.quantity * deal.fills.length) / 2)
    for (const { role, price, quantity, fee } of deal.fills) {
      const quote = price * quantity
      gross += isPurchase({ role }) ? -quote : quote
      fees += fee ?? (quote * feePercent) / 100
      volume += quote
      const rounded = unit.quantity * (Math.abs(price - mean) + (fee === null ? (price * feePercent) / 100 : 0))
      slack += (unit.price * quantity + rounded + unit.fee) / 2
    }
  }
  return { gross, fees, volume, slack: slack + 1e-9 * volume }
}

const isNear = (one: number, other: number, slack: number) => Math.abs(one - other) <= slack

/** One rate is silence; a step and rates by side are named as such. */
function checkRates({ fills, unit }: Books): readonly BookFinding[] {
  const rates = fills.flatMap(({ role, fee, price, quantity }, index): Rate[] => {
    if (fee === null || price * quantity === 0) return []
    const rate = (100 * fee) / (price * quantity)
    // Some services cut off instead of rounding: whole units.
    const slack = (100 * unit.fee) / (price * quantity) + rate * (unit.price / price + unit.quantity / quantity + 1e-6)
    return [{ role, index, rate, slack }]
  })
  const silent = fills.filter(({ fee }) => fee === null).length
  const left =
    silent > 0 && rates.some(({ rate }) => rate > 0) ? [`${silent} of ${fills.length} fills report no fee`] : []
  return [...left, ...describeRates(rates)].map((text) => ({ code: 'fees', text }))
}

interface Rate {
  readonly role: TradedFill['role']
  /** From 0, among all fills. */
  readonly index: number
  readonly rate: number
  readonly slack: number
}

function describeRates(rates: readonly Rate[]): readonly string[] {
  if (rates.length === 0 || commonRate(rates) !== null) return []
  let step = 1
  while (commonRate(rates.slice(0, step + 1)) !== null) step++
  const [before, after] = [commonRate(rates.slice(0, step)), commonRate(rates.slice(step))]
  if (step >= 3 && rates.length - step >= 3 && before !== null && after !== null) {
    return [`its fee changes from ${before} to ${after} % at fill ${rates[step].index + 1}`]
  }
  const [bought, sold] = [commonRate(rates.filter(isPurchase)), commonRate(rates.filter((one) => !isPurchase(one)))]
  if (bought !== null && sold !== null) return [`its fee is ${bought} % of purchases and ${sold} % of sales`]
  const sorted = rates.map(({ rate }) => Number(rate.toPrecision(3))).sort((a, b) => a - b)
  return [`its fees are of several rates, ${sorted[0]} to ${sorted.at(-1)} %`]
}

/** With the fewest digits that all of them may stand for. */
function commonRate(rates: readonly Rate[]): number | null {
  const low = rates.reduce((most, { rate, slack }) => Math.max(most, rate - slack), 0)
  const high = rates.reduce((least, { rate, slack }) => Math.min(least, rate + slack), Number.POSITIVE_INFINITY)
  if (low > high) return null
  for (let digits = 1; digits < 15; digits++) {
    const rate = Number(((low + high) / 2).toPrecision(digits))
    if (rate >= low && rate <= high) return rate
  }
  return low
}

function checkRealized(books: Books): readonly BookFinding[] {
  const { fills, pnl, feePercent } = books
  const closed = new Set(dealsOfFills(fills).flatMap(({ number, closedAt }) => (closedAt === null ? [] : [number])))
  const sums = sumsOf(
    fills.filter(({ deal }) => closed.has(deal)),
    books,
  )
  const all = sumsOf(fills, books)
  const paid = pnl?.feesPaid ?? null
  const found: BookFinding[] = []
  const feesGiven = fills.some(({ fee }) => fee !== null)
  if (paid !== null && feesGiven && !isNear(paid, all.fees, all.slack + resolutionAt([paid]) / 2)) {
    found.push({ code: 'fees', text: `it says that ${paid} was paid in fees, its fills make ${apart(all.fees, paid)}` })
  }
  const given = pnl?.realizedProfit ?? null
  if (given === null) return found
  const { gross, fees, volume } = sums
  const slack = sums.slack + resolutionAt([given]) / 2
  const net = gross - fees
  // Some count the fees of the open deal's purchases, too.
  if ([net, net - all.fees + fees].some((profit) => isNear(given, profit, slack))) return found
  if (isNear(given, gross, slack)) {
    found.push({
      code: 'fees',
      text: `its realized profit, ${given}, leaves out the fees: after fees its fills earned ${apart(net, given)}`,
    })
    return found
  }
  const rate = {
    role: 'base',
    index: 0,
    rate: (100 * (gross - given)) / volume,
    slack: (100 * slack) / volume,
  } as const
  const likely = commonRate([rate])
  const isRate = likely !== null && likely > 0 && likely <= 2 && Number(likely.toPrecision(2)) === likely
  if (isRate && !fills.some(({ fee }) => fee !== null && fee > 0)) {
    const instead = feesGiven ? 'leave out the fees' : `report no fee, which is not ${feePercent} %`
    found.push({
      code: 'fees',
      text: `its fills ${instead}: its realized profit, ${given}, is theirs less ${likely} % each`,
    })
    return found
  }
  const text = `Realized profit is ${given}, its own fills make ${apart(net, given)}: the service’s two books disagree.`
  found.push({ code: 'realized', text })
  return found
}

/** Five digits, or as many as show that it is another number. */
function apart(value: number, other: number): number {
  const short = Number(value.toPrecision(5))
  return short === Number(other.toPrecision(5)) ? Number(value.toFixed(8)) : short
}

/** What each sale reports of its deal. */
function checkProfits(books: Books): readonly BookFinding[] {
  const reported = dealsOfFills(books.fills).flatMap(({ number, fills }) => {
    const profit = fills.findLast((fill) => !isPurchase(fill))?.profit ?? null
    return profit === null ? [] : [{ number, profit, sums: sumsOf(fills, books) }]
  })
  const unit = resolutionAt(reported.map(({ profit }) => profit))
  const slackOf = ({ sums }: (typeof reported)[number]) => sums.slack + unit / 2
  const wrong = reported.filter((one) => !isNear(one.profit, one.sums.gross - one.sums.fees, slackOf(one)))
  const [first] = wrong
  if (first === undefined) return []
  if (wrong.length === reported.length && wrong.every((one) => isNear(one.profit, one.sums.gross, slackOf(one)))) {
    return [{ code: 'fees', text: 'the profits that its sales report leave out the fees' }]
  }
  const { number, profit, sums } = first
  const example = `deal ${number} reports ${profit}, its fills earned ${apart(sums.gross - sums.fees, profit)}`
  return [
    {
      code: 'profits',
      text: `${wrong.length} of ${reported.length} sales report another profit than their fills: ${example}`,
    },
  ]
}

function checkHeld({ fills, pnl, unit }: Books): readonly BookFinding[] {
  const given = pnl?.openDeal?.quantity ?? (pnl?.hasOpenDeal === false ? 0 : null)
  if (given === null) return []
  const traded = added(fills.map(({ quantity }) => quantity))
  const held = added(fills.map((fill) => (isPurchase(fill) ? fill.quantity : -fill.quantity)))
  const slack = (unit.quantity * fills.length + resolutionAt([given])) / 2 + 1e-9 * traded
  if (isNear(given, held, slack)) return []
  return [{ code: 'held', text: `it says that it holds ${given}, its fills leave ${apart(held, given)}` }]
}

/** Orders that are filled, beside the executions that name them. */
function checkOrders({ executions, orders }: Books): readonly BookFinding[] {
  const filled = new Map<string, number>()
  for (const { orderId, quantity, quote, price } of executions) {
    if (orderId === null) return []
    filled.set(orderId, (filled.get(orderId) ?? 0) + (quantity ?? (quote ?? 0) / (price ?? 1)))
  }
  const unit = resolutionAt(executions.flatMap(({ quantity }) => quantity ?? []))
  const done = orders.filter(({ id, state }) => id !== null && /^(filled|closed|done)$/i.test(state ?? ''))
  if (!done.some(({ id }) => filled.has(id ?? ''))) return []
  const wrong = done.flatMap(({ id, quantity }) => {
    const executed = filled.get(id ?? '') ?? 0
    const isAlike =
      quantity === null ? executed > 0 : isNear(quantity, executed, unit * executions.length + 1e-9 * quantity)
    return isAlike ? [] : [`order ${id} of ${quantity ?? 'some'}, executed ${apart(executed, quantity ?? 0)}`]
  })
  if (wrong.length === 0) return []
  const text = `${wrong.length} of ${done.length} filled orders disagree with their executions: ${wrong[0]}`
  return [{ code: 'orders', text }]
}
