/**
 * The program dies between any two steps — before and after every request, before and after every commit — and is started again.
 * The service's book is the judge: one job per trial, and every finished one's result in the store.
 */
import { describe, expect, it } from 'vitest'
import { share } from '../../support/share.ts'
import { crashable, judge } from './crashable.ts'
import type { Fate } from './scripted-script.ts'
import { makeTrials } from './setup.ts'

const trials = makeTrials(3)
/** Steps from one death to the next: at length it dies at each. */
const every = share({ usual: 9, long: 1 })

const FATES: Readonly<Record<string, Fate>> = {
  'every request is answered': 'ok',
  'one answer is lost': 'answerLost',
  'one request is lost': 'requestLost',
  'one request arrives late': { arrivesLate: 4_000 },
  'one request is delivered twice': 'delivered twice',
  'one request never leaves': 'notSent',
  'one request is refused': { refused: 'ApiKeyRateLimit', status: 429 },
}

describe.each(Object.entries(FATES).map(([words, fate], n) => [words, fate, n % every] as const))(
  '%s',
  (_, fate, first) => {
    it(`a crash at every ${every === 1 ? '' : `${every}th `}step neither loses nor doubles a job`, async () => {
      const { crashes, bad } = await crashEverywhere(fate, first)
      expect(bad).toEqual([])
      expect(crashes).toBeGreaterThan(30)
    })
  },
)

it('two crashes in a row are no worse than one', async () => {
  const bad: string[] = []
  for (let first = 0; first < 45; first += 21 * share({ usual: 1, long: 1 / 3 })) {
    for (let second = 0; second < 30; second += share({ usual: 10, long: 6 })) {
      const { world, runUntil, clear } = crashable('answerLost', { trials })
      await runUntil(first)
      await runUntil(second)
      await runUntil(Number.POSITIVE_INFINITY)
      bad.push(...(await judge(world, 'answerLost', `${first}, ${second}`)))
      clear()
    }
  }
  expect(bad).toEqual([])
})

/** From step `first` on. */
async function crashEverywhere(fate: Fate, first: number): Promise<{ crashes: number; bad: string[] }> {
  const bad: string[] = []
  for (let step = first; ; step += every) {
    const { world, runUntil, clear } = crashable(fate, { trials })
    const isThrough = await runUntil(step)
    if (!isThrough) {
      await runUntil(Number.POSITIVE_INFINITY)
      bad.push(...(await judge(world, fate, String(step))))
    }
    clear()
    if (isThrough) return { crashes: step, bad }
  }
}
