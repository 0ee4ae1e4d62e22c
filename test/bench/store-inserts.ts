/** What it takes to put results into a store: by the way of a run, and by merging another store. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { realSystem } from '../../src/system.ts'
import { openAttempt, settleAttempt } from '../../src/workbench/store/attempts.ts'
import { recordObservations } from '../../src/workbench/store/jobs.ts'
import type { JobObservation } from '../../src/workbench/store/observe-job.ts'
import { openStore, type Store } from '../../src/workbench/store/store.ts'
import { startStudyRun } from '../../src/workbench/store/studies.ts'
import { createDice } from '../engine/jump/cases.ts'
import { removeFolder } from '../support/folder.ts'
import { table } from './measure.ts'
import { benchStudy, DEALS, fillStudy, IDENTITY, withoutTriggers } from './store-fill.ts'
import { usageOf } from './store-programs.ts'
import { replyOf, someResult } from './store-results.ts'

const PAID = 1000
const account = 'researcher@localhost'

/** As a run does it: three transactions a result, each on the disk before the next step. */
export async function measureModules(folder: string): Promise<void> {
  const rows: string[][] = []
  for (const [title, extent, allowed] of [
    ['without deals', { deals: 0, equity: false }, ''],
    [`${DEALS} deals each`, { deals: DEALS, equity: false }, '20 kB'],
    [`${DEALS} deals each and 90 days of equity`, { deals: DEALS, equity: true }, ''],
  ] as const) {
    const { path, store } = freshStore(folder)
    const { study, trials } = benchStudy('paid', 0, PAID)
    const service = { identity: IDENTITY, simulated: true, origin: 'http://127.0.0.1' }
    const { id: runId } = await startStudyRun(store, { study, trials, service, settingsOn: null })
    const dice = createDice(7)
    const observations = trials.map((trial, n): JobObservation => {
      const result = someResult(dice, trial.period, extent)
      const remoteId = `job-${n}`
      const at = Date.UTC(2026, 0, 1) + n
      const body = replyOf(trial, result, remoteId)
      return {
        remoteId,
        name: null,
        state: 'done',
        remoteState: 'completed',
        finishedAt: at,
        failure: null,
        body,
        receivedAt: at,
        result,
      }
    })
    const before = process.cpuUsage()
    for (const [n, { fingerprint }] of trials.entries()) await pay(store, fingerprint, { runId, done: observations[n] })
    const { user, system } = process.cpuUsage(before)
    store.close()
    const bytes = statSync(path).size / trials.length
    const perSecond = (trials.length / (user + system)) * 1e6
    rows.push([title, perSecond.toFixed(0), `${(bytes / 1000).toFixed(1)} kB`, allowed])
  }
  table('results through the modules', ['', 'per second of the processor', 'a result takes', 'allowed'], rows)
}

async function pay(store: Store, fingerprint: string, { runId, done }: { runId: number; done: JobObservation }) {
  const now = done.receivedAt
  const request = {
    identity: IDENTITY,
    account,
    study: 'paid',
    fingerprint,
    settingsId: null,
    runId,
    now,
    admit: () => true,
  }
  const attempt = await openAttempt(store, request)
  if (attempt === 'full') throw new Error('The ledger is full')
  const queued: JobObservation = { ...done, state: 'running', body: `{"id":"${done.remoteId}"}`, result: null }
  await settleAttempt(store, { attemptId: attempt.id, at: now, to: 'acked', observation: queued })
  await recordObservations(store, { identity: IDENTITY, observations: [done] })
}

export async function measureMerge(folder: string): Promise<void> {
  const rows: string[][] = []
  for (const { title, dealsEvery = 0, studies = 1, trials = 10_000, into = 0, wanted } of MERGES) {
    const other = await filledStore(folder, 'other', { studies, trials, dealsEvery })
    const target = await filledStore(folder, 'target', { studies: into, trials, dealsEvery, first: studies })
    const { cpuMs, megabytes } = usageOf(['dist/main.js', 'store', 'merge', other, '--store', target], folder)
    rows.push([title, (((studies * trials) / cpuMs) * 1000).toFixed(0), String(wanted), `${megabytes.toFixed(0)} MB`])
  }
  table('results merged', ['', 'per second of the processor', 'wanted', 'most memory (300 MB)'], rows)
}

const MERGES: readonly {
  readonly title: string
  readonly dealsEvery?: number
  readonly studies?: number
  readonly trials?: number
  /** Studies that the store has to which they come. */
  readonly into?: number
  readonly wanted: number
}[] = [
  { title: '30,000 without deals', studies: 3, wanted: 8000 },
  { title: '30,000 without deals, to as many others', studies: 3, into: 3, wanted: 8000 },
  { title: '300,000 without deals', studies: 30, wanted: 8000 },
  { title: `2,000 with ${DEALS} deals each`, trials: 2000, dealsEvery: 1, wanted: 1500 },
]

interface Contents {
  readonly studies: number
  readonly trials: number
  readonly dealsEvery: number
  /** Number of its first study. */
  readonly first?: number
}

async function filledStore(
  folder: string,
  name: string,
  { studies, trials, dealsEvery, first = 0 }: Contents,
): Promise<string> {
  const { path, store } = freshStore(folder, name)
  await withoutTriggers(store.db, async () => {
    for (let n = first; n < first + studies; n++) await fillStudy(store, { name: `merged-${n}`, n, trials, dealsEvery })
  })
  store.close()
  return path
}

function freshStore(folder: string, name = 'fresh'): { readonly path: string; readonly store: Store } {
  const path = join(folder, `${name}.sqlite`)
  for (const end of ['', '-wal', '-shm']) removeFolder(`${path}${end}`)
  return { path, store: openStore(path, { system: realSystem(process.env) }) }
}
