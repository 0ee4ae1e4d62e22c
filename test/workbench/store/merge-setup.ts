/** Stores that are merged in tests: what two people may have paid for, and everything that a store holds, to compare. */

import { join } from 'node:path'
import { expect } from 'vitest'
import type { DealBody } from '../../../src/contract/bodies.ts'
import type { ResultReading } from '../../../src/contract/result-reading.ts'
import { recordObservations } from '../../../src/workbench/store/jobs.ts'
import { mergeStore } from '../../../src/workbench/store/merge/merge.ts'
import type { ReadingRules } from '../../../src/workbench/store/reparse.ts'
import { openStore, type Store } from '../../../src/workbench/store/store.ts'
import { startStudyRun } from '../../../src/workbench/store/studies.ts'
import { putEmptyStore } from '../../support/empty-store.ts'
import { folderInMemory } from '../../support/folder.ts'
import { idleMetrics } from '../../support/metrics.ts'
import { testSystem } from '../../support/system.ts'
import { makeStudy, makeTrials } from '../run/setup.ts'
import { identity, observation, start, submit } from './setup.ts'

export const service = { identity, simulated: false, origin: 'https://bots.example' }

export function openEmpty(): Store {
  const path = join(folderInMemory(), 'workbench.sqlite')
  putEmptyStore(path)
  return openStore(path, { system: testSystem({ sleep: 'jump' }) })
}

/** A store whose study of n trials has been started. Made to be many: in memory, where the system has such a folder. */
export async function openStudy(n: number) {
  const store = openEmpty()
  const trials = makeTrials(n)
  const { id: runId } = await startStudyRun(store, { study: makeStudy(), trials, service, settingsOn: null })
  return { store, trials, runId }
}

const deal: DealBody = {
  openedAt: '2021-04-21T00:00:00.000Z',
  closedAt: '2021-04-21T08:30:00.000Z',
  exit: 'takeProfit',
  safetyOrders: 2,
  quantity: 0.25,
  cost: 100,
  proceeds: 100.1,
  profit: 0.1,
  price: 400.5,
  lowestValue: -0.4,
}

export function resultOf(netProfit: number): ResultReading {
  return {
    metrics: { ...idleMetrics(), netProfit },
    flags: {},
    deals: [deal, deal],
    openDeal: null,
    candles: null,
    conventions: null,
    costs: null,
    symbol: null,
    engineVersion: null,
  }
}

export async function finish(
  store: Store,
  remoteId: string,
  netProfit: number,
  body = JSON.stringify({ id: remoteId, netProfit }),
): Promise<void> {
  const done = observation(remoteId, {
    state: 'done',
    remoteState: 'completed',
    finishedAt: start + 60_000,
    body,
    result: resultOf(netProfit),
  })
  await recordObservations(store, { identity, observations: [done] })
}

/** A trial that is paid for, with its result. */
export async function pay(
  store: Store,
  fingerprint: string,
  remoteId: string,
  netProfit: number,
  runId: number | null = null,
): Promise<void> {
  await submit(store, fingerprint, remoteId, runId)
  await finish(store, remoteId, netProfit)
}

/** Replies of these tests, read again. */
export const rules: ReadingRules = {
  accepts: () => true,
  reread: ({ body, receivedAt }) => {
    try {
      const { id, netProfit } = JSON.parse(body)
      if (typeof netProfit === 'number')
        return { ...observation(id, { state: 'done', result: resultOf(netProfit) }), body, receivedAt }
    } catch {
      // Replies that no result was read from.
    }
    return { problem: 'it has no net profit' }
  },
}

/** Merges, and holds the store to what no merge may change: its tables, indexes and triggers, and that every row refers to one that is there. */
export async function mergeFrom(store: Store, other: Store | string) {
  const path = typeof other === 'string' ? other : other.path
  const before = schemaOf(store)
  const report = await mergeStore(store, { path, rules, showProgress: () => {}, signal: new AbortController().signal })
  expect(schemaOf(store)).toEqual(before)
  expect(store.db.pragma('foreign_key_check')).toEqual([])
  expect(store.db.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(store.db.pragma('foreign_keys', { simple: true })).toBe(1)
  return report
}

function schemaOf({ db }: Store) {
  return db.prepare('select type, name, sql from sqlite_schema order by type, name').all()
}

const VOLATILE = ['id', 'job_id', 'reply_id', 'attempt_id', 'study_run_id', 'settings_id', 'screen_id']

/** Every row of every table without the numbers that only this store gives them, in an order of its own. */
export function contentsOf({ db }: Store, leaveOut: readonly string[] = []): Record<string, readonly string[]> {
  const tables = db
    .prepare<[], string>("select name from sqlite_schema where type = 'table' order by name")
    .pluck()
    .all()
  return Object.fromEntries(
    tables
      .filter((table) => !leaveOut.includes(table))
      .map((table) => {
        const rows = db.prepare<[], Record<string, unknown>>(`select * from ${table}`).all()
        const plain = rows.map((row) =>
          JSON.stringify(Object.entries(row).filter(([name]) => !VOLATILE.includes(name))),
        )
        return [table, plain.sort()]
      }),
  )
}

/** Every byte that SQLite would tell, ids and schema included. */
export function everythingOf(store: Store): unknown {
  const { db } = store
  const tables = db.prepare<[], string>("select name from sqlite_schema where type = 'table'").pluck().all()
  return [schemaOf(store), tables.map((table) => [table, db.prepare(`select * from ${table}`).all()])]
}
