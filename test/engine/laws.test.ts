import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DcaSpotConfig } from '../../src/contract/bot.ts'
import { backtest } from '../../src/engine/backtest.ts'
import { type Candles, sliceCandles } from '../../src/engine/candles.ts'
import { type Conventions, NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import type { BacktestInput, BacktestResult } from '../../src/engine/deal.ts'
import { runJump } from '../../src/engine/jump/jump.ts'
import { runReference } from '../../src/engine/reference.ts'
import { someInput } from './arbitraries.ts'

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Two runs tell the same story: same deals at the same times with the same orders, and the same money. */
function expectSameStory(one: BacktestResult, other: BacktestResult): void {
  const story = ({ deals, openDeal }: BacktestResult) => [
    deals.map(({ openedAt, closedAt, exit, safetyOrders }) => [openedAt, closedAt, exit, safetyOrders]),
    openDeal?.openedAt,
    openDeal?.safetyOrders,
  ]
  expect(story(one)).toEqual(story(other))
  expect(one.metrics.netProfit).toBeCloseTo(other.metrics.netProfit, 8)
  expect(one.metrics.ambiguousCandles).toBe(other.metrics.ambiguousCandles)
}

function mapPrices(candles: Candles, change: (price: number) => number): Candles {
  const { open, high, low, close } = candles
  return { ...candles, open: open.map(change), high: high.map(change), low: low.map(change), close: close.map(change) }
}

describe('money is neither made nor lost by bookkeeping', () => {
  test('equity moves by what was realized and what is still open', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const { metrics, deals, openDeal } = backtest(input)
        const { investment } = input.config
        const flows =
          sum(deals.map(({ proceeds, cost }) => proceeds - cost)) + (openDeal?.value ?? 0) - (openDeal?.cost ?? 0)
        expect(metrics.netProfit).toBeCloseTo(flows, 8)
        expect(metrics.netProfit).toBeCloseTo(metrics.realizedProfit + metrics.unrealizedProfit, 12)
        expect(metrics.dailyEquity.at(-1)?.equity).toBeCloseTo(investment + metrics.netProfit, 8)
        const growth = metrics.monthlyReturns.reduce(
          (factor, { returnPercent }) => factor * (1 + returnPercent / 100),
          1,
        )
        expect(investment * growth).toBeCloseTo(investment + metrics.netProfit, 7)
      }),
    )
  })

  test('no deal costs more than the budget or than what earlier deals have left', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const { deals, openDeal } = backtest(input)
        let cash = input.config.investment
        for (const { cost, profit } of [...deals, ...(openDeal === null ? [] : [openDeal])]) {
          expect(cost).toBeLessThanOrEqual(Math.min(input.config.dcaTotalBudget, cash) * (1 + 2e-9))
          cash += profit
        }
      }),
    )
  })

  test.each([
    ['reference', runReference],
    ['jump', runJump],
  ])('the worst open loss of all deals is the largest floating loss, to the last bit: %s engine', (_, engine) => {
    fc.assert(
      fc.property(someInput, (input) => {
        const { metrics, deals, openDeal } = engine(input)
        const lowest = [...deals, ...(openDeal === null ? [] : [openDeal])].map(({ lowestValue }) => lowestValue)
        expect(Math.min(0, ...lowest)).toBe(metrics.maxFloatingLoss)
        for (const value of lowest) expect(value).toBeLessThanOrEqual(0)
        for (const { exit, profit, lowestValue } of deals)
          if (exit === 'stopLoss') expect(lowestValue).toBeLessThanOrEqual(profit + 1e-9)
      }),
    )
  })

  test('a take profit never loses under the net basis', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const { deals } = backtest({ ...input, conventions: { ...input.conventions, takeProfitBasis: 'net' } })
        for (const deal of deals) if (deal.exit === 'takeProfit') expect(deal.profit).toBeGreaterThan(0)
      }),
    )
  })
})

describe('same question, same answer', () => {
  test('a second run gives the same bytes, from shared memory too', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const shared = (column: Float64Array) => {
          const copy = new Float64Array(new SharedArrayBuffer(column.byteLength))
          copy.set(column)
          return copy
        }
        const { intervalMs, openTime, open, high, low, close, volume } = input.candles
        const candles = {
          intervalMs,
          openTime: shared(openTime),
          open: shared(open),
          high: shared(high),
          low: shared(low),
          close: shared(close),
          volume: shared(volume),
        }
        expect(JSON.stringify(backtest({ ...input, candles }))).toBe(JSON.stringify(backtest(input)))
      }),
    )
  })

  test('what comes later changes nothing earlier: deals of a shorter period are a prefix', () => {
    fc.assert(
      fc.property(someInput, fc.double({ min: 0, max: 1, noNaN: true }), (input, share) => {
        const { openTime } = input.candles
        const end = openTime[Math.floor(share * (openTime.length - 1))]
        const shorter = backtest({ ...input, candles: sliceCandles(input.candles, 0, end) })
        const longer = backtest(input)
        expect(shorter.deals).toEqual(longer.deals.filter(({ closedAt }) => closedAt < end))
      }),
    )
  })

  test('without tick and lot only ratios count: prices in another unit give the same deals and the same money', () => {
    fc.assert(
      fc.property(someInput, fc.constantFrom(1 / 1024, 0.5, 4, 65_536), (input, unit) => {
        const plain = { ...input, symbol: NO_SYMBOL_RULES }
        const scaled = backtest({ ...plain, candles: mapPrices(input.candles, (price) => price * unit) })
        expectSameStory(backtest(plain), scaled)
      }),
    )
  })

  test('a still candle inside an open deal changes no deal', () => {
    fc.assert(
      fc.property(someInput, fc.nat(), (input, pick) => {
        const { candles } = input
        const before = backtest(input)
        const inDeal = Array.from(candles.openTime.keys()).filter((i) =>
          [
            ...before.deals,
            { openedAt: before.openDeal?.openedAt ?? Number.NaN, closedAt: Number.POSITIVE_INFINITY },
          ].some(({ openedAt, closedAt }) => openedAt <= candles.openTime[i] && closedAt > candles.openTime[i]),
        )
        fc.pre(inDeal.length > 0)
        const i = inDeal[pick % inDeal.length]
        const insert = (column: Float64Array, value: number) =>
          Float64Array.from([...column.subarray(0, i + 1), value, ...column.subarray(i + 1)])
        const price = candles.close[i]
        const after = backtest({
          ...input,
          candles: {
            ...candles,
            openTime: insert(candles.openTime, candles.openTime[i] + 1), // between two candles, so that all other times stay
            open: insert(candles.open, price),
            high: insert(candles.high, price),
            low: insert(candles.low, price),
            close: insert(candles.close, price),
            volume: insert(candles.volume, 0),
          },
        })
        expect(after.deals).toEqual(before.deals)
        expect(after.openDeal).toEqual(before.openDeal)
      }),
    )
  })
})

describe('what cannot matter does not', () => {
  type Change = { config?: Partial<DcaSpotConfig>; conventions?: Partial<Conventions> }
  const change = (input: BacktestInput, { config, conventions }: Change): BacktestInput => ({
    ...input,
    config: { ...input.config, ...config },
    conventions: { ...input.conventions, ...conventions },
  })

  test('without safety orders: their step, sizes and spacing', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const bare = change(input, { config: { dcaMaxSafetyOrders: 0 } })
        const other = change(bare, {
          config: { dcaPriceScalePercent: 7, dcaVolumeScale: 3, dcaPriceStepMultiplier: 2 },
          conventions: { safetyOrderSizing: 'explicit', safetyOrderSize: 33, spacing: 'from-previous' },
        })
        expect(backtest(other)).toEqual(backtest(bare))
      }),
    )
  })

  test('with one safety order: the step multiplier and the spacing', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const one = change(input, { config: { dcaMaxSafetyOrders: 1 }, conventions: { spacing: 'from-base' } })
        const other = change(one, { config: { dcaPriceStepMultiplier: 9 }, conventions: { spacing: 'from-previous' } })
        expectSameStory(backtest(other), backtest(one))
      }),
    )
  })

  test('without a stop: what it is measured from and what follows it', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const free = change(input, { config: { stopLoss: 0 } })
        const conventions = { stopLossBasis: 'average', afterStopLoss: 'stop' } as const
        expect(backtest(change(free, { conventions }))).toEqual(backtest(free))
      }),
    )
  })

  test('rungs at or below the stop', () => {
    fc.assert(
      fc.property(someInput, fc.integer({ min: 1, max: 4 }), (input, more) => {
        const from = change(input, {
          config: { dcaMaxSafetyOrders: 3, dcaPriceScalePercent: 2, dcaPriceStepMultiplier: 1, stopLoss: 6 },
          conventions: { spacing: 'from-base', stopLossBasis: 'base-price' },
        })
        expect(backtest(change(from, { config: { dcaMaxSafetyOrders: 3 + more } }))).toEqual(backtest(from))
      }),
    )
  })

  test('without fees: whether take profit and anchor include them', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const free = { ...input, costs: { ...input.costs, feePercent: 0 } }
        const net = { takeProfitBasis: 'net', basePrice: 'fill-with-fee' } as const
        const plain = { takeProfitBasis: 'gross', basePrice: 'fill' } as const
        const outcome = (conventions: Partial<Conventions>) => {
          const { metrics, ...rest } = backtest(change(free, { conventions }))
          return { ...rest, metrics: { ...metrics, stressedPerUsed: null } } // that one pays fees
        }
        expect(outcome(net)).toEqual(outcome(plain))
      }),
    )
  })

  test('without a lot: which way it would round', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const free = { ...input, symbol: { ...input.symbol, lot: null } }
        const up = backtest(change(free, { conventions: { lotRounding: 'up' } }))
        expect(up).toEqual(backtest(change(free, { conventions: { lotRounding: 'down' } })))
      }),
    )
  })
})
