/**
 * R7, H47: 20,000 promotions and files that try everything to make a real bot. What leaves the machine is looked at where it leaves: every
 * body of a bot says `"isDemo": true`, once, as its own, and nothing else of it.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { payloadOf } from '../../../src/cli/commands/bots/bot-file.ts'
import { type DemoBotPayload, STRATEGY_TYPE } from '../../../src/contract/bot.ts'
import { findMarket } from '../../../src/contract/market.ts'
import { Failure } from '../../../src/errors.ts'
import { parseBotFile } from '../../../src/workbench/study/config-file.ts'
import { BOT_PAYLOAD, clientOf, goodBody } from '../api/world.ts'

const payloads = 18_000
const files = 2_000

/** Whatever a file or a caller may put where `isDemo` is expected. */
const claim = fc.constantFrom<unknown>(false, 'false', 'no', 'true', 0, 1, null, [], {}, undefined, [true], {
  isDemo: false,
})
const key = fc.constantFrom(
  'isDemo',
  'isdemo',
  'IsDemo',
  'is_demo',
  '__proto__',
  'constructor',
  'toJSON',
  'demo',
  'name',
  'userEmail',
)
const hostileText = fc.constantFrom(
  'x","isDemo":false,"y":"',
  '","isDemo":false}',
  '\\u0022isDemo\\u0022:false',
  '"isDemo":false',
  'isDemo: false',
  '\\',
  '\u2028',
)
const text = fc.oneof(
  { weight: 2, arbitrary: fc.string({ minLength: 1, maxLength: 30 }) },
  { weight: 1, arbitrary: hostileText },
)
const value = fc.oneof(claim, text, fc.double(), fc.integer())

/** Bodies of POST and PUT that left, and how often something was tried. */
function watch() {
  const bodies: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input))
    const hit = {
      method: init?.method ?? 'GET',
      url: `${pathname}${search}`,
      headers: {},
      body: String(init?.body ?? ''),
    }
    if (hit.body !== '') bodies.push(hit.body)
    return new Response(JSON.stringify(goodBody(hit)), { status: 200 })
  }
  return { bodies, client: clientOf('http://127.0.0.1:9', { fetch }).client }
}

function problemOf(body: string): string | undefined {
  const sent: unknown = JSON.parse(body)
  if (typeof sent !== 'object' || sent === null || !Object.hasOwn(sent, 'isDemo')) return `no isDemo: ${body}`
  if (Reflect.get(sent, 'isDemo') !== true) return `isDemo is not true: ${body}`
  const keys = [...body.matchAll(/"((?:[^"\\]|\\.)*)"\s*:/g)].map(([, name]) => JSON.parse(`"${name}"`).toLowerCase())
  return keys.filter((name) => name === 'isdemo').length === 1 ? undefined : `isDemo more than once: ${body}`
}

it(`${payloads} fuzzed promotions: no body without its own isDemo, true`, async () => {
  const { bodies, client } = watch()
  let refused = 0
  const odd = fc.record({
    more: fc.array(fc.tuple(key, value), { maxLength: 4 }),
    name: text,
    userEmail: text,
    inherited: fc.boolean(),
    call: fc.constantFrom('createBot', 'validateBot'),
  })
  await fc.assert(
    fc.asyncProperty(odd, async ({ more, name, userEmail, inherited, call }) => {
      const fields = { ...BOT_PAYLOAD, strategyType: STRATEGY_TYPE, name, userEmail, ...Object.fromEntries(more) }
      const given: unknown = inherited ? Object.assign(Object.create({ isDemo: false }), fields) : fields
      const outcome = await client[call](given as DemoBotPayload) // the point is a payload that lies about its type
      if (outcome.kind === 'notSent') refused++
    }),
    { numRuns: payloads },
  )
  // What speaks of isDemo deeper inside is not sent at all.
  expect(bodies.length + refused).toBe(payloads)
  expect(bodies.length).toBeGreaterThan(0.9 * payloads)
  expect(bodies.map(problemOf).filter((problem) => problem !== undefined)).toEqual([])
})

it(`${files} files, in YAML and JSON, that say what no file may say`, async () => {
  const { bodies, client } = watch()
  let refused = 0
  const file = fc.record({
    inConfig: fc.array(fc.tuple(key, value), { maxLength: 3 }),
    beside: fc.array(fc.tuple(key, value), { maxLength: 3 }),
    name: text,
    json: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(file, async ({ inConfig, beside, name, json }) => {
      const { investment, leverage, dcaTotalBudget, dcaInitialOrderSize, dcaMaxSafetyOrders } = BOT_PAYLOAD
      const { dcaPriceScalePercent, dcaVolumeScale, dcaPriceStepMultiplier, takeProfit, stopLoss } = BOT_PAYLOAD
      const config = {
        ...{ investment, leverage, dcaTotalBudget, dcaInitialOrderSize, dcaMaxSafetyOrders },
        ...{ dcaPriceScalePercent, dcaVolumeScale, dcaPriceStepMultiplier, takeProfit, stopLoss },
      }
      const line = ([field, what]: readonly [string, unknown]) => [field, what] as const
      const members = (entries: readonly (readonly [string, unknown])[]) =>
        entries.map(([field, what]) => `${JSON.stringify(field)}: ${JSON.stringify(what) ?? 'null'}`)
      const inside = members([...Object.entries(config), ...inConfig.map(line)])
      const outside = members(beside.map(line))
      const source = json
        ? `{"config": {${inside.join(', ')}}${outside.map((member) => `, ${member}`).join('')}}`
        : ['config:', ...inside.map((member) => `  ${member}`), ...outside].join('\n')
      try {
        const order = parseBotFile(source, { file: 'bot.yaml' })
        const market = findMarket('binance/BTC-USDT') ?? null
        await client.createBot(payloadOf('bot.yaml', { ...order, market, name }, 'researcher@localhost'))
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        refused++
      }
    }),
    { numRuns: files },
  )
  expect(bodies.length + refused).toBe(files)
  expect(bodies.length).toBeGreaterThan(100)
  expect(refused).toBeGreaterThan(100)
  expect(bodies.map(problemOf).filter((problem) => problem !== undefined)).toEqual([])
})
