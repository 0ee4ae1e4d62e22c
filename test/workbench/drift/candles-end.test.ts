/** A service that does not say how far its bot has come (no `tradedUntil`, no candles in its profit), and local candles that end a day before now. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { storeCandles } from '../../../src/candles/folder/folder.ts'
import { CONFIG_DEFAULTS, type DcaSpotConfig } from '../../../src/contract/bot.ts'
import { type Candles, sliceCandles } from '../../../src/engine/candles.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS, NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { checkDrift } from '../../../src/workbench/bots/drift/check-drift.ts'
import { type LifeReading, replayLife } from '../../../src/workbench/bots/drift/replay-life.ts'
import { openStore } from '../../../src/workbench/store/store.ts'
import { putEmptyStore } from '../../support/empty-store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { testSystem } from '../../support/system.ts'

const MINUTE = 60_000
const DAY = 1440 * MINUTE
const from = Date.UTC(2025, 5, 1)
const DAYS = 4
const config: DcaSpotConfig = {
  ...{ investment: 1000, ...CONFIG_DEFAULTS, dcaTotalBudget: 1000 },
  ...{ dcaInitialOrderSize: 200, dcaMaxSafetyOrders: 3, dcaPriceScalePercent: 1 },
  ...{ dcaVolumeScale: 1.2, dcaPriceStepMultiplier: 1.2, takeProfit: 1, stopLoss: 0 },
}

/** Waves, and a fall by a tenth on the last day. */
function candlesOf(): Candles {
  const count = DAYS * 1440
  const price = (n: number) =>
    2000 * (1 + 0.02 * Math.sin(n / 90)) * (n < 3 * 1440 ? 1 : 1 - (0.1 * (n - 3 * 1440)) / 1440)
  const column = (value: (n: number) => number) =>
    Float64Array.from({ length: count }, (_, n) => Number(value(n).toFixed(2)))
  const [open, close] = [column(price), column((n) => price(n + 1))]
  return {
    intervalMs: MINUTE,
    openTime: Float64Array.from({ length: count }, (_, n) => from + n * MINUTE),
    open,
    close,
    high: Float64Array.from(open, (each, n) => Math.max(each, close[n])),
    low: Float64Array.from(open, (each, n) => Math.min(each, close[n])),
    volume: new Float64Array(count).fill(1),
  }
}

it.each([
  ['runs on', null],
  ['was stopped before they end', from + 2 * DAY],
])('a bot that %s: no drift is made of days whose candles are not here', (_, stoppedAt) => {
  const whole = candlesOf()
  const terms = { conventions: CONVENTION_PRESETS.default, costs: DEFAULT_COSTS }
  const life = replayLife(
    {
      ...{ candles: whole, symbol: NO_SYMBOL_RULES },
      commands: [
        { kind: 'start', at: from, config },
        ...(stoppedAt === null ? [] : [{ kind: 'stop', at: stoppedAt, closePosition: true } as const]),
      ],
    },
    terms,
  )
  const folder = temporaryFolder()
  const candlesFolder = join(folder, 'candles')
  const market = { exchange: 'binance', baseAsset: 'ETH', quoteAsset: 'USDT' }
  const here = sliceCandles(whole, from, from + 3 * DAY)
  storeCandles(candlesFolder, {
    market: 'binance/ETH-USDT',
    interval: '1m',
    candles: here,
    synthetic: false,
    conflict: 'refuse',
  })
  putEmptyStore(join(folder, 'workbench.sqlite'))
  const store = openStore(join(folder, 'workbench.sqlite'), { system: testSystem() })
  const reading = {
    bot: {
      ...{ id: '1', name: 'ladder', userEmail: null, strategyType: 'DCA_SPOT', market, config, isDemo: true },
      ...{
        state: stoppedAt === null ? 'running' : 'stopped',
        stateText: '',
        createdAt: null,
        updatedAt: null,
        startedAt: from,
      },
      ...{ stoppedAt, stopReason: null, tradedUntil: null, problem: null, rawText: '' },
    },
    executions: {
      value: life.fills
        .map(({ at, deal, role, safetyOrder, price, quantity, fee }, n) => ({
          ...{
            id: String(n),
            orderId: null,
            deal,
            side: role === 'base' || role === 'safety' ? 'buy' : 'sell',
            role,
            safetyOrder,
          },
          ...{ price, quantity, quote: price * quantity, fee, profit: null, executedAt: at },
        }))
        .toReversed(),
    },
    orders: { unstated: 'not reported' },
    pnl: {
      value: {
        ...{ marketTime: from + DAYS * DAY, investment: 1000, cash: null, equity: null, realizedProfit: null },
        ...{ unrealizedProfit: null, netProfit: life.netProfit, roiPercent: null, maxDrawdownPercent: null },
        ...{ feesPaid: null, volume: null, orders: null, closedDeals: null, winRatePercent: null, stopLosses: null },
        ...{
          ambiguousCandles: null,
          unaffordableOrders: null,
          unplacedOrders: null,
          openDeal: null,
          hasOpenDeal: null,
        },
        ...{ dailyEquity: [], seen: null, terms: { conventions: null, costs: null }, rawText: '' },
      },
    },
  } as unknown as LifeReading
  const found = checkDrift(store, reading, {
    ...{ identity: 'bots.example', jobsIdentity: 'bots.example', candlesFolder, now: from + DAYS * DAY, given: {} },
  })
  store.close()
  const { verdict, profit, unknown, deals } = found
  expect(unknown.some(({ what }) => what === 'candles')).toBe(stoppedAt === null)
  expect(deals).toMatchObject({ early: 0, late: 0, missing: 0, extra: 0 })
  expect(profit.bot).toBeCloseTo(Number(profit.backtest), 6)
  expect(verdict.sentence).toMatch(/^no drift/)
})
