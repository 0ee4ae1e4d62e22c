/**
 * Requests made from the OpenAPI document, right ones and wrong ones, and what every answer must be: no failure, no hang, a status the
 * document names, JSON of the schema it names.
 */
import fc from 'fast-check'
import { expect } from 'vitest'
import { z } from 'zod'
import { CONVENTION_PRESETS } from '../../src/engine/conventions.ts'
import type { IssuedKeys } from '../../src/service/keys.ts'
import type { RunningService } from '../../src/service/start.ts'
import { deafWorker } from '../workers/fixtures.ts'
import { ask, botPayload, FROM, jobRequest, OWNER, type Reply, type World } from './world.ts'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly schema: { readonly enum?: readonly string[] }
}

interface Described {
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, { content?: { 'application/json': { schema: { $ref: string } } } }>>
}

interface Operation extends Described {
  readonly method: string
  readonly path: string
}

export interface Target {
  readonly service: RunningService
  readonly keys: IssuedKeys
  readonly operations: readonly Operation[]
  /** Reads a body by the name of its schema; throws with what is wrong. */
  check(schema: string, body: unknown): void
  readonly botId: string
  readonly jobId: string
}

interface Shot {
  readonly operation: Operation
  readonly path: string
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** A service with a bot and a job on it, and its own description. */
export async function openTarget(world: World): Promise<Target> {
  const service = await world.start({ rate: 0, allowance: 0, market: { now: FROM }, workerFile: deafWorker })
  const keys = service.issueKeys({ userEmail: OWNER })
  const document = JSON.parse((await ask(service, { path: '/openapi.json' })).text) // compared with the service's tables elsewhere
  const idOf = (reply: Reply): string => JSON.parse(reply.text).id
  const botId = idOf(await ask(service, { path: '/api/bots', keys, body: botPayload() }))
  await ask(service, { method: 'POST', path: `/api/bots/${botId}/start`, keys })
  const jobId = idOf(await ask(service, { path: '/api/backtest/jobs', keys, body: jobRequest() }))
  await world.system.advance(86_400_000)
  const paths: Record<string, Record<string, Described>> = document.paths
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ ...described, method: method.toUpperCase(), path })),
  )
  const $defs = JSON.parse(JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/$defs/'))
  const readers = new Map<string, z.ZodType>(
    Object.keys($defs).map((name) => [name, z.fromJSONSchema({ $ref: `#/$defs/${name}`, $defs })]),
  )
  const check = (schema: string, body: unknown) => void readers.get(schema.split('/').at(-1) ?? '')?.parse(body)
  return { service, keys, operations, check, botId, jobId }
}

const nasty = fc.constantFrom(
  ...[
    '',
    '.',
    '..',
    '%2e%2e',
    '%00',
    '%',
    '%zz',
    '%F0%9F%92%A9',
    "'; drop table bots; --",
    '<script>',
    '{id}',
    '-1',
    'null',
  ],
  ...[
    '9007199254740993',
    '1e999',
    '\u202e',
    'a'.repeat(3000),
    '../../etc',
    'true',
    '2024-02-30',
    '2024-01-31T00:00:00Z',
  ],
)
const word = fc.oneof(
  { weight: 3, arbitrary: nasty },
  { weight: 2, arbitrary: fc.string({ maxLength: 40, unit: 'binary' }) },
)
const json = fc.jsonValue({ maxDepth: 3 })

function someShot(target: Target): fc.Arbitrary<Shot> {
  return fc.constantFrom(...target.operations).chain((operation) => {
    const inPath = operation.parameters.some((parameter) => parameter.in === 'path')
    return fc.record({
      operation: fc.constant(operation),
      path: fc
        .tuple(inPath ? someId(target) : fc.constant(''), someQuery(operation))
        .map(([id, query]) => `${operation.path.replace(/\{\w+\}/, id)}${query}`),
      body: operation.requestBody === undefined ? fc.constantFrom(undefined, '', '{}') : someBody(operation),
      headers: someHeaders,
    })
  })
}

function someId({ botId, jobId }: Target): fc.Arbitrary<string> {
  const known = fc.constantFrom(botId, jobId, 'binance', 'unknown')
  return fc.oneof({ weight: 3, arbitrary: known }, { weight: 1, arbitrary: word.map(inUrl) })
}

function someQuery({ parameters }: Operation): fc.Arbitrary<string> {
  const named = parameters.filter((parameter) => parameter.in === 'query')
  const one = fc
    .constantFrom<Parameter>(...named, { name: 'strange', in: 'query', schema: {} })
    .chain(({ name, schema }) => {
      const likely = ['1', '50', '2024-01-31', OWNER, 'USDT', ...(schema.enum ?? [])]
      return fc.oneof(fc.constantFrom(...likely).map(inUrl), word.map(inUrl)).map((value) => `${name}=${value}`)
    })
  return fc.array(one, { maxLength: 3 }).map((parts) => (parts.length === 0 ? '' : `?${parts.join('&')}`))
}

const SETTINGS = {
  conventions: CONVENTION_PRESETS.default,
  costs: { feePercent: 0.5, slippagePercent: 0.1 },
  symbol: { tick: 0.01, lot: 0.00001, minNotional: 10 },
}

/** Some of the parts, one of them with something else in it or in its place. */
function someSettings(value: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  const part = fc.constantFrom(...Object.entries(SETTINGS))
  const inside = part.chain(([name, fields]) =>
    fc
      .tuple(fc.constantFrom(...Object.keys(fields), '__proto__', 'constructor'), value)
      .map(([field, wrong]) => [name, Object.assign(Object.create(null), fields, { [field]: wrong })] as const),
  )
  const instead = fc.tuple(
    part.map(([name]) => name),
    value,
  )
  const kept = fc.subarray(Object.entries(SETTINGS))
  return fc
    .tuple(kept, fc.oneof(inside, instead))
    .map(([parts, [name, wrong]]) => ({ ...Object.fromEntries(parts), [name]: wrong }))
}

/** Right, right but for one field, or anything at all. */
function someBody({ operationId }: Operation): fc.Arbitrary<unknown> {
  const right = operationId === 'createJob' ? jobRequest({ settings: SETTINGS }) : botPayload()
  const fields = Object.keys(right)
  const value = fc.oneof(json, nasty, fc.double(), fc.constantFrom(0, -0, 1e308, -1, 1e-320, 2 ** 53))
  const twisted = fc
    .array(fc.tuple(fc.constantFrom(...fields, '__proto__', 'constructor'), value), { minLength: 1, maxLength: 3 })
    .map((changes) => Object.assign(Object.create(null), right, Object.fromEntries(changes)))
  const shortened = fc.subarray(fields).map((kept) => Object.fromEntries(kept.map((field) => [field, right[field]])))
  const asking = someSettings(value).map((settings) => jobRequest({ settings }))
  const text = fc.oneof(nasty, fc.string({ maxLength: 200 }), fc.constant('['.repeat(50_000)), fc.constant('1e999'))
  const sound = operationId === 'createJob' ? fc.oneof(fc.constant(right), asking) : fc.constant(right)
  return fc.oneof({ weight: 2, arbitrary: sound }, twisted, twisted, shortened, json, text)
}

const someHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { 'Content-Type': 'text/plain' },
      { 'Content-Type': 'application/json; charset=latin1' },
      { 'Transfer-Encoding': 'chunked' },
      { 'Content-Encoding': 'gzip' },
      { Accept: 'text/html' },
      { 'X-API-Key': 'k'.repeat(4000) },
      { 'X-HTTP-Method-Override': 'DELETE' },
      { Origin: 'http://evil.example' },
    ),
  },
)

/** A path may hold anything that an HTTP client can be made to send. */
function inUrl(text: string): string {
  return encodeURI(text.replace(/\p{Surrogate}/gu, ''))
    .replaceAll('%25', '%')
    .replaceAll('#', '%23')
    .replaceAll('?', '%3F')
}

/** @param count requests; each failing one is shrunk to its smallest form */
export async function fuzz(target: Target, count: number): Promise<ReadonlyMap<string, number>> {
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(someShot(target), async (shot) => {
      const { operation, path, body, headers } = shot
      const { method, operationId } = operation
      const reply = await ask(target.service, { method, path, body, keys: target.keys, headers })
      seen.set(`${operationId} ${reply.status}`, (seen.get(`${operationId} ${reply.status}`) ?? 0) + 1)
      judge(target, operation, reply)
    }),
    { numRuns: count },
  )
  return seen
}

function judge({ check }: Target, { responses }: Operation, { status, text }: Reply): void {
  expect(status, text).toBeLessThan(500)
  if (status === 204) {
    expect(text).toBe('')
    return
  }
  const described = responses[status]?.content?.['application/json'].schema.$ref
  // An id that bends the path leads to no endpoint, or to one with another method.
  if (described === undefined) expect([404, 405]).toContain(status)
  check(described ?? 'Error', JSON.parse(text))
}
