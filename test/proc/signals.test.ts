/** R13, H36: Ctrl-C and SIGTERM at any moment: nothing new is sent, what is on its way may tell its outcome, and it ends in time. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createRandom } from '../sim/random.ts'
import { desk, ended } from '../support/dcalab.ts'
import { httpService, studyOf } from './http-service.ts'

const trials = 40
const atOnce = 4
/** A request that was being written when the signal was sent is not a new one. */
const onItsWayMs = 150

it(`${trials} signals at random moments: no submission after one, an end within 11 s, the right exit code`, async () => {
  const random = createRandom(13)
  const bad: string[] = []
  let interrupted = 0
  const lane = async (first: number) => {
    for (let n = first; n < trials; n += atOnce) {
      // Most answers come at once, some late, one in ten never.
      const answerMs = random.pick([0, 0, 0, 50, 400, 400, 1_500, 1_500, 4_000, Number.POSITIVE_INFINITY])
      const found = await interruptOnce({
        afterMs: random.between(50, 2_500),
        signal: random.pick(['SIGINT', 'SIGTERM']),
        delayMs: (method) => (method === 'POST' ? answerMs : 0),
      })
      if (found.interrupted) interrupted++
      bad.push(...found.bad.map((words) => `trial ${n}: ${words}`))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_, first) => lane(first)))
  expect(bad).toEqual([])
  expect(interrupted).toBeGreaterThan(trials / 2)
}, 300_000)

it('a second Ctrl-C ends it at once', async () => {
  const at = desk()
  const service = await httpService({ delayMs: (method) => (method === 'POST' ? Number.POSITIVE_INFINITY : 0) })
  writeFileSync(join(at.folder, 'study.json'), studyOf(3))
  const run = at.start(['run', 'study.json'], environmentOf(service.url))
  const end = ended(run)
  while (service.posts.length === 0) await delay(20)
  run.kill('SIGINT')
  await delay(300)
  const began = performance.now()
  run.kill('SIGINT')
  expect((await end).code).toBe(130)
  expect(performance.now() - began).toBeLessThan(3_000)
  await service.close()
  at.clear()
})

interface Interrupt {
  readonly afterMs: number
  readonly signal: 'SIGINT' | 'SIGTERM'
  readonly delayMs: (method: string) => number
}

async function interruptOnce({ afterMs, signal, delayMs }: Interrupt) {
  const at = desk()
  const service = await httpService({ delayMs })
  try {
    writeFileSync(join(at.folder, 'study.json'), studyOf(30))
    const run = at.start(['run', 'study.json'], environmentOf(service.url))
    const end = ended(run)
    // Before the program has its handlers, a signal just ends it.
    while (service.service.requests.reads === 0) await delay(10)
    await delay(afterMs)
    const sentAt = performance.now()
    run.kill(signal)
    const { code, stderr } = await end
    const tookMs = performance.now() - sentAt
    const late = service.posts.filter((post) => post.at > sentAt + onItsWayMs)
    const bad: string[] = []
    if (late.length > 0) bad.push(`${late.length} new submissions after ${signal}`)
    if (tookMs > 11_000) bad.push(`took ${Math.round(tookMs)} ms to end`)
    if (code !== (signal === 'SIGINT' ? 130 : 143)) bad.push(`ended with ${code}: ${stderr.slice(0, 300)}`)
    if (/bug|at .*\.js:/.test(stderr)) bad.push(stderr.slice(0, 300))
    return { bad, interrupted: true }
  } finally {
    await service.close()
    at.clear()
  }
}

function environmentOf(url: string) {
  return { DCALAB_BASE_URL: url, DCALAB_API_KEY: 'signal-key-1', DCALAB_SECRET_KEY: 'signal-secret-1' }
}
