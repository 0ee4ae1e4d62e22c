/** What a run recalls of the store is what stands there now, and what it tells a person is told once. */
import { expect, it } from 'vitest'
import { Recall } from '../../../src/workbench/run/open-run.ts'
import type { RunEvent } from '../../../src/workbench/run/options.ts'
import { RunMessages } from '../../../src/workbench/run/run-state.ts'
import { openAttempt } from '../../../src/workbench/store/attempts.ts'
import { NO_SETTINGS } from '../../../src/workbench/store/settings.ts'
import { makeTrials, makeWorld, minute } from './setup.ts'

const identity = 'embedded:0f3a-77'

it('answers are read again after a commit, and not before', async () => {
  const world = makeWorld({ identity })
  const trials = makeTrials(2)
  const { stoppedBy } = await world.run(trials)
  expect(stoppedBy).toBeNull()
  const recall = new Recall({
    store: world.store,
    serviceAccount: { identity, account: '' },
    trials: () => trials,
    settingsOn: () => NO_SETTINGS.settings,
    since: 0,
  })
  const before = recall.stages()
  expect([...before.values()].map(({ state }) => state)).toEqual(['done', 'done'])
  expect(recall.stages()).toBe(before)
  expect(recall.unresolved()).toBeUndefined()
  const now = world.system.clock.wall()
  const [{ fingerprint }] = trials
  await openAttempt(world.store, {
    identity,
    account: '',
    study: 'ladder',
    fingerprint,
    now,
    settingsId: null,
    runId: null,
    admit: () => true,
  })
  expect(recall.unresolved()).toMatchObject({ fingerprint, state: 'intent' })
  expect(recall.stages()).not.toBe(before)
})

it('a submission under way counts as spent now, whenever that is', async () => {
  const world = makeWorld({ identity })
  const trials = makeTrials(2)
  await world.run(trials, { limit: 1 })
  const recall = new Recall({
    store: world.store,
    serviceAccount: { identity, account: '' },
    trials: () => trials,
    settingsOn: () => NO_SETTINGS.settings,
    since: 0,
  })
  const now = world.system.clock.wall()
  const { fingerprint } = trials[1]
  await openAttempt(world.store, {
    identity,
    account: '',
    study: 'ladder',
    fingerprint,
    now,
    settingsId: null,
    runId: null,
    admit: () => true,
  })
  expect(recall.spentAt(now + minute).at(-1)).toBe(now + minute)
  expect(recall.spentAt(now + 2 * minute).at(-1)).toBe(now + 2 * minute)
})

it('a warning is told once, a wait once for each reason, and a short wait not at all', () => {
  const told: RunEvent[] = []
  const talk = new RunMessages((event) => void told.push(event))
  const warning = { code: 'logGrows' as const, message: 'it grows' }
  talk.warnOnce('logGrows', warning)
  talk.warnOnce('logGrows', warning)
  expect(talk.hasWarned('logGrows')).toBe(true)
  expect(talk.announceWait('for results', minute)).toBe(false)
  expect(talk.announceWait('for the allowance', 5 * minute)).toBe(true)
  expect(talk.announceWait('for the allowance', minute / 2)).toBe(true)
  expect(told.map((event) => ('message' in event ? event.message : ''))).toEqual(['it grows', 'for the allowance'])
})
