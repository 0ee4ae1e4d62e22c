/** A search by the built program, killed with SIGKILL at random moments and started again; what it leaves is held against one that was not. */
import { setTimeout as delay } from 'node:timers/promises'
import { readSentName } from '../../src/workbench/store/attempts.ts'
import { createRandom, type Random } from '../sim/random.ts'
import { ended } from '../support/dcalab.ts'
import { clockSpeed, makeCandles, type SearchedWorld, searchedWorld } from './searched-world.ts'

/** So many while it searches, and while the hold-out is opened after it. */
export interface Kills {
  readonly search: number
  readonly opening: number
}

export interface KilledSearches {
  /** By the role of what had been proposed last when it was killed; '' = nothing had been. */
  readonly during: ReadonlyMap<string, number>
  readonly searches: number
  /** What differs from the search that was not killed: nothing. */
  readonly bad: readonly string[]
}

/** Kills in as many searches as that takes. */
export async function killSearches({ kills, seed }: { kills: Kills; seed: number }): Promise<KilledSearches> {
  const candles = await makeCandles()
  const expected = await inWorld(candles, async (world) => [await finishSearch(world), await finishOpening(world)])
  const random = createRandom(seed)
  const left = { ...kills }
  const during = new Map<string, number>()
  const bad: string[] = []
  let searches = 0
  while (left.search > 0 || left.opening > 0) {
    const killedIn = (roles: readonly string[]) => {
      for (const role of roles) during.set(role, (during.get(role) ?? 0) + 1)
      return roles.length
    }
    const found = await inWorld(candles, async (world) => {
      left.search -= killedIn(await killUntilDone(world, SEARCH, { most: left.search, random }))
      const searched = await finishSearch(world)
      const most = Math.min(left.opening, mostInOneOpening)
      left.opening -= killedIn(await killUntilDone(world, OPENING, { most, random }))
      return [searched, await finishOpening(world)]
    })
    searches++
    const differences = found.flatMap((stage, n) => compare(stage, expected[n]))
    bad.push(...differences.map((words) => `search ${searches}: ${words}`))
  }
  return { during, searches, bad }
}

async function inWorld<T>(candles: string, work: (world: SearchedWorld) => Promise<T>): Promise<T> {
  const world = await searchedWorld(candles)
  try {
    return await work(world)
  } finally {
    await world.close()
  }
}

interface Stage {
  readonly words: readonly string[]
  /** A life ends so many submissions after its first sign of life at most, and then at any moment until about the next one. */
  readonly mostPosts: number
}

/** What was on its way at a kill arrives within 0.3 s that no clock makes shorter. */
const settle = String(0.3 * clockSpeed)

const SEARCH: Stage = {
  words: ['run', 'study.json', '--settle', settle, '--rate', '100000', '--allowance', '100000', '--workers', '1'],
  mostPosts: 6,
}
const OPENING: Stage = { words: ['holdout', 'searched', '--test', '--reason', 'to see it', '--yes'], mostPosts: 3 }
const betweenPostsMs = 400
/** An opening is five jobs. */
const mostInOneOpening = 3

/** Answers for each kill the role of what had been proposed last. */
async function killUntilDone(
  world: SearchedWorld,
  { words, mostPosts }: Stage,
  { most, random }: { readonly most: number; readonly random: Random },
): Promise<readonly string[]> {
  const { at, environment, arrived } = world
  const killedIn: string[] = []
  while (killedIn.length < most) {
    const { reads } = arrived
    const lastPost = arrived.posts + random.below(mostPosts)
    const run = at.start(words, environment)
    const end = ended(run)
    // From its first sign of life on: earlier kills hit nothing but the start of Node.
    const lives = () => arrived.reads === reads || arrived.posts < lastPost
    while (lives() && run.exitCode === null) await delay(5)
    await Promise.race([delay(random.between(0, betweenPostsMs)), end])
    if (run.exitCode !== null) return killedIn
    run.kill('SIGKILL')
    await end
    killedIn.push(world.proposals().at(-1)?.split(' ')[1] ?? '')
  }
  return killedIn
}

interface Finished {
  /** What matters of the answer: what was proposed, what was best, why it ended; or what came of the hold-out. */
  readonly said: string
  readonly proposals: readonly string[]
  readonly book: readonly string[]
}

async function finishSearch(world: SearchedWorld): Promise<Finished> {
  const { proposals, agreement, best, stoppedBy } = await answerOf(world, [...SEARCH.words, '--json'])
  const said = JSON.stringify({ proposals, agreement, best, stoppedBy }).replace(/"judgedAt":"[^"]*"/, '"judgedAt":""')
  return { ...leftBehind(world), said }
}

async function finishOpening(world: SearchedWorld): Promise<Finished> {
  const shown = ['holdout', 'searched', '--json']
  // Killed at its very end, it is open, and cannot be opened again.
  const { opened } = await answerOf(world, shown)
  const isComplete = Object(opened).completedAt !== null && opened !== null
  const { results, seenConfigs } = await answerOf(world, isComplete ? shown : [...OPENING.words, '--json'])
  return { ...leftBehind(world), said: JSON.stringify({ results, seenConfigs }) }
}

async function answerOf(world: SearchedWorld, words: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const { code, stdout, stderr } = await world.at.dcalab(words, world.environment)
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

function leftBehind(world: SearchedWorld): Pick<Finished, 'proposals' | 'book'> {
  return { proposals: world.proposals(), book: world.book() }
}

function compare({ said, proposals, book }: Finished, expected: Finished): readonly string[] {
  const paid = book.map((name) => readSentName(name)?.digits ?? name)
  const proposed = new Set(proposals.map((row) => row.split(' ').at(-1)?.slice(0, 12) ?? row))
  return [
    ...(said === expected.said ? [] : [`ended otherwise: ${said} for ${expected.said}`]),
    ...(proposals.join() === expected.proposals.join() ? [] : [`proposed otherwise: ${proposals.join('; ')}`]),
    ...paid.filter((trial, place) => paid.indexOf(trial) !== place).map((trial) => `${trial} was paid twice`),
    ...paid.filter((trial) => !proposed.has(trial)).map((trial) => `${trial} was paid and not proposed`),
    ...[...proposed].filter((trial) => !paid.includes(trial)).map((trial) => `${trial} was never paid`),
  ]
}
