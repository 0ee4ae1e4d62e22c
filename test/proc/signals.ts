/** Signals to the built program at random moments, against a service on a real port that is quick, slow or silent. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { createRandom } from '../sim/random.ts'
import { desk, ended, program } from '../support/dcalab.ts'
import { httpService, studyOf } from './http-service.ts'

const atOnce = 4
/**
 * Loaded before the program: writes down, in the order in which the program itself saw them, the signals it was told of and the
 * submissions it began. Seen from outside, a busy machine would make a late request of an early one.
 */
const observer = `
import { appendFileSync } from 'node:fs'
const note = (what) => appendFileSync('order.txt', what + '\\n')
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => note('signal'))
const send = globalThis.fetch
globalThis.fetch = (url, init) => {
  if (init?.method === 'POST') note('submission')
  return send(url, init)
}
`

/** So many programs, one signal each; says what came of them in one line. */
export async function interruptMany(trials: number, seed: number): Promise<void> {
  const random = createRandom(seed)
  const bad: string[] = []
  let longestMs = 0
  const lane = async (first: number) => {
    for (let n = first; n < trials; n += atOnce) {
      // Most answers come at once, some late, one in ten never.
      const answerMs = random.pick([0, 0, 0, 50, 400, 400, 1_500, 1_500, 4_000, Number.POSITIVE_INFINITY])
      const found = await interruptOnce({
        afterMs: random.between(50, 2_500),
        signal: random.pick(['SIGINT', 'SIGTERM']),
        delayMs: (method) => (method === 'POST' ? answerMs : 0),
      })
      longestMs = Math.max(longestMs, found.tookMs)
      bad.push(...found.bad.map((words) => `trial ${n}: ${words}`))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_, first) => lane(first)))
  const longest = (longestMs / 1000).toFixed(1)
  process.stdout.write(`R13: ${bad.length} bad after ${trials} signals; the longest end took ${longest} s\n`)
  expect(bad).toEqual([])
}

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
    writeFileSync(join(at.folder, 'observer.mjs'), observer)
    const run = at.startNode(['--import', './observer.mjs', program, 'run', 'study.json'], environmentOf(service.url))
    const end = ended(run)
    // Before the program has its handlers, a signal just ends it.
    while (service.service.requests.reads === 0) await delay(10)
    await delay(afterMs)
    const sentAt = performance.now()
    run.kill(signal)
    const { code, stderr } = await end
    const tookMs = performance.now() - sentAt
    const order = readFileSync(join(at.folder, 'order.txt'), 'utf8').trim().split('\n')
    const late = order.slice(order.indexOf('signal')).filter((what) => what === 'submission').length
    const bad: string[] = []
    if (!order.includes('signal')) bad.push(`never heard of ${signal}`)
    if (late > 0) bad.push(`${late} new submissions after ${signal}`)
    if (tookMs > 11_000) bad.push(`took ${Math.round(tookMs)} ms to end`)
    if (code !== (signal === 'SIGINT' ? 130 : 143)) bad.push(`ended with ${code}: ${stderr.slice(0, 300)}`)
    if (/bug|at .*\.js:/.test(stderr)) bad.push(stderr.slice(0, 300))
    return { bad, tookMs }
  } finally {
    await service.close()
  }
}

export function environmentOf(url: string) {
  return { DCALAB_BASE_URL: url, DCALAB_API_KEY: 'signal-key-1', DCALAB_SECRET_KEY: 'signal-secret-1' }
}
