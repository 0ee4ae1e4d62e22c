import { describe, expect, test } from 'vitest'
import { CONVENTION_PRESETS, CONVENTION_VALUES } from '../../src/engine/conventions.ts'
import { resolveConventions } from '../../src/engine/read-conventions.ts'

function problemsOf(input: unknown) {
  const resolved = resolveConventions(input)
  return 'problems' in resolved ? resolved.problems : []
}

describe('choosing conventions', () => {
  test('nothing said means the default preset, whose values are the first of each list', () => {
    expect(resolveConventions(undefined)).toEqual({ conventions: CONVENTION_PRESETS.default })
    for (const [name, values] of Object.entries(CONVENTION_VALUES)) {
      expect(CONVENTION_PRESETS.default).toHaveProperty(name, values[0])
    }
  })

  test('a preset is chosen by name, and single values replace its own', () => {
    expect(resolveConventions('default')).toEqual({ conventions: CONVENTION_PRESETS.default })
    expect(resolveConventions({ preset: 'three-commas', safetyOrderSize: 15, intrabar: 'low-first' })).toEqual({
      conventions: { ...CONVENTION_PRESETS['three-commas'], safetyOrderSize: 15, intrabar: 'low-first' },
    })
    expect(resolveConventions({ spacing: 'from-previous' })).toEqual({
      conventions: { ...CONVENTION_PRESETS.default, spacing: 'from-previous' },
    })
  })

  test('every problem is named at once, with its place', () => {
    const problems = problemsOf({ preset: 'pionex', spacing: 'wide', slippage: 1, safetyOrderSize: -5 })
    expect(problems.map(({ path }) => path)).toEqual(['preset', 'spacing', 'slippage', 'safetyOrderSize'])
    expect(problems[0].message).toContain('default, three-commas')
    expect(problems[1].message).toBe('expected from-base, from-previous, found "wide"')
  })

  test('a problem elsewhere does not hide a missing size', () => {
    expect(problemsOf({ preset: 'three-commas', spacing: 'wide' }).map(({ path }) => path)).toEqual([
      'spacing',
      'safetyOrderSize',
    ])
  })

  test('explicit sizing needs its size', () => {
    expect(problemsOf('three-commas')).toEqual([
      { path: 'safetyOrderSize', message: expect.stringContaining('required') },
    ])
    expect(problemsOf({ safetyOrderSizing: 'explicit', safetyOrderSize: null })).toHaveLength(1)
  })

  test('a size that would do nothing is refused, not ignored', () => {
    expect(problemsOf({ safetyOrderSize: 15 })).toEqual([
      { path: 'safetyOrderSize', message: expect.stringContaining('no effect') },
    ])
  })

  test.each([['three_commas'], [7], [null], [['default']], [{ preset: null }], [{ toString: 'x' }]])(
    '%j is not a choice of conventions',
    (input) => {
      expect(problemsOf(input)).toHaveLength(1)
    },
  )
})
