/** Demo bots: validated, created, read back, listed; real ones refused. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PLAN_BOTS } from '../../src/service/bots/live-bots.ts'
import { ask, botPayload, json, OWNER, openWorld, refusalOf, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = openWorld()
})
afterEach(() => world.clear())

async function setup() {
  const service = await world.start({ rate: 0 })
  const keys = service.issueKeys({ userEmail: OWNER })
  const create = (changes = {}) => ask(service, { path: '/api/bots', keys, body: botPayload(changes) })
  const validate = (body: unknown) => ask(service, { path: '/api/bots/validate', keys, body })
  const list = async (query = '') => json(await ask(service, { path: `/api/bots${query}`, keys }))
  return { service, keys, create, validate, list }
}

describe('a demo bot', () => {
  it('comes back as it was ordered, with its state, from creation, reading and list alike', async () => {
    const { service, keys, create, list } = await setup()
    const created = await create()
    expect(created.status).toBe(201)
    const bot: { id: string } = JSON.parse(created.text) // compared below
    expect(bot).toEqual({
      ...botPayload(),
      id: expect.stringMatching(/^bot_[0-9a-f]{20}$/),
      state: 'created',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      startedAt: null,
      stoppedAt: null,
      stopReason: null,
      tradedUntil: null,
      problem: null,
    })
    expect(json(await ask(service, { path: `/api/bots/${bot.id}`, keys }))).toEqual(bot)
    expect(await list(`?userEmail=${encodeURIComponent(OWNER)}`)).toEqual({ bots: [bot], next: null })
    expect(await list()).toEqual({ bots: [bot], next: null })
  })

  it('needs neither leverage nor a stop', async () => {
    const { create } = await setup()
    const { leverage: _, stopLoss: __, ...rest } = botPayload()
    expect(json(await create({ ...rest, leverage: undefined, stopLoss: undefined }))).toMatchObject({
      leverage: 1,
      stopLoss: 0,
    })
  })

  it('may bear the name of another', async () => {
    const { create } = await setup()
    expect([(await create()).status, (await create()).status]).toEqual([201, 201])
  })

  it(`is refused when the account has ${PLAN_BOTS}, however many ask at once`, async () => {
    const { service, create, list, validate } = await setup()
    const replies = await Promise.all(Array.from({ length: PLAN_BOTS + 5 }, () => create()))
    const refused = replies.filter(({ status }) => status !== 201)
    expect(refused.map(refusalOf)).toEqual(Array(5).fill('400 BotPlanLimit'))
    expect(await list()).toMatchObject({ bots: { length: PLAN_BOTS } })
    expect(json(await validate(botPayload()))).toEqual({
      valid: false,
      errors: [{ field: '', message: 'the plan of this service offers 20 bots' }],
    })
    const keys = service.issueKeys({ userEmail: 'other@localhost' })
    const other = await ask(service, { path: '/api/bots', keys, body: botPayload({ userEmail: 'Other@localhost' }) })
    expect(other.status).toBe(201)
  })
})

describe('a real bot', () => {
  it('cannot be created here, and nothing that is not exactly true makes a demo bot', async () => {
    const { create, list } = await setup()
    expect(refusalOf(await create({ isDemo: false }))).toBe('400 BotPlanLimit')
    for (const isDemo of [undefined, null, 'true', 'yes', 1, [true]]) {
      expect(refusalOf(await create({ isDemo }))).toBe('400 InvalidPayload')
    }
    expect(await list()).toEqual({ bots: [], next: null })
  })
})

describe('validation', () => {
  it('answers 200 with every problem, and creates nothing', async () => {
    const { validate, list } = await setup()
    expect(json(await validate(botPayload()))).toEqual({ valid: true, errors: [] })
    const wrong = botPayload({
      name: 'a\u0007b',
      userEmail: 'other@localhost',
      strategyType: 'GRID',
      exchange: 'nowhere',
      stopLoss: -1,
    })
    expect(json(await validate({ ...wrong, colour: 'red' }))).toEqual({
      valid: false,
      errors: [
        { field: 'colour', message: 'is not a field of this body' },
        { field: 'userEmail', message: 'is not the account of this key' },
        { field: 'name', message: 'expected a text of 1–200 characters, found "a\\u0007b"' },
        { field: 'strategyType', message: 'expected DCA_SPOT, found "GRID"' },
        { field: 'exchange', message: 'no candles of the exchange "nowhere" here' },
        { field: 'stopLoss', message: 'expected at least 0, found -1' },
      ],
    })
    expect(json(await validate(botPayload({ isDemo: false })))).toEqual({
      valid: false,
      errors: [{ field: 'isDemo', message: 'the plan of this service offers demo bots only' }],
    })
    expect(await list()).toEqual({ bots: [], next: null })
  })

  it('and creation agree: what is valid can be created, what is not is refused with the same problems', async () => {
    const { validate, create } = await setup()
    for (const changes of [{}, { takeProfit: 0 }, { dcaMaxSafetyOrders: 101 }, { name: '' }, { quoteAsset: 'EUR' }]) {
      const { valid, errors }: { valid: boolean; errors: unknown } = JSON.parse(
        (await validate(botPayload(changes))).text,
      )
      const created = await create(changes)
      expect(created.status).toBe(valid ? 201 : 400)
      if (!valid) expect(json(created)).toMatchObject({ error: { code: 'InvalidPayload', details: errors } })
    }
  })
})

describe('another account’s bots', () => {
  it('are unknown, and asking for them by e-mail is refused whether the account exists or not', async () => {
    const { service, create } = await setup()
    const bot: { id: string } = JSON.parse((await create()).text)
    const keys = service.issueKeys({ userEmail: 'stranger@localhost' })
    expect(refusalOf(await ask(service, { path: `/api/bots/${bot.id}`, keys }))).toBe('404 NotFound')
    for (const email of [OWNER, 'nobody@localhost', '']) {
      expect(refusalOf(await ask(service, { path: `/api/bots?userEmail=${email}`, keys }))).toBe('400 InvalidPayload')
    }
    expect(json(await ask(service, { path: '/api/bots', keys }))).toEqual({ bots: [], next: null })
  })
})
