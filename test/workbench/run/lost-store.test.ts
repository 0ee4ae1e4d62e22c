/** H7: the store is gone, the service is not: what was spent is read back from the list before anything is sent. */
import { rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type CalmTraits, SMALL_DAY, smallDays, start } from '../../sim/calm-world.ts'
import { day, hour } from './setup.ts'

/** Nothing but the list tells what was spent. */
const mute: CalmTraits = { tellsLimits: false, windowType: null }

function loseStore({ storePath }: ReturnType<typeof smallDays>): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${storePath}${end}`, { force: true })
}

it.each([
  ['names and requests', { echoes: 'all' }],
  ['requests alone', { echoes: 'request' }],
  ['names, requests and no results, seven to a page', { echoes: 'all', pageSize: 7, bareList: true }],
] as const)(
  'with a list of %s: 12 are known again, 8 more fit into the day, and none is refused',
  async (_, traits) => {
    const world = smallDays({ ...mute, ...traits })
    await world.run(12)
    loseStore(world)
    await world.time.pass(hour)
    const summary = await world.run(24, { wait: false })
    expect(summary).toMatchObject({
      stoppedBy: 'allowance',
      trials: { done: SMALL_DAY, reused: 12, pending: 4 },
      allowance: { used: SMALL_DAY, available: 0 },
    })
    expect(world.posts()).toHaveLength(SMALL_DAY)
    expect(await world.run(24)).toMatchObject({ stoppedBy: null, trials: { done: 24 } })
    expect(world.service.refused.allowance).toBe(0)
    const { book } = world.service
    expect(new Set(book.map(({ config }) => config)).size).toBe(book.length)
    expect(world.posts()[SMALL_DAY]).toBeGreaterThanOrEqual(start + day)
    world.clear()
  },
)

it('lost again and again, while a day is used up: its allowance in any day and no more', async () => {
  const world = smallDays(mute)
  for (let n = 6; n <= 30; n += 6) {
    await world.run(n, { wait: false })
    loseStore(world)
    await world.time.pass(hour)
  }
  expect(world.posts()).toHaveLength(SMALL_DAY)
  expect(world.service.refused.allowance).toBe(0)
  expect(await world.run(30)).toMatchObject({ stoppedBy: null, trials: { done: 30 } })
  expect(world.posts()).toHaveLength(30)
  world.clear()
})
