/** A verdict is stale once more is known than when it was judged, whenever that was made. */
import { expect, it } from 'vitest'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { beginVerdict, findVerdict } from '../../../src/workbench/store/verdicts.ts'
import { finish, mergeFrom, openStudy, pay } from './merge-setup.ts'
import { identity, submit } from './setup.ts'

const study = 'ladder'
const judged = { basis: ['candles'], verdict: { rules: 'verdict-1', grade: 'ahead' }, stretches: [] } as const

function firstOf(store: Store) {
  const [trial] = listTrials(store, { study, identity })
  return trial
}

/** After every result that there is here or elsewhere was finished. */
async function judge(store: Store): Promise<void> {
  await beginVerdict(store, { trial: firstOf(store), study })(judged)
  store.db.exec("update verdict set judged_at = '2027-01-01T00:00:00.000Z'")
}

/** Every row of a table once more, with other values in some columns. */
function copyRows(store: Store, table: 'study' | 'study_trial', others: Readonly<Record<string, string | number>>) {
  const columns = store.db.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(table)
  const values = columns.map((name) => (Object.hasOwn(others, name) ? `'${others[name]}'` : name))
  store.db.exec(`insert into ${table} (${columns}) select ${values} from ${table}`)
}

/** As the program and as the view have it. */
function isStale(store: Store): readonly unknown[] {
  const inView = store.db.prepare<[], number>('select is_stale from verdicts').pluck().all()
  return [findVerdict(store, { trial: firstOf(store), basis: judged.basis })?.isStale, ...inView]
}

it('results that a merge brings later make a verdict stale, though they finished before it was judged', async () => {
  const [ours, theirs] = [await openStudy(3), await openStudy(3)]
  const [first, second, third] = ours.trials
  await pay(ours.store, first.fingerprint, 'job-1', 1, ours.runId)
  await pay(theirs.store, second.fingerprint, 'job-2', 2, theirs.runId)
  await judge(ours.store)
  expect(isStale(ours.store)).toEqual([false, 0])
  await mergeFrom(ours.store, theirs.store)
  expect(isStale(ours.store)).toEqual([true, 1])

  ours.store.db.exec('delete from verdict')
  await judge(ours.store)
  await mergeFrom(ours.store, theirs.store)
  expect(isStale(ours.store)).toEqual([false, 0])
  await submit(ours.store, third.fingerprint, 'job-3', ours.runId)
  expect(isStale(ours.store)).toEqual([false, 0])
  await finish(ours.store, 'job-3', 3)
  expect(isStale(ours.store)).toEqual([true, 1])
})

it('each study has its own verdict on a result that two of them tried', async () => {
  const { store, trials, runId } = await openStudy(1)
  await pay(store, trials[0].fingerprint, 'job-1', 1, runId)
  await judge(store)
  const trial = firstOf(store)
  const worse = { ...judged, verdict: { rules: 'verdict-1', grade: 'holdingDidBetter' } } as const
  await beginVerdict(store, { trial, study: 'other' })(worse)
  store.db.exec("update verdict set judged_at = '2027-02-01T00:00:00.000Z' where study = 'other'")
  const gradeFor = (of: string | null | undefined) => findVerdict(store, { trial, study: of })?.grade
  expect([study, 'other', null, undefined].map(gradeFor)).toEqual([
    'ahead',
    'holdingDidBetter',
    undefined,
    'holdingDidBetter',
  ])
  const current = store.db.prepare('select study, grade from verdicts where is_current').raw().all()
  expect(current).toEqual([[study, 'ahead']]) // the store holds no study of the other name
})

it('what comes in while a verdict is judged makes it stale', async () => {
  const { store, trials, runId } = await openStudy(2)
  await pay(store, trials[0].fingerprint, 'job-1', 1, runId)
  const keep = beginVerdict(store, { trial: firstOf(store), study })
  await pay(store, trials[1].fingerprint, 'job-2', 2, runId)
  await keep(judged)
  expect(isStale(store)).toEqual([true, 1])
})

it('another revision of the study brings nothing new by itself; what is removed does', async () => {
  const { store, trials, runId } = await openStudy(2)
  for (const [n, trial] of trials.entries()) await pay(store, trial.fingerprint, `job-${n}`, n + 1, runId)
  await judge(store)
  const revised = 'e'.repeat(64)
  copyRows(store, 'study', { fingerprint: revised, number: 2 })
  copyRows(store, 'study_trial', { study_fingerprint: revised })
  expect(isStale(store)).toEqual([false, 0])
  store.db.exec(`delete from study_trial where fingerprint = '${trials[1].fingerprint}'`)
  expect(isStale(store)).toEqual([true, 1])
})

it('is shown without what it is kept with, and is out of date where that is missing', async () => {
  const { store, trials, runId } = await openStudy(1)
  await pay(store, trials[0].fingerprint, 'job-1', 1, runId)
  await judge(store)
  const kept = store.db.prepare<[], string>('select verdict_json from verdicts').pluck().get() ?? ''
  expect(JSON.parse(kept)).toEqual(judged.verdict)
  store.db.exec(`update verdict set verdict_json = json_remove(verdict_json, '$.known')`)
  expect(isStale(store)).toEqual([true, 1])
})
