/** R15: a seed is a world: what was seen once can be seen again. */
import { expect, it } from 'vitest'
import { share } from '../support/share.ts'
import { simulate } from './world.ts'

const seeds = share({ usual: 2, long: 20 })

it(`${seeds} seeds give the same trace twice`, { timeout: 600_000 }, async () => {
  const traces = new Set<string>()
  for (let seed = 1; seed <= seeds; seed++) {
    const first = await simulate(seed, 0.1)
    const again = await simulate(seed, 0.1)
    expect(again.trace).toBe(first.trace)
    traces.add(first.trace)
  }
  expect(traces.size).toBe(seeds)
})
