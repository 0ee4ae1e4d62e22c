/** The two things other folders may start: the service itself, and the keys of a service store without serving it. */
import { createAdaptorServer } from '@hono/node-server'
import { BACKTEST_ALLOWANCE, RATE_LIMIT } from '../contract/bodies.ts'
import { CONVENTION_PRESETS, type Conventions, type Costs, DEFAULT_COSTS } from '../engine/conventions.ts'
import { Failure } from '../errors.ts'
import { runBuilt, statement } from '../sqlite/statements.ts'
import type { Clock, System } from '../system.ts'
import { createEnginePool } from '../workers/pool.ts'
import { createLiveBots, createMarketFeed, type MarketClock } from './bots/live-bots.ts'
import { type Database, openDatabase, query } from './database.ts'
import { createApp } from './http/app.ts'
import { type ChaosTerms, createChaos } from './http/chaos.ts'
import {
  createCandleCache,
  createJobRunner,
  otherRunners,
  type Runner,
  releaseDead,
  startRunner,
} from './jobs/job-runner.ts'
import type { WindowType } from './jobs/jobs.ts'
import { deleteKey, type Keyring, keyringOf } from './keys.ts'
import type { Tables } from './table-types.ts'

interface MarketSetting {
  /** ms UTC; `wall` returns to the wall clock. Default: unchanged. */
  readonly now?: number | 'wall'
  /** Market seconds per second, above 0. Default: 1 when `now` is given, else unchanged. */
  readonly speed?: number
}

export interface ServiceOptions {
  readonly system: System
  /** The service's own SQLite file; made when absent, in an existing folder. */
  readonly storePath: string
  readonly candlesFolder: string
  /** The built `engine-worker.js`. */
  readonly workerFile: URL | string
  /** Default: a free one. */
  readonly port?: number
  /** Requests per minute and key; 0 = unlimited. Default 120. */
  readonly rate?: number | undefined
  /** Backtests per 24 hours and account; 0 = unlimited. Default 100. */
  readonly allowance?: number | undefined
  /** Of the minute; default sliding. */
  readonly rateWindow?: WindowType | undefined
  /** Of the day; default sliding. */
  readonly window?: WindowType | undefined
  /** When fixed days begin, ms after midnight UTC; default 0. */
  readonly windowPhaseMs?: number
  readonly conventions?: Conventions
  readonly costs?: Costs
  /** Neither announces itself nor shows or takes settings; default: false. */
  readonly undisclosed?: boolean
  /** Sets the market clock of the store; default: unchanged (at first it is the wall clock). */
  readonly market?: MarketSetting
  /** Market time, ms UTC, at which this process starts bots that have not traded (`createLiveBots`); default: the market clock. */
  readonly startsAt?: number | undefined
  /** Faults to simulate; default: none. */
  readonly chaos?: ChaosTerms
  /** Backtests computed at once. Default 2. */
  readonly workers?: number
}

export interface RunningService extends Keyring {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** The identity without its `embedded:`. */
  readonly serviceId: string
  /** Issues a pair for this process: it is revoked and deleted when the service ends. @throws Failure usage */
  issueSessionKeys: Keyring['issueKeys']
  /** Lets running requests finish, puts unfinished jobs back into the queue, and closes everything. */
  close(): Promise<void>
}

/** Further ones are closed at once: a silent connection, too, holds memory until a time limit ends it. */
const mostConnections = 250

/** How long a closing service waits for a slow client. */
const closingGraceMs = 2_000

/**
 * Starts the embedded service on 127.0.0.1 and continues jobs that an earlier process left unfinished.
 * @throws Failure storeUnusable, or settingInvalid when the port is not available
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { system, storePath } = options
  const db = openDatabase(storePath, system)
  try {
    const runner = startRunner(db, system, storePath)
    try {
      return await serve(db, runner, options)
    } catch (error) {
      runner.end()
      throw error
    }
  } catch (error) {
    db.close()
    throw error
  }
}

const setting = statement(() => query.selectFrom('market_clock').select(['wall_ms', 'market_ms', 'speed']))

const serviceId = statement(() => query.selectFrom('service').select('id'))

async function serve(db: Database, runner: Runner, options: ServiceOptions): Promise<RunningService> {
  const { system, storePath, candlesFolder, workerFile } = options
  releaseDead(db, system, storePath, otherRunners(db, runner.id, { holdingJobs: false }))
  const serviceId = getServiceId(db)
  const candleCache = createCandleCache(candlesFolder)
  const pool = createEnginePool({ workerFile, size: options.workers ?? 2 })
  const jobs = createJobRunner({ db, system, storePath, candlesFolder, candleCache, pool, runner })
  const terms = {
    conventions: options.conventions ?? CONVENTION_PRESETS.default,
    costs: options.costs ?? DEFAULT_COSTS,
  }
  setMarketClock(db, system.clock, options.market ?? {})
  const market = createMarketClock(db, system.clock)
  const bots = createLiveBots({
    db,
    candlesFolder,
    clock: market,
    feed: createMarketFeed(candlesFolder),
    terms,
    terminal: system.terminal,
    startsAt: options.startsAt,
  })
  const app = createApp({
    db,
    system,
    serviceId,
    candlesFolder,
    candleCache,
    jobs,
    bots,
    market,
    rate: { limit: options.rate ?? RATE_LIMIT.count, window: options.rateWindow ?? 'sliding' },
    allowance: {
      allowance: options.allowance ?? BACKTEST_ALLOWANCE.count,
      window: options.window ?? 'sliding',
      phaseMs: options.windowPhaseMs ?? 0,
    },
    terms,
    discloses: options.undisclosed !== true,
  })
  const chaos = options.chaos === undefined ? undefined : createChaos(app.fetch, { terms: options.chaos, system })
  const listener = await listen(chaos?.fetch ?? app.fetch, options.port ?? 0)
  const sessionKeys: string[] = []
  jobs.check()
  const keyring = keyringOf(db, system)
  return {
    url: `http://127.0.0.1:${listener.port}`,
    serviceId,
    ...keyring,
    issueSessionKeys(request) {
      const pair = keyring.issueKeys(request)
      sessionKeys.push(pair.apiKey)
      return pair
    },
    async close() {
      try {
        await chaos?.close()
        await listener.close(system)
        await jobs.close()
        runner.end()
        for (const apiKey of sessionKeys) deleteKey(db, apiKey)
      } finally {
        db.close()
      }
    },
  }
}

/** The random id that the file got when it was made; the service's identity is `embedded:<id>`. */
function getServiceId(db: Database): string {
  const row = serviceId.first(db)
  if (row === undefined) throw new Error('the service store has no id')
  return row.id
}

function createMarketClock(db: Database, clock: Clock): MarketClock {
  return { now: () => readMarket(setting.first(db), clock.wall()) }
}

function setMarketClock(db: Database, clock: Clock, { now, speed }: MarketSetting): void {
  if (now === undefined && speed === undefined) return
  db.transaction(() => {
    const wall = Math.floor(clock.wall())
    const row = setting.first(db)
    runBuilt(db, query.deleteFrom('market_clock'))
    const factor = speed ?? 1
    if (now === 'wall' && factor === 1) return
    const start = typeof now === 'number' ? now : now === 'wall' ? wall : readMarket(row, wall)
    const set = { id: 1, wall_ms: wall, market_ms: start, speed: factor }
    runBuilt(db, query.insertInto('market_clock').values(set))
  }).immediate()
}

/** When the wall clock was set back before the time of the setting, market time stays at the value that was set. */
function readMarket(row: Omit<Tables['market_clock'], 'id'> | undefined, wall: number): number {
  if (row === undefined) return Math.floor(wall)
  return Math.floor(row.market_ms + Math.max(0, wall - row.wall_ms) * row.speed)
}

/** The keys of a service store without serving it. Close it when done. */
export function openKeyring(options: {
  readonly system: System
  readonly storePath: string
}): Keyring & { close(): void } {
  const db = openDatabase(options.storePath, options.system)
  return { ...keyringOf(db, options.system), close: () => void db.close() }
}

type Fetch = Parameters<typeof createAdaptorServer>[0]['fetch']

interface Listener {
  readonly port: number
  close(system: System): Promise<void>
}

function listen(fetch: Fetch, port: number): Promise<Listener> {
  const server = createAdaptorServer({
    fetch,
    hostname: '127.0.0.1', // the default would be every address of this machine
    overrideGlobalObjects: false,
    serverOptions: { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000 },
  })
  server.maxConnections = mostConnections
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new Failure('settingInvalid', `Listening on 127.0.0.1:${port}: ${cause.message}`, { cause }))
    })
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') return reject(new Error('the listener has no port'))
      resolve({ port: address.port, close: (system) => closeServer(server, system) })
    })
  })
}

async function closeServer(server: ReturnType<typeof createAdaptorServer>, system: System): Promise<void> {
  const closed = new AbortController()
  const ended = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  const grace = system.clock.sleep(closingGraceMs, closed.signal).then(
    () => 'closeAllConnections' in server && server.closeAllConnections(),
    () => undefined, // all clients finished in time
  )
  await ended
  closed.abort()
  await grace
}
