import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CONFIG_DEFAULTS, type DcaSpotConfig } from '../../src/contract/bot.ts'
import { type Candles, sliceCandles } from '../../src/engine/candles.ts'
import { CONVENTION_PRESETS, NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import { type LiveCommand, type LiveInput, type LiveState, replayBot } from '../../src/engine/live.ts'
import { runReference } from '../../src/engine/reference.ts'
import { someConfig, someInput } from './arbitraries.ts'
import { candlesOf, type Row } from './inputs.ts'

const HOUR = 3_600_000

/** What a life so far leaves no warning about: fills and the orders they belong to. */
const historyOf = ({ fills }: LiveState, until: number) => fills.filter(({ at }) => at < until)

/** A start, then whatever a person may do to a bot, at any moment of its candles or between them. */
function someCommands(candles: Candles, config: DcaSpotConfig): fc.Arbitrary<LiveCommand[]> {
  const from = candles.openTime[0]
  const length = candles.openTime.length * HOUR
  return fc
    .array(
      fc.record({
        after: fc.nat({ max: length }),
        kind: fc.constantFrom('start', 'update', 'stop'),
        closePosition: fc.boolean(),
        changed: someConfig,
      }),
      { maxLength: 8 },
    )
    .map((later) => {
      const commands: LiveCommand[] = [{ kind: 'start', at: from, config }]
      let inForce = config
      for (const { after, kind, closePosition, changed } of later.toSorted((a, b) => a.after - b.after)) {
        const at = from + after
        if (kind === 'update') inForce = { ...changed, investment: config.investment }
        if (kind === 'stop') commands.push({ kind, at, closePosition })
        else commands.push({ kind: kind === 'start' ? 'start' : 'update', at, config: inForce })
      }
      return commands
    })
}

const someLife: fc.Arbitrary<LiveInput> = someInput.chain(({ config, ...rest }) =>
  someCommands(rest.candles, config).map((commands) => ({ ...rest, commands })),
)

describe('a bot that is started once and left alone', () => {
  test('has the result of a backtest over the same candles', () => {
    fc.assert(
      fc.property(someInput, ({ config, ...rest }) => {
        const { metrics, deals, openDeal } = runReference({ config, ...rest })
        const state = replayBot({ ...rest, commands: [{ kind: 'start', at: rest.candles.openTime[0], config }] })
        expect(state.openDeal).toEqual(openDeal)
        expect(state.dailyEquity).toEqual(metrics.dailyEquity)
        expect(state).toMatchObject({
          realizedProfit: metrics.realizedProfit,
          closedDeals: metrics.closedDeals,
          stopLosses: metrics.stopLosses,
          ambiguousCandles: metrics.ambiguousCandles,
          unaffordableOrders: metrics.unaffordableOrders,
          unplacedOrders: metrics.unplacedOrders,
          maxDrawdownPercent: metrics.maxDrawdownPercent,
        })
        expect(state.equity - config.investment).toBeCloseTo(metrics.netProfit, 8)
        expect(state.fills).toHaveLength(metrics.orders)
        expect(state.fills.reduce((sum, { quote }) => sum + quote, 0)).toBeCloseTo(metrics.volume, 6)
        const sales = state.fills.filter(({ profit }) => profit !== null)
        expect(sales.map(({ at, price, quantity, profit }) => ({ at, price, quantity, profit }))).toEqual(
          deals.map(({ closedAt, price, quantity, profit }) => ({ at: closedAt, price, quantity, profit })),
        )
        expect(state.stop?.reason === 'outOfCash').toBe(metrics.outOfCash)
      }),
      { numRuns: 300 },
    )
  })
})

describe('whatever a person does to a bot', () => {
  test('cash is what the fills leave of the investment', () => {
    fc.assert(
      fc.property(someLife, (life) => {
        const state = replayBot(life)
        const [first] = life.commands
        const investment = first.kind === 'start' ? first.config.investment : Number.NaN
        const fee = life.costs.feePercent / 100
        const flows = state.fills.map(({ order, quote }) =>
          state.orders[order].side === 'buy' ? -quote * (1 + fee) : quote * (1 - fee),
        )
        expect(state.cash).toBeCloseTo(
          flows.reduce((sum, flow) => sum + flow, investment),
          6,
        )
        expect(state.equity).toBeCloseTo(state.cash + (state.openDeal?.value ?? 0), 6)
        const held = state.fills.map(({ order, quantity }) => (state.orders[order].side === 'buy' ? 1 : -1) * quantity)
        expect(held.reduce((sum, quantity) => sum + quantity, 0)).toBeCloseTo(state.openDeal?.quantity ?? 0, 8)
      }),
      { numRuns: 300 },
    )
  })

  test('what has happened stays as it was: more candles and more commands only add to it', () => {
    fc.assert(
      fc.property(someLife, fc.double({ min: 0, max: 1, noNaN: true }), (life, share) => {
        const { openTime, intervalMs } = life.candles
        const now = openTime[0] + Math.floor(share * openTime.length) * intervalMs
        const early = replayBot({
          ...life,
          candles: sliceCandles(life.candles, openTime[0], now - intervalMs + 1),
          commands: life.commands.filter(({ at }, i) => i === 0 || at <= now),
        })
        expect(historyOf(replayBot(life), now - intervalMs)).toEqual(historyOf(early, now - intervalMs))
      }),
      { numRuns: 300 },
    )
  })

  test('orders are open only while it runs, and every order of a closed deal has ended', () => {
    fc.assert(
      fc.property(someLife, (life) => {
        const { orders, stop, openDeal, fills } = replayBot(life)
        expect(orders.map(({ number }) => number)).toEqual(orders.map((_, i) => i))
        const open = orders.filter(({ state }) => state === 'open')
        if (stop !== null || openDeal === null) expect(open).toEqual([])
        else expect(new Set(open.map(({ deal }) => deal))).toEqual(new Set([orders.at(-1)?.deal]))
        const filled = orders.filter(({ state }) => state === 'filled').map(({ number }) => number)
        expect(fills.map(({ order }) => order).toSorted((a, b) => a - b)).toEqual(filled)
        for (const { order, price, quantity } of fills) {
          expect(quantity).toBe(orders[order].quantity)
          if (orders[order].type === 'limit') expect(price).toBe(orders[order].price)
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('commands between candles', () => {
  const config: DcaSpotConfig = {
    investment: 1000,
    ...CONFIG_DEFAULTS,
    dcaTotalBudget: 1000,
    dcaInitialOrderSize: 100,
    dcaMaxSafetyOrders: 2,
    dcaPriceScalePercent: 1,
    dcaVolumeScale: 1,
    dcaPriceStepMultiplier: 1,
    takeProfit: 2,
    stopLoss: 0,
  }
  const flat = (price: number): Row => [price, price, price, price]
  const live = (rows: readonly Row[], commands: readonly LiveCommand[]) => {
    const candles = candlesOf(rows, { intervalMs: HOUR })
    const from = candles.openTime[0]
    return replayBot({
      candles,
      commands: commands.map((command) => ({ ...command, at: from + command.at * HOUR })),
      conventions: CONVENTION_PRESETS.default,
      costs: { feePercent: 0, slippagePercent: 1 },
      symbol: NO_SYMBOL_RULES,
    })
  }
  const start: LiveCommand = { kind: 'start', at: 0, config }
  const told = ({ orders }: LiveState) =>
    orders.map(({ deal, role, state, price }) => `${deal} ${role} ${state} ${price.toFixed(2)}`)

  test('an update leaves the running deal its ladder and gives the next deal the new values', () => {
    const changed = { ...config, dcaMaxSafetyOrders: 1, takeProfit: 5 }
    const rows: Row[] = [flat(100), flat(100), [100, 100, 99, 99], [99, 104, 99, 104], flat(100)]
    const state = live(rows, [start, { kind: 'update', at: 1.5, config: changed }])
    expect(told(state)).toEqual([
      '1 base filled 101.00',
      '1 safety filled 99.99',
      '1 safety cancelled 98.98',
      '1 takeProfit filled 102.50',
      '2 base filled 101.00',
      '2 safety open 99.99',
      '2 takeProfit open 106.05',
    ])
  })

  test('a stop that sells takes the last close less slippage, and the candle under way no longer counts', () => {
    const rows: Row[] = [flat(100), flat(101), [101, 200, 101, 200]]
    const state = live(rows, [start, { kind: 'stop', at: 2.5, closePosition: true }])
    expect(state.fills.at(-1)).toMatchObject({ price: 101 * 0.99, at: expect.any(Number) })
    expect(told(state).slice(1)).toEqual([
      '1 safety cancelled 99.99',
      '1 safety cancelled 98.98',
      '1 takeProfit cancelled 103.02',
      '1 close filled 99.99',
    ])
    expect(state).toMatchObject({ openDeal: null, closedDeals: 1, stopLosses: 0, stop: { reason: 'request' } })
    expect(state.dailyEquity.at(-1)?.equity).toBeCloseTo(state.equity, 12)
  })

  test('a stop that keeps the position lets the market pass by, and a start places the same orders again', () => {
    const rows: Row[] = [flat(100), [100, 300, 50, 100], flat(100), [100, 110, 100, 110]]
    const stop: LiveCommand = { kind: 'stop', at: 1, closePosition: false }
    const kept = live(rows.slice(0, 2), [start, stop])
    expect(kept.fills).toHaveLength(1)
    expect(kept.openDeal).toMatchObject({ safetyOrders: 0, value: (100 / 101) * 100 })
    expect(told(kept).slice(1)).toEqual([
      '1 safety cancelled 99.99',
      '1 safety cancelled 98.98',
      '1 takeProfit cancelled 103.02',
    ])
    const again = live(rows, [start, stop, { kind: 'start', at: 2, config }])
    expect(told(again).slice(1, 4)).toEqual([
      '1 safety cancelled 99.99',
      '1 safety cancelled 98.98',
      '1 takeProfit filled 103.02',
    ])
    const sold = live(rows, [start, stop, { kind: 'stop', at: 3, closePosition: true }])
    expect(sold).toMatchObject({ openDeal: null, closedDeals: 1 })
  })

  test('a bot opens its first deal at the first candle that opens at or after its start', () => {
    const state = live([flat(100), flat(101), flat(102)], [{ ...start, at: 0.5 }])
    expect(state.fills).toMatchObject([{ price: 101 * 1.01 }])
  })

  test('a bot without a candle has its investment and nothing else', () => {
    expect(live([], [start])).toMatchObject({ cash: 1000, equity: 1000, orders: [], fills: [], stop: null })
  })
})
