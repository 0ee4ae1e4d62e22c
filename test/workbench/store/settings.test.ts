/** Settings: what a result was computed under. A part that is not known matches any; everywhere by the same rule. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CONVENTION_PRESETS } from '../../../src/engine/conventions.ts'
import { openAttempt, settleAttempt } from '../../../src/workbench/store/attempts.ts'
import { recordObservations } from '../../../src/workbench/store/jobs.ts'
import { listTrials, readStages, readTried } from '../../../src/workbench/store/readers.ts'
import { matchingSettings } from '../../../src/workbench/store/settings.ts'
import { sqlMatches } from '../../../src/workbench/store/settings-row.ts'
import { type Store, write } from '../../../src/workbench/store/store.ts'
import { rankStored } from '../../../src/workbench/store/stored-ranking.ts'
import { keepSettings, startStudyRun } from '../../../src/workbench/store/studies.ts'
import { settingsAgree, trialFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import type { Settings } from '../../../src/workbench/study/settings.ts'
import { idleMetrics } from '../../support/metrics.ts'
import { makeStudy, makeTrials } from '../run/setup.ts'
import { observation, openTemporary, start } from './setup.ts'

const conventions = { ...CONVENTION_PRESETS.default }
const whole: Settings = {
  interval: '1m',
  conventions,
  costs: { feePercent: 0.1, slippagePercent: 0 },
  symbol: { tick: 0.01, lot: null, minNotional: 10 },
}
const anySettings: fc.Arbitrary<Settings> = fc.record({
  interval: fc.constantFrom(null, '1m', '5m'),
  conventions: fc.constantFrom(null, conventions, { ...conventions, intrabar: 'optimistic' }),
  costs: fc.constantFrom(null, whole.costs, { feePercent: 0.5, slippagePercent: 0 }),
  symbol: fc.constantFrom(
    null,
    whole.symbol,
    { minNotional: 10, lot: null, tick: 0.01 },
    { tick: null, lot: null, minNotional: null },
  ),
})

it('agree in SQL, in a reader and in the program by the same rule', async () => {
  const { store } = openTemporary()
  const sql = store.db.prepare<[object], number>(`select ${sqlMatches(':asked', ':found')}`).pluck()
  await fc.assert(
    fc.asyncProperty(anySettings, anySettings, async (asked, found) => {
      const [a, b] = await write(store, () => [keepSettings(store, asked), keepSettings(store, found)])
      const agree = settingsAgree(asked, found)
      expect(sql.get({ asked: a.id, found: b.id })).toBe(agree ? 1 : 0)
      if (b.id !== null) expect(matchingSettings(store, asked).has(b.id)).toBe(agree)
    }),
    { numRuns: 200 },
  )
  store.close()
})

it('are one row however their parts were written, with conventions that came later left out where they are the default', async () => {
  const { store } = openTemporary()
  const reversed = Object.fromEntries(Object.entries(conventions).reverse())
  const [a, b] = await write(store, () => [
    keepSettings(store, whole),
    keepSettings(store, { ...whole, conventions: reversed, symbol: { minNotional: 10, lot: null, tick: 0.01 } }),
  ])
  expect(b.id).toBe(a.id)
  expect(store.db.prepare('select count(*) from settings').pluck().get()).toBe(1)
  store.close()
})

const own = { identity: 'embedded:0f3a-77', simulated: true, origin: 'http://127.0.0.1' }

const withFee = (feePercent: number): Settings => ({ ...whole, costs: { feePercent, slippagePercent: 0 } })

/** The trial's job number `n`, submitted under these settings and done. */
async function finish(store: Store, fingerprint: string, { settingsId, n }: { settingsId: number | null; n: number }) {
  const attempt = await openAttempt(store, {
    identity: own.identity,
    account: '',
    study: 'ladder',
    fingerprint,
    settingsId,
    runId: null,
    now: start + n,
    admit: () => true,
  })
  if (attempt === 'full') throw new Error('The ledger is full')
  const job = observation(`job-${n}`)
  await settleAttempt(store, { attemptId: attempt.id, at: attempt.openedAt, to: 'acked', observation: job })
  const part = { deals: null, openDeal: null, candles: null, symbol: null, engineVersion: null, flags: {} }
  const result = { ...part, metrics: { ...idleMetrics(), netProfit: n }, costs: null, conventions: null }
  const ended = { state: 'done', remoteState: 'completed', finishedAt: start + n, body: `{"n":${n}}`, result } as const
  await recordObservations(store, { identity: own.identity, observations: [observation(`job-${n}`, ended)] })
}

/** One trial, done under each of these fees in turn, by a study that asks for it. */
async function doneUnder(...fees: readonly number[]): Promise<Store> {
  const { store } = openTemporary()
  const trials = makeTrials(1)
  for (const [n, feePercent] of fees.entries()) {
    const study = { ...makeStudy(), fingerprint: String(n).repeat(64) }
    const run = await startStudyRun(store, { study, trials, service: own, settingsOn: () => withFee(feePercent) })
    await finish(store, trials[0].fingerprint, { settingsId: [...run.settings.values()][0].id, n })
  }
  return store
}

it('a trial done under one fee is not known under another, and both results stay', async () => {
  const store = await doneUnder(0.1, 0.5)
  const [{ fingerprint }] = makeTrials(1)
  const stages = (feePercent: number) =>
    readStages(store, {
      identity: own.identity,
      fingerprints: [fingerprint],
      settings: withFee(feePercent),
    })
  expect(stages(0.1).get(fingerprint)).toMatchObject({ state: 'done', attemptId: 1 })
  expect(stages(0.5).get(fingerprint)).toMatchObject({ state: 'done', attemptId: 2 })
  expect(stages(0.2).size).toBe(0)
  expect(readTried(store, fingerprint).map(({ jobId }) => jobId)).toEqual(['job-1', 'job-0'])
  expect(listTrials(store, { study: 'ladder' }).map(({ jobId }) => jobId)).toEqual(['job-1'])
  store.close()
})

it('a study may ask otherwise on another market: each trial stands with its latest result under the settings of its own', async () => {
  const { store } = openTemporary()
  const [bitcoin, other] = makeTrials(2)
  const market = { ...other.market, baseAsset: 'ETH' }
  const ether = { ...other, market, fingerprint: trialFingerprint({ ...other, market }) }
  const study = makeStudy()
  const run = await startStudyRun(store, {
    study,
    trials: [bitcoin, ether],
    service: own,
    settingsOn: () => withFee(0.1),
  })
  const cheap = [...run.settings.values()][0]
  const dear = await write(store, () => keepSettings(store, withFee(0.5)))
  store.db
    .prepare('insert into study_settings (study, study_fingerprint, market, settings_id) values (?, ?, ?, ?)')
    .run(study.name, study.fingerprint, 'binance/ETH-USDT', dear.id)
  for (const [n, { fingerprint }] of [bitcoin, ether].entries()) {
    await finish(store, fingerprint, { settingsId: n === 0 ? cheap.id : dear.id, n: 2 * n })
    await finish(store, fingerprint, { settingsId: n === 0 ? dear.id : cheap.id, n: 2 * n + 1 })
  }
  const jobs = ['job-0', 'job-2']
  expect(listTrials(store, { study: 'ladder' }).map(({ jobId }) => jobId)).toEqual(jobs)
  const board = store.db.prepare('select job_id, net_profit from answers order by net_profit').raw()
  expect(board.all()).toEqual([
    ['job-0', 0],
    ['job-2', 2],
  ])
  const objective = { direction: 'minimize', metric: 'netProfit', where: [] } as const
  const { top } = rankStored(store, { study: 'ladder', objective, top: 2 })
  expect(top.flatMap(({ trials }) => trials).map(({ jobId }) => jobId)).toEqual(jobs)
  store.close()
})

it('what a layout without settings left is known to every study', async () => {
  const { store } = openTemporary()
  const trials = makeTrials(1)
  await startStudyRun(store, { study: makeStudy(), trials, service: own, settingsOn: () => whole })
  const { fingerprint } = trials[0]
  const attempt = await openAttempt(store, {
    identity: own.identity,
    account: '',
    study: 'ladder',
    fingerprint,
    settingsId: null,
    runId: null,
    now: start,
    admit: () => true,
  })
  expect(attempt).not.toBe('full')
  expect(readStages(store, { identity: own.identity, fingerprints: [fingerprint], settings: whole }).size).toBe(1)
  store.close()
})

it('a revision keeps what it asked when it was first run, and a definition that comes back its number', async () => {
  const { store } = openTemporary()
  const trials = makeTrials(1)
  const run = (fingerprint: string, settings: Settings) =>
    startStudyRun(store, { study: { ...makeStudy(), fingerprint }, trials, service: own, settingsOn: () => settings })
  const [first, second] = ['1', '2'].map((digit) => digit.repeat(64))
  const asked = await run(first, whole)
  await run(second, { ...whole, interval: '5m' })
  const again = await run(first, { ...whole, interval: '1h', symbol: { tick: 1, lot: 1, minNotional: 1 } })
  expect(again.settings).toEqual(asked.settings)
  expect(store.db.prepare('select fingerprint, number from study order by number').raw().all()).toEqual([
    [first, 1],
    [second, 2],
  ])
  store.close()
})
