/** Replies whose status is a success and whose body is a no: what was refused by a documented code is never counted, the rest is, once. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Client } from '../../../src/workbench/api/calls.ts'
import { builtInDialect } from '../../../src/workbench/api/reading/dialect.ts'
import { runSelect } from '../../support/run-select.ts'
import {
  CALLS,
  clientOf,
  JOB_REQUEST,
  json,
  type ScriptedService,
  scriptedService as serviceOnAPort,
} from '../api/world.ts'
import { makeTrials, makeWorld } from './setup.ts'

const failed = 'its body says it failed'

/** What is said → what it is: a documented code, words of a failure, or the shape alone. */
const BODIES: Readonly<Record<string, readonly [body: unknown, meaning: string]>> = {
  'our own error body': [{ error: { code: 'ApiKeyRateLimit', message: 'slow down' } }, 'ApiKeyRateLimit'],
  'a bare code': [{ code: 'ApiKeyBacktestLimit' }, 'ApiKeyBacktestLimit'],
  'an envelope with a code': [
    { success: false, code: 'ApiKeyInvalid', message: 'no such key', data: null },
    'ApiKeyInvalid',
  ],
  'error as one word': [{ ok: false, error: 'ApiKeyScope' }, 'ApiKeyScope'],
  'a reason': [{ status: 'error', reason: 'AuthRequired' }, 'AuthRequired'],
  'two wrappers deep': [{ data: { result: { errorCode: 'ApiKeyAddress' } } }, 'ApiKeyAddress'],
  'a list of errors (JSON:API)': [
    { errors: [{ id: 'e-1', status: '429', code: 'ApiKeyRateLimit', detail: 'x' }] },
    'ApiKeyRateLimit',
  ],
  'a list of codes': [{ errors: ['ApiKeyBacktestLimit'] }, 'ApiKeyBacktestLimit'],
  'meta beside empty data': [{ meta: { code: 'ApiKeyRateLimit' }, data: {} }, 'ApiKeyRateLimit'],
  'a status object with a number beside': [
    { status: { error_code: 'ApiKeyBacktestLimit', credit_count: 0 }, data: { limit: 100, used: 100 } },
    'ApiKeyBacktestLimit',
  ],
  "another's body as a text": [{ error: '{"code":"ApiKeyRateLimit"}' }, 'ApiKeyRateLimit'],
  'a request id beside the code': [{ requestId: 'r-17', code: 'ApiKeyRateLimit' }, 'ApiKeyRateLimit'],
  'the code as the whole message': [{ success: false, message: 'ApiKeyBacktestLimit' }, 'ApiKeyBacktestLimit'],
  'the code alone': ['ApiKeyRateLimit', 'ApiKeyRateLimit'],
  'a limit of bots, said of a job': [{ code: 'BotPlanLimit', message: 'too many bots' }, 'rejected'],

  'a code inside a sentence': [{ success: false, message: 'refused: ApiKeyRateLimit, wait' }, failed],
  'success: false': [{ success: false, data: null }, failed],
  'ok: 0': [{ ok: 0, description: 'no' }, failed],
  'a status word': [{ status: 'fail', data: { title: 'no such pair' } }, failed],
  'a status number': [{ statusCode: 422, message: ['x must be a number'], error: 'Unprocessable' }, failed],
  'an error number': [{ retCode: 10006, retMsg: 'too many visits', result: {} }, failed],
  'a number below zero': [{ code: -1003, msg: 'way too many requests' }, failed],
  GraphQL: [{ data: null, errors: [{ message: 'rate limited', extensions: { code: 'THROTTLED' } }] }, failed],
  'problem details': [{ type: 'about:blank', title: 'Too Many Requests', status: 429 }, failed],
  'isError with a trace': [{ isError: true, traceId: 'abc' }, failed],
  'a code of its own': [{ error: { code: 'LIMIT_REACHED' } }, failed],
  'a misspelt code': [{ success: false, code: 'apikeyratelimit' }, failed],

  'a code beside an id that is not understood': [{ code: 'ApiKeyRateLimit', data: { backtestId: 'bt-1' } }, 'shape'],
  'a code in a warning': [{ accepted: true, warnings: [{ code: 'ApiKeyRateLimit' }] }, 'shape'],
  'a code in a success': [{ success: true, code: 'ApiKeyRateLimit' }, 'shape'],
  'a code under no wrapper': [{ backtest: { state: 'queued', error: 'ApiKeyRateLimit' } }, 'shape'],
}

let answer: unknown
let status = 200
let service: ScriptedService

beforeAll(async () => {
  service = await serviceOnAPort((_hit, response) => json(response, status, answer))
})
afterAll(() => service.close())

const meaningOf = (outcome: Awaited<ReturnType<Client['createJob']>>): string => {
  if (outcome.kind === 'refused') return outcome.code
  if (outcome.kind !== 'ambiguous') return outcome.kind
  return outcome.saysFailed && outcome.reason.startsWith(`HTTP ${status}, and ${failed}: `) ? failed : 'shape'
}

/** A run whose first submission is answered by the service on the port; all later ones by a scripted one. */
function runAfter(client: Client) {
  const world = makeWorld()
  const { createJob } = world.service
  let posts = 0
  Object.assign(world.service, {
    createJob: (request: typeof JOB_REQUEST) => (posts++ === 0 ? client.createJob(request) : createJob(request)),
  })
  return { ...world, posts: () => posts }
}

it('31 kinds are told apart, and 27 of them say no', () => {
  expect(Object.keys(BODIES)).toHaveLength(31)
  expect(Object.values(BODIES).filter(([, meaning]) => meaning !== 'shape')).toHaveLength(27)
})

it.each(Object.entries(BODIES))('%s', async (_name, [body, meaning]) => {
  answer = body
  status = 200
  expect(meaningOf(await clientOf(service.url).client.createJob(JOB_REQUEST))).toBe(meaning)
})

it.each([
  'our own error body',
  'a bare code',
  'an envelope with a code',
  'error as one word',
  'a limit of bots, said of a job',
  'success: false',
  'a code in a warning',
] as const)('the ledger after %s', async (name) => {
  const [body, meaning] = BODIES[name]
  answer = body
  status = 200
  const { run, store, posts, events } = runAfter(clientOf(service.url).client)
  const { stoppedBy, trials, allowance } = await run(makeTrials(2), { wait: true })
  const [first] = runSelect(store.path, 'select state, reply_code, reply_status from attempt order by id').rows
  if (meaning === failed || meaning === 'shape') {
    // One unit is counted, the run stops, and nothing is sent a second time.
    expect([posts(), allowance?.used, trials.done]).toEqual([1, 1, 0])
    expect(first).toEqual(['ambiguous', null, 200])
    expect(stoppedBy).toBe(meaning === failed ? 'refusal' : 'unresolved')
    const said = expect.stringContaining(`HTTP 200, and ${failed}: `)
    if (meaning === failed) expect(events).toContainEqual({ kind: 'unsure', message: said })
  } else if (meaning === 'rejected') {
    // As with status 400: counted until proved free.
    expect([first, allowance?.used, posts()]).toEqual([['rejected', 'BotPlanLimit', 200], 2, 2])
  } else {
    // What it says was refused is not counted; the trial is sent again where the code allows it.
    expect(first).toEqual(['released', meaning, 200])
    const isOver = ['ApiKeyInvalid', 'ApiKeyScope'].includes(meaning)
    expect([posts(), allowance?.used, trials.done]).toEqual(isOver ? [1, 0, 0] : [3, 2, 2])
    expect(stoppedBy).toBe(isOver ? 'refusal' : null)
  }
})

it('an id that is understood always wins', async () => {
  status = 201
  answer = { success: false, code: 'ApiKeyRateLimit', job: { id: 'job-9', state: 'queued' } }
  const { client } = clientOf(service.url)
  expect(await client.createJob(JOB_REQUEST)).toMatchObject({ kind: 'acked', value: { id: 'job-9' } })
  answer = { success: false, code: 'ApiKeyRateLimit', id: 'job-9' }
  expect(await client.createJob(JOB_REQUEST)).toMatchObject({ kind: 'acked', value: { id: 'job-9' } })
})

it.each([
  ['ApiKeyBacktestLimit', { kind: 'refused', code: 'ApiKeyBacktestLimit', message: 'day full' }],
  [
    { code: 'ApiKeyRateLimit', message: 'so and\nso' },
    { kind: 'refused', code: 'ApiKeyRateLimit', message: 'so and so' },
  ],
  [undefined, { kind: 'ambiguous', saysFailed: true }],
  [null, { kind: 'ambiguous', saysFailed: true }],
  ['Busy', { kind: 'ambiguous', saysFailed: true }],
  [{ code: 'WrongAddress' }, { kind: 'ambiguous' }],
  [true, { kind: 'ambiguous' }],
])('a dialect that calls it %j decides no more than a documented code', async (word, expected) => {
  status = 200
  answer = { success: false, errno: 31, msg: 'day full' }
  const asked: unknown[] = []
  const refusal = (body: unknown) => [asked.push(body), word][1]
  const { client } = clientOf(service.url, { dialect: { ...builtInDialect, refusal } })
  expect(await client.createJob(JOB_REQUEST)).toMatchObject(expected)
  expect(asked).toEqual([answer])
  answer = { success: false, errno: 31, id: 'job-1' }
  expect(await client.createJob(JOB_REQUEST)).toMatchObject({ kind: 'acked' })
  expect(asked).toHaveLength(1)
})

it('a dialect that throws frees nothing', async () => {
  status = 200
  answer = { success: false, errno: 31 }
  const refusal = () => {
    throw new Error('bug')
  }
  const { client } = clientOf(service.url, { dialect: { ...builtInDialect, refusal } })
  expect(await client.createJob(JOB_REQUEST)).toMatchObject({ kind: 'ambiguous' })
})

it('reads are refused by the same words, an empty list that failed proves nothing, and no bot moved', async () => {
  status = 200
  answer = { success: false, code: 'ApiKeyScope', data: [] }
  const { client } = clientOf(service.url)
  expect(await client.listJobs()).toMatchObject({ kind: 'refused', code: 'ApiKeyScope' })
  expect(await client.limits()).toMatchObject({ kind: 'refused', code: 'ApiKeyScope' })
  expect(await client.stopBot('bot-1')).toMatchObject({ kind: 'refused', code: 'ApiKeyScope' })
  expect(await client.deleteJob('job-1')).toMatchObject({ kind: 'refused', code: 'ApiKeyScope' })
  answer = { code: 'BotPlanLimit' }
  expect(await CALLS.createBot.call(client)).toMatchObject({ kind: 'refused', code: 'BotPlanLimit' })
  answer = { success: false, data: [], msg: 'maintenance' }
  const reason = `HTTP 200, and ${failed}: maintenance`
  expect(await client.listJobs()).toMatchObject({ kind: 'failed', reason })
  expect(await client.stopBot('bot-1')).toMatchObject({ kind: 'ambiguous', reason })
})
