/**
 * R10, H38: a disk that really ends (`max_page_count`): the store may grow by k more pages, k = 1…200, so that each time another
 * statement of a real run is the one that finds no room. What was acknowledged is kept, nothing leaves without its intent, the program
 * ends with exit code 6 and says to free space, and with space it goes on where it was.
 */
import { existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterAll, expect, it } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { type Lived, type RunWorld, runWorlds } from './run-world.ts'

const worlds = runWorlds()
afterAll(() => worlds.clear())

const pages = 200
/** Small pages and long replies: so a short run needs more than 200 of them. */
const world = () =>
  worlds.make({ trials: 5, padding: 9_000, pageSize: 512, fate: (post) => (post === 2 ? 'resetAfter' : 'ok') })

function endAfter(more: number) {
  return (store: Store) => {
    const used = Number(store.db.pragma('page_count', { simple: true }))
    store.db.pragma(`max_page_count = ${used + more}`)
  }
}

/** Rows that tell that the service has acknowledged something. */
function acknowledged({ storePath }: RunWorld): readonly string[] {
  const db = new Database(storePath, { readonly: true })
  try {
    return db.prepare<[], string>("select name from attempt where state in ('acked', 'adopted')").pluck().all()
  } finally {
    db.close()
  }
}

const isToldWell = ({ exitCode, words }: Lived) => exitCode === 6 && /free space/.test(words)

it.each([
  ['and the outcome can be put beside it', false],
  ['and not even the outcome can be put beside it', true],
])(
  `a disk with room for k more pages, k = 1…${pages}, ${'%s'}: nothing is lost, doubled or sent without an intent`,
  async (_what, alsoBeside) => {
    const bad: string[] = []
    let full = 0
    for (let k = 1; k <= pages; k += alsoBeside ? 10 : 1) {
      const at = world()
      const beside = `${at.storePath}.spill-${process.pid}.jsonl`
      const first = await at.live({
        prepare: endAfter(k),
        onStep: (where) => {
          // A folder in its place: nothing can be put there.
          if (alsoBeside && where === 'bytes left' && at.posts.length > 0) mkdirSync(beside, { recursive: true })
        },
      })
      if (existsSync(beside) && statSync(beside).isDirectory()) rmdirSync(beside)
      if (first.stoppedBy !== null) {
        full++
        if (!isToldWell(first)) bad.push(`${k}: ended ${first.exitCode} with “${first.words}”`)
      }
      const kept = acknowledged(at)
      const posts = at.posts.length
      const again = await at.live()
      if (again.stoppedBy !== null) bad.push(`${k}: with space it stopped by ${again.stoppedBy}`)
      const stillKept = new Set(acknowledged(at))
      bad.push(
        ...kept.filter((name) => !stillKept.has(name)).map((name) => `${k}: ${name} was acknowledged and is not`),
      )
      if (first.stoppedBy === null && at.posts.length > posts) bad.push(`${k}: a finished study was submitted again`)
      await at.time.pass(20 * 60_000)
      bad.push(...at.judge().map((words) => `${k}: ${words}`))
    }
    expect(bad).toEqual([])
    expect(full).toBeGreaterThan(alsoBeside ? 19 : 195)
  },
  600_000,
)
