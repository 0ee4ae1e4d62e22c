/** What was paid for before settings were kept, and came forward since, is not paid for again: a study that was finished then has nothing to submit now. */
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { CONVENTION_PRESETS } from '../../../src/engine/conventions.ts'
import { runStudy } from '../../../src/workbench/run/run.ts'
import { packed } from '../../../src/workbench/store/replies.ts'
import { settingsFromColumns, settingsToRow } from '../../../src/workbench/store/settings-row.ts'
import { openStore } from '../../../src/workbench/store/store.ts'
import { configToColumns } from '../../../src/workbench/store/tables.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import { testSystem } from '../../support/system.ts'
import { scriptedService } from '../run/scripted-service.ts'
import { makeStudy, makeTrials } from '../run/setup.ts'
import { storeOf } from './old-layouts.ts'

const own = 'embedded:0f3a-77'
const at = '2025-12-01T00:00:00.000Z'
const trials = makeTrials(3)

/** What the result of each trial states, as older versions of the service did: everything, its costs, nothing. */
const STATED = [
  { conventions_json: JSON.stringify(CONVENTION_PRESETS.default), fee_percent: 0.1, candle_interval: '1m' },
  { conventions_json: null, fee_percent: 0.1, candle_interval: null },
  { conventions_json: null, fee_percent: null, candle_interval: null },
]

/** A store in which the three trials are done on a service, by attempts of before: without a run, settings as far as their results state them. */
function finishedBefore(identity: string): string {
  const path = storeOf()
  const db = new Database(path)
  const insert = (table: string, row: object) =>
    db
      .prepare(`insert into ${table} (${Object.keys(row)}) values (${Object.keys(row).map((name) => `:${name}`)})`)
      .run(row)
  insert('service', { identity, simulated: Number(identity === own), origin: 'http://127.0.0.1', first_seen_at: at })
  for (const [index, { fingerprint, market, period, config }] of trials.entries()) {
    const id = 100 + index
    const { exchange, baseAsset: base_asset, quoteAsset: quote_asset } = market
    const [period_from, period_to] = [period.from, period.to].map((ms) => new Date(ms).toISOString())
    const span = { market: `${exchange}/${base_asset}-${quote_asset}`, period_from, period_to }
    insert('trial', {
      fingerprint,
      config_fingerprint: configFingerprint(config),
      ...span,
      exchange,
      base_asset,
      quote_asset,
      ...configToColumns(config),
    })
    const name = `dcalab-ladder-${fingerprint.slice(0, 12)}-1`
    const whose = { identity, fingerprint }
    const { fee_percent } = STATED[index]
    const stated = { ...STATED[index], slippage_percent: fee_percent === null ? null : 0 }
    const settings = settingsToRow(settingsFromColumns({ ...stated, symbol_json: null }))
    const settings_id = identity === own && settings !== null ? id : null
    if (settings_id !== null) insert('settings', { id, ...settings })
    const asked = { account: '', study: 'ladder', settings_id }
    insert('attempt', { id, ...whose, ...asked, number: 1, name, state: 'intent', opened_at: at })
    db.prepare("update attempt set state = 'acked', settled_at = :at, counted_at = :at where id = :id").run({ at, id })
    const job = { remote_id: `job-${id}`, attempt_id: id, state: 'running', submitted_at: at }
    insert('job', { id, ...whose, ...job })
    db.prepare("update job set state = 'done', finished_at = :at where id = :id").run({ at, id })
    insert('reply', { id, job_id: id, sha256: '0'.repeat(64), body: packed('{}'), final: 1, received_at: at })
    insert('result', { job_id: id, reply_id: id, net_profit: 1, ...stated })
  }
  db.close()
  return path
}

async function submittedBy(path: string, identity: string, feePercent = 0.1) {
  const system = testSystem({ sleep: 'jump', wall: '2026-01-01T00:00:00Z' })
  const store = openStore(path, { system })
  const service = scriptedService({ system, identity, feePercent })
  const study = { ...makeStudy(), costs: { feePercent, slippagePercent: 0 } }
  const { conventions, costs } = study
  const settings = {
    conventions: { ...conventions },
    costs,
    interval: '1m',
    symbol: { tick: 0.01, lot: 0.001, minNotional: 5 },
  }
  const run = { system, store, client: service, study, trials, options: { settingsOn: () => settings } }
  const { trials: counts } = await runStudy(run)
  store.close()
  return { submitted: service.counts.posts, ...counts }
}

it('on our own service, where its results state the same settings or none', async () => {
  const path = finishedBefore(own)
  expect(await submittedBy(path, own)).toMatchObject({ submitted: 0, done: 3, reused: 3, pending: 0 })
})

it('and on a service that is not ours, whatever the study asks', async () => {
  const other = 'https://bots.example#9'
  const path = finishedBefore(other)
  expect(await submittedBy(path, other, 0.5)).toMatchObject({ submitted: 0, done: 3, reused: 3, pending: 0 })
})

it('but at another fee than its results state it is another question, and what is not stated still counts', async () => {
  const path = finishedBefore(own)
  expect(await submittedBy(path, own, 0.5)).toMatchObject({ submitted: 2, done: 3, reused: 1 })
  expect(await submittedBy(path, own, 0.5)).toMatchObject({ submitted: 0, done: 3, reused: 3 })
  expect(await submittedBy(path, own)).toMatchObject({ submitted: 0, done: 3, reused: 3 })
})
