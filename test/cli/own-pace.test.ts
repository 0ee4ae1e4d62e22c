/** The study of the demo on our own service, which needs no pauses: nearly all of its time is work. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { realSystem, type System } from '../../src/system.ts'
import { projectRoot } from '../support/dcalab.ts'
import { program } from '../support/program.ts'

/** A pause between requests or looks; the watches over what happens meanwhile are longer. */
const longestPauseMs = 10_000

it('a run on our own service pauses for less than two seconds in all, for as many requests as trials and ten more', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dcalab-pace-'))
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
  expect(requests).toBeLessThanOrEqual(82)
  expect(pausedMs).toBeLessThan(2_000)
  rmSync(folder, { recursive: true, force: true })
})
