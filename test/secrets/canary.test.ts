/**
 * R8, H55: the keys are nowhere but in the headers of requests to their own service. Forty-odd ways to fail, with a service that throws
 * the keys back in every spelling; then every byte of output and every file is searched for five spellings of both.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { httpService, studyOf } from '../proc/http-service.ts'
import type { Answer } from '../sim/service.ts'
import { type Desk, desk, ended, program } from '../support/dcalab.ts'

const API_KEY = 'cAnArY+api/key="1234\\5678~'
const SECRET_KEY = 'S3cr3t?canary&value%41<abcdef>'

/** What is looked for: plain, percent-encoded, JSON-escaped, base64 and hex. */
const SPELLINGS = [API_KEY, SECRET_KEY].flatMap((key) => [
  key,
  encodeURIComponent(key),
  JSON.stringify(key).slice(1, -1),
  ...[0, 1, 2].map((offset) => base64Core(key, offset)),
  Buffer.from(key).toString('hex'),
])

/** The part of a base64 text that depends on the key alone when `offset` bytes stand before it. */
function base64Core(key: string, offset: number): string {
  const text = Buffer.from(`${'\0'.repeat(offset)}${key}`)
    .toString('base64')
    .replaceAll('=', '')
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + key.length) * 8) / 6))
}

const echo = [
  API_KEY,
  SECRET_KEY,
  encodeURIComponent(API_KEY),
  Buffer.from(`x${API_KEY}`).toString('base64'),
  Buffer.from(SECRET_KEY).toString('hex'),
].join(' ')

interface Path {
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
const echoed = json({ error: { code: 'X', message: echo, details: [{ field: echo, message: echo }] } })

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

const PATHS: Readonly<Record<string, Path>> = {
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
  'limits answer JSON': { ...badAnswer('GET', 401, echoed), args: ['limits', '--json'] },
  'limits answer text': { ...badAnswer('GET', 403, echoed), args: ['limits'] },
  'jobs list': {
    ...badAnswer('GET', 200, json({ jobs: [{ id: 'a', name: echo, state: echo }], next: null })),
    args: ['jobs', 'list', '--json'],
  },
  'jobs show': {
    ...badAnswer('GET', 200, json({ id: 'a', name: echo, state: echo, error: echo })),
    args: ['jobs', 'show', 'a'],
  },
  'jobs resolve': { ...badAnswer('GET', 403, echoed), args: ['jobs', 'resolve'] },
  symbols: {
    ...badAnswer('GET', 200, json({ symbols: [{ symbol: echo, baseAsset: echo, quoteAsset: echo }] })),
    args: ['symbols', 'binance'],
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
  'bots validate': {
    ...badAnswer('POST', 400, echoed),
    args: ['bots', 'validate', 'bot.json'],
    environment: { DCALAB_USER_EMAIL: 'a@b.example' },
    prepare: writeBot,
  },
  reparse: { args: ['reparse', '--json'] },
  doctor: { ...badAnswer('GET', 200, json({ echo })), args: ['doctor'] },
  'doctor as JSON': { ...badAnswer('GET', 500, echoed), args: ['doctor', '--json'] },
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

it(`${Object.keys(PATHS).length} paths: neither key in any output or file, in five spellings`, async () => {
  const found: string[] = []
  const paths = Object.entries(PATHS)
  const lane = async (first: number) => {
    for (let n = first; n < paths.length; n += 4) found.push(...(await walk(paths[n][0], paths[n][1])))
  }
  await Promise.all([0, 1, 2, 3].map(lane))
  expect(found).toEqual([])
  expect(paths.length).toBeGreaterThanOrEqual(40)
}, 400_000)

it('the search finds keys where there are some (control)', () => {
  for (const spelling of SPELLINGS) expect(hits(`before ${spelling} after`)).not.toEqual([])
  expect(hits(echo).length).toBeGreaterThan(3)
})

async function walk(name: string, path: Path): Promise<string[]> {
  const at = desk()
  const { answer } = path
  const service = await httpService({
    delayMs: (method) => (path.signal !== undefined && method === 'POST' ? 3_000 : 0),
    instead: (request) => {
      // The first read has to tell who the service is, or nothing else would be reached.
      const isFirst = request.method === 'GET' && request.url === '/api/backtest/limits' && answer?.to === 'POST'
      if (answer === undefined || isFirst || request.method !== answer.to) return undefined
      return {
        status: answer.status,
        body: answer.body,
        headers: { 'content-type': 'application/json', ...answer.headers },
      }
    },
  })
  try {
    writeFileSync(join(at.folder, 'study.json'), studyOf(4))
    path.prepare?.(at)
    const environment = {
      DCALAB_BASE_URL: service.url,
      DCALAB_API_KEY: API_KEY,
      DCALAB_SECRET_KEY: SECRET_KEY,
      ...path.environment,
    }
    const child = at.startNode([...(path.node ?? []), program, ...path.args], environment)
    const end = ended(child)
    // Some of these wait for a better time; a look at the first seconds is enough.
    const stop = setTimeout(() => child.kill('SIGINT'), path.signal === undefined ? 6_000 : 2_500)
    const harder = setTimeout(() => child.kill('SIGKILL'), 20_000)
    const hit = path.signal === undefined ? undefined : setTimeout(() => child.kill(path.signal), 1_500)
    const { stdout, stderr } = await end
    for (const timer of [stop, harder, hit]) clearTimeout(timer)
    if (path.signal === undefined) expect(`${stdout}${stderr}`.length, name).toBeGreaterThan(0)
    return [
      ...hits(stdout).map((spelling) => `${name}: stdout holds ${spelling}`),
      ...hits(stderr).map((spelling) => `${name}: stderr holds ${spelling}`),
      ...filesOf(at.folder).flatMap((file) =>
        hits(readFileSync(file).toString('latin1')).map((spelling) => `${name}: ${file} holds ${spelling}`),
      ),
    ]
  } finally {
    await service.close()
  }
}

function hits(text: string): string[] {
  return SPELLINGS.filter((spelling) => text.includes(spelling))
}

/** Store, log, spill, locks, Node's reports, core files: everything but the `.env` that the test itself wrote. */
function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile() && !file.endsWith('.env'))
}
