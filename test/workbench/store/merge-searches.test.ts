/** Searches, calibrations and opened hold-outs of two stores become one, once. */
import { expect, it } from 'vitest'
import { findCalibration, recordCalibration } from '../../../src/workbench/store/calibrations.ts'
import { memoryOf, recordProposals } from '../../../src/workbench/store/kept-proposals.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import type { ProposalRole } from '../../../src/workbench/study/proposals.ts'
import { makeStudy, makeTrials } from '../run/setup.ts'
import { everythingOf, mergeFrom, openStudy } from './merge-setup.ts'
import { identity, spender } from './setup.ts'

const study = makeStudy()
const searcher = { study, ...spender }
const configs = makeTrials(6).map(({ config }) => config)

const propose = (store: Store, role: ProposalRole, ...numbers: readonly number[]) =>
  recordProposals(store, searcher, {
    proposals: numbers.map((n) => ({ config: configs[n], role, reason: `${role} ${n}`, markets: study.markets })),
    period: study.period,
  })

const proposalsOf = ({ db }: Store) =>
  db.prepare("select position || ' ' || batch || ' ' || reason from proposal order by position").pluck().all()

function open({ db }: Store, at: string, { by = 'anna', completedAt = null as string | null } = {}): void {
  db.prepare(
    `insert into holdout_opening (study, study_fingerprint, identity, account, span_from, span_to, opened_at, opened_by, reason,
       seen_configs, completed_at)
     values (?, ?, ?, ?, '2021-05-19T00:00:00.000Z', '2021-05-26T00:00:00.000Z', ?, ?, 'why', 0, ?)`,
  ).run(study.name, study.fingerprint, spender.identity, spender.account, at, by, completedAt)
}

it('proposals of both are one list, ours first, and what both proposed stands there once', async () => {
  const { store } = await openStudy(1)
  const { store: other } = await openStudy(1)
  await propose(store, 'sample', 0, 1)
  await propose(other, 'sample', 0, 1)
  await propose(other, 'chosen', 1, 2)
  await propose(other, 'chosen', 3)
  expect(await mergeFrom(store, other)).toMatchObject({ added: { proposals: 3 } })
  expect(proposalsOf(store)).toEqual(['1 1 sample 0', '2 1 sample 1', '3 2 chosen 1', '4 2 chosen 2', '5 3 chosen 3'])
  const whole = everythingOf(store)
  expect(await mergeFrom(store, other)).toMatchObject({ added: { proposals: 0 } })
  expect(everythingOf(store)).toEqual(whole)
})

it('of what a search keeps in mind, what was written last stays', async () => {
  const { store } = await openStudy(1)
  const { store: other } = await openStudy(1)
  await memoryOf(store, searcher).write('shortlist', 'ours')
  await memoryOf(other, searcher).write('shortlist', 'theirs')
  const writtenAt = (of: Store, at: string) => of.db.prepare('update search_memory set written_at = ?').run(at)
  writtenAt(store, '2026-01-02T00:00:00.000Z')
  writtenAt(other, '2026-01-01T00:00:00.000Z')
  await mergeFrom(store, other)
  expect(memoryOf(store, searcher).read('shortlist')).toBe('ours')
  await mergeFrom(other, store)
  expect(memoryOf(other, searcher).read('shortlist')).toBe('ours')
})

function calibrate(store: Store, feePercent: number): Promise<void> {
  return recordCalibration(store, {
    identity,
    study: study.name,
    market: 'binance/BTC-USDT',
    period: study.period,
    candles: { interval: '1m', hash: 'h' },
    engineVersion: '1',
    jobs: 3,
    candidates: 10,
    conventions: {},
    costs: { feePercent, slippagePercent: 0 },
    ties: [],
    evidence: [],
    residualPercent: null,
    isPoor: false,
  })
}

it('what a service was found to compute by is kept once, however often a run that was killed finds it; another finding is another row', async () => {
  const { store } = await openStudy(1)
  for (const feePercent of [0.1, 0.1, 0.2, 0.1, 0.1]) await calibrate(store, feePercent)
  expect(store.db.prepare('select fee_percent from calibration order by id').pluck().all()).toEqual([0.1, 0.2, 0.1])
})

it('the calibration that was made last holds, whichever store it came from', async () => {
  const { store } = await openStudy(1)
  const { store: other } = await openStudy(1)
  await calibrate(store, 0.1)
  await calibrate(other, 0.2)
  other.db.exec("update calibration set made_at = '2020-01-01T00:00:00.000Z'")
  expect(await mergeFrom(store, other)).toMatchObject({ added: { calibrations: 1 } })
  expect(await mergeFrom(store, other)).toMatchObject({ added: { calibrations: 0 } })
  expect(findCalibration(store, identity)?.costs.feePercent).toBe(0.1)
})

it.each([
  ['2026-01-01T00:00:00.000Z', 'anna'],
  ['2026-01-03T00:00:00.000Z', 'bert'],
])('of two openings of one hold-out the earlier stays, which is said: theirs at %s', async (theirs, kept) => {
  const { store } = await openStudy(1)
  const { store: other } = await openStudy(1)
  open(store, '2026-01-02T00:00:00.000Z', { by: 'bert' })
  open(other, theirs, { by: 'anna' })
  const report = await mergeFrom(store, other)
  expect(report.openedTwice).toMatchObject([{ study: study.name, kept: { by: kept } }])
  expect(store.db.prepare('select opened_by from holdout_opening').pluck().all()).toEqual([kept])
})

it('one opening in both stores is one, and complete when either knows so', async () => {
  const { store } = await openStudy(1)
  const { store: other } = await openStudy(1)
  const [openedAt, completedAt] = ['2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z']
  open(store, openedAt)
  open(other, openedAt, { completedAt })
  expect(await mergeFrom(store, other)).toMatchObject({ openedTwice: [], added: { openings: 0 } })
  expect(store.db.prepare('select completed_at from holdout_opening').pluck().all()).toEqual([completedAt])
})
