import { describe, expect, it } from 'vitest'
import { CONVENTION_PRESETS } from '../../../../src/engine/conventions.ts'
import { createRandom } from '../../../../src/engine/random.ts'
import { sampleHypotheses } from '../../../../src/workbench/search/calibration/calibrator.ts'
import {
  countDifferences,
  listHypotheses,
  TRAITS,
  traitOf,
} from '../../../../src/workbench/search/calibration/hypotheses.ts'
import { OWN } from './hidden-service.ts'

describe('the suspects', () => {
  it('are 640 sets of conventions under 5 fees and 2 slippages, no two alike', () => {
    const suspects = listHypotheses(OWN)
    const names = suspects.map((suspect) => TRAITS.map((trait) => traitOf(suspect, trait)).join())
    expect(suspects).toHaveLength(6400)
    expect(new Set(names).size).toBe(6400)
    expect(new Set(suspects.map(({ conventions }) => JSON.stringify(conventions))).size).toBe(640)
  })

  it('hold one’s own settings, whatever they cost', () => {
    const own = { ...OWN, costs: { feePercent: 0.26, slippagePercent: 0.01 } }
    const suspects = listHypotheses(own)
    expect(suspects).toHaveLength(640 * 6 * 3)
    expect(suspects).toContainEqual(own)
  })

  it('are of explicit sizing only where one’s own conventions name a size, and then of that size', () => {
    const sizes = (suspects: ReturnType<typeof listHypotheses>) =>
      new Set(suspects.map(({ conventions }) => conventions.safetyOrderSize))
    const explicit = { ...OWN, conventions: { ...CONVENTION_PRESETS['three-commas'], safetyOrderSize: 15 } }
    expect(sizes(listHypotheses(OWN))).toEqual(new Set([null]))
    expect(sizes(listHypotheses(explicit))).toEqual(new Set([null, 15]))
    expect(listHypotheses(explicit)).toHaveLength(9600)
  })

  it('are sampled with those that differ from a drawn one in a single trait', () => {
    const suspects = listHypotheses(OWN)
    const everyone = suspects.map((_, number) => number)
    const sample = sampleHypotheses(suspects, everyone, { most: 16, uniform: createRandom(1).uniform })
    // one other value of seven choices, four of the intrabar order and of the fee, one of the slippage
    expect(sample).toHaveLength(1 + 7 + 4 + 4 + 1)
    const [drawn, ...others] = sample.map((number) => suspects[number])
    expect(others.every((other) => countDifferences(drawn, other) === 1)).toBe(true)
    expect(sampleHypotheses(suspects, [3, 5], { most: 16, uniform: createRandom(1).uniform })).toEqual([3, 5])
  })
})
