/** Which configurations are one: those that did the same on these candles, whatever they were told to do where nothing came of it. */
import { describe, expect, it } from 'vitest'
import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import { runJump } from '../../../src/engine/jump/jump.ts'
import { behaviourHash } from '../../../src/workbench/study/behaviour.ts'
import { candlesOf, inputOf, type RunOptions } from '../../engine/inputs.ts'
import { createDice, someInputOf, walkCandles } from '../../engine/jump/cases.ts'

/** Deals that fill one rung and sell, and in the end an open one. */
const candles = candlesOf([
  [100, 100, 98, 99],
  [99, 103, 99, 102],
  [102, 102, 100, 101],
])

const ladder: Partial<DcaSpotConfig> = { dcaMaxSafetyOrders: 3, dcaPriceScalePercent: 1.5, dcaVolumeScale: 0.5 }

function hashOf(config: Partial<DcaSpotConfig> = {}, options: Partial<RunOptions> = {}): string {
  const { metrics, deals, openDeal } = runJump(inputOf({ candles, ...options, config: { ...ladder, ...config } }))
  expect(deals.length).toBeGreaterThan(0)
  return behaviourHash({ deals, openDeal, dailyEquity: metrics.dailyEquity })
}

describe('configurations that did the same have one name', () => {
  const known = hashOf()

  it.each<readonly [string, Partial<DcaSpotConfig>, Partial<RunOptions>]>([
    ['a stop that was never touched', { stopLoss: 40 }, {}],
    ['rungs that were never reached', { dcaMaxSafetyOrders: 8 }, {}],
    ['rungs that the budget does not pay', { dcaTotalBudget: 160 }, {}],
    ['rungs below the minimum notional', {}, { symbol: { minNotional: 30 } }],
  ])('%s', (_, config, options) => {
    expect(hashOf(config, options)).toBe(known)
  })

  it.each<readonly [string, Partial<DcaSpotConfig>, Partial<RunOptions>]>([
    ['another investment, and so another equity', { investment: 1001 }, {}],
    ['a take profit that differs in its last digit', { takeProfit: 1.000000001 }, {}],
    ['a stop that was touched', { stopLoss: 1.9 }, {}],
    ['another fee', {}, { feePercent: 0.11 }],
  ])('and not with %s', (_, config, options) => {
    expect(hashOf(config, options)).not.toBe(known)
  })
})

it('a result read back from JSON, with times as text, has the name it had', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const dice = createDice(seed)
    const { metrics, deals, openDeal } = runJump(someInputOf(dice, walkCandles(dice, 400)))
    const iso = (ms: number) => new Date(ms).toISOString()
    const body = {
      deals: deals.map((deal) => ({ ...deal, openedAt: iso(deal.openedAt), closedAt: iso(deal.closedAt) })),
      openDeal: openDeal === null ? null : { ...openDeal, openedAt: iso(openDeal.openedAt) },
      dailyEquity: metrics.dailyEquity,
    }
    const local = behaviourHash({ deals, openDeal, dailyEquity: metrics.dailyEquity })
    expect({ seed, hash: behaviourHash(JSON.parse(JSON.stringify(body))) }).toEqual({ seed, hash: local })
  }
})

it('a result whose worst open losses the service does not tell has the name that it has with them', () => {
  const { metrics, deals, openDeal } = runJump(inputOf({ candles, config: ladder }))
  expect([deals.length, openDeal === null]).toEqual([1, false])
  const silent = {
    deals: deals.map((deal) => ({ ...deal, lowestValue: null })),
    openDeal: openDeal === null ? null : { ...openDeal, lowestValue: null },
    dailyEquity: metrics.dailyEquity,
  }
  expect(behaviourHash(silent)).toBe(hashOf())
})

it('the name is a promise to stores: this one stays', () => {
  const deal = { openedAt: 0, closedAt: 60_000, exit: 'stopLoss', safetyOrders: 2, quantity: 0.1, cost: 10 } as const
  const dailyEquity = [{ date: '2024-01-01', equity: 999.5 }]
  const behaviour = { deals: [{ ...deal, proceeds: 9.5, profit: -0.5, price: 95 }], openDeal: null, dailyEquity }
  expect(behaviourHash(behaviour)).toMatchInlineSnapshot(
    `"b7aca94df9e04940840407c9e84c3d10ef81589a44c48febcef0f3aa5e84c61b"`,
  )
  expect(behaviourHash({ ...behaviour, deals: [{ ...behaviour.deals[0], openedAt: -0 }] })).toBe(
    behaviourHash(behaviour),
  )
})
