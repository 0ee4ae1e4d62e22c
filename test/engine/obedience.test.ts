/** The law of conventions: each value of each convention changes some result, in every engine. */
import { describe, expect, it } from 'vitest'
import { ALL_VALUES, ENGINES, findIdleValues } from './obedience.ts'

describe.each(Object.entries(ENGINES))('the %s engine', (_, run) => {
  it.each(Object.entries(ALL_VALUES))('obeys %s: no two of its values always give the same result', (name, values) => {
    expect(findIdleValues(run, name, values)).toEqual([])
  })
})
