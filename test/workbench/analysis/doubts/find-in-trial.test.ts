/** Doubts about one result, whatever it is wanted for. */
import { expect, it } from 'vitest'
import type { MetricsAsRead } from '../../../../src/contract/metrics.ts'
import { findDoubts } from '../../../../src/workbench/analysis/doubts/find-in-trial.ts'
import { idleMetrics } from '../../../support/metrics.ts'

function messagesOf(metrics: Partial<MetricsAsRead>): Map<string, string> {
  const doubts = findDoubts(
    {
      config: { dcaMaxSafetyOrders: 6, dcaInitialOrderSize: 20, investment: 1000 },
      metrics: { ...idleMetrics(), ...metrics },
      metricFlags: {},
      simulated: true,
      period: { from: 0, to: 1 },
      deals: [],
      openDeal: null,
      candles: null,
      conventions: null,
      costs: null,
    },
    null,
  )
  return new Map(doubts.map(({ code, message }) => [code, message]))
}

it('a ladder of which most rungs were too small for the market is doubted, with how many of how many', () => {
  const said = messagesOf({ closedDeals: 11, openDeal: true, unplacedOrders: 60 })
  expect(said.get('unplacedOrders')).toBe('60 of 72 rungs were never placed: smaller than the lot or minimum notional')
})

it('where the number of deals is unknown, only the rungs are said', () => {
  const said = messagesOf({ closedDeals: null, unplacedOrders: 60 })
  expect(said.get('unplacedOrders')).toMatch(/^60 rungs were never placed/)
})

it('a ladder that was placed whole, or of which it is not known, is not doubted for it', () => {
  expect([...messagesOf({ closedDeals: 11, unplacedOrders: 0 }).keys()]).not.toContain('unplacedOrders')
  expect([...messagesOf({ closedDeals: 11, unplacedOrders: null }).keys()]).not.toContain('unplacedOrders')
})

it('a result that the service states otherwise now bars a recommendation, until it is taken', () => {
  const facts = {
    config: { dcaMaxSafetyOrders: 6, dcaInitialOrderSize: 20, investment: 1000 },
    metrics: idleMetrics(),
    metricFlags: {},
    simulated: false,
    period: { from: 0, to: 1 },
    deals: [],
    openDeal: null,
    candles: null,
    conventions: null,
    costs: null,
  }
  const found = (revised: readonly { readonly isPending: boolean }[]) =>
    findDoubts({ ...facts, revised }, null).filter(({ code }) => code === 'revisedResults')
  expect(found([])).toEqual([])
  expect(found([{ isPending: false }])).toEqual([])
  expect(found([{ isPending: false }, { isPending: true }])).toMatchObject([
    { weight: 'block', message: '1 of 1 results read again have changed since they were paid' },
  ])
})
