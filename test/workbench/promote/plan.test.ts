/** The plan says which trial and what speaks against it; what was shown is what is carried out. */
import { expect, it } from 'vitest'
import { sampleOf } from '../../../src/contract/sample-size.ts'
import { type PromotionPlan, planPromotion } from '../../../src/workbench/bots/promote/plan.ts'
import { promote } from '../../../src/workbench/bots/promote/promote.ts'
import { IDENTITY, OWNER, STUDY, worldForEachTest } from './world.ts'

const setup = worldForEachTest()

const codes = (plan: PromotionPlan) => plan.doubts.map(({ code }) => code)

it('a study means its best trial by its objective', async () => {
  const { store, trials } = await setup()
  const plan = planPromotion(store, { target: STUDY, userEmail: OWNER })
  expect(plan).toMatchObject({
    trial: trials[0],
    study: STUDY,
    identity: IDENTITY,
    botName: `dcalab-lab-${trials[0].slice(0, 8)}`,
    market: 'binance/BTC-USDT',
    netProfit: 100,
  })
})

it('every doubt is said in words', async () => {
  const { store } = await setup({
    metrics: (metrics) => ({
      ...metrics,
      realizedProfit: metrics.netProfit + 12.5,
      unrealizedProfit: -12.5,
      ambiguousCandles: 40,
      missingInDeals: 2,
    }),
  })
  const plan = planPromotion(store, { target: STUDY, userEmail: OWNER })
  expect(codes(plan)).toEqual([
    'fewDeals',
    'openLoss',
    'simulated',
    'syntheticCandles',
    'missingCandles',
    'ambiguousCandles',
    'noHoldout',
    'manyLooks',
  ])
  const words = plan.doubts.map(({ message }) => message).join('\n')
  for (const figure of [
    '120 closed deals (sample size 107 to 132)',
    '12.5',
    '4 %',
    'one of 6',
    '3 candles were missing, 2 of them',
  ])
    expect(words).toContain(figure)
})

it('a trial whose profit, deals and losses could not be read is doubted for what is known, and planned', async () => {
  const unsaid = { confidence: null, sampleSize: null }
  const unread = { netProfit: null, unrealizedProfit: null, closedDeals: null, ambiguousCandles: null }
  const { store, trials } = await setup({ metrics: (metrics) => ({ ...metrics, ...unread, ...unsaid }) })
  const plan = planPromotion(store, { target: trials[0].slice(0, 12), userEmail: OWNER })
  expect(plan.netProfit).toBeNull()
  expect(codes(plan)).not.toContain('noProfit')
  expect(plan.doubts.map(({ message }) => message)).toContain(
    'an unknown number of closed deals (sample size unknown): chance decides much of the result',
  )
})

it('a solid result has few doubts left', async () => {
  const { store } = await setup({
    metrics: (metrics, i) => ({
      ...metrics,
      ...(i === 0 ? { netProfit: 900, realizedProfit: 897, roiPercent: 90 } : { realizedProfit: 97 - i }),
      ...sampleOf(300),
      closedDeals: 300,
      unrealizedProfit: 3,
      ambiguousCandles: 1,
    }),
  })
  expect(codes(planPromotion(store, { target: STUDY, userEmail: OWNER }))).toEqual([
    'simulated',
    'syntheticCandles',
    'missingCandles',
    'noHoldout',
    'manyLooks',
  ])
})

it('a trial can be named by the start of its fingerprint; ranking behind others is a doubt', async () => {
  const { store, trials } = await setup()
  const plan = planPromotion(store, { target: trials[3].slice(0, 8), userEmail: OWNER })
  expect(plan).toMatchObject({ trial: trials[3], study: STUDY })
  expect(plan.doubts).toContainEqual(
    expect.objectContaining({ code: 'notBest', message: '3 trials of lab rank above it' }),
  )
})

it('a trial outside the bounds is never the best, and a doubt when it is named', async () => {
  const { store, trials } = await setup({
    metrics: (metrics, i) => (i === 0 ? { ...metrics, maxDrawdownPercent: 99, closedDeals: 0 } : metrics),
  })
  expect(planPromotion(store, { target: STUDY, userEmail: OWNER }).trial).toBe(trials[1])
  expect(codes(planPromotion(store, { target: trials[0], userEmail: OWNER }))).toContain('outsideBounds')
})

it.each([
  ['nothing-of-that-name', 'notFound'],
  ['abc', 'notFound'],
  ['abcdef012345', 'notFound'],
  ["x' or 1=1", 'notFound'],
])('%s is not found', async (target, code) => {
  const { store } = await setup()
  expect(() => planPromotion(store, { target, userEmail: OWNER })).toThrow(
    expect.objectContaining({ code, exitCode: 2 }),
  )
})

it('H52: a plan that was changed, or has grown old, is not carried out', async () => {
  const lab = await setup()
  const plan = planPromotion(lab.store, { target: STUDY, userEmail: OWNER })
  const other = planPromotion(lab.store, { target: lab.trials[1], userEmail: OWNER })
  const attempt = (changed: PromotionPlan) =>
    promote({ system: lab.system, store: lab.store, client: lab.client, plan: changed })
  for (const changed of [
    { ...plan, config: { ...plan.config, investment: 1e6 } },
    { ...plan, trial: other.trial },
    { ...plan, market: 'binance/ETH-USDT' },
    { ...plan, doubts: [] },
    { ...plan, userEmail: 'somebody@else.example' },
    { ...plan, hash: other.hash },
  ]) {
    await expect(attempt(changed)).rejects.toMatchObject({ code: 'promotionRefused' })
  }
  await lab.advance(61 * 60_000)
  await expect(attempt(plan)).rejects.toMatchObject({ code: 'promotionRefused' })
  expect(lab.hits).toEqual([])
  expect(planPromotion(lab.store, { target: STUDY, userEmail: OWNER }).hash).toBe(plan.hash)
})

it('a plan whose result has changed since, as a reparse may change it, is not carried out', async () => {
  const lab = await setup()
  const plan = planPromotion(lab.store, { target: STUDY, userEmail: OWNER })
  lab.store.db.exec('update result set net_profit = net_profit - 1')
  await expect(promote({ system: lab.system, store: lab.store, client: lab.client, plan })).rejects.toMatchObject({
    code: 'promotionRefused',
    exitCode: 2,
  })
  expect(lab.hits).toEqual([])
})
