/** Query parameters: every value that a description offers is taken, another one is refused, and each parameter changes what is answered. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ORDER_STATES } from '../../src/contract/bot-bodies.ts'
import { ENDPOINTS, type EndpointName } from '../../src/contract/endpoints.ts'
import { PARAMETERS, parametersOf } from '../../src/service/http/parameters.ts'
import type { IssuedKeys } from '../../src/service/keys.ts'
import type { RunningService } from '../../src/service/start.ts'
import { ask, botPayload, FROM, jobRequest, OWNER, openWorld, type Reply, type World } from './world.ts'

let world: World
let service: RunningService
let keys: IssuedKeys
const ids = { bot: '', job: '' }

/** A bot that has traded for a day, another that was only made, and two jobs an hour apart. */
beforeAll(async () => {
  world = openWorld()
  service = await world.start({ rate: 0, allowance: 0, market: { now: FROM } })
  keys = service.issueKeys({ userEmail: OWNER })
  ids.bot = idOf(await ask(service, { path: '/api/bots', keys, body: botPayload() }))
  await ask(service, { method: 'POST', path: `/api/bots/${ids.bot}/start`, keys })
  await ask(service, { path: '/api/bots', keys, body: botPayload({ name: 'another' }) })
  ids.job = idOf(await ask(service, { path: '/api/backtest/jobs', keys, body: jobRequest() }))
  await world.system.advance(86_400_000)
  await ask(service, { path: '/api/backtest/jobs', keys, body: jobRequest({ takeProfit: 2 }) })
})
afterAll(() => world.clear())

function idOf(reply: Reply): string {
  return JSON.parse(reply.text).id // the shape is tested elsewhere
}

function send(name: EndpointName, field: string, value: string): Promise<Reply> {
  const { method, path } = ENDPOINTS[name]
  const segment = path.includes('/markets/') ? 'binance' : path.includes('/jobs/') ? ids.job : ids.bot
  return ask(service, {
    method,
    path: `${path.replace(/\{\w+\}/, segment)}?${new URLSearchParams({ [field]: value })}`,
    keys,
  })
}

const rows = Object.keys(PARAMETERS).flatMap(
  (name) =>
    parametersOf(name as EndpointName).map(([field, parameter]) => ({ name: name as EndpointName, field, parameter })), // keys of a const literal
)

interface Words {
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly examples?: readonly string[]
}

/** Of a text that is not restricted: what it may and may not say is the endpoint's own affair. */
const FREE: Readonly<Record<string, { readonly taken: readonly string[]; readonly refused: string | null }>> = {
  'listBots userEmail': { taken: [OWNER], refused: 'stranger@localhost' },
  'listSymbols quote': { taken: ['USDT', 'EUR'], refused: null }, // a quote without symbols has an empty list
}

const WHOLE = ['0', '1', '7', '1001', '999999999999999']

describe.each(rows)('$field of $name', ({ name, field, parameter }) => {
  const words: Words = parameter.schema
  const free = FREE[`${name} ${field}`]
  const taken = words.enum ?? words.examples ?? (words.pattern === undefined ? free.taken : WHOLE)
  const refused = words.enum || words.examples || words.pattern ? 'nonsense' : free.refused

  it('takes every value that its description offers', async () => {
    expect(taken.length).toBeGreaterThan(0)
    for (const value of taken) {
      expect((await send(name, field, value)).status, value).toBe(200)
      if (words.pattern !== undefined) expect(value).toMatch(new RegExp(words.pattern))
    }
  })

  it.skipIf(refused === null)('refuses another one', async () => {
    expect((await send(name, field, refused ?? '')).status).toBe(400)
  })
})

type Differing<Name extends EndpointName> = {
  readonly [Field in keyof (typeof PARAMETERS)[Name]]:
    | readonly [one: string, other: string]
    | 'told by bot-commands.test.ts'
}

const early = new Date(0).toISOString()
const late = '2100-01-01'

/** Two values of each parameter that are answered differently: a parameter that nobody obeys has none. */
const DIFFERING: { readonly [Name in EndpointName]: Differing<Name> } = {
  listBots: { userEmail: [OWNER, 'stranger@localhost'], limit: ['1', '2'], before: ['1', '99'] },
  readBot: {},
  listExecutions: { limit: ['1', '2'], before: ['1', '99'], since: [early, late] },
  listOrders: { limit: ['1', '2'], before: ['1', '99'], state: ['open', 'filled'] },
  readPnl: {},
  listSymbols: { type: ['spot', 'futures'], quote: ['USDT', 'EUR'] },
  validateBot: {},
  createBot: {},
  updateBot: {},
  startBot: {},
  stopBot: { closePosition: 'told by bot-commands.test.ts' }, // a bot can be stopped once
  readLimits: {},
  listJobs: { limit: ['1', '2'], since: [early, late], before: ['1', '99'] },
  readJob: {},
  createJob: {},
  deleteJob: {},
}

const pairs = Object.entries(DIFFERING).flatMap(([name, fields]) =>
  Object.entries<Differing<'listOrders'>['limit']>(fields).flatMap(([field, pair]) =>
    typeof pair === 'string' ? [] : [{ name: name as EndpointName, field, pair }],
  ),
) // keys of the table above

it.each(pairs)('$field of $name changes what is answered', async ({ name, field, pair: [one, other] }) => {
  expect((await send(name, field, one)).text).not.toBe((await send(name, field, other)).text)
})

describe('openapi.json', () => {
  it('offers for each parameter what its own endpoint takes: the states of orders for orders, and for nothing else', async () => {
    const { text } = await ask(service, { path: '/openapi.json' })
    const document: { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> } = JSON.parse(text)
    for (const { name, field, parameter } of rows) {
      const { method, path } = ENDPOINTS[name]
      const described = document.paths[path][method.toLowerCase()].parameters.find((each) => each.name === field)
      expect(described?.schema).toEqual(parameter.schema)
    }
    const withOrderStates = rows.filter(
      ({ parameter }) => 'enum' in parameter.schema && parameter.schema.enum === ORDER_STATES,
    )
    expect(withOrderStates.map(({ name }) => name)).toEqual(['listOrders'])
  })
})

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly schema: object }[]
}
