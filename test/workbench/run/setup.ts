/** A store on disk, a clock that jumps, a study of n trials, a scripted service: what every test of a run needs. */

import { join } from 'node:path'
import { CONFIG_DEFAULTS } from '../../../src/contract/bot.ts'
import type { LimitsReading } from '../../../src/workbench/api/reading/readings.ts'
import type { RunOptions } from '../../../src/workbench/run/options.ts'
import { type RunEvent, runStudy } from '../../../src/workbench/run/run.ts'
import { openStore, type Store } from '../../../src/workbench/store/store.ts'
import { trialFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import type { Study, Trial } from '../../../src/workbench/study/study.ts'
import { putEmptyStore } from '../../support/empty-store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { plainStudy } from '../../support/plain-study.ts'
import { type TestSystem, testSystem } from '../../support/system.ts'
import type { Script } from './scripted-script.ts'
import { type ScriptedService, scriptedService } from './scripted-service.ts'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

const market = { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' }
const period = { from: Date.UTC(2021, 3, 21), to: Date.UTC(2021, 4, 19) }

/** What a service says of a day of a hundred: nothing else but what is given. */
export function limitsOf(given: Partial<LimitsReading>): LimitsReading {
  return {
    limit: 100,
    windowMs: day,
    windowType: null,
    used: null,
    remaining: null,
    nextAt: null,
    ...given,
  }
}

/** n trials that differ in their take profit: 1, 2, 3 … */
export function makeTrials(n: number): Trial[] {
  return Array.from({ length: n }, (_, index) => {
    const config = {
      investment: 1000,
      ...CONFIG_DEFAULTS,
      dcaTotalBudget: 1000,
      dcaInitialOrderSize: 20,
      dcaMaxSafetyOrders: 3,
      dcaPriceScalePercent: 1,
      dcaVolumeScale: 1.3,
      dcaPriceStepMultiplier: 1.2,
      takeProfit: index + 1,
      stopLoss: 0,
    }
    return { fingerprint: trialFingerprint({ market, period, config }), market, period, config }
  })
}

export function makeStudy(name = 'ladder'): Study {
  return plainStudy({ name, markets: [market], period, source: `name: ${name}\n` })
}

export interface World {
  readonly system: TestSystem
  readonly store: Store
  readonly service: ScriptedService
  readonly events: RunEvent[]
  run(trials: readonly Trial[], options?: RunOptions): ReturnType<typeof runStudy>
}

/** Whoever makes hundreds gives each a `folder` in memory, and removes it. */
export function makeWorld(script: Omit<Script, 'system'> = {}, folder = temporaryFolder()): World {
  const system = testSystem({ sleep: 'jump', wall: '2026-01-01T00:00:00Z' })
  const path = join(folder, 'workbench.sqlite')
  putEmptyStore(path)
  const store = openStore(path, { system })
  const service = scriptedService({ ...script, system })
  const events: RunEvent[] = []
  return {
    system,
    store,
    service,
    events,
    run: (trials, options = {}) =>
      runStudy({
        system,
        store,
        client: service,
        study: makeStudy(),
        trials,
        options: { onProgress: (event) => events.push(event), ...options },
      }),
  }
}

/** How many jobs the service holds per trial. */
export function jobsPerTrial(service: ScriptedService): number[] {
  const counts = new Map<number, number>()
  for (const { request } of service.book) counts.set(request.takeProfit, (counts.get(request.takeProfit) ?? 0) + 1)
  return [...counts.values()]
}
