/** The ledger lives in rows: it outlives the program, a stepped clock and a store that could not be written. */
import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { emptyOutboxes, putIntoOutbox, settleAttempt } from '../../../src/workbench/store/attempts.ts'
import { botOrderLedger } from '../../../src/workbench/store/bot-ledger.ts'
import { pullBackFutureTimes, readSpent, recordForeignJobs } from '../../../src/workbench/store/ledger.ts'
import { promotionLedger, recordBotStarted } from '../../../src/workbench/store/promotions.ts'
import { NO_SETTINGS } from '../../../src/workbench/store/settings.ts'
import { openStore, write } from '../../../src/workbench/store/store.ts'
import { keepSettings } from '../../../src/workbench/store/studies.ts'
import { identity, observation, openIntent, openWithStudy, spender, start, submit } from './setup.ts'

const now = start + 1_000

it('what was spent is read again by the next process', async () => {
  const { store, system, trials } = await openWithStudy()
  await submit(store, trials[0].fingerprint, 'job-1')
  store.close()
  expect(readSpent(openStore(store.path, { system }), { ...spender, now })).toEqual([start])
})

it('an open submission counts as spent now, a released one not at all', async () => {
  const { store, trials } = await openWithStudy()
  const { id } = await openIntent(store, trials[0].fingerprint)
  expect(readSpent(store, { ...spender, now })).toEqual([now])
  const reply = { status: 429, code: 'ApiKeyRateLimit', text: '{}' }
  await settleAttempt(store, { attemptId: id, at: start, to: 'released', reason: 'slow down', reply })
  expect(readSpent(store, { ...spender, now })).toEqual([])
})

it('jobs of other clients count, once, and not as strangers when they turn out to be ours', async () => {
  const { store, trials } = await openWithStudy()
  await submit(store, trials[0].fingerprint, 'job-1')
  const jobs = ['job-1', 'other'].map((remoteId) => ({ remoteId, name: null, countedAt: start - 5 }))
  await recordForeignJobs(store, { ...spender, jobs })
  await recordForeignJobs(store, { ...spender, jobs })
  expect(readSpent(store, { ...spender, now })).toEqual([start - 5, start])
  expect(readSpent(store, { identity, account: 'another', now })).toEqual([])
})

it('what was spent before a moment is left out when asked so, an open submission never', async () => {
  const { store, trials } = await openWithStudy()
  await submit(store, trials[0].fingerprint, 'job-1')
  const jobs = [5, 3000].map((ms) => ({ remoteId: `of others ${ms}`, name: null, countedAt: start + ms }))
  await recordForeignJobs(store, { ...spender, jobs })
  await openIntent(store, trials[1].fingerprint, start + 10)
  const spentSince = (since: number) => readSpent(store, { ...spender, now: start + 4000, since })
  expect(spentSince(start)).toEqual([start, start + 5, start + 3000, start + 4000])
  expect(spentSince(start + 1)).toEqual([start + 5, start + 3000, start + 4000])
  expect(spentSince(start + 3001)).toEqual([start + 4000])
})

it('times from a clock that has stepped back count as now, not for years', async () => {
  const { store, trials } = await openWithStudy()
  await submit(store, trials[0].fingerprint, 'job-1')
  const tenYearsEarlier = start - 10 * 365 * 86_400_000
  await pullBackFutureTimes(store, { ...spender, now: tenYearsEarlier, settleMs: 0 })
  expect(readSpent(store, { ...spender, now: tenYearsEarlier })).toEqual([tenYearsEarlier])
})

it('an outcome the store could not take is put in at the next start, once', async () => {
  const { store, trials } = await openWithStudy()
  const { id } = await openIntent(store, trials[0].fingerprint)
  putIntoOutbox(store, { attemptId: id, at: start, to: 'acked', observation: observation('job-1') })
  const half = join(dirname(store.path), 'workbench.sqlite.outbox-9.jsonl')
  writeFileSync(half, '{"attemptId":1,"to":"ack')
  expect(await emptyOutboxes(store)).toBe(1)
  expect(await emptyOutboxes(store)).toBe(0)
  expect(store.db.prepare('select remote_id, state from job').all()).toEqual([{ remote_id: 'job-1', state: 'running' }])
  expect(readdirSync(dirname(store.path)).filter((name) => name.includes('outbox'))).toEqual([])
})

it('an outcome that comes while others are put in is kept for the next time', async () => {
  const { store, trials } = await openWithStudy()
  const first = await openIntent(store, trials[0].fingerprint)
  const second = await openIntent(store, trials[1].fingerprint, start, null, 'of another key')
  putIntoOutbox(store, { attemptId: first.id, at: start, to: 'acked', observation: observation('job-1') })
  const emptied = emptyOutboxes(store)
  putIntoOutbox(store, { attemptId: second.id, at: start, to: 'acked', observation: observation('job-2') })
  expect(await emptied).toBe(1)
  expect(await emptyOutboxes(store)).toBe(1)
  expect(store.db.prepare('select remote_id from job order by id').pluck().all()).toEqual(['job-1', 'job-2'])
})

it('two runs that find the same outcomes put each in once, and neither ends over a file that is gone', async () => {
  const { store, system, trials } = await openWithStudy()
  for (const [n, account] of ['', 'of another key'].entries()) {
    const { id } = await openIntent(store, trials[n].fingerprint, start, null, account)
    putIntoOutbox(store, { attemptId: id, at: start, to: 'acked', observation: observation(`job-${n}`) })
  }
  const other = openStore(store.path, { system })
  other.db.pragma('busy_timeout = 0')
  store.db.exec('begin immediate')
  const waiting = emptyOutboxes(other) // has found both, and read the first
  store.db.exec('commit')
  expect(await emptyOutboxes(store)).toBe(2)
  expect(await waiting).toBe(0)
  expect(store.db.prepare('select remote_id from job order by id').pluck().all()).toEqual(['job-0', 'job-1'])
})

it('a promotion is opened once per account; only one that was set free is opened again', async () => {
  const { store, trials } = await openWithStudy()
  const key = { identity, account: 'a@b', fingerprint: trials[0].fingerprint }
  const request = { ...key, name: 'dcalab-ladder-1', planHash: 'h1' }
  const ledger = promotionLedger(store, request)
  const first = await ledger.open(ledger.find())
  expect(first).toMatchObject({ opened: true, row: { state: 'intent', botId: null } })
  expect(await ledger.open(ledger.find())).toMatchObject({ opened: false, row: { state: 'intent' } })
  const { id } = first.row
  await ledger.settle({ id, to: 'released', reason: 'BotPlanLimit' })
  expect(await promotionLedger(store, { ...request, planHash: 'h2' }).open(ledger.find())).toMatchObject({
    opened: true,
    row: { id, reason: null },
  })
  expect(store.db.prepare('select plan_hash from promotion').pluck().all()).toEqual(['h2'])
  await ledger.settle({ id, to: 'created', botId: 'bot-1' })
  await ledger.settle({ id, to: 'verified' })
  await recordBotStarted(store, { identity, botId: 'bot-1' })
  expect(ledger.find()).toMatchObject({ state: 'verified', botId: 'bot-1' })
  expect(await ledger.open(ledger.find())).toMatchObject({ opened: false, row: { state: 'verified' } })
  const kept = await write(store, () => keepSettings(store, { ...NO_SETTINGS.settings, interval: '1m' }))
  const digits = store.db.prepare<[], string>('select substr(hash, 1, 12) from settings').pluck().get() ?? null
  const other = promotionLedger(store, { ...request, account: 'c@d', settings: digits })
  expect(await other.open(undefined)).toMatchObject({ opened: true })
  expect(store.db.prepare('select settings_id from promotion order by id').pluck().all()).toEqual([null, kept.id])
})

it('a bot from a file is ordered again once its last order has an outcome, and not before', async () => {
  const { store } = await openWithStudy()
  const ledger = botOrderLedger(store, { identity, account: 'a@b', name: 'mine' })
  const { id } = (await ledger.open(ledger.find())).row
  expect(await ledger.open(ledger.find())).toMatchObject({ opened: false, row: { state: 'intent' } })
  await ledger.settle({ id, to: 'ambiguous', reason: 'no answer' })
  expect(await ledger.open(ledger.find())).toMatchObject({
    opened: false,
    row: { state: 'ambiguous', reason: 'no answer' },
  })
  await ledger.settle({ id, to: 'created', botId: 'bot-1' })
  await ledger.settle({ id, to: 'verified' })
  expect(await ledger.open(ledger.find())).toMatchObject({
    opened: true,
    row: { id, state: 'intent', botId: null, settledAt: null },
  })
})

it('a program that is started again takes an unanswered submission for as young as it may be', async () => {
  const { store, trials } = await openWithStudy()
  const { id } = await openIntent(store, trials[0].fingerprint)
  const settleMs = 15 * 60_000
  const arrivesBy = start + settleMs
  const reply = { status: null, code: null, text: null }
  await settleAttempt(store, { attemptId: id, at: start, to: 'ambiguous', countedAt: arrivesBy, reason: 'late', reply })
  const now = start + 60_000
  await pullBackFutureTimes(store, { ...spender, now, settleMs })
  expect(readSpent(store, { ...spender, now })).toEqual([arrivesBy])
})
