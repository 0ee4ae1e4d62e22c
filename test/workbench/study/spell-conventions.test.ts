import { expect, it } from 'vitest'
import { CONVENTION_PRESETS } from '../../../src/engine/conventions.ts'
import { resolveConventions } from '../../../src/engine/read-conventions.ts'
import { listHypotheses } from '../../../src/workbench/search/calibration/hypotheses.ts'
import { spellConventions } from '../../../src/workbench/study/conventions-text.ts'

it('all conventions there are mean what they were when they are read back', () => {
  const explicit = { ...CONVENTION_PRESETS['three-commas'], safetyOrderSize: 15 }
  const costs = { feePercent: 0, slippagePercent: 0 }
  const sets = new Map(
    listHypotheses({ conventions: explicit, costs }).map((each) => [JSON.stringify(each.conventions), each]),
  )
  expect(sets.size).toBe(960)
  for (const { conventions } of sets.values())
    expect(resolveConventions(spellConventions(conventions))).toEqual({ conventions })
})

it('by the preset from which least differs', () => {
  expect(spellConventions(CONVENTION_PRESETS.default)).toEqual({ preset: 'default' })
  const explicit = { ...CONVENTION_PRESETS['three-commas'], safetyOrderSize: 15 }
  expect(spellConventions(explicit)).toEqual({ preset: 'three-commas', safetyOrderSize: 15 })
})
