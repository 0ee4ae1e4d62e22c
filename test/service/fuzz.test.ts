/** A share of the fuzz that `npm run test:engine` runs at length (`fuzz.heavy.ts`). */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Bench, openBench } from './bench.ts'
import { fuzz, openTarget } from './fuzz.ts'

let bench: Bench
beforeEach(() => {
  bench = openBench()
})
afterEach(() => bench.clear())

it('500 requests made from the OpenAPI document meet no failure and no hang', async () => {
  const target = await openTarget(bench)
  const seen = await fuzz(target, 500)
  const statuses = new Set([...seen.keys()].map((name) => name.split(' ')[1]))
  for (const status of ['200', '201', '204', '400', '404']) expect([...statuses]).toContain(status)
  expect(new Set([...seen.keys()].map((name) => name.split(' ')[0])).size).toBe(target.operations.length)
  expect(bench.system.printed().err).toBe('')
})
