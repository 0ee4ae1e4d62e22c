/** What a screen ranks by: the objective under worse costs, held against whole backtests. */
import { expect, it } from 'vitest'
import { CONVENTION_PRESETS } from '../../../src/engine/conventions.ts'
import { stressedTerms } from '../../../src/workbench/screen/stress.ts'
import { seedsFrom } from '../../engine/jump/cases.ts'
import { share } from '../../support/share.ts'
import { screenAndBruteForce, screenSome } from './agreement.ts'

const STRESSED = share({ usual: 25, long: 300 })

it('stressed costs are never milder than the study’s own, and its candles are pessimistic', () => {
  const conventions = { ...CONVENTION_PRESETS.default, intrabar: 'optimistic' } as const
  const stress = (feePercent: number, slippagePercent: number) =>
    stressedTerms({ conventions, costs: { feePercent, slippagePercent } })
  expect(stress(0.1, 0)).toEqual({
    conventions: CONVENTION_PRESETS.default,
    costs: { feePercent: 0.2, slippagePercent: 0.05 },
  })
  expect(stress(0.3, 0.02).costs).toEqual({ feePercent: 0.3, slippagePercent: 0.05 })
  expect(stress(0.1, 0.4).costs).toEqual({ feePercent: 0.2, slippagePercent: 0.4 })
})

it('a screen by stressed scores ranks as backtests under worse costs do, inside bounds under the study’s own', async () => {
  let moved = 0
  for (const seed of seedsFrom(1, STRESSED)) {
    const { found, expected } = await screenAndBruteForce(seed, { score: 'stressed' })
    expect(found).toEqual(expected)
    const point = await screenAndBruteForce(seed, { score: 'point' })
    if (found.top.at(0)?.fingerprint !== point.found.top.at(0)?.fingerprint) moved++
  }
  expect(moved).toBeGreaterThan(0) // else this test could not tell the two scores apart
})

it('a screen by stressed scores answers the same for any number of workers', async () => {
  const search = { method: 'grid', score: 'stressed' } as const
  for (const seed of seedsFrom(1, 5)) {
    const [alone, ...others] = await Promise.all([1, 2, 5].map((workers) => screenSome(seed, { workers, search })))
    for (const { screening } of others) expect({ seed, screening }).toEqual({ seed, screening: alone.screening })
  }
})
