/**
 * Every place at which the program can die — before and after every commit, with bytes still here or already gone, while it waits —
 * under every fate of a submission on its way (R4). The whole program is real but for time and network. Most steps only look: a death
 * there leaves what a death at the step before leaves, byte for byte, so that only a long run tries them too.
 */
import { afterAll, describe, expect, it } from 'vitest'
import type { Fate } from '../sim/network.ts'
import { inWords, share } from '../support/share.ts'
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
    const undisturbed = worlds.make(fate)
    const { steps, leaving, underway } = await undisturbed.liveThrough()
    await undisturbed.finish()
    const bad = undisturbed.judge('without a crash')
    undisturbed.clear()
    expect(steps).toBeGreaterThanOrEqual(fate === 'ok' ? 130 : 160)
    expect(leaving.length).toBeGreaterThanOrEqual(60)
    expect(underway).toBeGreaterThan(0)
    // Here every forty-eighth of them, for each fate other ones, and that at which the submission is on its way.
    const some = [underway, ...leaving.filter((_, n) => n % 48 === 6 * FATES.indexOf(fate))]
    for (const step of share({ usual: some, long: Array.from({ length: steps }, (_, n) => n) })) {
      const world = worlds.make(fate)
      expect(await world.dieAt(step)).toBe(false)
      await world.finish()
      bad.push(...world.judge(String(step)))
      world.clear()
    }
    expect(bad).toEqual([])
  })
})

it('a wall clock that steps by a year between two runs does not end the settle time of a service without dates', async () => {
  const bad: string[] = []
  const between = share({ usual: 25, long: 5 })
  for (const years of [1, -1, 10]) {
    for (let step = 60; step < 110; step += between) {
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

const perFate = share({ usual: 1, long: 15 })
const pairs = FATES.length * perFate ** 2

it(`${inWords(pairs)} pairs of crashes are no worse than single ones`, { timeout: 600_000 }, async () => {
  const bad: string[] = []
  const [farA, farB] = [Math.floor(195 / perFate), Math.floor(135 / perFate)]
  const apart = (far: number) => Math.floor(far / FATES.length)
  for (const [f, fate] of FATES.entries()) {
    for (let a = 0; a < perFate; a++) {
      for (let b = 0; b < perFate; b++) {
        // Spread over all steps, different ones for each fate.
        const [first, second] = [a * farA + f * apart(farA), b * farB + (((a + f) * apart(farB)) % farB)]
        const world = worlds.make(fate)
        await world.dieAt(first)
        await world.dieAt(second)
        await world.finish()
        bad.push(...world.judge(`${fate} ${first}, ${second}`))
        world.clear()
      }
    }
  }
  process.stdout.write(`R4: ${bad.length} bad after ${inWords(pairs)} pairs of crashes\n`)
  expect(bad).toEqual([])
})
