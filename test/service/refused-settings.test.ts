/** Settings that a job cannot be computed with: refused at once and whole, each problem with its place, and nothing is spent. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CONVENTION_PRESETS } from '../../src/engine/conventions.ts'
import type { IssuedKeys } from '../../src/service/keys.ts'
import type { RunningService } from '../../src/service/start.ts'
import { ask, jobRequest, json, OWNER, openWorld, refusalOf, type World } from './world.ts'

let world: World
let service: RunningService
let keys: IssuedKeys
beforeAll(async () => {
  world = openWorld()
  service = await world.start({ rate: 0 })
  keys = service.issueKeys({ userEmail: OWNER })
})
afterAll(() => world.clear())

const stated = CONVENTION_PRESETS.default
const costs = { feePercent: 0.1, slippagePercent: 0 }
const symbol = { tick: 0.01, lot: 0.00001, minNotional: 10 }

const post = (body: unknown) => ask(service, { path: '/api/backtest/jobs', keys, body })

async function used(): Promise<number> {
  const reply = await ask(service, { path: '/api/backtest/limits', keys })
  return JSON.parse(reply.text).used // the shape is tested elsewhere
}

it.each<[unknown, Record<string, string>]>([
  ['default', { settings: 'expected a JSON object, found "default"' }],
  [null, { settings: 'expected a JSON object, found null' }],
  [[costs], { settings: expect.stringContaining('expected a JSON object, found [') }],
  [{ fee: 0.1 }, { 'settings.fee': 'is not a field of this body' }],
  [{ interval: '1m' }, { 'settings.interval': 'is not a field of this body' }],
  [{ costs: 0.1 }, { 'settings.costs': 'expected a JSON object, found 0.1' }],
  [
    { costs: null, symbol: [] },
    { 'settings.costs': expect.any(String), 'settings.symbol': expect.any(String) },
  ],
  [
    { costs: { feePercent: '0.1', slippagePercent: -0.1, makerPercent: 0 } },
    {
      'settings.costs.makerPercent': 'is not a field of this body',
      'settings.costs.feePercent': 'expected a percentage from 0 to below 50, found "0.1"',
      'settings.costs.slippagePercent': 'expected a percentage from 0 to below 50, found -0.1',
    },
  ],
  [
    { costs: { feePercent: 50 } },
    {
      'settings.costs.feePercent': 'expected a percentage from 0 to below 50, found 50',
      'settings.costs.slippagePercent': 'expected a percentage from 0 to below 50, found nothing',
    },
  ],
  [
    { symbol: { tick: 0, lot: -1, minNotional: 'NaN' } },
    {
      'settings.symbol.tick': 'expected a number above 0, or null where there is no such rule; found 0',
      'settings.symbol.lot': 'expected a number above 0, or null where there is no such rule; found -1',
      'settings.symbol.minNotional':
        'expected a number of at least 0, or null where there is no such rule; found "NaN"',
    },
  ],
  [
    { symbol: { tick: 0.01 } },
    {
      'settings.symbol.lot': expect.stringContaining('found nothing'),
      'settings.symbol.minNotional': expect.stringContaining('found nothing'),
    },
  ],
  [
    { conventions: { ...stated, spacing: 'up', intrabar: 1, colour: 'red', preset: 'default' } },
    {
      'settings.conventions.colour': 'is not a field of this body',
      'settings.conventions.preset': 'is not a field of this body',
      'settings.conventions.spacing': 'expected from-base, from-previous, found "up"',
      'settings.conventions.intrabar':
        'expected pessimistic, optimistic, low-first, high-first, candle-colour, found 1',
    },
  ],
  [
    { conventions: { ...stated, safetyOrderSizing: 'explicit' } },
    { 'settings.conventions.safetyOrderSize': expect.stringContaining('required where safetyOrderSizing is explicit') },
  ],
  [
    { conventions: { ...stated, safetyOrderSize: 15 } },
    { 'settings.conventions.safetyOrderSize': expect.stringContaining('has no effect') },
  ],
  [
    { conventions: { ...stated, safetyOrderSizing: 'explicit', safetyOrderSize: 0 } },
    { 'settings.conventions.safetyOrderSize': 'expected a quote amount above 0, found 0' },
  ],
])('%j is refused with all that is wrong with it', async (settings, expected) => {
  const reply = await post(jobRequest({ settings, takeProfit: 0 }))
  expect(refusalOf(reply)).toBe('400 InvalidPayload')
  const { error }: { error: { details: readonly { field: string; message: string }[] } } = JSON.parse(reply.text)
  const found = Object.fromEntries(error.details.map(({ field, message }) => [field, message]))
  expect(found).toEqual({ takeProfit: 'expected more than 0, found 0', ...expected })
  expect(await used()).toBe(0)
})

it('conventions that leave one out are refused for each that is missing', async () => {
  const { intrabar: _, spacing: __, ...rest } = stated
  const reply = await post(jobRequest({ settings: { conventions: rest } }))
  expect(json(reply)).toMatchObject({
    error: {
      details: [
        { field: 'settings.conventions.spacing', message: 'expected from-base, from-previous, found nothing' },
        { field: 'settings.conventions.intrabar', message: expect.stringContaining('found nothing') },
      ],
    },
  })
})

it.each([
  ['a number too large for any', '{"costs":{"feePercent":1e999,"slippagePercent":0}}', 'found Infinity'],
  ['a word that is no JSON', '{"costs":{"feePercent":NaN,"slippagePercent":0}}', 'the body is not JSON'],
  ['a key twice', '{"costs":{"feePercent":0.1,"feePercent":0.5,"slippagePercent":0}}', 'feePercent'],
  ['a prototype', '{"__proto__":{"costs":{"feePercent":0.1,"slippagePercent":0}}}', 'settings.__proto__: is not'],
  ['a prototype of costs', '{"costs":{"__proto__":{"feePercent":0.1,"slippagePercent":0}}}', 'costs.__proto__: is not'],
  ['a constructor', '{"symbol":{"constructor":{"prototype":{"tick":1}}}}', 'symbol.constructor: is not'],
  ['a method of every object', `{"conventions":{"toString":1,"hasOwnProperty":1}}`, 'conventions.toString: is not'],
])('%s in settings is refused', async (_what, settings, reason) => {
  const reply = await post(
    JSON.stringify(jobRequest({ settings: 0 })).replace('"settings":0', `"settings":${settings}`),
  )
  expect(refusalOf(reply)).toBe('400 InvalidPayload')
  expect(reply.text).toContain(reason)
  expect('feePercent' in {}).toBe(false)
})

it('settings belong to jobs: a bot has none', async () => {
  const reply = await ask(service, { path: '/api/bots', keys, body: { settings: { costs, symbol } } })
  expect(reply.text).toContain('settings: is not a field of this body')
})

it('nothing of all this was printed, and nothing was accepted', async () => {
  expect(world.system.printed()).toEqual({ out: '', err: '' })
  expect(await used()).toBe(0)
})
