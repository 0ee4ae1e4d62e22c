/** What agents may spend: counted in the store, over all services, and in the transaction that spends it. */
import { expect, it } from 'vitest'
import { readAgentSpending } from '../../../src/workbench/run/progress.ts'
import { runStudy } from '../../../src/workbench/run/run.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { share } from '../../support/share.ts'
import { day, hour, makeStudy, makeTrials, makeWorld, minute, type World } from './setup.ts'

const windowMs = day + minute

it('what agents spent counts for a day, and what a person runs does not', async () => {
  const { run, store, system } = makeWorld()
  expect(await run(makeTrials(1))).toMatchObject({ stoppedBy: null })
  expect(await run(makeTrials(4), { agentBudget: 2 })).toMatchObject({ stoppedBy: 'budget', trials: { done: 3 } })
  expect(await run(makeTrials(4), { agentBudget: 2 })).toMatchObject({ stoppedBy: 'budget', trials: { done: 3 } })
  expect(await run(makeTrials(4))).toMatchObject({ stoppedBy: null, trials: { done: 4 } })
  const spending = () => readAgentSpending(store, { budget: 2, now: system.clock.wall(), windowMs })
  expect(spending()).toMatchObject({ used: 2, left: 0, nextAt: expect.any(Number) })
  await system.advance(23 * hour)
  expect(await run(makeTrials(5), { agentBudget: 2 })).toMatchObject({ stoppedBy: 'budget', trials: { done: 4 } })
  await system.advance(2 * hour)
  expect(await run(makeTrials(5), { agentBudget: 2 })).toMatchObject({ stoppedBy: null, trials: { done: 5 } })
  expect(spending()).toMatchObject({ used: 1, left: 1, nextAt: null })
})

it('a smaller allowance window of a run gives agents no more', async () => {
  const { run } = makeWorld()
  const options = { agentBudget: 1, allowance: 100, allowanceWindowMs: hour, wait: true }
  expect(await run(makeTrials(2), options)).toMatchObject({ stoppedBy: 'budget', trials: { done: 1 } })
})

it('a submission that did not leave is not spent, one without an answer is', async () => {
  const spentAfter = async (fate: 'notSent' | 'requestLost') => {
    const { run, store, system } = makeWorld({ fate: (n) => (n === 0 ? fate : 'ok') })
    await run(makeTrials(1), { agentBudget: 5 })
    return readAgentSpending(store, { budget: 5, now: system.clock.wall(), windowMs }).used
  }
  expect(await spentAfter('notSent')).toBe(1) // by the second attempt
  expect(await spentAfter('requestLost')).toBe(2)
})

it('whenever another server spends what is left, both together spend no more', async () => {
  const moments = await readingsOfARun(-1)
  expect(moments.readings).toBeGreaterThan(10)
  const spent = []
  for (let at = 0; at < moments.readings; at += share({ usual: 3, long: 1 }))
    spent.push((await readingsOfARun(at)).spent)
  expect(new Set(spent)).toEqual(new Set([1])) // of a budget of 1
})

/** A run of two trials with a budget of 1; when it reads the clock for the nth time, another server submits, if the budget lets it. */
async function readingsOfARun(moment: number): Promise<{ readonly readings: number; readonly spent: number }> {
  const { system, store, service }: World = makeWorld()
  let readings = 0
  const reading = (now: number) => {
    if (hasRun(store) && readings++ === moment) submitElsewhere(store, system.clock.wall())
    return now
  }
  const clock = {
    ...system.clock,
    wall: () => reading(system.clock.wall()),
    monotonic: () => reading(system.clock.monotonic()),
  }
  const options = { agentBudget: 1 }
  await runStudy({
    system: { ...system, clock },
    store,
    client: service,
    study: makeStudy(),
    trials: makeTrials(2),
    options,
  })
  return { readings, spent: readAgentSpending(store, { budget: 1, now: system.clock.wall(), windowMs }).used }
}

function hasRun({ db }: Store): boolean {
  return db.prepare('select 1 from study_run').get() !== undefined
}

function submitElsewhere(store: Store, now: number): void {
  if (readAgentSpending(store, { budget: 1, now, windowMs }).left === 0) return
  const { db } = store
  const at = new Date(now).toISOString()
  db.exec(`
    insert into service (identity, simulated, origin, first_seen_at) values ('elsewhere', 0, 'https://elsewhere.example', '${at}');
    insert into study_run (study, study_fingerprint, identity, started_at, asked_by)
      select study, study_fingerprint, 'elsewhere', started_at, 'agent' from study_run limit 1;
    insert into attempt (identity, account, study, fingerprint, number, name, state, opened_at, study_run_id)
      select 'elsewhere', '', 'ladder', fingerprint, 1, 'dcalab-elsewhere', 'intent', '${at}', (select max(id) from study_run) from trial limit 1`)
}
