/** A store with a finished study, and a service that keeps bots in its own books: the oracle is what it holds at the end. */

import { join } from 'node:path'
import { afterEach } from 'vitest'
import type { Metrics, MetricsAsRead } from '../../../src/contract/metrics.ts'
import { sampleSizeOf } from '../../../src/contract/metrics.ts'
import { CONVENTION_PRESETS } from '../../../src/engine/conventions.ts'
import type { System } from '../../../src/system.ts'
import type { Client } from '../../../src/workbench/api/calls.ts'
import { openAttempt, settleAttempt } from '../../../src/workbench/store/attempts.ts'
import { openStore, type Store } from '../../../src/workbench/store/store.ts'
import { startStudyRun } from '../../../src/workbench/store/studies.ts'
import { parseStudy, planTrials } from '../../../src/workbench/study/parse.ts'
import { starterStudy } from '../../../src/workbench/study/starter.ts'
import { putEmptyStore } from '../../support/empty-store.ts'
import { fixtureStudy, fixtureTrials } from '../../support/fixture-trials.ts'
import { folderInMemory, removeFolder } from '../../support/folder.ts'
import { clientOf, type Hit, json, scriptedService } from '../api/world.ts'

export const OWNER = 'researcher@localhost'
export const STUDY = 'lab'
export const IDENTITY = 'embedded:promote-test'

export interface Bot {
  id: string
  [field: string]: unknown
}

/** What the service does with one request instead of answering it well. */
export type Fate =
  | { readonly do: 'answer'; readonly status: number; readonly body: unknown }
  /** Does nothing and breaks the line. */
  | { readonly do: 'reset' }
  /** Does it and breaks the line. */
  | { readonly do: 'resetAfter' }

export interface World {
  readonly store: Store
  readonly system: System
  readonly client: Client
  readonly bots: Bot[]
  readonly hits: Hit[]
  /** Fingerprints of the finished trials in the order of their profit, best first. */
  readonly trials: readonly string[]
  /** Requests that create bots, as sent. */
  creates(): readonly Hit[]
  advance(ms: number): Promise<void>
  close(): Promise<void>
}

export interface WorldOptions {
  readonly fate?: (hit: Hit, index: number) => Fate | undefined
  /** Changes a bot as it is stored. */
  readonly store?: (bot: Bot) => Bot
  /** Bots that were there before. */
  readonly bots?: readonly Bot[]
  /** A service that does not call itself ours: settle times are those of a real one. */
  readonly away?: boolean
  readonly metrics?: (metrics: Metrics, index: number) => MetricsAsRead
}

const pageSize = 2

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const bots: Bot[] = (options.bots ?? []).map((bot) => ({ ...bot }))
  const service = await scriptedService((hit, response, index) => {
    if (!options.away) response.setHeader('X-DCALab-Service', IDENTITY)
    const fate = options.fate?.(hit, index)
    if (fate?.do === 'answer') return json(response, fate.status, fate.body)
    if (fate?.do === 'reset') return response.socket?.resetAndDestroy()
    const answer = carryOut(hit, bots, options.store ?? ((bot) => bot))
    if (fate?.do === 'resetAfter') return response.socket?.resetAndDestroy()
    json(response, answer.status, answer.body)
  })
  const { client, system, advance } = clientOf(service.url)
  const folder = folderInMemory()
  const path = join(folder, 'workbench.sqlite')
  putEmptyStore(path)
  const store = openStore(path, { system })
  const trials = await finishStudy(store, options.metrics ?? ((metrics) => metrics))
  return {
    store,
    system,
    client,
    bots,
    hits: service.hits,
    trials,
    creates: () => service.hits.filter(({ method, url }) => method === 'POST' && url === '/api/bots'),
    advance,
    close: async () => {
      store.close()
      removeFolder(folder)
      await service.close()
    },
  }
}

/** Worlds for the tests of one file; each is closed when its test is over. */
export function worldForEachTest(): (options?: WorldOptions) => Promise<World> {
  const worlds: World[] = []
  afterEach(async () => {
    await Promise.all(worlds.splice(0).map((open) => open.close()))
  })
  return async (options) => {
    const opened = await openWorld(options)
    worlds.push(opened)
    return opened
  }
}

function carryOut(hit: Hit, bots: Bot[], keep: (bot: Bot) => Bot): { status: number; body: unknown } {
  const url = new URL(hit.url, 'http://localhost')
  const id = /^\/api\/bots\/([^/]+)$/.exec(url.pathname)?.[1]
  if (url.pathname === '/api/backtest/limits') return { status: 200, body: { limit: 100 } }
  if (url.pathname === '/api/bots/validate') return { status: 200, body: { valid: true, errors: [] } }
  const action = /^\/api\/bots\/([^/]+)\/start$/.exec(url.pathname)?.[1]
  if (action !== undefined) {
    const bot = bots.find((candidate) => candidate.id === action)
    if (bot?.isDemo !== true) throw new Error(`tripwire: a start of ${action}, which is not a demo bot`)
    bot.state = 'running'
    return { status: 200, body: bot }
  }
  if (hit.method === 'POST') {
    const bot = keep({ id: `bot-${bots.length + 1}`, state: 'created', ...JSON.parse(hit.body) })
    bots.push(bot)
    return { status: 201, body: bot }
  }
  if (id !== undefined) {
    const bot = bots.find((candidate) => candidate.id === id)
    return bot === undefined ? { status: 404, body: { error: { code: 'NotFound' } } } : { status: 200, body: bot }
  }
  const from = Number(url.searchParams.get('from') ?? 0)
  const owned = bots.filter(({ userEmail }) => userEmail === url.searchParams.get('userEmail'))
  const next = from + pageSize < owned.length ? `from=${from + pageSize}` : null
  return { status: 200, body: { bots: owned.slice(from, from + pageSize), next } }
}

/** Runs the starter study as if a service had answered each of its first trials; profits fall from trial to trial. */
async function finishStudy(
  store: Store,
  change: (metrics: Metrics, index: number) => MetricsAsRead,
): Promise<string[]> {
  // The made-up results state no stress test.
  const source = starterStudy(STUDY)
    .replace('stressedPerUsed', 'netProfit')
    .replace(/^ *timeInDealPercent.*\n/m, '')
  const study = parseStudy(source, { file: 'lab.yaml' })
  const trials = planTrials(study).trials.slice(0, 6)
  await startStudyRun(store, {
    study,
    trials,
    service: { identity: IDENTITY, simulated: true, origin: 'http://127.0.0.1' },
    settingsOn: null,
  })
  const [example] = fixtureTrials(fixtureStudy())
  if (example.metrics === null) throw new Error('the fixture has metrics')
  for (const [i, { fingerprint }] of trials.entries()) {
    const now = store.clock.wall() + i
    const spender = { identity: IDENTITY, account: OWNER }
    const attempt = await openAttempt(store, {
      ...spender,
      study: STUDY,
      fingerprint,
      now,
      settingsId: null,
      runId: null,
      admit: () => true,
    })
    if (attempt === 'full') throw new Error('the ledger is empty')
    const metrics: Metrics = {
      ...example.metrics,
      netProfit: 100 - i,
      realizedProfit: 100 - i,
      unrealizedProfit: 0,
      roiPercent: 10 - i / 10,
      winRatePercent: 75,
      maxDrawdownPercent: 5,
      closedDeals: 120,
      sampleSize: sampleSizeOf(120),
    }
    await settleAttempt(store, {
      attemptId: attempt.id,
      at: now,
      to: 'acked',
      observation: {
        remoteId: `job-${i}`,
        name: attempt.name,
        state: 'done',
        remoteState: 'completed',
        finishedAt: now,
        failure: null,
        body: `{"id":"job-${i}"}`,
        receivedAt: now,
        result: {
          metrics: change(metrics, i),
          flags: {},
          deals: [-1, 2, 3, 4].map((profit) => ({
            openedAt: '2024-01-01T00:00:00.000Z',
            closedAt: '2024-01-02T00:00:00.000Z',
            exit: 'takeProfit',
            safetyOrders: 1,
            quantity: 1,
            cost: 1,
            proceeds: 1 + profit,
            profit,
            price: 1,
            lowestValue: null,
          })),
          openDeal: null,
          candles: { interval: '1m', count: 1000, missing: 3, hash: 'abc', synthetic: true },
          conventions: CONVENTION_PRESETS.default,
          costs: { feePercent: 0.1, slippagePercent: 0 },
          symbol: null,
          engineVersion: 'test',
        },
      },
    })
  }
  return trials.map(({ fingerprint }) => fingerprint)
}

/** A client that ends the program at one of its calls. */
export function crashAt(client: Client, call: keyof Client, moment: 'before' | 'after', noteDeath = () => {}): Client {
  return new Proxy(client, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver)
      if (name !== call || typeof method !== 'function') return method
      return async (...args: unknown[]) => {
        if (moment === 'after') await Reflect.apply(method, target, args)
        noteDeath()
        throw new Error('crash')
      }
    },
  })
}
