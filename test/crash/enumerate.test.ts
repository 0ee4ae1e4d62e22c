/**
 * Every place at which the program can die — before and after every commit, with bytes still here or already gone, while it waits —
 * under every fate of a submission on its way (R4). The whole program is real but for time and network.
 */
import { afterAll, describe, expect, it } from 'vitest'
import type { Fate } from '../sim/network.ts'
import { worldMaker } from './small-world.ts'

const FATES = [
  'ok',
  'resetBefore',
  'resetAfter',
  'timeoutAfter',
  'late',
  'twice',
  'cutBody',
  'failsAfterWork',
] as const satisfies readonly Fate[]

const worlds = worldMaker()
afterAll(() => worlds.clear())

describe.each(FATES)('when the second submission meets %s', (fate) => {
  it('a crash at any step neither loses nor doubles a job', { timeout: 600_000 }, async () => {
    let steps = 0
    const bad: string[] = []
    for (; ; steps++) {
      const world = worlds.make(fate)
      const isThrough = await world.dieAt(steps)
      if (!isThrough) await world.finish()
      bad.push(...world.judge(String(steps)))
      world.clear()
      if (isThrough) break
    }
    expect(bad).toEqual([])
    expect(steps).toBeGreaterThanOrEqual(fate === 'ok' ? 150 : 200)
  })
})

it('a wall clock that steps by a year between two runs does not end the settle time of a service without dates', async () => {
  const bad: string[] = []
  for (const years of [1, -1, 10]) {
    for (let step = 60; step < 110; step += 5) {
      const world = worlds.make('late', { sendsDate: false })
      await world.dieAt(step)
      world.stepWall(years * 365 * 86_400_000)
      await world.finish()
      bad.push(...world.judge(`${years} years, step ${step}`))
      world.clear()
    }
  }
  expect(bad).toEqual([])
})

it('a body that never ends is given up, and what became of it is found out', async () => {
  const world = worlds.make('hangingBody')
  await world.finish()
  expect(world.judge('')).toEqual([])
  world.clear()
})

it('1,800 pairs of crashes are no worse than single ones', { timeout: 600_000 }, async () => {
  const bad: string[] = []
  let pairs = 0
  for (const [f, fate] of FATES.entries()) {
    for (let a = 0; a < 15; a++) {
      for (let b = 0; b < 15; b++) {
        // Spread over all steps, different ones for each fate.
        const [first, second] = [a * 13 + f, b * 9 + ((a + f) % 9)]
        const world = worlds.make(fate)
        await world.dieAt(first)
        await world.dieAt(second)
        await world.finish()
        bad.push(...world.judge(`${fate} ${first}, ${second}`))
        world.clear()
        pairs++
      }
    }
  }
  expect(bad).toEqual([])
  expect(pairs).toBe(1_800)
})
