/**
 * Fills a store with results straight into its tables: every row is one that the program would have written, and its result is read from its reply.
 */
import { hash } from 'node:crypto'
import type Database from 'better-sqlite3'
import { builtInDialect } from '../../src/workbench/api/reading/dialect.ts'
import { readJobBody } from '../../src/workbench/api/reading/read-job.ts'
import { packed } from '../../src/workbench/store/replies.ts'
import { insertDeals, resultColumns } from '../../src/workbench/store/results.ts'
import type { Store } from '../../src/workbench/store/store.ts'
import { startStudyRun } from '../../src/workbench/store/studies.ts'
import { parseStudy, planTrials } from '../../src/workbench/study/parse.ts'
import type { Study, Trial } from '../../src/workbench/study/study.ts'
import { createDice } from '../engine/jump/cases.ts'
import { CONVENTIONS, COSTS, replyOf, SYMBOL, someResult } from './store-results.ts'

export const IDENTITY = 'embedded:bench'
export const DEALS = 100
const SHORT = { deals: 0, equity: false }
const LONG = { deals: DEALS, equity: true }

/** One study in so many trials: ten ladders, ten steps, the rest take profits. `n` makes its market and period another one. */
export function benchStudy(name: string, n: number, trials: number): { study: Study; trials: readonly Trial[] } {
  const from = new Date(Date.UTC(2021, n % 12, 1))
  const to = new Date(from.getTime() + 90 * 86_400_000)
  const date = (at: Date) => at.toISOString().slice(0, 10)
  const study = parseStudy(
    `name: ${name}
market: { exchange: binance, baseAsset: B${Math.floor(n / 12)}, quoteAsset: USDT }
period: { from: ${date(from)}, to: ${date(to)} }
interval: 1m
base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 10, dcaVolumeScale: 1, dcaPriceStepMultiplier: 1.1, stopLoss: 0 }
grid:
  dcaMaxSafetyOrders: { from: 1, to: 10, step: 1 }
  dcaPriceScalePercent: { from: 0.5, to: 1.4, step: 0.1 }
  takeProfit: { from: 0.5, to: 5, count: ${Math.max(2, Math.round(trials / 100))} }
objective: { maximize: netProfit, where: { maxDrawdownPercent: { max: 50 } } }
`,
    { file: name },
  )
  return { study, trials: planTrials(study).trials }
}

export interface Filling {
  readonly name: string
  /** Of the study: another one has other trials. */
  readonly n: number
  readonly trials: number
  /** Every so-and-so-many-th result has a hundred deals and its equity day by day; 0 = none. */
  readonly dealsEvery: number
}

/** A study, run and done. Answers how many results it has. */
export async function fillStudy(store: Store, { name, n, trials: wanted, dealsEvery }: Filling): Promise<number> {
  const { study, trials } = benchStudy(name, n, wanted)
  const service = { identity: IDENTITY, simulated: true, origin: 'http://127.0.0.1' }
  const settings = { interval: '1m', conventions: CONVENTIONS, costs: COSTS, symbol: SYMBOL }
  const run = await startStudyRun(store, { study, trials, service, settingsOn: () => settings })
  const dice = createDice(1000 + n)
  const insert = inserter(store.db)
  store.db.transaction(() => {
    trials.forEach((trial, index) => {
      const hasDeals = dealsEvery > 0 && index % dealsEvery === 0
      const remoteId = `${name}-${index}`
      const body = replyOf(trial, someResult(dice, trial.period, hasDeals ? LONG : SHORT), remoteId)
      const result = readJobBody(JSON.parse(body), body, builtInDialect.jobState)?.result
      if (!result) throw new Error(`not read: ${body}`)
      const at = new Date(Date.UTC(2025, 0, 1) + (n * 10_000 + index) * 20_000).toISOString()
      const { id: runId } = run
      const [kept] = run.settings.values()
      const attemptId = insert.attempt({ ...trial, study: name, remoteId, at, settingsId: kept.id, runId })
      const jobId = insert.job({ ...trial, remoteId, at, attemptId })
      const replyId = insert.reply({ jobId, at, body })
      insert.result({ job_id: jobId, reply_id: replyId, ...resultColumns(result) })
      insertDeals(store.db, jobId, result.deals ?? [])
    })
  })()
  return trials.length
}

function inserter(db: Database.Database) {
  const attempt = db.prepare(
    `insert into attempt (identity, account, study, fingerprint, number, name, state, opened_at, counted_at, settled_at, settings_id, study_run_id)
     values ('${IDENTITY}', 'researcher@localhost', :study, :fingerprint, 1, :name, 'acked', :at, :at, :at, :settingsId, :runId)`,
  )
  const job = db.prepare(
    `insert into job (identity, remote_id, fingerprint, attempt_id, name, state, remote_state, submitted_at, finished_at, last_seen_at)
     values ('${IDENTITY}', :remoteId, :fingerprint, :attemptId, :name, 'done', 'completed', :at, :at, :at)`,
  )
  const reply = db.prepare(
    'insert into reply (job_id, sha256, body, final, received_at) values (:jobId, :sha256, :body, 1, :at)',
  )
  let result: Database.Statement | undefined
  const nameOf = (remoteId: string) => `dcalab-bench-${remoteId}`
  type Sent = Pick<Trial, 'fingerprint'> & { readonly remoteId: string; readonly at: string }
  return {
    attempt: ({
      fingerprint,
      remoteId,
      at,
      ...more
    }: Sent & { study: string; settingsId: number | null; runId: number }) =>
      Number(attempt.run({ fingerprint, at, ...more, name: nameOf(remoteId) }).lastInsertRowid),
    job: ({ fingerprint, remoteId, at, attemptId }: Sent & { attemptId: number }) =>
      Number(job.run({ fingerprint, remoteId, at, attemptId, name: nameOf(remoteId) }).lastInsertRowid),
    reply: ({ jobId, at, body }: { jobId: number; at: string; body: string }) =>
      Number(reply.run({ jobId, at, body: packed(body), sha256: hash('sha256', body, 'hex') }).lastInsertRowid),
    result: (row: Readonly<Record<string, unknown>>) => {
      const columns = Object.keys(row)
      result ??= db.prepare(
        `insert into result (${columns.join(', ')}) values (${columns.map((name) => `:${name}`).join(', ')})`,
      )
      result.run(row)
    },
  }
}

/** The triggers that hold the program to its order would refuse finished rows: they rest while `work` fills, and are back afterwards. */
export async function withoutTriggers(db: Database.Database, work: () => Promise<void>): Promise<void> {
  const triggers = db
    .prepare<[], { name: string; sql: string }>(
      "select name, sql from sqlite_schema where type = 'trigger' and name like '%_begins'",
    )
    .all()
  for (const { name } of triggers) db.exec(`drop trigger ${name}`)
  await work()
  for (const { sql } of triggers) db.exec(sql)
}
