/** Every fate of a request on its way, at one request after the other of an otherwise calm run. */
import { afterAll, describe, expect, it } from 'vitest'
import { calmWorld } from '../../sim/calm-world.ts'
import { FATES, type Fate } from '../../sim/network.ts'
import { judge } from '../../sim/oracle.ts'
import { minute } from './setup.ts'

const misfortunes = FATES.filter((fate) => fate !== 'ok')

/** At each `every`-th request, another first one for each fate, until the run has no more. */
export function fateAtEveryRequest({ trials, every }: { readonly trials: number; readonly every: number }): void {
  let worlds = 0
  let failures = 0
  afterAll(() => void process.stdout.write(`H2: ${failures} bad in ${worlds} worlds of one misfortune\n`))
  describe.each(misfortunes.map((fate, n) => ({ fate, first: n % every })))('$fate', ({ fate, first }) => {
    it.each(['submission', 'read'] as const)('at any %s', async (kind) => {
      const bad: string[] = []
      let index = first
      for (; ; index += every) {
        const found = await strike(fate, { kind, index, trials })
        if (found === undefined) break
        bad.push(...found)
        worlds++
      }
      failures += bad.length
      expect(bad).toEqual([])
      expect(index).toBeGreaterThan(first) // or nothing was struck
    })
  })
}

interface Place {
  readonly kind: 'submission' | 'read'
  /** From 0. */
  readonly index: number
  readonly trials: number
}

/** A read is repeated three times by itself: it takes four in a row to fail. */
const lengthOf = { submission: 1, read: 4 }

/** What is wrong afterwards; undefined when there was no such request. */
async function strike(fate: Fate, { kind, index, trials }: Place): Promise<string[] | undefined> {
  let isReached = false
  const struck = (n: number) => {
    if (n < index || n >= index + lengthOf[kind]) return 'ok'
    isReached = true
    return fate
  }
  const world = calmWorld({ bareList: true, ...(kind === 'read' ? { readFate: struck } : { fate: struck }) })
  try {
    const bad: string[] = []
    const summary = await world.run(trials)
    if (!isReached) return undefined
    if (summary?.stoppedBy !== null || summary.trials.done !== trials) bad.push(`${index}: ${summary?.stoppedBy}`)
    await world.time.pass(20 * minute) // what is late arrives
    await world.run(trials)
    const { book } = world.service
    const { paidTwice, lost, undecided } = judge(world.storePath, book, world.time.now)
    if (new Set(book.map(({ config }) => config)).size !== trials) bad.push(`${index}: a trial was never submitted`)
    if (paidTwice.length + lost.length + undecided > 0)
      bad.push(`${index}: ${paidTwice.length} paid twice, ${lost.length} lost, ${undecided} undecided`)
    const spent = summary?.allowance?.used ?? 0
    if (spent > trials + (kind === 'read' ? 0 : 1)) bad.push(`${index}: ${spent} units spent`)
    return bad
  } finally {
    world.clear()
  }
}
