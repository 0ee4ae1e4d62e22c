/** R11: every mutant, and that an unchanged copy lets each of their tests pass. */
import { afterAll, expect, it } from 'vitest'
import { MUTANTS } from './mutants.ts'
import { findSurvival } from './run.ts'

let killed = 0
afterAll(() => void process.stdout.write(`R11: ${killed} of ${MUTANTS.length} mutants killed\n`))

it.each(MUTANTS)('$name: $test turns red', async (mutant) => {
  expect(await findSurvival(mutant)).toBeUndefined()
  killed++
})

const tests = [...new Set(MUTANTS.map(({ test }) => test))].filter((test) => !/enumerate|limiter/.test(test))

it.each(tests)('a copy without a mutation passes %s (control)', async (test) => {
  const unchanged = 'export class Failure extends Error'
  const name = 'no mutation'
  const survival = await findSurvival({ name, file: 'src/errors.ts', find: unchanged, replace: unchanged, test })
  expect(survival).toMatch(/lives through/)
})
