/** An open store in a folder of its own, with a service, a study and trials in it. */
import { join } from 'node:path'
import { openAttempt, settleAttempt } from '../../../src/workbench/store/attempts.ts'
import type { JobObservation } from '../../../src/workbench/store/observe-job.ts'
import { openStore, type Store } from '../../../src/workbench/store/store.ts'
import { startStudyRun } from '../../../src/workbench/store/studies.ts'
import { putEmptyStore } from '../../support/empty-store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type TestSystem, testSystem } from '../../support/system.ts'
import { makeStudy, makeTrials } from '../run/setup.ts'

export const identity = 'https://bots.example#1234'
export const spender = { identity, account: '' }
export const start = Date.UTC(2026, 0, 1)

export function openTemporary(system: TestSystem = testSystem({ sleep: 'jump' })): {
  store: Store
  system: TestSystem
} {
  const path = join(temporaryFolder(), 'workbench.sqlite')
  putEmptyStore(path)
  return { store: openStore(path, { system }), system }
}

/** A store whose study of n trials has been started on a service. */
export async function openWithStudy(n = 3) {
  const { store, system } = openTemporary()
  const trials = makeTrials(n)
  const service = { identity, simulated: false, origin: 'https://bots.example' }
  await startStudyRun(store, { study: makeStudy(), trials, service, settingsOn: null })
  return { store, system, trials }
}

export async function openIntent(
  store: Store,
  fingerprint: string,
  now = start,
  runId: number | null = null,
  account = spender.account,
) {
  const attempt = await openAttempt(store, {
    ...spender,
    account,
    study: 'ladder',
    fingerprint,
    now,
    settingsId: null,
    runId,
    admit: () => true,
  })
  if (attempt === 'full') throw new Error('The ledger is full')
  return attempt
}

export function observation(remoteId: string, more: Partial<JobObservation> = {}): JobObservation {
  return {
    remoteId,
    name: null,
    state: 'running',
    remoteState: 'queued',
    finishedAt: null,
    failure: null,
    body: JSON.stringify({ id: remoteId }),
    receivedAt: start,
    result: null,
    ...more,
  }
}

/** A trial with a job that runs. */
export async function submit(store: Store, fingerprint: string, remoteId: string, runId: number | null = null) {
  const { id } = await openIntent(store, fingerprint, start, runId)
  await settleAttempt(store, { attemptId: id, at: start, to: 'acked', observation: observation(remoteId) })
  return id
}
