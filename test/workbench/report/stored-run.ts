/** A run as the store keeps it, made without a service. */

import type { System } from '../../../src/system.ts'
import { openAttempt, settleAttempt } from '../../../src/workbench/store/attempts.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { startStudyRun } from '../../../src/workbench/store/studies.ts'
import { parseStudy, planTrials } from '../../../src/workbench/study/parse.ts'
import { fixtureTrial } from '../../support/fixture-trials.ts'

/** A run as `run` leaves it: the first `finished` trials done, one refused, the others still planned. */
export async function storeRun(
  { store, system }: { readonly store: Store; readonly system: System },
  source: string,
  finished: number,
): Promise<void> {
  const study = parseStudy(source, { file: 'study.yaml' })
  const { trials } = planTrials(study)
  const spender = { identity: 'embedded:1234', account: 'researcher@localhost' }
  await startStudyRun(store, {
    study,
    trials,
    service: { identity: spender.identity, simulated: true, origin: 'http://127.0.0.1' },
    settingsOn: null,
  })
  for (const [index, trial] of trials.slice(0, finished + 1).entries()) {
    const now = system.clock.wall() + index
    const { fingerprint } = trial
    const attempt = await openAttempt(store, {
      ...spender,
      study: study.name,
      fingerprint,
      now,
      settingsId: null,
      runId: null,
      admit: () => true,
    })
    if (attempt === 'full') throw new Error('the ledger was to admit everything')
    const made = fixtureTrial(study, trial.config, index)
    if (made.metrics === null) throw new Error('the fixture has metrics')
    if (index === finished) {
      const reply = { status: 400, code: 'InvalidPayload', text: '{}' }
      await settleAttempt(store, {
        attemptId: attempt.id,
        at: now,
        to: 'rejected',
        reason: 'InvalidPayload: too dear',
        reply,
      })
      continue
    }
    await settleAttempt(store, {
      attemptId: attempt.id,
      at: now,
      to: 'acked',
      observation: {
        remoteId: `${study.name}-${index}`,
        name: attempt.name,
        state: 'done',
        remoteState: 'completed',
        finishedAt: now,
        failure: null,
        body: '{}',
        receivedAt: now,
        result: { ...made, metrics: made.metrics, flags: {}, engineVersion: 'reference-1' },
      },
    })
  }
}
