/** Makes a copy of the project with one rule taken out, and runs the test that should notice. */
import { inCopyWith, runTest } from '../change/mutant.ts'
import type { Mutant } from './mutants.ts'

/**
 * What is wrong with this mutant's death; undefined when its test turned red as it should.
 * @throws when the place that the mutant changes is not there once
 */
export function findSurvival(mutant: Mutant): Promise<string | undefined> {
  return inCopyWith([mutant], async (copy) => {
    const { code, stdout } = await runTest(copy, mutant.test, mutant.only)
    if (code === 0) return `${mutant.name}: lives through ${mutant.test}`
    // A copy that does not even start is no proof.
    return /Tests +.*\d+ failed/.test(stdout) ? undefined : `${mutant.name}: no test ran: ${stdout.slice(-400)}`
  })
}
