/** A submission without an outcome has no second job; stores in which it had one are settled by layout 16. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listUndecided, openAttempt, settleAttempt } from '../../../src/workbench/store/attempts.ts'
import { recordDuplicateJob } from '../../../src/workbench/store/found-jobs.ts'
import { readSpent } from '../../../src/workbench/store/ledger.ts'
import { stepsUpTo } from '../../../src/workbench/store/migrate.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import { openStore, type Store } from '../../../src/workbench/store/store.ts'
import { startStudyRun } from '../../../src/workbench/store/studies.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { testSystem } from '../../support/system.ts'
import { makeStudy, makeTrials } from '../run/setup.ts'
import { observation, start } from './setup.ts'

const service = { identity: 'https://bots.example#1', simulated: false, origin: 'https://bots.example' }
const spender = { identity: service.identity, account: '' }
const trials = makeTrials(2)
const system = testSystem()

async function openUnsure(store: Store, { fingerprint }: (typeof trials)[number]): Promise<number> {
  const asked = { ...spender, study: 'ladder', fingerprint, now: start, settingsId: null, runId: null }
  const opened = await openAttempt(store, { ...asked, admit: () => true })
  if (opened === 'full') throw new Error('there is no room')
  const reply = { status: 202, code: null, text: '{}' }
  const unsure = { attemptId: opened.id, at: start, countedAt: start, reason: 'not understood', reply }
  await settleAttempt(store, { ...unsure, to: 'ambiguous' })
  return opened.id
}

/** The submission of a trial that a person was to decide. */
async function openQuestion(store: Store, trial: (typeof trials)[number]): Promise<number> {
  const attemptId = await openUnsure(store, trial)
  await settleAttempt(store, { attemptId, at: start, to: 'undecided', reason: 'could be any of the jobs j-1' })
  return attemptId
}

const duplicateOf = (attemptId: number, remoteId: string, trial = trials[0]) => ({
  ...{ identity: service.identity, fingerprint: trial.fingerprint, attemptId, countedAt: start },
  observation: observation(remoteId),
})

it('a store in which a job was the second one of a submission without an outcome is settled: the earliest is what became of it', async () => {
  const path = join(temporaryFolder(), 'workbench.sqlite')
  const before = openStore(path, { system, steps: stepsUpTo(15) })
  await startStudyRun(before, { study: makeStudy(), trials, service, settingsOn: null, rerun: null, askedBy: null })
  const openInOldWords = async (trial: (typeof trials)[number]) => {
    const id = await openUnsure(before, trial)
    before.db.exec("update attempt set state = 'parked' where state = 'ambiguous'")
    return id
  }
  const [stuck, other] = [await openInOldWords(trials[0]), await openInOldWords(trials[1])]
  await recordDuplicateJob(before, duplicateOf(stuck, 'j-1'))
  await recordDuplicateJob(before, duplicateOf(stuck, 'j-2'))
  const spent = readSpent(before, { ...spender, now: start }).length
  before.close()
  const store = openStore(path, { system })
  expect(listUndecided(store, spender)).toMatchObject([{ id: other, state: 'undecided' }])
  const jobs = store.db.prepare('select remote_id, duplicate from job order by id').all()
  expect(jobs).toEqual([
    { remote_id: 'j-1', duplicate: 0 },
    { remote_id: 'j-2', duplicate: 1 },
  ])
  expect(listTrials(store, { study: 'ladder' })[0]).toMatchObject({ jobId: 'j-1' })
  // Each of its jobs was counted, and the submission besides; now its job is the submission.
  expect(readSpent(store, { ...spender, now: start })).toHaveLength(spent - 1)
  store.close()
})

it('the store refuses a second job of a submission without an outcome, and a first job that becomes a second', async () => {
  const store = openStore(join(temporaryFolder(), 'workbench.sqlite'), { system })
  await startStudyRun(store, { study: makeStudy(), trials, service, settingsOn: null, rerun: null, askedBy: null })
  const id = await openQuestion(store, trials[0])
  await expect(recordDuplicateJob(store, duplicateOf(id, 'j-1'))).rejects.toThrow(/has no second job/)
  await settleAttempt(store, { attemptId: id, at: start, to: 'adopted', jobs: [observation('j-1')] })
  await recordDuplicateJob(store, duplicateOf(id, 'j-2'))
  const turn = store.db.prepare('update job set duplicate = 1 where remote_id = ?')
  expect(() => turn.run('j-1')).toThrow(/stays the first/)
  store.close()
})
