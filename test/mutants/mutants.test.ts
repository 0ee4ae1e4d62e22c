/** Five of the mutants at every run, other ones each day; all of them by `npm run test:reliability`. */
import { expect, it } from 'vitest'
import { MUTANTS } from './mutants.ts'
import { findSurvival } from './run.ts'

const perRun = 5

it('there are 25, and each changes a place of its own', () => {
  expect(MUTANTS).toHaveLength(25)
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(25)
})

const today = Math.floor(Date.now() / 86_400_000)
const chosen = Array.from({ length: perRun }, (_, n) => MUTANTS[(today * perRun + n) % MUTANTS.length])

it.each(chosen)('$name: $test turns red', { timeout: 600_000 }, async (mutant) => {
  expect(await findSurvival(mutant)).toBeUndefined()
})
