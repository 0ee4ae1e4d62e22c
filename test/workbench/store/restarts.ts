/** H10: a program that dies every few seconds and starts again at once asks for as much as it may, and never for more than a minute holds. */
import { expect } from 'vitest'
import { type CalmWorld, calmWorld } from '../../sim/calm-world.ts'
import { type CounterKind, createCounter } from '../../sim/counters.ts'
import { Crash, startProgram } from '../../sim/program.ts'
import { createRandom } from '../../sim/random.ts'

const minute = 60_000
/** What our log allows, in requests per ms. */
const full = 110 / 61_000
/** Enough to ask for all that is allowed, at any latency. */
const lanesOf = (latencyMs: number) => Math.ceil(2 * latencyMs * full) + 4

/** So many starts for each kind of counter, half of them far from it; says what came of them in one line. */
export async function restartMany(starts: number, kinds: readonly CounterKind[]): Promise<void> {
  const bad: string[] = []
  let requests = 0
  let least = Number.POSITIVE_INFINITY
  for (const [seed, { kind, latencyMs }] of kinds
    .flatMap((kind) => [60, 2_500].map((latencyMs) => ({ kind, latencyMs })))
    .entries()) {
    const random = createRandom(seed)
    const counter = createCounter(kind, { count: 120, windowMs: minute, phase: random.next() })
    const world = calmWorld({ minute: counter, latencyMs })
    const began = world.time.now
    const lanes = lanesOf(latencyMs)
    for (let n = 0; n < starts / 2; n++) await dieWhileAsking(world, { ms: random.between(1_000, 30_000), lanes })
    if (world.service.refused.rate > 0) bad.push(`${kind}: ${world.service.refused.rate} requests over the limit`)
    requests += world.sentAt.length
    least = Math.min(least, world.sentAt.length / (world.time.now - began) / full)
    world.clear()
  }
  const use = `${requests} requests, at least ${Math.round(100 * least)} % of the allowed rate`
  process.stdout.write(`H10: ${bad.length} bad after ${starts * kinds.length} restarts, ${use}\n`)
  expect(bad).toEqual([])
  expect(least).toBeGreaterThan(0.7)
}

/** One life of so many ms, in which every lane always has one request to send. */
async function dieWhileAsking(
  { time, machine }: CalmWorld,
  { ms, lanes }: { readonly ms: number; readonly lanes: number },
): Promise<void> {
  const program = startProgram(machine, () => false)
  time.at(time.now + ms, program.kill)
  const lane = async () => {
    while (!program.isDead()) await program.client.limits()
  }
  const lives = await time.until(Promise.allSettled(Array.from({ length: lanes }, lane)))
  program.close()
  for (const life of lives) if (life.status === 'rejected' && !(life.reason instanceof Crash)) throw life.reason
}
