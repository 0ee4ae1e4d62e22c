/** R13, H36: Ctrl-C and SIGTERM at any moment: nothing new is sent, what is on its way may tell its outcome, and it ends in time. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { desk, ended } from '../support/dcalab.ts'
import { share } from '../support/share.ts'
import { httpService, studyOf } from './http-service.ts'
import { environmentOf, interruptMany } from './signals.ts'

const { signals, seed } = share({ usual: { signals: 24, seed: 13 }, long: { signals: 200, seed: 1_300 } })

it(`${signals} signals at random moments: no submission after one, an end within 11 s, the right exit code`, () =>
  interruptMany(signals, seed))

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
})
