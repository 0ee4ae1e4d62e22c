/** The ways on which a key could come out: what is run, and what the service does with it. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer } from '../sim/service.ts'
import type { Desk } from '../support/dcalab.ts'
import { API_KEY, SECRET_KEY } from '../workbench/api/world.ts'

export const echo = [
  API_KEY,
  SECRET_KEY,
  encodeURIComponent(API_KEY),
  Buffer.from(`x${API_KEY}`).toString('base64'),
  Buffer.from(SECRET_KEY).toString('hex'),
].join(' ')

export interface Path {
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly node?: readonly string[]
  /** What the service answers instead, to requests of this method. */
  readonly answer?: {
    readonly to: 'GET' | 'POST'
    readonly status: number
    readonly body: string
    readonly headers?: Answer['headers']
  }
  readonly prepare?: (at: Desk) => void
  readonly signal?: NodeJS.Signals
}

const json = (value: unknown) => JSON.stringify(value)
const run = ['run', 'study.json', '--settle', '0.2']
const badAnswer = (to: 'GET' | 'POST', status: number, body: string, headers?: Answer['headers']): Path => ({
  args: run,
  answer: { to, status, body, ...(headers === undefined ? {} : { headers }) },
})
export const echoed = json({ error: { code: 'X', message: echo, details: [{ field: echo, message: echo }] } })

function writeBot(at: Desk): void {
  const config = {
    investment: 1000,
    dcaTotalBudget: 1000,
    dcaInitialOrderSize: 20,
    dcaMaxSafetyOrders: 3,
    takeProfit: 1,
  }
  const ladder = { dcaPriceScalePercent: 1, dcaPriceStepMultiplier: 1.2, dcaVolumeScale: 1.3, stopLoss: 0 }
  const market = { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' }
  writeFileSync(join(at.folder, 'bot.json'), json({ config: { ...config, ...ladder, ...market, name: 'mine' } }))
}

export const PATHS: Readonly<Record<string, Path>> = {
  ...Object.fromEntries(
    [400, 401, 403, 404, 408, 409, 422, 429, 500, 503].map((status) => [
      `POST ${status}`,
      badAnswer('POST', status, echoed),
    ]),
  ),
  ...Object.fromEntries([400, 401, 403, 404, 429].map((status) => [`GET ${status}`, badAnswer('GET', status, echoed)])),
  'POST answers HTML': badAnswer('POST', 200, `<html>${echo}</html>`),
  'POST answers half a JSON': badAnswer('POST', 201, json({ id: 'x', note: echo }).slice(0, -8)),
  'POST answers a text': badAnswer('POST', 201, json(echo)),
  'POST answers an id that is a key': badAnswer(
    'POST',
    201,
    json({ id: API_KEY, state: 'completed', result: { metrics: {} } }),
  ),
  'POST answers a job with keys in it': badAnswer(
    'POST',
    201,
    json({ id: 'job-1', name: echo, state: echo, error: echo }),
  ),
  'POST answers a failed job': badAnswer('POST', 201, json({ id: 'job-1', state: 'failed', error: { message: echo } })),
  'POST answers a redirect': badAnswer('POST', 307, '', {
    location: `https://elsewhere.example/?k=${encodeURIComponent(API_KEY)}`,
  }),
  'GET answers a redirect': badAnswer('GET', 302, '', { location: `/login?k=${encodeURIComponent(SECRET_KEY)}` }),
  'GET answers HTML': badAnswer('GET', 200, `<html>${echo}</html>`),
  'GET answers an odd Retry-After': badAnswer('GET', 429, echoed, { 'retry-after': '1', 'x-echo': 'yes' }),
  'limits answer JSON': { ...badAnswer('GET', 401, echoed), args: ['service', 'limits', '--json'] },
  'limits answer text': { ...badAnswer('GET', 403, echoed), args: ['service', 'limits'] },
  'jobs list': {
    ...badAnswer('GET', 200, json({ jobs: [{ id: 'a', name: echo, state: echo }], next: null })),
    args: ['service', 'jobs', 'list', '--json'],
  },
  'jobs show': {
    ...badAnswer('GET', 200, json({ id: 'a', name: echo, state: echo, error: echo })),
    args: ['service', 'jobs', 'show', 'a'],
  },
  'jobs resolve': { ...badAnswer('GET', 403, echoed), args: ['service', 'jobs', 'resolve'] },
  symbols: {
    ...badAnswer('GET', 200, json({ symbols: [{ symbol: echo, baseAsset: echo, quoteAsset: echo }] })),
    args: ['service', 'symbols', 'binance'],
  },
  'bots list': {
    ...badAnswer('GET', 200, json({ bots: [{ id: 'b', name: echo, state: echo }] })),
    args: ['bots', 'list'],
    environment: { DCALAB_USER_EMAIL: 'a@b.example' },
  },
  'bots create': {
    ...badAnswer('GET', 403, echoed),
    args: ['bots', 'create', 'bot.json'],
    environment: { DCALAB_USER_EMAIL: 'a@b.example' },
    prepare: writeBot,
  },
  'bots create --dry-run': {
    ...badAnswer('POST', 400, echoed),
    args: ['bots', 'create', 'bot.json', '--dry-run'],
    environment: { DCALAB_USER_EMAIL: 'a@b.example' },
    prepare: writeBot,
  },
  'store reread': { args: ['store', 'reread', '--json'] },
  'service check': { ...badAnswer('GET', 200, json({ echo })), args: ['service', 'check'] },
  'service check as JSON': { ...badAnswer('GET', 500, echoed), args: ['service', 'check', '--json'] },
  'an invalid header character': { args: run, environment: { DCALAB_SECRET_KEY: `${SECRET_KEY}\nx` } },
  'a key outside of ASCII': { args: run, environment: { DCALAB_API_KEY: `${API_KEY}é` } },
  'one key of the pair': { args: run, environment: { DCALAB_SECRET_KEY: '' } },
  'nobody at the address': { args: run, environment: { DCALAB_BASE_URL: 'http://127.0.0.1:9' } },
  'keys in the address': {
    args: run,
    environment: { DCALAB_BASE_URL: `https://${encodeURIComponent(API_KEY)}:x@bots.example` },
  },
  'an address without TLS': { args: run, environment: { DCALAB_BASE_URL: 'http://bots.example' } },
  'TLS checks off': {
    args: run,
    environment: { DCALAB_BASE_URL: 'https://127.0.0.1.example', NODE_TLS_REJECT_UNAUTHORIZED: '0' },
  },
  'NODE_DEBUG=http,net,undici': { args: run, environment: { NODE_DEBUG: 'http,net,undici' } },
  'NODE_DEBUG=tls,fetch': { args: run, environment: { NODE_DEBUG: 'tls,fetch' } },
  '--report-uncaught-exception': { args: run, node: ['--report-uncaught-exception', '--report-on-signal'] },
  '--report-on-fatalerror and SIGABRT': { args: run, node: ['--report-on-fatalerror'], signal: 'SIGABRT' },
  'a report asked for by a signal': { args: run, node: ['--report-on-signal'], signal: 'SIGUSR2' },
  'a .env that others can read': {
    args: run,
    environment: { DCALAB_API_KEY: '', DCALAB_SECRET_KEY: '', DCALAB_BASE_URL: '' },
    prepare: (at) => {
      writeFileSync(join(at.folder, '.env'), `DCALAB_API_KEY='${API_KEY}'\nDCALAB_SECRET_KEY='${SECRET_KEY}'\n`)
      chmodSync(join(at.folder, '.env'), 0o644)
    },
  },
  'a dialect that throws the keys back': {
    ...badAnswer('GET', 200, echoed),
    environment: { DCALAB_DIALECT: 'dialect.mjs' },
    prepare: (at) =>
      writeFileSync(
        join(at.folder, 'dialect.mjs'),
        'export const dialect = { limits: (body) => { throw new Error(JSON.stringify(body)) } }',
      ),
  },
  'a store that is a folder': {
    args: run,
    prepare: (at) => mkdirSync(join(at.folder, 'data/workbench.sqlite'), { recursive: true }),
  },
  'a study that is wrong': { args: run, prepare: (at) => writeFileSync(join(at.folder, 'study.json'), '{"name": 1}') },
  'a run that works': { args: run },
  'a run as JSON': { args: [...run, '--json'] },
}
