import { afterEach, beforeEach, expect, it } from 'vitest'
import { inWords, share } from '../support/share.ts'
import { type Bench, openBench } from './bench.ts'
import { fuzz, openTarget } from './fuzz.ts'

let bench: Bench
beforeEach(() => {
  bench = openBench()
})
afterEach(() => bench.clear())

const requests = share({ usual: 500, long: 5_000 })

it(`${inWords(requests)} requests made from the OpenAPI document meet no failure and no hang`, async () => {
  const target = await openTarget(bench)
  const seen = await fuzz(target, requests)
  const statuses = new Set([...seen.keys()].map((name) => name.split(' ')[1]))
  for (const status of ['200', '201', '204', '400', '404']) expect([...statuses]).toContain(status)
  expect(new Set([...seen.keys()].map((name) => name.split(' ')[0])).size).toBe(target.operations.length)
  expect(bench.system.printed().err).toBe('')
})
