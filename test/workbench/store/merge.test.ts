/** Two stores become one that knows what both knew, once; where they contradict each other, they stay two. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { METRICS } from '../../../src/contract/metrics.ts'
import { Failure } from '../../../src/errors.ts'
import { listUndecided, settleAttempt } from '../../../src/workbench/store/attempts.ts'
import { recordObservations } from '../../../src/workbench/store/jobs.ts'
import { readSpent, recordForeignJobs } from '../../../src/workbench/store/ledger.ts'
import { holdLock } from '../../../src/workbench/store/lock.ts'
import { mergeStore } from '../../../src/workbench/store/merge/merge.ts'
import { STORE_VERSION } from '../../../src/workbench/store/migrate.ts'
import { promotionLedger } from '../../../src/workbench/store/promotions.ts'
import { pruneStore } from '../../../src/workbench/store/prune.ts'
import { listTrials, readStages, readTried } from '../../../src/workbench/store/readers.ts'
import { type Reread, reparseReplies } from '../../../src/workbench/store/reparse.ts'
import { recordCheck } from '../../../src/workbench/store/revised-results.ts'
import { saveScreen } from '../../../src/workbench/store/screens.ts'
import { openStore, type Store } from '../../../src/workbench/store/store.ts'
import { startStudyRun } from '../../../src/workbench/store/studies.ts'
import { renameStudy } from '../../../src/workbench/store/study-upkeep.ts'
import { countTriedOn, recordTriedLocally } from '../../../src/workbench/store/tried-count.ts'
import { takeSnapshot } from '../../../src/workbench/store/whole-file.ts'
import { folderInMemory } from '../../support/folder.ts'
import { idleMetrics } from '../../support/metrics.ts'
import { share } from '../../support/share.ts'
import { testSystem } from '../../support/system.ts'
import { makeStudy, makeTrials } from '../run/setup.ts'
import {
  contentsOf,
  everythingOf,
  finish,
  mergeFrom,
  openEmpty,
  openStudy,
  pay,
  resultOf,
  rules,
  service,
} from './merge-setup.ts'
import { EARLIER, storeOf } from './old-layouts.ts'
import { identity, observation, openIntent, spender, start, submit } from './setup.ts'
import { marketScreenOf, screenOf } from './some-screen.ts'

const market = 'binance/BTC-USDT'
const period = { from: Date.UTC(2021, 3, 21), to: Date.UTC(2021, 4, 19) }
const spent = (store: Store) => readSpent(store, { ...spender, now: start }).length
const stageOf = (store: Store, fingerprint: string) =>
  readStages(store, { identity, fingerprints: [fingerprint], settings: null }).get(fingerprint)?.state
const jobsOf = (store: Store) =>
  store.db
    .prepare(`select j.remote_id as job_id, substr(j.fingerprint, 1, 12) as trial, j.state, r.net_profit, exists (select 1 from deal d where d.job_id = j.id) as deals
      from job j left join result r on r.job_id = j.id order by 1`)
    .all()

/** A copy of a store that goes on by itself. */
async function copyOf(store: Store): Promise<Store> {
  const path = join(folderInMemory(), 'copy.sqlite')
  await takeSnapshot(store, { path })
  return openStore(path, { system: testSystem({ sleep: 'jump' }) })
}

describe('what both paid for', () => {
  it('is stated otherwise by the service later: both values come along, and it is the result only where it came with it', async () => {
    const { store: other, trials } = await openStudy(2)
    const { store: same } = await openStudy(2)
    for (const one of [other, same]) await pay(one, trials[0].fingerprint, 'b1', 5)
    const notice = (netProfit: number) => {
      const at = start + 120_000
      const body = JSON.stringify({ id: 'b1', netProfit })
      const seen = observation('b1', {
        state: 'done',
        remoteState: 'completed',
        finishedAt: start + 60_000,
        body,
        result: resultOf(netProfit),
      })
      return recordCheck(other, { jobId: 1, at, found: { observation: seen, changes: { netProfit: [5, netProfit] } } })
    }
    const revised = (of: Store) => readTried(of, trials[0].fingerprint)[0]
    await notice(6.25)
    const early = await copyOf(same)
    await mergeFrom(early, other)
    expect(revised(early)).toMatchObject({ metrics: { netProfit: 5 }, revised: [{ takenAt: null, isPending: true }] })
    await mergeFrom(early, other)
    expect(revised(early).revised).toHaveLength(1)

    const reread: Reread = ({ body, receivedAt }) => {
      const { netProfit } = JSON.parse(body)
      return { ...observation('b1', { state: 'done', result: resultOf(netProfit) }), body, receivedAt }
    }
    await reparseReplies(other, { accepts: () => true, reread, revised: true, dryRun: false })
    const { store: empty } = { store: openEmpty() }
    await mergeFrom(empty, other)
    const { store: without } = await openStudy(2)
    await mergeFrom(without, other)
    for (const one of [other, empty, without])
      expect(revised(one)).toMatchObject({
        metrics: { netProfit: 6.25 },
        revised: [{ replaced: { net_profit: 5 }, isPending: false }],
      })
    // Who has the first result is not contradicted by it, and keeps it until it is taken here.
    await mergeFrom(same, other)
    expect(revised(same)).toMatchObject({ metrics: { netProfit: 5 }, revised: [{ takenAt: null, isPending: true }] })
  })

  it('is in one store afterwards, with results and deals, and counts against one allowance', async () => {
    const { store, trials } = await openStudy(3)
    const { store: other } = await openStudy(3)
    await pay(store, trials[0].fingerprint, 'a1', 5)
    await pay(store, trials[1].fingerprint, 'a2', 6)
    await recordForeignJobs(store, { ...spender, jobs: [{ remoteId: 'b2', name: null, countedAt: start }] })
    await pay(other, trials[1].fingerprint, 'b2', 6)
    await pay(other, trials[2].fingerprint, 'b3', 7)
    await recordForeignJobs(other, { ...spender, jobs: [{ remoteId: 'a2', name: null, countedAt: start }] })
    await recordForeignJobs(other, { ...spender, jobs: [{ remoteId: 'x', name: null, countedAt: start }] })

    const report = await mergeFrom(store, other)
    expect(report).toMatchObject({
      layout: STORE_VERSION,
      undecided: 0,
      added: { trials: 0, runs: 0, attempts: 2, jobs: 2, results: 2, deals: 4, foreignJobs: 1 },
    })
    expect(jobsOf(store)).toMatchObject([
      { job_id: 'a1', net_profit: 5, deals: 1 },
      { job_id: 'a2', net_profit: 6, deals: 1 },
      { job_id: 'b2', net_profit: 6, deals: 1 },
      { job_id: 'b3', net_profit: 7, deals: 1 },
    ])
    expect(spent(store)).toBe(5)
    expect(listTrials(store, { study: 'ladder' }).map(({ state, metrics }) => [state, metrics?.netProfit])).toEqual([
      ['done', 5],
      ['done', 6],
      ['done', 7],
    ])
    expect(store.db.prepare('select count(*) from deal').pluck().get()).toBe(8)
    expect(countTriedOn(store, { market, period })).toEqual({ shown: 3, scanned: 0 })
    // The second try of the second trial has the next number: both were sent, and both count.
    const numbers = store.db.prepare('select number from attempt where fingerprint = ? order by id')
    expect(numbers.pluck().all(trials[1].fingerprint)).toEqual([1, 2])
    expect(store.db.pragma('foreign_key_check')).toEqual([])
    expect(store.db.pragma('integrity_check', { simple: true })).toBe('ok')
  })

  it('is the same after a second merge, and the same whichever store was merged into which', async () => {
    const kinds = fc.constantFrom('nothing', 'done', 'running', 'rejected', 'released')
    const oneStore = fc.array(kinds, { minLength: 4, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(oneStore, oneStore, async (mine, yours) => {
        const [a, b] = [await worked('a', mine), await worked('b', yours)]
        const [before, after] = [await copyOf(a), await copyOf(b)]
        await mergeFrom(before, b)
        await mergeFrom(after, a)
        // Names of tries that both numbered alike, and what a merge keeps of its own store, differ.
        const leaveOut = ['attempt', 'study', 'service']
        expect(contentsOf(before, leaveOut)).toEqual(contentsOf(after, leaveOut))
        expect(spent(before)).toBe(spent(after))
        expect(spent(before)).toBe(spent(a) + spent(b))
        const whole = everythingOf(before)
        const again = await mergeFrom(before, b)
        expect(Object.values(again.added).filter((count) => count > 0)).toEqual([])
        expect(everythingOf(before)).toEqual(whole)
        for (const store of [a, b, before, after]) store.close()
      }),
      { numRuns: share({ usual: 2, long: 6 }) },
    )
  })

  it('stands in the settings that it was asked under, whatever number these have', async () => {
    const settings = (feePercent: number) => ({
      interval: '1m',
      conventions: null,
      costs: { feePercent, slippagePercent: 0 },
      symbol: null,
    })
    const simulated = { ...service, simulated: true }
    const open = async (fee: number) => {
      const { store, trials } = await openStudy(1)
      const study = { ...makeStudy('costly'), fingerprint: 'e'.repeat(64) }
      const run = await startStudyRun(store, {
        study,
        trials,
        service: { ...simulated, identity: 'embedded:1' },
        settingsOn: () => settings(fee),
      })
      return { store, trials, run }
    }
    const [here, there] = [await open(0.1), await open(0.5)]
    await openIntentUnder(there.store, there.trials[0].fingerprint, [...there.run.settings.values()][0].id)
    await mergeFrom(here.store, there.store)
    const fees = here.store.db.prepare<[], number>(
      'select x.fee_percent from attempt a join settings x on x.id = a.settings_id',
    )
    expect(fees.pluck().all()).toEqual([0.5])
    // A revision keeps what it first resolved here.
    const kept = here.store.db.prepare<[], number>(
      'select x.fee_percent from study_settings s join settings x on x.id = s.settings_id',
    )
    expect(kept.pluck().all()).toEqual([0.1])
  })
})

async function openIntentUnder(store: Store, fingerprint: string, settingsId: number | null) {
  store.db
    .prepare(
      `insert into attempt (identity, account, study, fingerprint, number, name, state, opened_at, counted_at, settled_at, settings_id)
       values ('embedded:1', '', 'costly', ?, 1, 'n', 'adopted', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', ?)`,
    )
    .run(fingerprint, settingsId)
}

/** A store with what became of four trials. */
async function worked(name: string, kinds: readonly string[]): Promise<Store> {
  const { store, trials } = await openStudy(4)
  for (const [index, kind] of kinds.entries()) {
    const { fingerprint } = trials[index]
    // Each store at moments of its own.
    const at = start + index * 1_000 + (name === 'a' ? 0 : 500)
    if (kind === 'nothing') continue
    const { id } = await openIntent(store, fingerprint, at)
    if (kind === 'rejected' || kind === 'released') {
      const reply = { status: 400, code: null, text: null }
      await settleAttempt(store, { attemptId: id, at, to: kind, reason: 'no', reply })
      continue
    }
    await settleAttempt(store, { attemptId: id, at, to: 'acked', observation: observation(`${name}${index}`) })
    if (kind === 'done') await finish(store, `${name}${index}`, index)
  }
  return store
}

describe('a copy that went on', () => {
  it('brings the ends of jobs that still run here', async () => {
    const { store, trials } = await openStudy(1)
    await submit(store, trials[0].fingerprint, 'a1')
    const copy = await copyOf(store)
    await finish(copy, 'a1', 9)
    expect(await mergeFrom(store, copy)).toMatchObject({
      advanced: { jobs: 1 },
      added: { results: 1, attempts: 0, jobs: 0 },
    })
    expect(stageOf(store, trials[0].fingerprint)).toBe('done')
    expect(jobsOf(store)).toMatchObject([{ job_id: 'a1', net_profit: 9, deals: 1 }])
  })

  it('brings what came of an attempt that is open here', async () => {
    const { store, trials } = await openStudy(1)
    const { id } = await openIntent(store, trials[0].fingerprint)
    const copy = await copyOf(store)
    await settleAttempt(copy, { attemptId: id, at: start, to: 'acked', observation: observation('a1') })
    await finish(copy, 'a1', 9)
    expect(await mergeFrom(store, copy)).toMatchObject({ advanced: { attempts: 1 }, added: { jobs: 1, results: 1 } })
    expect(stageOf(store, trials[0].fingerprint)).toBe('done')
    expect(spent(store)).toBe(1)
  })
})

describe('a submission without an answer', () => {
  it('in the other store is undecided here and counts, so that its trial is not paid for again', async () => {
    const { store, trials } = await openStudy(2)
    const { store: other } = await openStudy(2)
    await openIntent(store, trials[0].fingerprint)
    const { id } = await openIntent(other, trials[1].fingerprint)
    expect(await mergeFrom(store, other)).toMatchObject({ undecided: 1, added: { attempts: 1 } })
    expect(stageOf(store, trials[0].fingerprint)).toBe('submitting')
    expect(stageOf(store, trials[1].fingerprint)).toBe('undecided')
    expect(listUndecided(store, spender).slice(1)).toMatchObject([
      { reason: 'it had no answer yet in the store that was merged' },
    ])
    expect(spent(store)).toBe(2)
    expect(await mergeFrom(store, other)).toMatchObject({ undecided: 0, added: { attempts: 0 } })

    await settleAttempt(other, { attemptId: id, at: start, to: 'acked', observation: observation('b2') })
    await finish(other, 'b2', 3)
    expect(await mergeFrom(store, other)).toMatchObject({ undecided: 0, advanced: { attempts: 1 }, added: { jobs: 1 } })
    expect(stageOf(store, trials[1].fingerprint)).toBe('done')
    expect(spent(store)).toBe(2)
  })

  it('never hides a result that was paid for here', async () => {
    const { store, trials } = await openStudy(1)
    const { store: other } = await openStudy(1)
    await pay(store, trials[0].fingerprint, 'a1', 5)
    await openIntent(other, trials[0].fingerprint, start + 1)
    await mergeFrom(store, other)
    expect(stageOf(store, trials[0].fingerprint)).toBe('done')
    expect(spent(store)).toBe(2)
  })
})

describe('two stores that disagree', () => {
  it('stay two: every disagreement is named, and nothing changes', async () => {
    const { store, trials } = await openStudy(4)
    const { store: other } = await openStudy(4)
    await pay(store, trials[0].fingerprint, 'j1', 5)
    await pay(other, trials[1].fingerprint, 'j1', 5)
    await pay(store, trials[2].fingerprint, 'j2', 5)
    await pay(other, trials[2].fingerprint, 'j2', 6)
    const { id } = await openIntent(store, trials[3].fingerprint)
    const copied = await openIntent(other, trials[3].fingerprint)
    const nothing = { status: 400, code: null, text: null }
    await settleAttempt(store, { attemptId: id, at: start, to: 'rejected', reason: 'no', reply: nothing })
    await settleAttempt(other, { attemptId: copied.id, at: start, to: 'acked', observation: observation('j3') })
    await promoted(store, trials[0].fingerprint, 'bot-1')
    await promoted(other, trials[0].fingerprint, 'bot-2')
    const before = everythingOf(store)
    const failure = await mergeFrom(store, other).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'mergeRefused', exitCode: 2 })
    const [first, second, third] = trials.map(({ fingerprint }) => fingerprint.slice(0, 12))
    expect(failure instanceof Failure ? failure.problems : failure).toEqual([
      { place: `job j1 of ${identity}`, message: `is trial ${first} here and ${second} there` },
      {
        place: `job j2 of ${identity}`,
        message: `of trial ${third} has another reply there: net_profit is 5 here and 6 there`,
      },
      { place: `attempt ${nameOf(store, id)} of ${identity}`, message: 'is rejected here and acked there' },
      { place: `promotion of ${first} by a@b`, message: 'is bot bot-1 here and bot-2 there' },
    ])
    expect(everythingOf(store)).toEqual(before)
    expect(readdirSync(dirname(store.path)).filter((name) => name.includes('merge'))).toEqual([])
  })

  it('agree where one of them read a result before it had the later numbers', async () => {
    const { store, trials } = await openStudy(1)
    const { store: other } = await openStudy(1)
    for (const [each, body] of [
      [store, 'a'],
      [other, 'b'],
    ] as const) {
      await submit(each, trials[0].fingerprint, 'j1')
      await finish(each, 'j1', 5, `{"spelling":"${body}"}`)
    }
    const later = Object.values(METRICS).filter(({ since }) => since > 1)
    other.db.exec(`update result set ${later.map(({ column }) => `${column} = null`).join(', ')}`)
    store.db.exec(`update result set ${later.map(({ column }) => `${column} = 7`).join(', ')}`)
    await mergeFrom(store, other)
    expect(store.db.prepare('select net_profit_pessimistic from result').pluck().all()).toEqual([7])
    other.db.exec('update result set net_profit_pessimistic = 8')
    await expect(mergeFrom(store, other)).rejects.toMatchObject({ code: 'mergeRefused' })
  })

  it('read one reply in two ways: both figures are reported, and ours stays', async () => {
    const { store, trials } = await openStudy(1)
    await submit(store, trials[0].fingerprint, 'j1')
    const copy = await copyOf(store)
    await finish(copy, 'j1', 6)
    await finish(store, 'j1', 5, JSON.stringify({ id: 'j1', netProfit: 6 }))
    const { differing } = await mergeFrom(store, copy)
    expect(differing).toMatchObject({ count: 1, first: [{ job: 'j1', column: 'net_profit', ours: 5, theirs: 6 }] })
    expect(jobsOf(store)).toMatchObject([{ net_profit: 5 }])
  })

  it('agree on a reply that the service spelled in two ways, with the same numbers', async () => {
    const { store, trials } = await openStudy(1)
    await submit(store, trials[0].fingerprint, 'j1')
    const copy = await copyOf(store)
    await finish(store, 'j1', 5)
    await finish(copy, 'j1', 5, '{ "netProfit": 5.0, "id": "j1" }')
    expect(await mergeFrom(store, copy)).toMatchObject({ added: { results: 0, replies: 1 } })
  })
})

const nameOf = (store: Store, id: number) =>
  store.db.prepare<[number], string>('select name from attempt where id = ?').pluck().get(id)

async function promoted(store: Store, fingerprint: string, botId: string | null) {
  const ledger = promotionLedger(store, { identity, account: 'a@b', fingerprint, name: 'bot', planHash: 'h' })
  const { row } = await ledger.open(undefined)
  if (botId !== null) await ledger.settle({ id: row.id, to: 'created', botId })
}

it('a bot that was made there is not made again here', async () => {
  const { store, trials } = await openStudy(2)
  const { store: other } = await openStudy(2)
  await promoted(store, trials[0].fingerprint, null)
  await promoted(other, trials[0].fingerprint, 'bot-1')
  await promoted(other, trials[1].fingerprint, 'bot-2')
  expect(await mergeFrom(store, other)).toMatchObject({ added: { promotions: 1 }, advanced: { promotions: 1 } })
  const bots = store.db.prepare('select state, bot_id from promotion order by bot_id')
  expect(bots.all()).toEqual([
    { state: 'created', bot_id: 'bot-1' },
    { state: 'created', bot_id: 'bot-2' },
  ])
})

it('a name with another definition becomes a further revision, and the one that was run last is the current one', async () => {
  const { store } = await openStudy(2)
  const { store: other } = await openStudy(2)
  const study = { ...makeStudy(), fingerprint: 'a'.repeat(64), source: 'name: ladder # wider\n' }
  await startStudyRun(other, { study, trials: makeTrials(3), service, settingsOn: null })
  expect(await mergeFrom(store, other)).toMatchObject({ added: { revisions: 1, trials: 1, runs: 1 } })
  const revisions = store.db.prepare('select number, substr(fingerprint, 1, 1) as f from study order by number')
  expect(revisions.all()).toEqual([
    { number: 1, f: 'f' },
    { number: 2, f: 'a' },
  ])
  expect(listTrials(store, { study: 'ladder' })).toHaveLength(3)
  expect(store.db.prepare('select fingerprint from studies').pluck().all()).toEqual(['a'.repeat(64)])
})

it('what was pruned in one store comes back from the other, and is not dropped from it', async () => {
  const { store: whole, trials } = await openStudy(2)
  for (const [n, { fingerprint }] of trials.entries()) await pay(whole, fingerprint, `j${n}`, n)
  const pruned = await copyOf(whole)
  await pruneStore(pruned, { before: start + 86_400_000, dryRun: false, pause: async () => {} })
  expect(pruned.db.prepare('select count(*) from deals').pluck().get()).toBe(0)
  const before = contentsOf(whole, ['study_count', 'study_place'])
  expect(await mergeFrom(whole, pruned)).toMatchObject({ added: { replies: 0, results: 0, deals: 0 } })
  expect(contentsOf(whole, ['study_count', 'study_place'])).toEqual(before)
  expect(await mergeFrom(pruned, whole)).toMatchObject({ added: { results: 2, deals: 4 } })
  expect(contentsOf(pruned, ['study_count', 'study_place'])).toEqual(before)
  expect(await mergeFrom(pruned, whole)).toMatchObject({ added: { replies: 0, results: 0, deals: 0 } })
})

it('a study that was renamed in one store is merged either way, and what its run paid for counts once', async () => {
  const { store, trials, runId } = await openStudy(2)
  await pay(store, trials[0].fingerprint, 'j1', 1, runId)
  const other = await copyOf(store)
  await renameStudy(other, { from: 'ladder', to: 'rope' })
  const empty = openEmpty()
  await mergeFrom(empty, other)
  expect(empty.db.prepare('select name from study').pluck().all()).toEqual(['rope'])
  const first = await copyOf(store)
  expect(await mergeFrom(first, other)).toMatchObject({ added: { runs: 0, attempts: 0, revisions: 1 } })
  const second = await copyOf(other)
  expect(await mergeFrom(second, store)).toMatchObject({ added: { runs: 0, attempts: 0, revisions: 1 } })
  for (const each of [first, second]) {
    expect(each.db.prepare('select name from study order by name').pluck().all()).toEqual(['ladder', 'rope'])
    expect(each.db.prepare('select units from study_runs').pluck().all()).toEqual([1])
  }
})

it('screens, looks, tags and notes come along, once', async () => {
  const { store, trials } = await openStudy(1)
  const { store: other } = await openStudy(1)
  await recordTriedLocally(store, { market, period, source: 'backtest', key: 'k', configs: 1 })
  await recordTriedLocally(other, { market, period, source: 'backtest', key: 'k', configs: 1 })
  await recordTriedLocally(other, { market, period, source: 'screen', key: 's', configs: 50 })
  const top = [{ fingerprint: trials[0].fingerprint, metrics: idleMetrics() }]
  const ofTwo = ['binance/BTC-USDT', 'binance/ETH-USDT'].map((name) => marketScreenOf(top, true, name))
  await saveScreen(other, { ...screenOf(top), markets: ofTwo })
  const at = '2026-01-01T00:00:00.000Z'
  other.db.prepare('insert into tag values (?, ?, ?)').run(trials[0].fingerprint, 'good', at)
  other.db
    .prepare('insert into note (fingerprint, note, added_at) values (?, ?, ?)')
    .run(trials[0].fingerprint, 'why', at)
  expect(await mergeFrom(store, other)).toMatchObject({ added: { screens: 2, tried: 1, tags: 1, notes: 1 } })
  const whole = everythingOf(store)
  expect(await mergeFrom(store, other)).toMatchObject({ added: { screens: 0, tried: 0, tags: 0, notes: 0 } })
  expect(everythingOf(store)).toEqual(whole)
  expect(countTriedOn(store, { market, period })).toEqual({ shown: 0, scanned: 51 })
  const rows =
    'select (select count(*) from screen_result) as results, (select count(*) from screen_parameter) as parameters'
  expect(store.db.prepare(rows).get()).toEqual(other.db.prepare(rows).get())
})

it('the first look at a span is its earliest result, in whatever order results were read', async () => {
  const { store, trials } = await openStudy(2)
  const hour = 3_600_000
  for (const [n, { fingerprint }] of trials.entries()) await submit(store, fingerprint, `j${n}`)
  const done = { state: 'done', remoteState: 'completed' } as const
  const observations = [2, 1].map((after, n) => observation(`j${n}`, { ...done, finishedAt: start + after * hour }))
  await recordObservations(store, { identity, observations })
  const looks = 'select configs, first_at, last_at from tried'
  const [first, last] = [1, 2].map((after) => new Date(start + after * hour).toISOString())
  expect(store.db.prepare(looks).all()).toEqual([{ configs: 2, first_at: first, last_at: last }])
  const empty = openEmpty()
  await mergeFrom(empty, store)
  expect(empty.db.prepare(looks).all()).toEqual(store.db.prepare(looks).all())
})

it('every table is taken over, or is about one machine and one file', async () => {
  const { store, trials } = await openStudy(1)
  await pay(store, trials[0].fingerprint, 'j1', 1)
  const tables = Object.keys(contentsOf(store))
  const empty = openEmpty()
  const touched = new Set<string>()
  const { db } = empty
  const prepare = db.prepare.bind(db)
  // What is inserted into, as it is prepared.
  Object.assign(db, {
    prepare: (sql: string) => {
      for (const [, table] of sql.matchAll(/insert into main\.(\w+)/g)) touched.add(table)
      return prepare(sql)
    },
  })
  await mergeFrom(empty, store)
  expect(tables.filter((table) => !touched.has(table))).toEqual([
    'export_folder', // a folder is one store's
    'market_day', // written again by the next run here
    'our_object',
    'request',
    'service_reply',
    'store_letters',
    'study_count',
    'study_place',
    'study_ranking',
  ])
})

/** Every layout is brought forward in `migrate.test.ts`. */
const layouts = share({ usual: EARLIER.filter((_, n) => n % 6 === 0), long: EARLIER })

it.each(layouts)('a store of layout %i is brought forward as a copy, and is itself left as it was', async (layout) => {
  const path = storeOf(layout)
  const old = new Database(path, { readonly: true }).serialize()
  const { store } = await openStudy(3)
  expect(await mergeFrom(store, path)).toMatchObject({
    layout,
    undecided: 1,
    added: { jobs: 2, results: 2, deals: 1, screens: 1 },
  })
  expect(new Database(path, { readonly: true }).serialize().equals(old)).toBe(true)
  expect(readdirSync(dirname(path)).filter((name) => name.includes('layout'))).toEqual([])
  expect(jobsOf(store)).toMatchObject([
    { job_id: 'job-1', net_profit: 12.5, deals: 0 },
    { job_id: 'job-2', net_profit: 0.1, deals: 1 },
  ])
})

it('a store whose columns came one by one, without their comments, is the same as one that was made at once', async () => {
  const path = storeOf()
  const db = new Database(path)
  const made = db.prepare<[], string>("select sql from sqlite_schema where name = 'study_run'").pluck().get() ?? ''
  expect(made).toMatch(/asked_by .* -- /)
  db.unsafeMode(true)
  db.pragma('writable_schema = on')
  db.prepare("update sqlite_schema set sql = ? where name = 'study_run'").run(made.replace(/ -- .*/g, ''))
  db.close()
  const { store } = await openStudy(3)
  expect(await mergeFrom(store, path)).toMatchObject({ added: { jobs: 2, results: 2 } })
})

it('an interrupt in the middle leaves our store as it was', async () => {
  const { store } = await openStudy(1)
  const { store: other, trials } = await openStudy(1)
  await pay(other, trials[0].fingerprint, 'j1', 1)
  const before = everythingOf(store)
  const interrupt = new AbortController()
  const reason = new Error('Ctrl-C')
  const tell = (text: string) => {
    if (text.startsWith('results')) interrupt.abort(reason)
  }
  await expect(
    mergeStore(store, { path: other.path, rules, showProgress: tell, signal: interrupt.signal }),
  ).rejects.toBe(reason)
  expect(everythingOf(store)).toEqual(before)
  expect(await mergeFrom(store, other)).toMatchObject({ added: { results: 1 } })
})

it('nobody may submit with a key of the other store meanwhile', async () => {
  const { store, trials } = await openStudy(1)
  const { store: other } = await openStudy(1)
  await pay(other, trials[0].fingerprint, 'j1', 1)
  const lock = holdLock(store, { identity })
  await expect(mergeFrom(store, other)).rejects.toMatchObject({ code: 'keyBusy' })
  lock.release()
  await mergeFrom(store, other)
})

it('the other file is not changed, and what an analyst added there is not run and not taken', async () => {
  const { store, trials } = await openStudy(1)
  const { store: other } = await openStudy(1)
  await pay(other, trials[0].fingerprint, 'j1', 1)
  other.db.exec(`create table mine (x); insert into mine values (1); create view mine_too as select * from mine;
    create index mine_by_x on mine (x); create trigger mine_on_job after insert on mine begin select raise(abort, 'run'); end`)
  other.close()
  const copy = join(folderInMemory(), 'before.sqlite')
  copyFileSync(other.path, copy)
  await mergeFrom(store, other.path)
  const [now, then] = [other.path, copy].map((path) => new Database(path, { readonly: true }).serialize())
  expect(now.equals(then)).toBe(true)
  expect(store.db.prepare("select name from sqlite_schema where name like 'mine%'").all()).toEqual([])
  expect(jobsOf(store)).toHaveLength(1)
})

it('a column that an analyst added to a table of ours stays, and is empty in what comes along', async () => {
  const { store, trials } = await openStudy(2)
  const { store: other } = await openStudy(3)
  store.db.exec('alter table trial add column verdict text; alter table result add column mine real')
  store.db.prepare("update trial set verdict = 'dull'").run()
  await pay(other, trials[1].fingerprint, 'b1', 6)
  await mergeFrom(store, other)
  const verdicts = store.db.prepare('select verdict, count(*) as n from trial group by 1 order by 1')
  expect(verdicts.all()).toEqual([
    { verdict: null, n: 1 },
    { verdict: 'dull', n: 2 },
  ])
  expect(store.db.prepare('select net_profit, mine from result').all()).toEqual([{ net_profit: 6, mine: null }])
})

it('indexes and statistics that an analyst made here stay as they are', async () => {
  const { store: other, trials } = await openStudy(1)
  await pay(other, trials[0].fingerprint, 'j1', 1)
  const { store } = await openStudy(1)
  store.db.exec('create index "my own" on result (roi_percent) where roi_percent > 0')
  await mergeFrom(store, other)
  const { store: measured } = await openStudy(1)
  measured.db.exec('analyze')
  const statistics = () => measured.db.prepare('select * from sqlite_stat1').all()
  const before = statistics()
  await mergeFrom(measured, other)
  expect(statistics()).toEqual(before)
})

it('a copy that a killed merge left behind is removed a day later by the next one', async () => {
  const { store } = await openStudy(1)
  const { store: other } = await openStudy(1)
  const gone = spawnSync(process.execPath, ['-e', '']).pid
  const random = '0123456789abcdef'
  const [left, ofBefore, fresh, ofAnother, ofOurNumber] = [
    ...[
      `merge-${gone}-${random}`,
      `merge-${gone}`,
      `merge-${gone}0000000-${random}`,
      `merge-${process.ppid}-${random}`,
    ],
    `merge-${process.pid}`, // of a container whose process has our number
  ].map((end) => `${store.path}.${end}`)
  const all = [left, `${left}-journal`, ofBefore, fresh, ofAnother, ofOurNumber]
  for (const path of all) writeFileSync(path, 'a part of a store')
  const daysAgo = (days: number) => store.clock.wall() / 1000 - days * 86_400
  for (const path of [left, ofBefore, ofAnother]) utimesSync(path, daysAgo(2), daysAgo(2))
  utimesSync(fresh, daysAgo(0.5), daysAgo(0.5))
  await mergeFrom(store, other)
  expect(all.filter((path) => existsSync(path))).toEqual([fresh, ofAnother, ofOurNumber])
})

it.each(['before', 'after'])(
  'a job of ours is not hidden by a refusal of theirs, merged %s its result came',
  async (when) => {
    const [ours, theirs] = [await openStudy(1), await openStudy(1)]
    const [{ fingerprint }] = ours.trials
    await submit(ours.store, fingerprint, 'job-1')
    const { id } = await openIntent(theirs.store, fingerprint, start + 5_000)
    const reply = { status: 400, code: 'TooManyJobs', text: '{}' }
    await settleAttempt(theirs.store, { attemptId: id, at: start + 5_000, to: 'rejected', reason: 'too many', reply })
    if (when === 'after') await finish(ours.store, 'job-1', 12)
    await mergeFrom(ours.store, theirs.store)
    if (when === 'before') {
      const stages = readStages(ours.store, { identity, fingerprints: [fingerprint], settings: null })
      expect(stages.get(fingerprint)).toMatchObject({ state: 'running', isRejected: false })
      await finish(ours.store, 'job-1', 12)
    }
    expect(listTrials(ours.store, { study: 'ladder', identity })).toMatchObject([
      { state: 'done', metrics: { netProfit: 12 } },
    ])
  },
)
