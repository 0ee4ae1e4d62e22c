import { expect, it } from 'vitest'
import { MUTANTS } from './mutants.ts'
import { findSurvival } from './run.ts'

it.each(MUTANTS)('$name: $test turns red', async (mutant) => {
  expect(await findSurvival(mutant)).toBeUndefined()
})

const tests = [...new Set(MUTANTS.map(({ test }) => test))].filter((test) => !/enumerate|limiter/.test(test))

it.each(tests)('a copy without a mutation passes %s (control)', async (test) => {
  const unchanged = 'export class Failure extends Error'
  const name = 'no mutation'
  const survival = await findSurvival({ name, file: 'src/errors.ts', find: unchanged, replace: unchanged, test })
  expect(survival).toMatch(/lives through/)
})
