/** Our service answers every question of the API document as the document and our assumptions say, in both window types. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ENDPOINTS, type SCOPES } from '../../src/contract/endpoints.ts'
import { deafWorker } from '../workers/fixtures.ts'
import { exerciseService } from './exercise.ts'
import type { ExerciseKeys, ExerciseOptions, Finding } from './exercise-terms.ts'
import { FROM, OWNER, openWorld, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = openWorld()
})
afterEach(() => world.clear())

const sample: ExerciseOptions = {
  pace: () => world.system.advance(1000),
  userEmail: OWNER,
  exchange: 'binance',
  baseAsset: 'BTC',
  quoteAsset: 'USDT',
  from: '2024-01-30',
  to: '2024-02-02',
}

const missed = (findings: readonly Finding[]) => findings.filter(({ holds }) => !holds)

describe.each(['sliding', 'fixed'] as const)('our service with %s windows', (window) => {
  it('answers every endpoint and every refusal as it should', async () => {
    const service = await world.start({
      ...{ window, rateWindow: window, windowPhaseMs: 3_600_000 },
      allowance: 12,
      market: { now: FROM },
      workerFile: deafWorker,
    })
    const one = (scope: (typeof SCOPES)[number]) => service.issueKeys({ userEmail: OWNER, scopes: [scope] })
    const revoked = service.issueKeys({ userEmail: OWNER })
    service.revokeKey(revoked.apiKey)
    const keys: ExerciseKeys = {
      all: service.issueKeys({ userEmail: OWNER }),
      only: { read: one('read'), CanTrade: one('CanTrade'), CanUseLab: one('CanUseLab') },
      revoked,
      elsewhere: service.issueKeys({ userEmail: OWNER, addresses: ['10.1.2.3'] }),
      spendable: service.issueKeys({ userEmail: 'spender@localhost' }),
    }
    const findings = await exerciseService(service.url, keys, { ...sample, readOnly: false })
    expect(missed(findings)).toEqual([])
    for (const name of Object.keys(ENDPOINTS)) {
      const outcomes = new Set(findings.filter(({ endpoint }) => endpoint === name).map(({ found }) => found))
      const everywhere = ['AuthRequired', 'ApiKeyInvalid', 'ApiKeyAddress', 'ApiKeyScope', 'ApiKeyRateLimit']
      for (const code of everywhere) expect([...outcomes].join(), name).toContain(code)
    }
    expect(world.system.printed().err).toBe('')
  })
})

it('a reader alone finds no difference either, and changes nothing', async () => {
  const service = await world.start()
  const all = service.issueKeys({ userEmail: OWNER, scopes: ['read'] })
  const findings = await exerciseService(service.url, { all }, sample)
  expect(missed(findings)).toEqual([])
  expect(findings.length).toBeGreaterThan(60)
})

it('our service served undisclosed answers the document alike, and is asked for nothing that is ours', async () => {
  const service = await world.start({ undisclosed: true, market: { now: FROM }, workerFile: deafWorker })
  const findings = await exerciseService(
    service.url,
    { all: service.issueKeys({ userEmail: OWNER }) },
    { ...sample, readOnly: false },
  )
  expect(missed(findings)).toEqual([])
  expect(findings.filter(({ basis }) => basis === 'A-40')).toEqual([])
})

it('a service that answers otherwise is found out', async () => {
  const service = await world.start({ chaos: { profile: { 'error-after': 1 }, seed: 1 } })
  const findings = await exerciseService(service.url, { all: service.issueKeys({ userEmail: OWNER }) }, sample)
  expect(missed(findings)).toHaveLength(findings.length)
})
