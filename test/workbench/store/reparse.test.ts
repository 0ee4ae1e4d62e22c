/** H21, H25: what is derived can be derived again; replies stay, ends stay, and what cannot be read takes nothing away. */
import { expect, it } from 'vitest'
import { builtInDialect } from '../../../src/workbench/api/reading/dialect.ts'
import { rereadJob } from '../../../src/workbench/api/reading/read-job.ts'
import { toObservation } from '../../../src/workbench/run/outcome-table.ts'
import { recordDeleted, recordObservations } from '../../../src/workbench/store/jobs.ts'
import { addLocalMetrics } from '../../../src/workbench/store/observe-job.ts'
import { listTrials, readTried } from '../../../src/workbench/store/readers.ts'
import { type Reread, reparseReplies } from '../../../src/workbench/store/reparse.ts'
import { unpacked } from '../../../src/workbench/store/replies.ts'
import { recordCheck } from '../../../src/workbench/store/revised-results.ts'
import { type Store, write } from '../../../src/workbench/store/store.ts'
import { identity, type observation, openWithStudy, start, submit } from './setup.ts'

/** The rules in force: today's reading, with some words for states on top. */
function rules(words: Readonly<Record<string, 'done' | 'failed' | 'pending'>> = {}): Reread {
  const dialect = { ...builtInDialect, jobState: (word: string) => words[word] ?? builtInDialect.jobState(word) }
  return ({ body, receivedAt }) => {
    const found = rereadJob(body, dialect)
    return 'problem' in found ? found : toObservation(found.reading, receivedAt)
  }
}

const reparse = (store: Store, reread: Reread, more: { readonly dryRun?: boolean; readonly revised?: boolean } = {}) =>
  reparseReplies(store, { accepts: () => true, reread, dryRun: false, ...more })

const bodyOf = (state: string, netProfit: number | null) =>
  JSON.stringify({ id: 'job-1', state, result: netProfit === null ? null : { metrics: { netProfit } } })

/** A body as today's rules read it. */
function seen(body: string, reread = rules()) {
  const found = reread({ service: { identity, simulated: false, origin: '' }, body, receivedAt: start })
  if ('problem' in found) throw new Error(found.problem)
  return found
}

async function withReplies(...observations: ReturnType<typeof observation>[]) {
  const world = await openWithStudy(1)
  await submit(world.store, world.trials[0].fingerprint, 'job-1')
  for (const one of observations) await recordObservations(world.store, { identity, observations: [one] })
  return { ...world, trial: () => listTrials(world.store, { study: 'ladder' })[0] }
}

const replies = (store: Store) => store.db.prepare('select id, sha256, body, received_at from reply order by id').all()

/** Of the replies with this word in them. */
function finalOf(store: Store, word: string): readonly unknown[] {
  const rows = store.db.prepare<[], { final: number; body: Uint8Array }>('select final, body from reply').all()
  return rows.filter(({ body }) => unpacked(body).includes(word)).map(({ final }) => final)
}

it('what was read well reads the same again', async () => {
  const { store, trial } = await withReplies(seen(bodyOf('completed', 5)))
  const before = [trial(), replies(store)]
  expect(await reparse(store, rules())).toMatchObject({ jobs: 1, changed: 0, unchanged: 1, unreadable: [] })
  expect([trial(), replies(store)]).toEqual(before)
})

it('columns that an older version read otherwise are corrected once, and the replies stay byte for byte', async () => {
  const read = seen(bodyOf('completed', 5))
  const { store, trial } = await withReplies({ ...read, result: null, remoteState: 'older' })
  const before = replies(store)
  expect(trial().metrics).toBeNull()
  expect(await reparse(store, rules(), { dryRun: true })).toMatchObject({ changed: 1 })
  expect(trial().metrics).toBeNull()
  expect(await reparse(store, rules())).toMatchObject({ changed: 1, columns: { net_profit: 1, remote_state: 1 } })
  expect(trial().metrics?.netProfit).toBe(5)
  expect(await reparse(store, rules())).toMatchObject({ changed: 0, unchanged: 1 })
  expect(replies(store)).toEqual(before)
})

it('what candles here said of a result stays, unless the terms that it rests on are read otherwise', async () => {
  const { store, trial } = await withReplies(seen(bodyOf('completed', 5)))
  const { id: jobId } = store.db.prepare<[], { id: number }>('select id from job').get() ?? { id: 0 }
  await write(store, () => {
    addLocalMetrics(store.db, { jobId, stressedPerUsed: 12.5, timeInDealPercent: 99 })
  })
  expect(await reparse(store, rules())).toMatchObject({ changed: 0, unchanged: 1 })
  expect(trial().metrics).toMatchObject({ stressedPerUsed: 12.5, timeInDealPercent: 99 })
  store.db.prepare('update result set fee_percent = 0.2').run()
  expect(await reparse(store, rules())).toMatchObject({ changed: 1 })
  expect(trial().metrics).toMatchObject({ stressedPerUsed: null, timeInDealPercent: null })
})

it.each([
  ['is read from the kept reply', { lowestValue: -2.5 }, -2.5, { open_deal_json: 1, deals: 1 }],
  ['and where the reply does not tell it, nothing changes', {}, null, {}],
])('the worst open loss of deals that an older version read without it: %s', async (_, told, lowestValue, columns) => {
  const times = { openedAt: '2024-01-01T00:00:00.000Z', closedAt: '2024-01-01T01:00:00.000Z' }
  const money = { quantity: 0.1, cost: 10, profit: 1 }
  const deal = { ...times, exit: 'takeProfit', safetyOrders: 1, ...money, proceeds: 11, price: 110 }
  const openDeal = { openedAt: times.closedAt, safetyOrders: 0, ...money, value: 11 }
  const result = { metrics: { netProfit: 5 }, deals: [{ ...deal, ...told }], openDeal: { ...openDeal, ...told } }
  const { store, trials } = await withReplies(seen(JSON.stringify({ id: 'job-1', state: 'completed', result })))
  store.db.exec(`update deal set lowest_value = null;
    update result set open_deal_json = json_remove(open_deal_json, '$.lowestValue')`)
  expect((await reparse(store, rules())).columns).toEqual(columns)
  const [trial] = readTried(store, trials[0].fingerprint)
  expect(trial.deals).toEqual([{ ...deal, lowestValue }])
  expect(trial.openDeal).toEqual({ ...openDeal, lowestValue })
  expect(await reparse(store, rules())).toMatchObject({ changed: 0, unchanged: 1 })
})

it('the first reply that reads as the end decides, whatever came after it', async () => {
  // An older rule took "wrapping-up" for the end.
  const tooEarly = { ...seen(bodyOf('wrapping-up', 1)), state: 'done' as const, result: seen(bodyOf('done', 1)).result }
  const { store, trial } = await withReplies(tooEarly, seen(bodyOf('done', 7)), seen(bodyOf('done', 9)))
  expect(trial().metrics?.netProfit).toBe(1)
  expect(await reparse(store, rules())).toMatchObject({ changed: 1, columns: { reply_id: 1, net_profit: 1 } })
  expect(trial().metrics?.netProfit).toBe(7)
})

it('an end in a word that nobody knew is recognised, though the service has deleted the job since', async () => {
  const { store, trial } = await withReplies(seen(bodyOf('SERVED', 5)))
  await recordDeleted(store, { jobId: 1, at: start })
  expect(trial().state).toBe('gone')
  expect(await reparse(store, rules())).toMatchObject({ changed: 0, unchanged: 1 })
  expect(await reparse(store, rules({ SERVED: 'done' }))).toMatchObject({ changed: 1, columns: { state: 1 } })
  expect(trial()).toMatchObject({ state: 'done', metrics: { netProfit: 5 } })
  expect(finalOf(store, 'SERVED')).toEqual([1])
  expect(await reparse(store, rules({ SERVED: 'done' }))).toMatchObject({ changed: 0, unchanged: 1 })
})

it('an end is not taken back', async () => {
  const { store, trial } = await withReplies(seen(bodyOf('completed', 5)))
  expect(await reparse(store, rules({ completed: 'failed' }))).toMatchObject({
    changed: 0,
    unreadable: [{ jobId: 'job-1', reason: 'it reads as failed, but the job is done' }],
  })
  expect(await reparse(store, rules({ completed: 'pending' }))).toMatchObject({
    unreadable: [{ reason: 'none of its replies reads as its end' }],
  })
  expect(trial()).toMatchObject({ state: 'done', metrics: { netProfit: 5 } })
})

it.each([
  ['is not JSON', '<html>', 'it is not JSON'],
  ['has no id', '{"state":"done"}', 'no job with a usable id is found in it'],
  ['is that of another job', '{"id":"job-2","state":"done"}', 'it reads as the reply of another job, job-2'],
  ['tells no metric', '{"id":"job-1","state":"done","result":{"metrics":{}}}', 'no metric of it can be read'],
])('a reply that %s is told with its reason and keeps its columns', async (_what, body, reason) => {
  const { store, trial, trials } = await withReplies({ ...seen(bodyOf('completed', 5)), body })
  expect((await reparse(store, rules())).unreadable).toEqual([{ trial: trials[0].fingerprint, jobId: 'job-1', reason }])
  expect(trial().metrics?.netProfit).toBe(5)
})

it('a dialect that throws makes one job unreadable, and nothing else', async () => {
  const { store } = await withReplies(seen(bodyOf('completed', 5)))
  const throwing: Reread = ({ body }) => {
    const found = rereadJob(body, {
      ...builtInDialect,
      job: () => {
        throw new Error('bug')
      },
    })
    return 'problem' in found ? found : toObservation(found.reading, start)
  }
  expect((await reparse(store, throwing)).unreadable).toMatchObject([{ reason: 'reading it failed: bug' }])
})

it('an interrupt ends it between two portions', async () => {
  const { store } = await withReplies(seen(bodyOf('completed', 5)))
  const reason = new Error('Ctrl-C')
  const request = { accepts: () => true, reread: rules(), dryRun: false, signal: AbortSignal.abort(reason) }
  await expect(reparseReplies(store, request)).rejects.toBe(reason)
})

it('a result that is stated otherwise later is taken only when it is asked for, and what it replaces stays readable', async () => {
  const first = seen(bodyOf('completed', 5))
  const { store, trial, trials } = await withReplies(first)
  const check = (at: number, netProfit: number, was: number) =>
    recordCheck(store, {
      jobId: 1,
      at,
      found: { observation: seen(bodyOf('completed', netProfit)), changes: { netProfit: [was, netProfit] } },
    })
  const now = () => [trial().metrics?.netProfit, trial().finishedAt]
  const revised = () => readTried(store, trials[0].fingerprint)[0].revised
  const paid = [trial(), replies(store)[0]]
  await check(start + 60_000, 6.25, 5)
  expect([trial(), replies(store)[0]]).toEqual(paid)
  expect(await reparse(store, rules())).toMatchObject({ jobs: 1, changed: 0 })
  // A dialect under which the first reply has no end does not take the later one for it.
  expect(await reparse(store, rules({ completed: 'pending' }))).toMatchObject({ changed: 0 })
  expect(trial()).toEqual(paid[0])

  const [netProfit, finishedAt] = now()
  expect(netProfit).toBe(5)
  expect(await reparse(store, rules(), { revised: true, dryRun: true })).toMatchObject({ jobs: 1, changed: 1 })
  expect(now()).toEqual([5, finishedAt])
  expect(await reparse(store, rules(), { revised: true })).toMatchObject({ jobs: 1, changed: 1 })
  expect(now()).toEqual([6.25, finishedAt])
  expect(revised()).toMatchObject([{ takenAt: expect.any(String), replaced: { net_profit: 5 }, isPending: false }])
  expect(replies(store)[0]).toEqual(paid[1])
  expect(await reparse(store, rules())).toMatchObject({ jobs: 1, changed: 0 })
  expect(await reparse(store, rules(), { revised: true })).toMatchObject({ jobs: 0 })

  // It goes back to what was paid for, and that is taken too.
  await check(start + 120_000, 5, 6.25)
  expect(revised().map(({ isPending }) => isPending)).toEqual([false, true])
  await reparse(store, rules(), { revised: true })
  await reparse(store, rules())
  expect(now()).toEqual([5, finishedAt])
  expect(revised().map(({ replaced }) => replaced?.net_profit)).toEqual([5, 6.25])
})
