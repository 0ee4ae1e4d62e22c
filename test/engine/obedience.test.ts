/** The law of conventions and of fields: each value changes some result, in every engine; and all engines mean the same by it. */
import { describe, expect, it } from 'vitest'
import { CONFIG_BOUNDS } from '../../src/contract/bot.ts'
import { ALL_TRIES, ALL_VALUES, ENGINES, findFieldDisagreements, findIdleValues } from './obedience.ts'

describe.each(Object.entries(ENGINES))('the %s engine', (_, run) => {
  it.each([...Object.entries(ALL_VALUES), ...ALL_TRIES])(
    'obeys %s: no two of its values always give the same result',
    (name, values) => {
      expect(findIdleValues(run, name, values)).toEqual([])
    },
  )
})

it.each(ALL_TRIES)('all engines mean the same by %s, in one sweep too', (field, tries) => {
  expect(findFieldDisagreements(field, tries)).toEqual([])
})

it.each(ALL_TRIES)('%s has two values to try, within its bounds, unless they allow only one', (field, tries) => {
  const { above = -Infinity, min = -Infinity, max } = CONFIG_BOUNDS[field]
  expect(tries.filter((value) => value <= above || value < min || value > max)).toEqual([])
  expect(new Set(tries).size).toBe(tries.length)
  expect(tries.length > 1 || min === max).toBe(true)
})
