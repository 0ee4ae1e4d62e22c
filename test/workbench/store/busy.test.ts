/**
 * R10, H39: another process holds the store for writing — for a second, for half a minute, for ten — from any step of the protocol on.
 * Nothing is submitted meanwhile, no outcome is lost, and what gave up goes on later.
 */
import Database from 'better-sqlite3'
import { afterAll, expect, it } from 'vitest'
import { write } from '../../../src/workbench/store/store.ts'
import { share } from '../../support/share.ts'
import { testSystem } from '../../support/system.ts'
import { runWorlds } from './run-world.ts'
import { openTemporary } from './setup.ts'

const worlds = runWorlds()
afterAll(() => worlds.clear())

const world = () => worlds.make({ trials: 3, fate: (post) => (post === 2 ? 'resetAfter' : 'ok') })

/** How many commits, looks, waits and bytes such a run has. */
async function countSteps(): Promise<number> {
  let steps = 0
  await world().live({ onStep: () => void steps++ })
  return steps
}

const second = 1_000

it.each([
  ['a second', 1 * second, 3],
  ['half a minute', 30 * second, 5],
  ['ten minutes', 600 * second, 5],
])(
  'held for %s from step n on, whatever n: no POST without its intent, no outcome lost, nothing twice',
  async (_words, holdMs, usual) => {
    const every = usual * share({ usual: 10, long: 1 })
    const bad: string[] = []
    const steps = await countSteps()
    let held = 0
    for (let n = 0; n < steps; n += every) {
      const at = world()
      const other = new Database(at.storePath, { timeout: 0 })
      let step = 0
      let holding: { readonly from: number; readonly posts: number } | undefined
      const first = await at.live({
        onStep: () => {
          // Inside of a transaction of its own the program cannot be disturbed: then the next step is the one.
          if (holding !== undefined || step++ < n || !tryToHold(other)) return
          holding = { from: at.time.now, posts: at.posts.length }
          held++
          at.time.at(at.time.now + holdMs, () => other.exec('rollback'))
        },
      })
      if (holding !== undefined) {
        const { from, posts } = holding
        const meanwhile = at.posts.slice(posts).filter((when) => when > from && when < from + holdMs)
        if (meanwhile.length > 0) bad.push(`${n}: ${meanwhile.length} POSTs left while it was held`)
      }
      if (first.exitCode === 6 && holdMs < 60 * second) bad.push(`${n}: gave up before a minute: ${first.words}`)
      if (first.exitCode === 6 && !/another process/.test(first.words)) bad.push(`${n}: “${first.words}”`)
      await at.time.pass(holdMs)
      const again = await at.live()
      if (again.stoppedBy !== null) bad.push(`${n}: then stopped by ${again.stoppedBy}`)
      await at.time.pass(20 * 60 * second)
      bad.push(...at.judge().map((words) => `${n}: ${words}`))
      other.close()
    }
    expect(bad).toEqual([])
    expect(held).toBeGreaterThan(share({ usual: 3, long: 20 }))
  },
  300_000,
)

function tryToHold(db: Database.Database): boolean {
  try {
    db.exec('begin immediate')
    return true
  } catch {
    return false
  }
}

it('SQLite itself may block the program for a quarter of a second and no longer', () => {
  const { store } = openTemporary()
  expect(store.db.pragma('busy_timeout', { simple: true })).toBe(250)
})

it('whoever waits for a store that is held hears of it once, after two seconds', async () => {
  const system = testSystem({ sleep: 'jump' })
  const { store } = openTemporary(system)
  store.db.pragma('busy_timeout = 0')
  const other = new Database(store.path)
  other.exec('begin immediate')
  const since = system.clock.monotonic()
  const notes: string[] = []
  const note = (text: string) => {
    notes.push(text)
    void system.clock.sleep(1_000).then(() => other.exec('rollback'))
  }
  await write({ ...store, note }, () => {})
  expect(notes).toEqual([expect.stringContaining('another program holds it')])
  expect(system.clock.monotonic() - since).toBeGreaterThanOrEqual(2_000)
  other.close()
})
