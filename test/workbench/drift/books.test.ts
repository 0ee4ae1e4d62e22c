/**
 * Does a bot's own bookkeeping agree? Faults of drawn bots on fourteen days of real minutes are each named; sixty honest bots, other conventions,
 * rounding and fees that are not reported among them, have none named; nor have deals that 3Commas recorded.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import type { ExecutionReading, OrderReading, PnlReading } from '../../../src/workbench/api/reading/readings.ts'
import { checkBooks, clockFinding, joinParts, offsetOf, offsetOfAll } from '../../../src/workbench/bots/drift/books.ts'
import { compareLife } from '../../../src/workbench/bots/drift/compare-life.ts'
import { promotedOtherwise } from '../../../src/workbench/bots/drift/drift-terms.ts'
import {
  dealProfit,
  fillsOfExecutions,
  type ReplayedLife,
  replayLife,
  type TradedFill,
} from '../../../src/workbench/bots/drift/replay-life.ts'
import { readCsvCandles } from '../../support/csv-candles.ts'
import { share } from '../../support/share.ts'
import { sharedData } from '../../support/shared-data.ts'
import { drawCase, OWN } from './seeded-cases.ts'

const ether = sharedData('candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz') ?? ''
const recorded = sharedData('oracle/3commas/deals_list.json') ?? ''
const HOUR = 3_600_000

interface Books {
  readonly executions: readonly ExecutionReading[]
  readonly orders: readonly OrderReading[]
  readonly pnl: PnlReading
}

type Write = (amount: number) => number
const exactly: Write = (amount) => amount

/** What an honest service reports of a life, newest first; amounts as `write` writes them. */
function booksOf({ fills, deals }: Pick<ReplayedLife, 'fills' | 'deals'>, write = exactly, tellsFees = true): Books {
  const profits = new Map(deals.map((deal) => [deal.number, dealProfit(deal, { lastClose: 0, feePercent: 0.1 })]))
  const closed = deals.filter(({ closedAt }) => closedAt !== null)
  const executions = fills.map((fill, index): ExecutionReading => {
    const { role, deal, safetyOrder, at } = fill
    const isBuy = role === 'base' || role === 'safety'
    return {
      ...{
        id: `e${index}`,
        orderId: `o${index}`,
        deal,
        role,
        safetyOrder,
        executedAt: at,
        side: isBuy ? 'buy' : 'sell',
      },
      ...{ price: write(fill.price), quantity: write(fill.quantity), quote: null },
      fee: tellsFees && fill.fee !== null ? write(fill.fee) : null,
      profit: isBuy ? null : write(profits.get(deal) ?? 0),
    }
  })
  const orders = executions.map(
    ({ deal, side, role, safetyOrder, price, quantity }, index): OrderReading => ({
      ...{ id: `o${index}`, deal, side, role, safetyOrder, price, quantity },
      ...{ type: null, state: 'filled', placedAt: null, updatedAt: null },
    }),
  )
  const held = fills.reduce(
    (sum, { role, quantity }) => sum + (role === 'base' || role === 'safety' ? quantity : -quantity),
    0,
  )
  const open = { openedAt: '', safetyOrders: 0, cost: 0, value: 0, profit: 0, lowestValue: null }
  const realized = closed.reduce((sum, { number }) => sum + (profits.get(number) ?? 0), 0)
  const isHolding = closed.length < deals.length
  return {
    executions: executions.toReversed(),
    orders,
    pnl: pnlOf(write(realized), isHolding ? { ...open, quantity: write(held) } : null),
  }
}

function pnlOf(realizedProfit: number, openDeal: PnlReading['openDeal']): PnlReading {
  const none = {
    marketTime: null,
    investment: null,
    cash: null,
    equity: null,
    unrealizedProfit: null,
    netProfit: null,
    roiPercent: null,
  }
  const counts = {
    volume: null,
    orders: null,
    closedDeals: null,
    winRatePercent: null,
    stopLosses: null,
    ambiguousCandles: null,
  }
  return {
    ...none,
    ...counts,
    ...{ maxDrawdownPercent: null, feesPaid: null, unaffordableOrders: null, unplacedOrders: null },
    ...{ realizedProfit, openDeal, hasOpenDeal: openDeal !== null, dailyEquity: [], seen: null, rawText: '' },
    terms: { conventions: null, costs: null },
  }
}

function fillsOf(executions: readonly ExecutionReading[], intervalMs = 1): readonly TradedFill[] {
  const read = fillsOfExecutions(executions, { intervalMs })
  if (!('value' in read)) throw new Error(read.unstated)
  return read.value
}

function findings({ executions, orders, pnl }: Books, feePercent = 0.1): string[] {
  const fills = fillsOf(joinParts(executions))
  return checkBooks({ fills, executions, orders, pnl, feePercent }).map(({ text }) => text)
}

const digits = (count: number) => (amount: number) => Number(amount.toFixed(count))

describe.skipIf(ether === '')('drawn bots on real minutes', () => {
  const candles = ether === '' ? undefined : readCsvCandles(ether, 60_000)
  const drawn = (seed: number, asOwn: boolean) => {
    if (candles === undefined) throw new Error('guarded by skipIf')
    const { input, truth, life } = drawCase(candles, seed, { asOwn })
    const [start] = input.commands
    if (start.kind !== 'start') throw new Error('a bot begins with a start')
    return { input, truth, span: { config: start.config, from: start.at, stoppedAt: null }, life }
  }
  const honest = (seed: number) => {
    const { input, span } = drawn(seed, true)
    const life = replayLife(input, OWN)
    return { input, span, life, books: booksOf(life) }
  }

  it('none is named on honest bots', () => {
    const named: Record<number, readonly string[]> = {}
    for (let seed = 1; seed <= share({ usual: 3, long: 60 }); seed++) {
      const { input, truth, span, life } = drawn(seed, false)
      const { fills } = life
      const feePercent = typeof truth.feePercent === 'number' ? truth.feePercent : 0.1
      const found = [exactly, digits(2), digits(4), digits(8)].flatMap((write) =>
        [true, false].flatMap((tellsFees) => findings(booksOf(life, write, tellsFees), feePercent)),
      )
      const timed = fills.map((fill) => ({ ...fill, at: fill.at + (seed % 60) * 997 })) // within its minute
      const offset = offsetOf(timed, replayLife(input, OWN).fills, 60_000)
      const all = {
        candles: candles ?? input.candles,
        symbol: NO_SYMBOL_RULES,
        span,
        to: input.candles.openTime.at(-1) ?? 0,
      }
      const ofAll = offset === null ? offsetOfAll(timed, all, OWN) : null
      if (found.length > 0 || (offset ?? 0) !== 0 || ofAll !== null)
        named[seed] = [...found, String(offset), String(ofAll)]
    }
    expect(named).toEqual({})
  })

  it.each([
    [5 * HOUR, 'its times are 5 h ahead of UTC: another time zone; compared without it'],
    [-3.5 * HOUR, 'its times are 3.5 h behind UTC: another time zone; compared without it'],
    [300_000, 'its fills are 5 min ahead of their candles: a delay; compared without it'],
  ])('a clock that is off by %d ms is named, of the fills alone and of all times', (offset, words) => {
    for (let seed = 1; seed <= share({ usual: 2, long: 30 }); seed++) {
      const { input, span, life } = honest(seed)
      const fills = life.fills.map((fill) => ({ ...fill, at: fill.at + offset }))
      expect(offsetOf(fills, life.fills, 60_000), String(seed)).toBe(offset)
      const started = { ...span, from: span.from + offset }
      const to = (input.candles.openTime.at(-1) ?? 0) + 60_000 + offset
      const all = { candles: candles ?? input.candles, symbol: NO_SYMBOL_RULES, span: started, to }
      expect(offsetOfAll(fills, all, OWN), String(seed)).toBe(offset)
    }
    expect(clockFinding(offset).text).toBe(words)
  })

  it('fills in parts are those of whole orders, by their order’s id, their role or their price', () => {
    const { input, life, books, span } = honest(2)
    const parted = (change: Partial<ExecutionReading>) =>
      books.executions.flatMap((one) => {
        const [quantity, fee] = [one.quantity ?? 0, one.fee ?? 0]
        return [0.5, 0.2, 0.3].map((part) => ({
          ...{ ...one, ...change, quantity: quantity * part, fee: fee * part },
          profit: part === 0.5 ? one.profit : null,
        }))
      })
    for (const change of [{}, { orderId: null }, { orderId: null, deal: null, role: null, safetyOrder: null }]) {
      const executions = joinParts(parted(change))
      expect(executions.length).toBe(life.fills.length)
      expect(findings({ ...books, executions: parted(change) })).toEqual([])
      const bot = { fills: fillsOf(executions), orders: null, netProfit: null, feePercent: null }
      expect(compareLife(input, bot, OWN).verdict.drift).toBe('none')
    }
    expect(span.stoppedAt).toBeNull()
  })

  it.each<[string, (books: Books) => Books, RegExp]>([
    [
      'fees left out of the fills',
      (books) => withFees(books, () => 0),
      /its fills leave out the fees: its realized profit, .+ is theirs less 0\.1 % each/,
    ],
    [
      'fees that are reported of some fills',
      (books) => withFees(books, (fee, nth) => (nth % 4 === 0 ? null : fee)),
      /\d+ of \d+ fills report no fee/,
    ],
    [
      'a fee that steps',
      (books) => withFees(books, (fee, nth) => (nth >= 9 ? 3 * fee : fee)),
      /its fee changes from 0\.1 to 0\.3 % at fill 10/,
    ],
    [
      'a fee that steps, rounded',
      (books) => withFees(books, (fee, nth) => digits(5)(nth >= 9 ? 3 * fee : fee)),
      /its fee changes from 0\.1 to 0\.3 % at fill 10/,
    ],
    [
      'several fees',
      (books) => withFees(books, (fee, nth) => fee * (1 + (nth % 3))),
      /its fees are of several rates, 0\.1 to 0\.3 %/,
    ],
    [
      'realized profit before fees',
      (books) => withPnl(books, { realizedProfit: grossOf(books) }),
      /its realized profit, .+, leaves out the fees: after fees its fills earned/,
    ],
    [
      'fees paid that are none of its fills',
      (books) => withPnl(books, { feesPaid: 0.01 }),
      /it says that 0\.01 was paid in fees, its fills make/,
    ],
    [
      'another realized profit',
      (books) => withPnl(books, { realizedProfit: (books.pnl.realizedProfit ?? 0) + 4.4 }),
      /Realized profit is .+, its own fills make .+: the service’s two books disagree\./,
    ],
    [
      'another quantity held',
      (books) =>
        withPnl(books, {
          openDeal: { openedAt: '', safetyOrders: 0, quantity: 7, cost: 0, value: 0, profit: 0, lowestValue: null },
        }),
      /it says that it holds 7, its fills leave/,
    ],
    [
      'another profit of a sale',
      (books) => ({
        ...books,
        executions: books.executions.map((one) =>
          one.deal === 3 && one.profit !== null ? { ...one, profit: 9 } : one,
        ),
      }),
      /1 of \d+ sales report another profit than their fills: deal 3 reports 9, its fills earned/,
    ],
    [
      'an order that is filled otherwise',
      (books) => ({ ...books, orders: books.orders.map((one, nth) => (nth === 4 ? { ...one, quantity: 9 } : one)) }),
      /1 of \d+ filled orders disagree with their executions: order o4 of 9, executed/,
    ],
    [
      'an order without an execution',
      (books) => ({ ...books, executions: books.executions.slice(1) }),
      /filled orders disagree with their executions/,
    ],
  ])('%s: named with both figures', (_, change, words) => {
    for (let seed = 1; seed <= share({ usual: 2, long: 30 }); seed++) {
      expect(findings(change(honest(seed).books)).join('\n'), String(seed)).toMatch(words)
    }
  })
})

it('a service that states other terms than those of the promotion is named with both', () => {
  const own = { conventions: { ...OWN.conventions }, costs: OWN.costs }
  const stated = { ...own, costs: { ...OWN.costs, feePercent: 0.2 } }
  expect(promotedOtherwise({ terms: own }, own)).toBeNull()
  expect(promotedOtherwise({ terms: { conventions: null, costs: null } }, own)).toBeNull()
  expect(promotedOtherwise({ terms: stated }, own)).toMatchObject({
    text: 'it was promoted with feePercent: 0.1; the service states feePercent: 0.2',
    terms: { source: 'trial', costs: OWN.costs },
  })
})

/** @param change the fee of the n-th fill, oldest first from 0 */
function withFees(books: Books, change: (fee: number, nth: number) => number | null): Books {
  const executions = books.executions.toReversed().map((one, nth) => ({ ...one, fee: change(one.fee ?? 0, nth) }))
  return { ...books, executions: executions.reverse() }
}

function withPnl(books: Books, change: Partial<PnlReading>): Books {
  return { ...books, pnl: { ...books.pnl, ...change } }
}

function grossOf({ executions, pnl }: Books): number {
  const sold = new Set(executions.flatMap(({ side, deal }) => (side === 'sell' ? [deal] : [])))
  return executions.reduce((sum, { deal, fee }) => sum + (sold.has(deal) ? (fee ?? 0) : 0), pnl.realizedProfit ?? 0)
}

describe.skipIf(recorded === '')('deals that 3Commas recorded', () => {
  it.each(['16403596', '16416457', '16506279'])(
    'of bot %s have books that agree, and a wrong total is named',
    (bot) => {
      const { executions, profits } = readRecorded(bot)
      expect(profits.length).toBeGreaterThan(3)
      const total = Number(profits.reduce((sum, profit) => sum + profit, 0).toFixed(8))
      const books = { executions, orders: [], pnl: pnlOf(total, null) }
      expect(findings(books)).toEqual([])
      expect(findings(withPnl(books, { realizedProfit: total + 0.5 })).join()).toContain(
        'the service’s two books disagree',
      )
    },
  )
})

/** Of each closed deal all that was bought and all that was sold, with the fee of 0.1 % taken out of the recorded totals; newest first. */
function readRecorded(bot: string): {
  readonly executions: readonly ExecutionReading[]
  readonly profits: readonly number[]
} {
  const deals: readonly Record<string, string>[] = JSON.parse(readFileSync(recorded, 'utf8'))
  const closed = deals
    .filter(({ status, bot_id }) => status !== 'bought' && String(bot_id) === bot)
    .sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
  const executions = closed.flatMap((deal, index) => {
    const one = (
      side: 'buy' | 'sell',
      amount: string,
      quote: number,
      at: string,
      profit: number | null,
    ): ExecutionReading => ({
      ...{ id: `${side} ${deal.id}`, orderId: null, deal: index, role: null, safetyOrder: null, side, profit },
      ...{
        quantity: Number(amount),
        price: quote / Number(amount),
        quote,
        fee: quote / 1000,
        executedAt: Date.parse(at),
      },
    })
    return [
      one('buy', deal.bought_amount, Number(deal.bought_volume) / 1.001, deal.created_at, null),
      one('sell', deal.sold_amount, Number(deal.sold_volume) / 0.999, deal.closed_at, Number(deal.final_profit)),
    ]
  })
  return { executions: executions.reverse(), profits: closed.map(({ final_profit }) => Number(final_profit)) }
}
