/**
 * H6: another client of the key takes anything between nothing and the whole of the allowance. No trial fails for it, none is paid for
 * twice, and a service that is known to be full is not tried on and on.
 */
import { expect } from 'vitest'
import { calmWorld, start } from '../../sim/calm-world.ts'
import { createCounter } from '../../sim/counters.ts'
import { createRandom } from '../../sim/random.ts'
import { day, hour } from './setup.ts'

const count = 20
const trials = 30
const days = 3
/** One way; submissions arrive so much after they left. */
const latencyMs = 60

/** So many worlds, whose other client wants from 0 to 100 %; says what came of them in one line. */
export async function shareTheKey(seeds: number): Promise<void> {
  const bad: string[] = []
  let refused = 0
  for (let seed = 0; seed < seeds; seed++) {
    const found = await shareOnce(seed, seed / (seeds - 1))
    bad.push(...found.bad.map((words) => `seed ${seed}: ${words}`))
    refused += found.refused
  }
  process.stdout.write(`H6: ${bad.length} bad in ${seeds} worlds with another client, ${refused} submissions refused\n`)
  expect(bad).toEqual([])
  expect(refused).toBeGreaterThan(seeds / 10)
}

async function shareOnce(seed: number, share: number): Promise<{ bad: string[]; refused: number }> {
  const random = createRandom(seed)
  const tellsLimits = random.chance(0.5)
  const counter = createCounter(random.pick(['sliding', 'fixed', 'tokenBucket', 'fromFirstUse']), {
    count,
    windowMs: day,
    phase: random.next(),
  })
  const admittedAt: number[] = []
  const world = calmWorld({
    tellsLimits,
    windowType: null,
    allowanceCount: count,
    allowance: {
      ...counter,
      admit: (at) => {
        const isIn = counter.admit(at)
        if (isIn) admittedAt.push(at)
        return isIn
      },
    },
  })
  // It asks at its own moments, some in bursts; what is refused to it, it asks for again later.
  for (let n = 0; n < Math.round(share * count * days * 1.3); n++) {
    const at = random.chance(0.5) ? start + random.below(days) * day : start + random.between(0, days * day)
    world.time.at(Math.round(at), () => world.service.submitForeign(n, world.time.now))
  }
  try {
    const summary = await world.run(trials, { allowance: count })
    const bad: string[] = []
    if (summary?.stoppedBy !== null) bad.push(`ended by ${summary?.stoppedBy}`)
    if (summary?.trials.failed !== 0) bad.push(`${summary?.trials.failed} good trials failed`)
    const ours = world.service.book.filter(({ send }) => send !== null)
    if (ours.length !== trials || new Set(ours.map(({ config }) => config)).size !== trials)
      bad.push(`${ours.length} jobs for ${trials} trials`)
    const accepted = new Set(ours.map(({ createdAt }) => createdAt))
    const refusedAt = world
      .posts()
      .map((at) => at + latencyMs)
      .filter((at) => !accepted.has(at))
    if (refusedAt.length !== world.service.refused.allowance) bad.push('refusals are not where they were looked for')
    for (const [n, at] of refusedAt.slice(1).entries()) {
      const before = refusedAt[n]
      // Somebody was let in meanwhile: then it had opened.
      if (admittedAt.some((moment) => moment > before && moment < at)) continue
      if (tellsLimits) bad.push(`tried again though its limits say that it is full`)
      else if (at - before < hour) bad.push(`tried again after ${Math.round((at - before) / 60_000)} min`)
    }
    return { bad, refused: refusedAt.length }
  } finally {
    world.clear()
  }
}
