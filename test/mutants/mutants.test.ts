/** One of the mutants at every run, another one at each commit; all of them at length, and that an unchanged copy lets each of their tests pass. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { projectRoot } from '../support/dcalab.ts'
import { isLong, share } from '../support/share.ts'
import { byTurn } from '../support/turn.ts'
import { MUTANTS } from './mutants.ts'
import { findSurvival } from './run.ts'

const chosen = share({ usual: byTurn(MUTANTS), long: MUTANTS })

let killed = 0
afterAll(() => void process.stdout.write(`R11: ${killed} of ${chosen.length} mutants killed\n`))

it('there are 41, and each finds its place in the code once', () => {
  expect(MUTANTS).toHaveLength(41)
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(41)
  const lost = MUTANTS.filter(
    ({ file, find }) => readFileSync(join(projectRoot, file), 'utf8').split(find).length !== 2,
  )
  expect(lost.map(({ name, file }) => `${name}: ${file}`)).toEqual([])
})

it.each(chosen)('$name: $test turns red', async (mutant) => {
  expect(await findSurvival(mutant)).toBeUndefined()
  killed++
})

const tests = [...new Set(MUTANTS.map(({ test }) => test))].filter((test) => !/enumerate|limiter/.test(test))

it.runIf(isLong).each(tests)('a copy without a mutation passes %s (control)', async (test) => {
  const unchanged = 'export class Failure extends Error'
  const name = 'no mutation'
  const survival = await findSurvival({ name, file: 'src/errors.ts', find: unchanged, replace: unchanged, test })
  expect(survival).toMatch(/lives through/)
})
