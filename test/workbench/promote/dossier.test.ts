/** What is kept of a promotion: what was shown, what was accepted by name, what was sent, and what the service said of it. */
import { expect, it } from 'vitest'
import { planPromotion } from '../../../src/workbench/bots/promote/plan.ts'
import { payloadOfPlan, promote } from '../../../src/workbench/bots/promote/promote.ts'
import { listPromotions } from '../../../src/workbench/store/promotions.ts'
import { OWNER, STUDY, worldForEachTest } from './world.ts'

const setup = worldForEachTest()

it('the body that was shown is the body that was sent, and all of it is kept', async () => {
  const lab = await setup()
  const plan = planPromotion(lab.store, { target: STUDY, userEmail: OWNER })
  const { trial } = await promote({ ...lab, plan, accepted: ['doNotUse'] })
  const shown = payloadOfPlan(plan)
  expect(lab.creates().map(({ body }) => JSON.parse(body))).toEqual([shown])
  const row = lab.store.db.prepare('select body_json, bot_json, validation_json from bots').get()
  const kept = Object.fromEntries(Object.entries(Object(row)).map(([name, text]) => [name, JSON.parse(String(text))]))
  expect(kept).toMatchObject({
    body_json: { ...shown, isDemo: true },
    bot_json: { isDemo: true, name: plan.botName },
    validation_json: { valid: true, errors: [] },
  })
  expect(listPromotions(lab.store, trial)).toMatchObject([
    { botName: plan.botName, state: 'verified', netProfit: plan.netProfit, headline: null, accepted: ['doNotUse'] },
  ])
})

it('a bot of the same name is refused field by field', async () => {
  const first = await setup()
  const plan = planPromotion(first.store, { target: STUDY, userEmail: OWNER })
  const other = { id: 'theirs', state: 'created', ...payloadOfPlan(plan), takeProfit: 7 }
  const lab = await setup({ bots: [other] })
  const again = planPromotion(lab.store, { target: STUDY, userEmail: OWNER })
  await expect(promote({ ...lab, plan: again })).rejects.toMatchObject({
    code: 'serviceRefused',
    problems: [{ place: 'takeProfit', message: `expected ${plan.config.takeProfit}, found 7` }],
  })
  expect(lab.creates()).toEqual([])
})
