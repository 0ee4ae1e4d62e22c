/** How many backtests an account may ask for in a day. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SCOPES } from '../../src/contract/endpoints.ts'
import { startCounted } from './counted.ts'
import { admitted, ask, jobRequest, OWNER, openWorld, parallel, refusalOf, untilEnded, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = openWorld()
})
afterEach(() => world.clear())

const minute = 60_000
const day = 24 * 60 * minute

describe('the allowance of an account', () => {
  it('accepts 100 of 200 jobs that come at once, through two processes and two keys', async () => {
    const { service, keys } = await startCounted(world, { rate: 0 })
    const second = await world.start({ rate: 0 })
    const otherKeys = second.issueKeys({ userEmail: OWNER })
    const replies = await parallel(200, (i) =>
      ask(i % 2 === 0 ? service : second, {
        path: '/api/backtest/jobs',
        keys: i % 3 === 0 ? keys : otherKeys,
        body: jobRequest({ name: `n${i}`, to: '2024-01-31' }),
      }),
    )
    expect(admitted(replies)).toBe(100)
    const refused = replies.filter(({ status }) => status !== 201)
    for (const reply of refused) expect(refusalOf(reply)).toBe('429 ApiKeyBacktestLimit')
    expect(refused[0].headers['retry-after']).toBe('86400')
    expect(await untilEnded(service, keys)).toHaveLength(100)
  })

  it('slides: a job stops counting exactly 24 hours after it was accepted', async () => {
    const { order, limits } = await startCounted(world, { rate: 0, allowance: 3 })
    expect(await limits()).toEqual({
      limit: 3,
      windowHours: 24,
      windowType: 'sliding',
      used: 0,
      remaining: 3,
      nextAt: null,
      scopes: [...SCOPES],
    })
    await order()
    await world.system.advance(3 * 60 * minute)
    await order()
    await order()
    const full = {
      limit: 3,
      windowHours: 24,
      windowType: 'sliding',
      used: 3,
      remaining: 0,
      nextAt: '2026-01-02T00:00:00.000Z',
      scopes: [...SCOPES],
    }
    expect(await limits()).toEqual(full)
    await world.system.advance(day - 3 * 60 * minute - 1)
    expect(refusalOf(await order())).toBe('429 ApiKeyBacktestLimit')
    expect(await limits()).toEqual(full)
    await world.system.advance(1)
    expect(await limits()).toMatchObject({ used: 2, remaining: 1, nextAt: null })
    expect((await order()).status).toBe(201)
    expect(await limits()).toMatchObject({ used: 3, remaining: 0, nextAt: '2026-01-02T03:00:00.000Z' })
  })

  it('fixed: everything opens at midnight UTC, however late the jobs came', async () => {
    const { order, limits } = await startCounted(world, { rate: 0, allowance: 2, window: 'fixed' })
    await world.system.advance(day - 1)
    expect((await order()).status).toBe(201)
    expect((await order()).status).toBe(201)
    const refused = await order()
    expect(refusalOf(refused)).toBe('429 ApiKeyBacktestLimit')
    expect(refused.headers['retry-after']).toBe('1')
    expect(await limits()).toMatchObject({ windowType: 'fixed', used: 2, nextAt: '2026-01-02T00:00:00.000Z' })
    await world.system.advance(1)
    expect(await limits()).toMatchObject({ used: 0, remaining: 2, nextAt: null })
    expect((await order()).status).toBe(201)
  })

  it('fixed at a phase: everything opens at that time of day', async () => {
    const phase = 6.5 * 60 * minute
    const { order, limits } = await startCounted(world, {
      rate: 0,
      allowance: 1,
      window: 'fixed',
      windowPhaseMs: phase,
    })
    await world.system.advance(phase - 1)
    expect((await order()).status).toBe(201)
    expect(await limits()).toMatchObject({ used: 1, nextAt: '2026-01-01T06:30:00.000Z' })
    expect(refusalOf(await order())).toBe('429 ApiKeyBacktestLimit')
    await world.system.advance(1)
    expect((await order()).status).toBe(201)
    expect(await limits()).toMatchObject({ used: 1, nextAt: '2026-01-02T06:30:00.000Z' })
    await world.system.advance(day - 1)
    expect(refusalOf(await order())).toBe('429 ApiKeyBacktestLimit')
  })

  it('is not spent by what is refused, and not given back by what is deleted', async () => {
    const { service, keys, order, limits } = await startCounted(world, { rate: 0, allowance: 2 })
    await order({ takeProfit: -1 })
    await order({ from: '2023-01-01' })
    expect(await limits()).toMatchObject({ used: 0 })
    const created: { id: string } = JSON.parse((await order()).text) // the shape is tested elsewhere
    expect((await ask(service, { method: 'DELETE', path: `/api/backtest/jobs/${created.id}`, keys })).status).toBe(204)
    await order()
    expect(refusalOf(await order())).toBe('429 ApiKeyBacktestLimit')
    expect(await limits()).toMatchObject({ used: 2, remaining: 0 })
  })

  it('belongs to the account: another account has its own', async () => {
    const { service, order } = await startCounted(world, { rate: 0, allowance: 1 })
    await order()
    const keys = service.issueKeys({ userEmail: 'demo@localhost' })
    expect((await ask(service, { path: '/api/backtest/jobs', keys, body: jobRequest() })).status).toBe(201)
    expect(refusalOf(await order())).toBe('429 ApiKeyBacktestLimit')
  })

  it('never opens early because the wall clock stepped back', async () => {
    const { order } = await startCounted(world, { rate: 0, allowance: 1 })
    await order()
    world.system.stepWall(-5 * day)
    expect(refusalOf(await order())).toBe('429 ApiKeyBacktestLimit')
  })

  it('of 0 limits nothing, and still answers numbers', async () => {
    const { order, limits } = await startCounted(world, { rate: 0, allowance: 0 })
    for (let i = 0; i < 3; i += 1) expect((await order()).status).toBe(201)
    expect(await limits()).toMatchObject({
      limit: Number.MAX_SAFE_INTEGER,
      used: 3,
      remaining: Number.MAX_SAFE_INTEGER - 3,
    })
  })
})
