/** H7: the store is gone, the service is not: what was spent is read back from the list before anything is sent. */
import { rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type CalmTraits, calmWorld, start } from '../../sim/calm-world.ts'
import { day, hour } from './setup.ts'

/** Nothing but the list tells what was spent. */
const mute: CalmTraits = { tellsLimits: false, windowType: null }

function loseStore({ storePath }: ReturnType<typeof calmWorld>): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${storePath}${end}`, { force: true })
}

it.each([
  ['names and requests', { echoes: 'all' }],
  ['requests alone', { echoes: 'request' }],
  ['names, requests and no results, seven to a page', { echoes: 'all', pageSize: 7, bareList: true }],
] as const)(
  'with a list of %s: 60 are known again, 40 more fit into the day, and none is refused',
  async (_, traits) => {
    const world = calmWorld({ ...mute, ...traits })
    await world.run(60)
    loseStore(world)
    await world.time.pass(hour)
    const summary = await world.run(120, { wait: false })
    expect(summary).toMatchObject({
      stoppedBy: 'allowance',
      trials: { done: 100, reused: 60, pending: 20 },
      allowance: { used: 100, available: 0 },
    })
    expect(world.posts()).toHaveLength(100)
    expect(await world.run(120)).toMatchObject({ stoppedBy: null, trials: { done: 120 } })
    expect(world.service.refused.allowance).toBe(0)
    const { book } = world.service
    expect(new Set(book.map(({ config }) => config)).size).toBe(book.length)
    expect(world.posts()[100]).toBeGreaterThanOrEqual(start + day)
    world.clear()
  },
)

it('lost again and again, while a day is used up: 100 in any day and no more', async () => {
  const world = calmWorld(mute)
  for (let n = 30; n <= 150; n += 30) {
    await world.run(n, { wait: false })
    loseStore(world)
    await world.time.pass(hour)
  }
  expect(world.posts()).toHaveLength(100)
  expect(world.service.refused.allowance).toBe(0)
  expect(await world.run(150)).toMatchObject({ stoppedBy: null, trials: { done: 150 } })
  expect(world.posts()).toHaveLength(150)
  world.clear()
})
