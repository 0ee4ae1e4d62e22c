/** The ledger lives in rows: it outlives the program, a stepped clock and a store that could not be written. */
import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { settleAttempt } from '../../src/store/attempts.ts'
import { pullBackFutureTimes, readSpent, recordForeignJobs } from '../../src/store/ledger.ts'
import { findPromotion, openPromotion, recordBotStarted, settlePromotion } from '../../src/store/promotions.ts'
import { replaySpills, spillSettlement } from '../../src/store/spill.ts'
import { openStore } from '../../src/store/store.ts'
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

it('times from a clock that has stepped back count as now, not for years', async () => {
  const { store, trials } = await openWithStudy()
  await submit(store, trials[0].fingerprint, 'job-1')
  const tenYearsEarlier = start - 10 * 365 * 86_400_000
  await pullBackFutureTimes(store, { ...spender, now: tenYearsEarlier })
  expect(readSpent(store, { ...spender, now: tenYearsEarlier })).toEqual([tenYearsEarlier])
})

it('an outcome the store could not take is put in at the next start, once', async () => {
  const { store, trials } = await openWithStudy()
  const { id } = await openIntent(store, trials[0].fingerprint)
  spillSettlement(store, { attemptId: id, at: start, to: 'acked', observation: observation('job-1') })
  const half = join(dirname(store.path), 'workbench.sqlite.spill-1.jsonl')
  writeFileSync(half, '{"attemptId":1,"to":"ack')
  expect(await replaySpills(store)).toBe(1)
  expect(await replaySpills(store)).toBe(0)
  expect(store.db.prepare('select remote_id, state from job').all()).toEqual([{ remote_id: 'job-1', state: 'running' }])
  expect(readdirSync(dirname(store.path)).filter((name) => name.includes('spill'))).toEqual([])
})

it('a promotion is opened once per account; only one that was set free is opened again', async () => {
  const { store, trials } = await openWithStudy()
  const key = { identity, account: 'a@b', fingerprint: trials[0].fingerprint }
  const request = { ...key, name: 'dcalab-ladder-1', planHash: 'h1' }
  const first = await openPromotion(store, request)
  expect(first).toMatchObject({ opened: true, promotion: { state: 'intent', botId: null } })
  expect(await openPromotion(store, request)).toMatchObject({ opened: false, promotion: { state: 'intent' } })
  const { id } = first.promotion
  await settlePromotion(store, { id, to: 'released', reason: 'BotPlanLimit' })
  expect(await openPromotion(store, { ...request, planHash: 'h2' })).toMatchObject({
    opened: true,
    promotion: { id, planHash: 'h2', reason: null },
  })
  await settlePromotion(store, { id, to: 'created', botId: 'bot-1' })
  await settlePromotion(store, { id, to: 'verified' })
  await recordBotStarted(store, id)
  expect(findPromotion(store, key)).toMatchObject({ state: 'verified', botId: 'bot-1', startedAt: expect.any(String) })
  expect(await openPromotion(store, request)).toMatchObject({ opened: false, promotion: { state: 'verified' } })
  expect(await openPromotion(store, { ...request, account: 'c@d' })).toMatchObject({ opened: true })
})
