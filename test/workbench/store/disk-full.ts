/**
 * R10, H38: a disk that really ends (`max_page_count`): the store may grow by k more pages (k = 1…200), so that each time another
 * statement of a real run is the one that finds no room. What was acknowledged is kept, nothing leaves without its intent, the program
 * ends with exit code 6 and says to free space, and with space it goes on where it was.
 */
import { existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { Store } from '../../../src/workbench/store/store.ts'
import { type Lived, type RunWorld, runWorlds } from './run-world.ts'

const pages = 200
/** Small pages and long replies: so a short run needs more than 200 of them. */
const makeWorld = (worlds: ReturnType<typeof runWorlds>) =>
  worlds.make({ trials: 5, padding: 10_000, pageSize: 512, fate: (post) => (post === 2 ? 'resetAfter' : 'ok') })

/** More than that run makes. */
const MOST_ATTEMPTS = 20

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

/**
 * `every`: of the 200 places so many are passed over. `alsoBeside`: not even the outcome can be put beside the store. Answers what is
 * wrong, in words, and how often the disk was full before the study was done.
 */
export async function fillDisks({ every, alsoBeside }: { readonly every: number; readonly alsoBeside: boolean }) {
  const worlds = runWorlds()
  try {
    const bad: string[] = []
    let full = 0
    for (let k = 1; k <= pages; k += every) {
      const world = makeWorld(worlds)
      const { stopped, problems } = await fillDisk(world, { pages: k, alsoBeside })
      if (stopped) full++
      bad.push(...problems.map((words) => `${k}: ${words}`))
    }
    return { bad, full }
  } finally {
    worlds.clear()
  }
}

async function fillDisk(
  world: RunWorld,
  { pages: more, alsoBeside }: { readonly pages: number; readonly alsoBeside: boolean },
): Promise<{ readonly stopped: boolean; readonly problems: readonly string[] }> {
  const beside = Array.from({ length: MOST_ATTEMPTS }, (_, n) => `${world.storePath}.outbox-${n + 1}.jsonl`)
  const first = await world.live({
    prepare: endAfter(more),
    onStep: (where) => {
      // A folder in its place: nothing can be put there.
      if (!alsoBeside || where !== 'bytes left' || world.posts.length === 0) return
      for (const path of beside) mkdirSync(path, { recursive: true })
    },
  })
  for (const path of beside) if (existsSync(path) && statSync(path).isDirectory()) rmdirSync(path)
  const stopped = first.stoppedBy !== null
  const kept = acknowledged(world)
  const posts = world.posts.length
  const again = await world.live()
  const stillKept = new Set(acknowledged(world))
  const lost = kept.filter((name) => !stillKept.has(name))
  const resent = !stopped && world.posts.length > posts
  await world.time.pass(20 * 60_000)
  const problems = [
    ...(stopped && !isToldWell(first) ? [`ended ${first.exitCode} with “${first.words}”`] : []),
    ...(again.stoppedBy === null ? [] : [`with space it stopped by ${again.stoppedBy}`]),
    ...lost.map((name) => `${name} was acknowledged and is not`),
    ...(resent ? ['a finished study was submitted again'] : []),
    ...world.judge(),
  ]
  return { stopped, problems }
}
