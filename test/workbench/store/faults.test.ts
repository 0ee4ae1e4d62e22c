/**
 * R10, H38, H39: the k-th commit of a run fails — the disk is full, or broken, or somebody holds the file — for longer than anybody
 * waits, or just for a moment. What was acknowledged is kept, nothing is sent without its intent, and the next run goes on.
 */
import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { worldMaker } from '../../crash/small-world.ts'
import { share } from '../../support/share.ts'

const worlds = worldMaker()
afterAll(() => worlds.clear())

const commits = 200
/** A usual run fails at some of them, other ones for each fault; at length at every one. */
const FAULTS = [
  ['SQLITE_FULL', 'database or disk is full', share({ usual: 13, long: 1 })],
  ['SQLITE_IOERR_WRITE', 'disk I/O error', share({ usual: 19, long: 1 })],
  ['SQLITE_BUSY', 'database is locked', share({ usual: 23, long: 1 })],
] as const

describe.each(FAULTS)('%s', (code, words, every) => {
  it.each([
    ['from then on', Number.POSITIVE_INFINITY],
    ['for a moment', 3],
  ])(
    `at commit k, k = 1…${commits}, %s: no job is lost, doubled or sent without an intent`,
    async (_, times) => {
      const bad: string[] = []
      let hit = 0
      for (let k = 1; k <= commits; k += every) {
        const world = worlds.make('resetAfter')
        let commit = 0
        let left = times
        const summary = await world.liveWith(() => {
          if (++commit < k || left <= 0) return undefined
          left--
          hit++
          return new Database.SqliteError(words, code)
        })
        if (commit < k) {
          world.clear()
          break // the run is over before that commit
        }
        if (summary !== undefined && times === Number.POSITIVE_INFINITY && summary.stoppedBy !== 'store') {
          // The very last commit notes only that the run has ended.
          if ((summary.trials.done ?? 0) < 5) bad.push(`${k}: stopped by ${summary.stoppedBy}`)
        }
        await world.finish()
        bad.push(...world.judge(`commit ${k}`))
        world.clear()
      }
      expect(bad).toEqual([])
      expect(hit).toBeGreaterThan(share({ usual: 2, long: 5 }))
    },
    600_000,
  )
})
