/** The plan says which trial; what was shown is what is carried out. */
import { expect, it } from 'vitest'
import { choosePromoted, type PromotionPlan, planPromotion } from '../../../src/workbench/bots/promote/plan.ts'
import { promote } from '../../../src/workbench/bots/promote/promote.ts'
import { idOfTrial } from '../../../src/workbench/store/find-trial.ts'
import { memoryOf } from '../../../src/workbench/store/kept-proposals.ts'
import { findStudy } from '../../../src/workbench/store/study-records.ts'
import { AGREEMENT } from '../../../src/workbench/study/proposals.ts'
import { IDENTITY, OWNER, STUDY, worldForEachTest } from './world.ts'

const setup = worldForEachTest()

it('a study means its best trial by its objective', async () => {
  const { store, trials } = await setup()
  const plan = planPromotion(store, { target: STUDY, userEmail: OWNER })
  expect(plan).toMatchObject({
    trial: trials[0],
    study: STUDY,
    identity: IDENTITY,
    botName: `dcalab-lab-${idOfTrial(store, trials[0])}`,
    market: 'binance/BTC-USDT',
    netProfit: 100,
  })
})

it('a trial can be named by the start of its fingerprint, and has its rank', async () => {
  const { store, trials } = await setup()
  const target = trials[3].slice(0, 8)
  expect(planPromotion(store, { target, userEmail: OWNER })).toMatchObject({ trial: trials[3], study: STUDY })
  expect(choosePromoted(store, { target }).standing).toMatchObject({ rank: 4, agreementFailed: false })
})

it.each([
  [{ passed: false, failed: ['median', 'signs'] }, true],
  [{ passed: false, failed: ['median', 'profits'] }, false],
  [{ passed: true, failed: [] }, false],
  ['no verdict', false],
])('what the search said of the agreement with the service, %j, stands with what it found', async (said, failed) => {
  const { store } = await setup()
  const study = findStudy(store, STUDY)
  if (study === undefined) throw new Error('the world has its study')
  const [identity] = study.identities
  await memoryOf(store, { study, identity, account: '' }).write(AGREEMENT, said)
  expect(choosePromoted(store, { target: STUDY }).standing?.agreementFailed).toBe(failed)
})

it('a trial outside the bounds is never the best, and can be named', async () => {
  const { store, trials } = await setup({
    metrics: (metrics, i) => (i === 0 ? { ...metrics, maxDrawdownPercent: 99, closedDeals: 0 } : metrics),
  })
  expect(planPromotion(store, { target: STUDY, userEmail: OWNER }).trial).toBe(trials[1])
  expect(choosePromoted(store, { target: trials[0] }).standing).toMatchObject({ rank: null, outsideBounds: true })
})

it('trials whose objective is undefined are finished all the same, and a person may name one', async () => {
  const { store, trials } = await setup({ metrics: (metrics) => ({ ...metrics, netProfit: null }) })
  expect(() => planPromotion(store, { target: STUDY, userEmail: OWNER })).toThrow(
    expect.objectContaining({
      message: `${trials.length} finished trials of ${STUDY}, but Net profit is undefined for each of them`,
      hint: expect.stringContaining('name a trial'),
    }),
  )
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
    { ...plan, study: null },
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
