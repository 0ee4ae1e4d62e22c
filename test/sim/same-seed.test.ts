/** R15: a seed is a world: what was seen once can be seen again. */
import { expect, it } from 'vitest'
import { simulate } from './world.ts'

it('20 seeds give the same trace twice', { timeout: 600_000 }, async () => {
  const traces = new Set<string>()
  for (let seed = 1; seed <= 20; seed++) {
    const first = await simulate(seed, 0.1)
    const again = await simulate(seed, 0.1)
    expect(again.trace).toBe(first.trace)
    traces.add(first.trace)
  }
  expect(traces.size).toBe(20)
})
