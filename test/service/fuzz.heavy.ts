/** The long fuzz: five thousand requests made from the OpenAPI document. */
import { expect, it } from 'vitest'
import { openBench } from './bench.ts'
import { fuzz, openTarget } from './fuzz.ts'

it('5,000 requests meet no failure and no hang', async () => {
  const bench = openBench()
  try {
    await fuzz(await openTarget(bench), 5_000)
    expect(bench.system.printed().err).toBe('')
  } finally {
    await bench.clear()
  }
})
