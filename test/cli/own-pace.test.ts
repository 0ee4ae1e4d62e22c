/** The study of the demo on our own service, which needs no pauses: nearly all of its time is work. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { realSystem, type System } from '../../src/system.ts'
import { projectRoot } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'

/** A pause between requests or looks; the watches over what happens meanwhile are longer. */
const longestPauseMs = 10_000

it('a run on our own service pauses for far less than 250 ms a trial, and asks little besides its submissions', async () => {
  const folder = temporaryFolder()
  const real = realSystem({ NO_COLOR: '1' })
  let pausedMs = 0
  const world: System = {
    ...real,
    clock: {
      ...real.clock,
      sleep: async (ms, signal) => {
        await real.clock.sleep(ms, signal)
        if (ms < longestPauseMs) pausedMs += ms
      },
    },
  }
  const dcalab = program(folder, {}, { world })
  await dcalab(['candles', 'generate', '--market', 'synthetic/DEMO-USDT', '--from', '2024-03-01', '--days', '60'])
  const { code, out } = await dcalab(['run', join(projectRoot, 'studies/demo.yaml'), '--json'])
  expect(code).toBe(0)
  const { trials, requests } = JSON.parse(out)
  expect(trials).toMatchObject({ total: 72, done: 72 })
  // On a quiet machine 75 requests and 0.2 s; a crowded one computes more slowly and is looked at more often.
  expect(requests).toBeLessThanOrEqual(90)
  expect(pausedMs).toBeLessThan((trials.total * 250) / 2)
})
