/** What the rest of the program may open: the service itself, and the keys of a service store without serving. */
import { createAdaptorServer } from '@hono/node-server'
import { BACKTEST_ALLOWANCE, RATE_LIMIT } from '../contract/refusals.ts'
import { CONVENTION_PRESETS, type Conventions, type Costs, DEFAULT_COSTS } from '../engine/conventions.ts'
import { Failure } from '../errors.ts'
import type { System } from '../system.ts'
import { createEnginePool } from '../workers/pool.ts'
import { createLiveBots } from './bots/live-bots.ts'
import { createMarketClock, type MarketSetting, setMarketClock } from './bots/market-clock.ts'
import { createMarketFeed } from './bots/market-feed.ts'
import { type Database, getServiceId, openDatabase } from './database.ts'
import { createApp } from './http/app.ts'
import { type ChaosTerms, createChaos } from './http/chaos.ts'
import type { WindowType } from './jobs/allowance.ts'
import { createCandleShelf } from './jobs/candle-shelf.ts'
import { createJobRunner } from './jobs/job-runner.ts'
import { otherRunners, type Runner, releaseDead, startRunner } from './jobs/runners.ts'
import { deleteKey, type IssuedKeys, issueKeys, type KeyRequest, type ListedKey, listKeys, revokeKey } from './keys.ts'

export interface ServiceOptions {
  readonly system: System
  /** The service's own SQLite file; made when absent, in a folder that is there. */
  readonly storePath: string
  readonly candlesFolder: string
  /** The built `engine-worker.js`. */
  readonly workerFile: URL | string
  /** Default: a free one. */
  readonly port?: number
  /** Requests a minute and key; 0 = unlimited. Default 120. */
  readonly rate?: number
  /** Backtests in 24 hours and account; 0 = unlimited. Default 100. */
  readonly allowance?: number
  /** Of the minute; default sliding. */
  readonly rateWindow?: WindowType
  /** Of the day; default sliding. */
  readonly window?: WindowType
  /** When fixed days begin, ms after midnight UTC; default 0. */
  readonly windowPhaseMs?: number
  readonly conventions?: Conventions
  readonly costs?: Costs
  /** Sets the market clock of the store; default: it goes on as it was set last, at first the wall clock. */
  readonly market?: MarketSetting
  /** Spoils answers on purpose; default: none. */
  readonly chaos?: ChaosTerms
  /** Backtests computed at once. Default 2. */
  readonly workers?: number
}

/** The keys of a service store. A key issued or revoked here is known to every process that serves the file at once. */
export interface Keyring {
  /** A new pair; it can be read here and nowhere else. @throws Failure usage for an unusable e-mail, address or scope list */
  issueKeys(request: KeyRequest): IssuedKeys
  listKeys(): ListedKey[]
  /** @param key its first characters as listed, or the whole API key. @returns whether a key in force was found */
  revokeKey(key: string): boolean
}

export interface RunningService extends Keyring {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** The identity without its `embedded:`. */
  readonly serviceId: string
  /** A pair for this process alone: the end of the service takes it out of force and out of the list. @throws Failure usage */
  issueSessionKeys(request: KeyRequest): IssuedKeys
  /** Lets requests under way finish, puts unfinished jobs back into the queue, and lets go of everything. */
  close(): Promise<void>
}

/** How long a slow reader may keep a closing service waiting. */
const closingGraceMs = 2_000

/**
 * Starts the embedded service on 127.0.0.1 and takes up jobs that an earlier process left unfinished.
 * @throws Failure storeUnusable, or settingInvalid when the port cannot be had
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

async function serve(db: Database, runner: Runner, options: ServiceOptions): Promise<RunningService> {
  const { system, storePath, candlesFolder, workerFile } = options
  releaseDead(db, system, storePath, otherRunners(db, runner.id, { holdingJobs: false }))
  const serviceId = getServiceId(db)
  const shelf = createCandleShelf(candlesFolder)
  const pool = createEnginePool({ workerFile, size: options.workers ?? 2 })
  const jobs = createJobRunner({ db, system, storePath, candlesFolder, shelf, pool, runner })
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
  })
  const app = createApp({
    db,
    system,
    serviceId,
    candlesFolder,
    shelf,
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
  })
  const chaos = options.chaos === undefined ? undefined : createChaos(app.fetch, { terms: options.chaos, system })
  const listener = await listen(chaos?.fetch ?? app.fetch, options.port ?? 0)
  const sessionKeys: string[] = []
  jobs.look()
  return {
    url: `http://127.0.0.1:${listener.port}`,
    serviceId,
    ...keyringOf(db, system),
    issueSessionKeys(request) {
      const pair = issueKeys(db, system, request)
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

/** The keys of a service store without serving it. Close it when done. */
export function openKeyring(options: {
  readonly system: System
  readonly storePath: string
}): Keyring & { close(): void } {
  const db = openDatabase(options.storePath, options.system)
  return { ...keyringOf(db, options.system), close: () => void db.close() }
}

function keyringOf(db: Database, system: System): Keyring {
  return {
    issueKeys: (request) => issueKeys(db, system, request),
    listKeys: () => listKeys(db),
    revokeKey: (key) => revokeKey(db, system, key),
  }
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
    serverOptions: { headersTimeout: 10_000, requestTimeout: 30_000 },
  })
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
    () => undefined, // everyone left in time
  )
  await ended
  closed.abort()
  await grace
}
