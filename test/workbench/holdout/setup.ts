/** A study with a hold-out whose train part was run on the scripted service, and the opening of it. */
import { openingSearch } from '../../../src/workbench/evidence/holdout/opening.ts'
import type { RunOptions } from '../../../src/workbench/run/options.ts'
import { runStudy } from '../../../src/workbench/run/run.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { plainStudy } from '../../support/plain-study.ts'
import { day, makeStudy, makeTrials, type World } from '../run/setup.ts'

const { period } = makeStudy()
export const span = { from: period.to, to: period.to + 7 * day }
export const study = plainStudy({ ...makeStudy(), holdout: span })

/** Runs n trials on train: the take profit is 1, 2, 3 …, and the scripted service likes the higher. */
export function runTrain(world: World, n: number, store: Store = world.store) {
  const { system, service } = world
  return runStudy({ system, store, client: service, study, trials: makeTrials(n), options: { loopback: true } })
}

export function openOn(world: World, options: RunOptions = {}, store: Store = world.store) {
  const { system, service } = world
  const search = openingSearch({ store, study, span, by: 'anna', reason: 'why' })
  return runStudy({
    system,
    store,
    client: service,
    study,
    trials: [],
    search,
    options: { loopback: true, ...options },
  })
}

export const isOnHoldout = (from: string) => Date.parse(from) === span.from
