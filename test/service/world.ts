/** A folder with small candles, services on it, and a caller that speaks plain HTTP to them. */
import { mkdirSync } from 'node:fs'
import { type Agent, request } from 'node:http'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { storeCandles } from '../../src/candles/folder/folder.ts'
import type { JobBody, JobListBody, JobRequestBody } from '../../src/contract/bodies.ts'
import { CONFIG_DEFAULTS, type DcaSpotConfig, type DemoBotPayload } from '../../src/contract/bot.ts'
import type { Interval } from '../../src/contract/market.ts'
import type { Candles } from '../../src/engine/candles.ts'
import type { IssuedKeys } from '../../src/service/keys.ts'
import { type RunningService, type ServiceOptions, startService } from '../../src/service/start.ts'
import { removeFolder, temporaryFolder } from '../support/folder.ts'
import { type TestSystem, testSystem } from '../support/system.ts'
import { workerFile } from '../support/worker-file.ts'

export const FROM = Date.UTC(2024, 0, 30)
export const TO = Date.UTC(2024, 1, 2)
export const MARKET = 'binance/BTC-USDT'
export const OWNER = 'researcher@localhost'

export interface World {
  readonly folder: string
  readonly candlesFolder: string
  readonly storePath: string
  readonly system: TestSystem
  start(options?: Partial<ServiceOptions>): Promise<RunningService>
  /** Closes every service that is still open and removes the folder. */
  clear(): Promise<void>
}

export function openWorld(system: TestSystem = testSystem()): World {
  const folder = temporaryFolder()
  const candlesFolder = join(folder, 'candles')
  const storePath = join(folder, 'store', 'service.sqlite')
  const services: RunningService[] = []
  mkdirSync(dirname(storePath))
  addCandles(candlesFolder, {})
  return {
    folder,
    candlesFolder,
    storePath,
    system,
    async start(options = {}) {
      const service = await startService({ system, storePath, candlesFolder, workerFile: workerFile(), ...options })
      let closed: Promise<void> | undefined
      const once = { ...service, close: () => (closed ??= service.close()) }
      services.push(once)
      return once
    },
    async clear() {
      await Promise.all(services.map((service) => service.close()))
      removeFolder(folder)
    },
  }
}

/** Three days of minutes around 40,000 that swing by about 3 %. */
export function swingingCandles({ from = FROM, to = TO, intervalMs = 60_000 }): Candles {
  const count = (to - from) / intervalMs
  const column = (value: (i: number) => number) => Float64Array.from({ length: count }, (_, i) => value(i))
  const price = (i: number) => 40_000 * (1 + 0.03 * Math.sin(i / 97) + 0.01 * Math.sin(i / 7))
  return {
    intervalMs,
    openTime: column((i) => from + i * intervalMs),
    open: column(price),
    high: column((i) => Math.max(price(i), price(i + 1)) + 5),
    low: column((i) => Math.min(price(i), price(i + 1)) - 5),
    close: column((i) => price(i + 1)),
    volume: column(() => 1),
  }
}

export function addCandles(
  folder: string,
  {
    market = MARKET,
    interval = '1m',
    from = FROM,
    to = TO,
  }: { market?: string; interval?: Interval; from?: number; to?: number },
): void {
  const intervalMs = interval === '1m' ? 60_000 : 3_600_000
  const candles = swingingCandles({ from, to, intervalMs })
  storeCandles(folder, { market, interval, candles, synthetic: true, conflict: 'keep' })
}

export const CONFIG: DcaSpotConfig = {
  investment: 1000,
  ...CONFIG_DEFAULTS,
  dcaTotalBudget: 1000,
  dcaInitialOrderSize: 20,
  dcaMaxSafetyOrders: 3,
  dcaPriceScalePercent: 1,
  dcaVolumeScale: 1.5,
  dcaPriceStepMultiplier: 1.2,
  takeProfit: 1,
  stopLoss: 0,
}

export function jobRequest(changes: Partial<Record<keyof JobRequestBody, unknown>> = {}): Record<string, unknown> {
  const market = { strategyType: 'DCA_SPOT', exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' }
  return { ...market, from: '2024-01-30', to: '2024-02-02', ...CONFIG, ...changes }
}

export function botPayload(changes: Partial<Record<keyof DemoBotPayload, unknown>> = {}): Record<string, unknown> {
  const market = { strategyType: 'DCA_SPOT', exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' }
  return { userEmail: OWNER, name: 'ladder', ...market, ...CONFIG, isDemo: true, ...changes }
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

export interface Question {
  readonly method?: string
  readonly path: string
  readonly keys?: IssuedKeys | null
  /** A value is sent as JSON; a string as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Default: a connection of its own. */
  readonly agent?: Agent
}

/** One request. `node:http`, because `fetch` forbids the Host and Origin headers that we must try. */
export function ask(service: { readonly url: string }, question: Question): Promise<Reply> {
  const { method = question.body === undefined ? 'GET' : 'POST', path, keys, body } = question
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const announced = text === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(text)) }
  const headers: Record<string, string> = {
    ...(keys ? { 'X-API-Key': keys.apiKey, 'X-Secret-Key': keys.secretKey } : {}),
    ...(text === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(question.headers?.['Transfer-Encoding'] === undefined ? announced : {}),
    ...question.headers,
  }
  return new Promise((resolve, reject) => {
    const sent = request(`${service.url}${path}`, { method, headers, agent: question.agent ?? false }, (reply) => {
      let received = ''
      reply.setEncoding('utf8').on('data', (chunk: string) => {
        received += chunk
      })
      reply.on('error', reject) // the answer was cut short
      reply.on('end', () => {
        const replyHeaders = Object.fromEntries(
          Object.entries(reply.headers).map(([name, value]) => [name, String(value)]),
        )
        resolve({ status: reply.statusCode ?? 0, headers: replyHeaders, text: received })
      })
    })
    sent.on('error', reject)
    sent.end(text)
  })
}

export function json(reply: Reply): unknown {
  return JSON.parse(reply.text)
}

/** Status and code name of a refusal, as in `403 ApiKeyScope`. */
export function refusalOf(reply: Reply): string {
  const body: { error?: { code?: string } } = JSON.parse(reply.text) // ours; a wrong shape fails the comparison
  return `${reply.status} ${body.error?.code}`
}

export async function listAll(service: { readonly url: string }, keys: IssuedKeys): Promise<readonly JobBody[]> {
  const reply = await ask(service, { path: '/api/backtest/jobs?limit=1000', keys })
  const list: JobListBody = JSON.parse(reply.text) // the shape under test
  return list.jobs
}

/** Whoever asks without a pause takes the processor from what it waits for. */
const askAgainMs = 10

/** Asks for the list until every job has ended. */
export async function untilEnded(service: { readonly url: string }, keys: IssuedKeys): Promise<readonly JobBody[]> {
  for (;;) {
    const jobs = await listAll(service, keys)
    if (jobs.every(({ state }) => state === 'completed' || state === 'failed')) return jobs
    await delay(askAgainMs)
  }
}

/** How often each job was taken up, by its name. */
export function readClaims(storePath: string): Record<string, number> {
  const db = new BetterSqlite3(storePath, { readonly: true })
  const rows = db.prepare<[], { name: string; claims: number }>('select name, claims from jobs order by seq').all()
  db.close()
  return Object.fromEntries(rows.map((row) => [row.name, row.claims]))
}

/** The status of a success, or what was refused and how. */
export function outcomeOf(reply: Reply): string {
  return reply.status < 300 ? String(reply.status) : refusalOf(reply)
}

/** So many at once. */
export function parallel<T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => work(i)))
}

/** How many of these replies are no refusal. */
export function admitted(replies: readonly { readonly status: number }[]): number {
  return replies.filter(({ status }) => status < 300).length
}
