/** Counts of a study are kept between two questions, and are those of its trials after every change whatever. */
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { settleAttempt } from '../../../src/workbench/store/attempts.ts'
import { recordDeleted, recordObservations, recordStalled } from '../../../src/workbench/store/jobs.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import type { TrialState } from '../../../src/workbench/store/records.ts'
import { openStore, type Store } from '../../../src/workbench/store/store.ts'
import { startStudyRun } from '../../../src/workbench/store/studies.ts'
import { countStudies, keepAllPlaces } from '../../../src/workbench/store/study-counts.ts'
import { listStudies } from '../../../src/workbench/store/study-records.ts'
import { testSystem } from '../../support/system.ts'
import { makeStudy, makeTrials } from '../run/setup.ts'
import { mergeFrom } from './merge-setup.ts'
import { identity, observation, openIntent, openWithStudy, start, submit } from './setup.ts'

const service = { identity, simulated: false, origin: 'https://bots.example' }
const reply = { status: 503, code: null, text: null }

/** What `countStudies` is to say, from the trials themselves. */
function fromTrials(store: Store) {
  return listStudies(store).map(({ name }) => {
    const trials = listTrials(store, { study: name })
    const states = new Map<TrialState, number>()
    for (const { state } of trials) states.set(state, (states.get(state) ?? 0) + 1)
    const finished = trials.flatMap(({ finishedAt }) => (finishedAt === null ? [] : [finishedAt]))
    return { study: name, states, lastFinishedAt: finished.sort().at(-1) ?? null }
  })
}

/** The same of `countStudies`. */
function counted(store: Store, question: Parameters<typeof countStudies>[1] = {}) {
  return countStudies(store, question).map(({ study, states, lastFinishedAt }) => ({ study, states, lastFinishedAt }))
}

/** The attempts that are kept for trials, and those that they should be: the newest that was not taken back. */
const KEPT_PLACES = `select p.study, p.position, p.identity, p.attempt_id as kept,
    (select max(l.id) from attempt l where l.fingerprint = m.fingerprint and l.identity = p.identity and l.state not in ('released', 'absent')) as latest
  from study_place p join study_trial m using (study, study_fingerprint, position)`

const KNOWN = `select s.study, s.known_trials as shown, (select count(distinct j.fingerprint) from job j join study_trial m using (fingerprint)
    where m.study = s.study and m.study_fingerprint = s.fingerprint and j.state = 'done') as counted from studies s`

function expectTrueCounts(store: Store): void {
  const known = store.db.prepare<[], { shown: number; counted: number }>(KNOWN).all()
  expect(known.filter(({ shown, counted }) => shown !== counted)).toEqual([])
  const kept = store.db.prepare<[], { kept: number; latest: number | null }>(KEPT_PLACES).all()
  expect(kept.filter((row) => row.kept !== row.latest)).toEqual([])
}

it('every change of a trial is in the next count of every study that has it', async () => {
  const { store, trials } = await openWithStudy(6)
  const agree = () => {
    expectTrueCounts(store)
    const first = counted(store)
    keepAllPlaces(store)
    expectTrueCounts(store)
    expect(first).toEqual(fromTrials(store))
    expect(counted(store), 'as they were kept').toEqual(first)
  }
  agree()
  await startStudyRun(store, { study: makeStudy('second'), trials: trials.slice(2), service, settingsOn: null })
  agree()
  for (const [n, { fingerprint }] of trials.slice(0, 4).entries()) {
    await submit(store, fingerprint, `job-${n}`)
    agree()
  }
  const { id: attemptId } = await openIntent(store, trials[4].fingerprint)
  agree()
  await settleAttempt(store, { attemptId, at: start, to: 'ambiguous', countedAt: start, reason: 'no answer', reply })
  agree()
  await settleAttempt(store, { attemptId, at: start, to: 'undecided', reason: 'a person has to look' })
  agree()
  await settleAttempt(store, { attemptId, at: start, to: 'absent' })
  agree()
  const see = async (n: number, state: 'done' | 'failed', finishedAt: number) => {
    const observations = [observation(`job-${n}`, { state, finishedAt, body: `{"n":${n}}` })]
    await recordObservations(store, { identity, observations })
    agree()
  }
  await see(3, 'done', start + 9000)
  await see(2, 'failed', start + 5000)
  await recordStalled(store, [1, 2, 3, 4])
  agree()
  await recordDeleted(store, { jobId: 2, at: start })
  agree()
  const third = { ...makeStudy('second'), fingerprint: 'e'.repeat(64) }
  await startStudyRun(store, { study: third, trials: makeTrials(2), service, settingsOn: null })
  agree()
  expect(counted(store, { study: 'second' })).toEqual([
    {
      study: 'second',
      states: new Map([
        ['gone', 1],
        ['stalled', 1],
      ]),
      lastFinishedAt: null,
    },
  ])
})

it('a merge drops the counts of every study that has a trial of what is new, and of no other', async () => {
  const { store, trials } = await openWithStudy(4)
  await startStudyRun(store, { study: makeStudy('late'), trials: trials.slice(2), service, settingsOn: null })
  await startStudyRun(store, { study: makeStudy('early'), trials: trials.slice(0, 2), service, settingsOn: null })
  const { store: other } = await openWithStudy(4)
  const keptAfterMerge = async () => {
    keepAllPlaces(store)
    await mergeFrom(store, other)
    expectTrueCounts(store)
    const kept = store.db.prepare('select distinct study from study_count order by 1').pluck().all()
    expect(counted(store)).toEqual(fromTrials(store))
    return kept
  }
  expect(await keptAfterMerge()).toEqual(['early', 'ladder', 'late'])
  await submit(other, trials[3].fingerprint, 'job-3')
  expect(await keptAfterMerge()).toEqual(['early'])
  expect(await keptAfterMerge()).toEqual(['early', 'ladder', 'late'])
  const done = observation('job-3', { state: 'done', finishedAt: start + 9000, body: '{"n":3}' })
  await recordObservations(other, { identity, observations: [done] })
  expect(await keptAfterMerge()).toEqual(['early'])
})

it('a look at a job that brings nothing new leaves the counts as they are kept', async () => {
  const { store, trials } = await openWithStudy(2)
  await submit(store, trials[0].fingerprint, 'job-1')
  countStudies(store)
  const kept = () => store.db.prepare('select state, trials from study_count order by state').all()
  const before = kept()
  expect(before).toEqual([
    { state: 'planned', trials: 1 },
    { state: 'running', trials: 1 },
  ])
  const observations = [observation('job-1', { receivedAt: start + 60_000, body: '{"percent":40}' })]
  await recordObservations(store, { identity, observations })
  expect(kept()).toEqual(before)
})

it('a study that is finished is known as a whole, by its counts or without them', async () => {
  const { store, trials } = await openWithStudy(2)
  const known = store.db.prepare('select known_trials from studies').pluck()
  for (const [n, { fingerprint }] of trials.entries()) {
    await submit(store, fingerprint, `job-${n}`)
    const observations = [observation(`job-${n}`, { state: 'done', finishedAt: start, body: `{"n":${n}}` })]
    await recordObservations(store, { identity, observations })
    const counted = known.get()
    countStudies(store)
    expect([counted, known.get()]).toEqual([n + 1, n + 1])
  }
})

it('what became of its trials is kept in the order of a study until one of them is tried again', async () => {
  const { store, trials } = await openWithStudy(3)
  const kept = () => store.db.prepare('select position, attempt_id from study_place order by position').all()
  await submit(store, trials[2].fingerprint, 'job-1')
  await submit(store, trials[0].fingerprint, 'job-2')
  countStudies(store)
  expect(kept(), 'whoever counts does not rank').toEqual([])
  keepAllPlaces(store)
  expect(kept()).toEqual([
    { position: 0, attempt_id: 2 },
    { position: 2, attempt_id: 1 },
  ])
  await submit(store, trials[1].fingerprint, 'job-3')
  expect(kept()).toEqual([])
})

it('counts are given while another program writes, though they cannot be kept', async () => {
  const { store } = await openWithStudy(2)
  const other = new Database(store.path)
  other.exec('begin immediate')
  expect(counted(store)).toEqual(fromTrials(store))
  expect(store.db.prepare('select * from study_count').all()).toEqual([])
  other.close()
})

it('two programs that count the same study at once both answer', async () => {
  const { store } = await openWithStudy(2)
  const other = openStore(store.path, { system: testSystem() })
  const transaction = store.db.transaction.bind(store.db)
  // The other one keeps its count between our look at what is kept and our own counting.
  store.db.transaction = ((work: () => unknown) => {
    countStudies(other)
    return transaction(work)
  }) as typeof store.db.transaction // the same transaction, a moment later
  expect(counted(store)).toEqual(fromTrials(store))
  expect(store.db.prepare('select state, trials from study_count').all()).toEqual([{ state: 'planned', trials: 2 }])
  other.close()
})
