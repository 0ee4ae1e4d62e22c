/**
 * R7, H47, H48, H49: promotions by the thousand, files, studies, replies and flags that try everything to make, start or change a real bot. What leaves
 * the machine is looked at where it leaves: every body of a bot says `"isDemo": true`, once, as its own, and nothing else of it.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { payloadOf } from '../../../src/cli/commands/bots/bots.ts'
import { type DemoBotPayload, STRATEGY_TYPE } from '../../../src/contract/bot.ts'
import { findMarket } from '../../../src/contract/market.ts'
import { Failure } from '../../../src/errors.ts'
import type { PromotionPlan } from '../../../src/workbench/bots/promote/plan.ts'
import { payloadOfPlan } from '../../../src/workbench/bots/promote/promote.ts'
import { parseBotFile } from '../../../src/workbench/study/config-file.ts'
import { parseStudy, planTrials } from '../../../src/workbench/study/parse.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { program } from '../../support/program.ts'
import { inWords, share } from '../../support/share.ts'
import { testSystem } from '../../support/system.ts'
import { API_KEY, BOT_PAYLOAD, clientOf, goodBody, SECRET_KEY } from '../api/world.ts'

/** Together more than 6,000; at length thirty times as many. */
const times = share({ usual: 1, long: 30 })
const payloads = 4_000 * times
const files = 400 * times
const studies = 300 * times
const replies = 2_200 * times
/** Commands of the whole program, each with a store of its own making. */
const commands = 8 * times

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

/** Bodies and addresses of POST and PUT that left. `read`: the text of a bot that is read; absent = that of a demo. */
function watch(read?: () => string) {
  const bodies: string[] = []
  const writes: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input))
    const hit = {
      method: init?.method ?? 'GET',
      url: `${pathname}${search}`,
      headers: {},
      body: String(init?.body ?? ''),
    }
    if (hit.body !== '') bodies.push(hit.body)
    if (hit.method !== 'GET') writes.push(`${hit.method} ${hit.url}`)
    const text = hit.method === 'GET' && pathname === '/api/bots/bot-1' ? read?.() : undefined
    return new Response(text ?? JSON.stringify(goodBody(hit)), { status: 200 })
  }
  return { bodies, writes, fetch, client: clientOf('http://127.0.0.1:9', { fetch }).client }
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
  expect(bodies.length).toBeGreaterThan(files / 40)
  expect(refused).toBeGreaterThan(files / 40)
  expect(bodies.map(problemOf).filter((problem) => problem !== undefined)).toEqual([])
})

it(`${inWords(studies)} studies that say what no study may say, each promoted`, async () => {
  const { bodies, client } = watch()
  let refused = 0
  const odd = fc.record({
    inBase: fc.array(fc.tuple(key, value), { maxLength: 1 }),
    beside: fc.array(fc.tuple(key, value), { maxLength: 1 }),
    name: fc.oneof(fc.constant('a-study'), text),
    user: text,
  })
  await fc.assert(
    fc.asyncProperty(odd, async ({ inBase, beside, name, user }) => {
      const { exchange, baseAsset, quoteAsset, leverage: _, takeProfit: __, ...rest } = BOT_PAYLOAD
      const { userEmail: ___, name: ____, strategyType: _____, isDemo: ______, ...base } = rest
      const members = (entries: readonly (readonly [string, unknown])[]) =>
        entries.map(([field, what]) => `${JSON.stringify(field)}: ${JSON.stringify(what) ?? 'null'}`)
      const source = `{${[
        ...members([
          ['name', name],
          ['market', { exchange, baseAsset, quoteAsset }],
        ]),
        '"period": {"from": "2025-01-01", "to": "2025-02-01"}',
        `"base": {${members([...Object.entries(base), ...inBase]).join(', ')}}`,
        '"grid": {"takeProfit": [1, 2]}',
        ...members(beside),
      ].join(', ')}}`
      try {
        const [trial] = planTrials(parseStudy(source, { file: 'study.json' })).trials
        const plan = { userEmail: user, botName: `dcalab-${name}`, market: 'binance/BTC-USDT', config: trial.config }
        await client.createBot(payloadOfPlan(plan as PromotionPlan)) // what else a plan holds is for people
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        refused++
      }
    }),
    { numRuns: studies },
  )
  expect(bodies.length + refused).toBeGreaterThan(0.9 * studies)
  expect(bodies.length).toBeGreaterThan(studies / 40)
  expect(bodies.map(problemOf).filter((problem) => problem !== undefined)).toEqual([])
})

/** Members of a reply in the order in which they stand in its text, doubled keys included. */
function isHonest(members: readonly (readonly [string, unknown])[]): boolean {
  const mentions = (what: unknown): unknown[] =>
    typeof what !== 'object' || what === null
      ? []
      : Object.entries(what).flatMap(([name, inner]) => [
          ...(name.toLowerCase() === 'isdemo' ? [inner] : []),
          ...mentions(inner),
        ])
  const all = members.flatMap(([name, what]) => [...(name.toLowerCase() === 'isdemo' ? [what] : []), ...mentions(what)])
  return members.some(([name]) => name === 'isDemo') && all.every((what) => what === true)
}

it(`${inWords(replies)} replies about a bot: none is started or changed that does not say it is a demo, and says nothing else`, async () => {
  let reply = ''
  const { writes, bodies, client } = watch(() => reply)
  let acted = 0
  const wrong: string[] = []
  const odd = fc.record({
    isDemo: fc.oneof({ weight: 2, arbitrary: fc.constant<unknown>(true) }, { weight: 1, arbitrary: claim }),
    before: fc.array(fc.tuple(key, value), { maxLength: 1 }),
    after: fc.array(fc.tuple(key, value), { maxLength: 1 }),
    update: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(odd, async ({ isDemo, before, after, update }) => {
      const { isDemo: _, ...fields } = BOT_PAYLOAD
      const own = [['id', 'bot-1'], ['state', 'created'], ...Object.entries(fields), ['isDemo', isDemo]] as const
      const members = [...before, ...own, ...after].filter(([, what]) => what !== undefined) as [string, unknown][] // pairs
      reply = `{${members.map(([name, what]) => `${JSON.stringify(name)}: ${JSON.stringify(what)}`).join(', ')}}`
      const sent = writes.length
      const check = await client.proveDemo('bot-1')
      if (check.kind === 'ok' && check.value.proof !== null) {
        if (update) await client.updateBot(check.value.proof, BOT_PAYLOAD)
        else await client.startBot(check.value.proof)
      }
      acted += writes.length - sent
      if (writes.length > sent && !isHonest(members)) wrong.push(reply)
    }),
    { numRuns: replies },
  )
  expect(wrong).toEqual([])
  expect(acted).toBeGreaterThan(replies / 10)
  expect(acted).toBeLessThan(replies)
  expect(bodies.map(problemOf).filter((problem) => problem !== undefined)).toEqual([])
})

it(`${inWords(commands)} commands with flags that nobody meant: no body without its own isDemo, true`, async () => {
  const { bodies, fetch } = watch()
  const folder = temporaryFolder()
  const file = join(folder, 'bot.json')
  const { investment, dcaTotalBudget, dcaInitialOrderSize, dcaMaxSafetyOrders, dcaPriceScalePercent } = BOT_PAYLOAD
  const { dcaVolumeScale, dcaPriceStepMultiplier, takeProfit, stopLoss } = BOT_PAYLOAD
  const config = {
    ...{ investment, dcaTotalBudget, dcaInitialOrderSize, dcaMaxSafetyOrders, dcaPriceScalePercent },
    ...{ dcaVolumeScale, dcaPriceStepMultiplier, takeProfit, stopLoss },
    ...{ exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' },
  }
  writeFileSync(file, JSON.stringify({ config }))
  const settings = { DCALAB_BASE_URL: 'http://127.0.0.1:9', DCALAB_API_KEY: API_KEY, DCALAB_SECRET_KEY: SECRET_KEY }
  const world = testSystem({ sleep: 'jump', fetch })
  const dcalab = program(folder, { ...settings, DCALAB_USER_EMAIL: 'you@example.com' }, { world })
  const flag = fc.oneof(
    fc.constantFrom<readonly string[]>(
      ['--isDemo', 'false'],
      ['--no-isDemo'],
      ['--isDemo=false'],
      ['--real'],
      ['--yes'],
    ),
    text.map((words) => ['--user', words]),
    text.map((words) => ['--name', words]),
    fc.constant<readonly string[]>([]),
  )
  const said = { refused: 0, taken: 0 }
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('create', 'validate'), flag, async (action, flags) => {
      const { code } = await dcalab(['bots', action, file, ...flags])
      expect(code).not.toBe(1)
      if (code === 0) said.taken++
      else said.refused++
    }),
    { numRuns: commands },
  )
  expect(bodies.length).toBeGreaterThan(0)
  expect(said.refused).toBeGreaterThan(0)
  expect(bodies.map(problemOf).filter((problem) => problem !== undefined)).toEqual([])
})
