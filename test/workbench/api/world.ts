/**
 * A scripted service on a free port and a client of it. Pauses between requests pass at once on a held clock; the deadline of an
 * exchange strikes only when a test says so.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { JobRequestBody } from '../../../src/contract/bodies.ts'
import { CONFIG_DEFAULTS, type DemoBotPayload } from '../../../src/contract/bot.ts'
import type { System } from '../../../src/system.ts'
import type { Client } from '../../../src/workbench/api/calls.ts'
import { createClient } from '../../../src/workbench/api/client.ts'
import { builtInDialect, type Dialect } from '../../../src/workbench/api/reading/dialect.ts'
import type { RateLog } from '../../../src/workbench/api/wire/gate.ts'
import { Keys } from '../../../src/workbench/api/wire/keys.ts'
import { testSystem } from '../../support/system.ts'

export const API_KEY = 'cAnArY+api/key="1234\\5678~'
export const SECRET_KEY = 'S3cr3t?canary&value%41<abcdef>'

export interface Hit {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface ScriptedService {
  readonly url: string
  readonly port: number
  readonly hits: Hit[]
  readonly sockets: () => number
  close(): Promise<void>
}

export type Script = (hit: Hit, response: ServerResponse, index: number) => void

export async function scriptedService(script: Script): Promise<ScriptedService> {
  const hits: Hit[] = []
  let sockets = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    response.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const hit = { method, url, headers, body: Buffer.concat(chunks).toString() }
      script(hit, response, hits.push(hit) - 1)
    })
  })
  server.on('connection', (socket) => {
    sockets++
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    hits,
    sockets: () => sockets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(status === 204 ? undefined : JSON.stringify(body))
}

export interface ClientWorld {
  readonly client: Client
  readonly system: System
  readonly waits: string[]
  /** Milliseconds slept between requests, in order. */
  readonly slept: number[]
  /** Lets the deadline of every exchange under way strike. */
  strikeDeadline(): Promise<void>
  /** Moves the clock without anybody sleeping. */
  advance(ms: number): Promise<void>
}

/** Marks the sleeps that are deadlines. */
export const deadlineMs = 30_000

export function clientOf(
  baseUrl: string,
  options: { readonly dialect?: Dialect; readonly fetch?: typeof fetch; readonly rateLog?: RateLog } = {},
): ClientWorld {
  const held = testSystem({ seed: 1, ...(options.fetch === undefined ? {} : { fetch: options.fetch }) })
  const rateLog = options.rateLog ?? { tryStart: () => ({ slot: 1 }), finish: () => {} }
  let underWay = 0
  const slept: number[] = []
  const waits: string[] = []
  const system: System = {
    ...held,
    clock: {
      ...held.clock,
      sleep: async (ms, signal) => {
        if (ms === deadlineMs) return held.clock.sleep(ms, signal)
        slept.push(ms)
        while (underWay > 0 && !signal?.aborted) await nextTurn() // time leaps only while nobody waits for an answer
        const sleep = held.clock.sleep(ms, signal)
        await Promise.all([sleep, held.advance(ms)])
      },
    },
  }
  const client = createClient({
    baseUrl,
    keys: new Keys(API_KEY, SECRET_KEY),
    system,
    dialect: options.dialect ?? builtInDialect,
    rateLog: {
      tryStart: (pace) => {
        const answer = rateLog.tryStart(pace)
        if ('slot' in answer) underWay++
        return answer
      },
      finish: (slot) => {
        underWay--
        rateLog.finish(slot)
      },
    },
    timeoutMs: deadlineMs,
    onWait: (reason) => waits.push(reason),
  })
  return { client, system, waits, slept, advance: held.advance, strikeDeadline: () => strike(held) }
}

async function strike(held: ReturnType<typeof testSystem>): Promise<void> {
  while (held.sleeping() === 0) await nextTurn()
  await held.advance(deadlineMs)
}

export const JOB_REQUEST: JobRequestBody = {
  name: 'dcalab-study-0123456789ab-1',
  strategyType: 'DCA_SPOT',
  exchange: 'binance',
  baseAsset: 'BTC',
  quoteAsset: 'USDT',
  from: '2021-04-21T00:00:00.000Z',
  to: '2021-05-19T00:00:00.000Z',
  investment: 1000,
  ...CONFIG_DEFAULTS,
  dcaTotalBudget: 1000,
  dcaInitialOrderSize: 20,
  dcaMaxSafetyOrders: 5,
  dcaPriceScalePercent: 1.5,
  dcaVolumeScale: 1.3,
  dcaPriceStepMultiplier: 1.2,
  takeProfit: 1,
  stopLoss: 0,
}

const { from: _from, to: _to, name: _name, ...botFields } = JOB_REQUEST

export const BOT_PAYLOAD: DemoBotPayload = {
  ...botFields,
  strategyType: 'DCA_SPOT',
  userEmail: 'researcher@localhost',
  name: 'dcalab-study-01234567',
  isDemo: true,
}

/** Every call the client has; writes must reach the service at most once whatever it answers. */
export const CALLS = {
  identify: { write: false, call: (client: Client) => client.identify() },
  limits: { write: false, call: (client: Client) => client.limits() },
  listJobs: { write: false, call: (client: Client) => client.listJobs({ limit: 100 }) },
  readJob: { write: false, call: (client: Client) => client.readJob('job-1') },
  listSymbols: { write: false, call: (client: Client) => client.listSymbols({ exchange: 'binance', quote: 'USDT' }) },
  listBots: { write: false, call: (client: Client) => client.listBots('researcher@localhost') },
  readBot: { write: false, call: (client: Client) => client.readBot('bot-1') },
  proveDemo: { write: false, call: (client: Client) => client.proveDemo('bot-1') },
  listExecutions: { write: false, call: (client: Client) => client.listExecutions('bot-1', { limit: 10 }) },
  listOrders: { write: false, call: (client: Client) => client.listOrders('bot-1', { state: 'open' }) },
  readPnl: { write: false, call: (client: Client) => client.readPnl('bot-1') },
  createJob: { write: true, call: (client: Client) => client.createJob(JOB_REQUEST) },
  deleteJob: { write: true, call: (client: Client) => client.deleteJob('job-1') },
  validateBot: { write: true, call: (client: Client) => client.validateBot(BOT_PAYLOAD) },
  createBot: { write: true, call: (client: Client) => client.createBot(BOT_PAYLOAD) },
  stopBot: { write: true, call: (client: Client) => client.stopBot('bot-1') },
} as const

/** A good answer to each call. */
export function goodBody(hit: Hit): unknown {
  if (hit.url.startsWith('/api/backtest/limits')) {
    return { limit: 100, windowHours: 24, windowType: 'sliding', used: 3, remaining: 97, nextAt: null }
  }
  if (hit.url.startsWith('/api/markets')) return { symbols: [] }
  if (/\/executions(\?|$)/.test(hit.url)) return { executions: [], next: null }
  if (/\/orders(\?|$)/.test(hit.url)) return { orders: [], next: null }
  if (hit.url.endsWith('/pnl')) return { botId: 'bot-1', netProfit: 1.5, equity: 1001.5, dailyEquity: [] }
  if (hit.url === '/api/bots/validate') return { valid: true, errors: [] }
  if (/^\/api\/bots\?/.test(hit.url)) return { bots: [], next: null }
  if (hit.url.startsWith('/api/bots')) return { id: 'bot-1', ...BOT_PAYLOAD, state: 'created' }
  if (hit.method === 'GET' && /^\/api\/backtest\/jobs(\?|$)/.test(hit.url)) return { jobs: [], next: null }
  return {
    id: 'job-1',
    name: JOB_REQUEST.name,
    state: 'queued',
    createdAt: '2026-01-01T00:00:00Z',
    request: JOB_REQUEST,
  }
}
