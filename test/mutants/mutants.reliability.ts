import { expect, it } from 'vitest'
import { MUTANTS } from './mutants.ts'
import { findSurvival } from './run.ts'

it.each(MUTANTS)('$name: $test turns red', async (mutant) => {
  expect(await findSurvival(mutant)).toBeUndefined()
})
