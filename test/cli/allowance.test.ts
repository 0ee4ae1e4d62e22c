/** More trials than the day allows: 100 are submitted, the rest wait for the window, and no request is ever refused. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { runCli } from '../../src/cli/program.ts'
import { readSettings } from '../../src/cli/settings.ts'
import type { System } from '../../src/system.ts'
import { projectRoot } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'
import { shiftedSystem } from '../support/shifted-system.ts'

let folder: string
beforeAll(() => {
  folder = temporaryFolder()
})

const dayAndTwoMinutes = 86_400_000 + 120_000

it('130 trials: 100 now, exit 3 with the next opening; all done 24 h and 2 minutes later; no 429', async () => {
  const statuses: number[] = []
  const shifted = shiftedSystem(statuses)
  await dcalab(shifted.system, [
    'candles',
    'generate',
    '--market',
    'synthetic/A-USDT',
    '--from',
    '2024-01-01',
    '--days',
    '2',
  ])
  writeFileSync(join(folder, 'study.json'), JSON.stringify(study))

  const first = await dcalab(shifted.system, ['run', join(folder, 'study.json'), '--json'])
  expect(first.code).toBe(3)
  const stopped = JSON.parse(first.stdout)
  expect(stopped).toMatchObject({
    trials: { total: 130, done: 100, failed: 0, pending: 30 },
    allowance: { limit: 100, used: 100, available: 0 },
    stoppedBy: 'allowance',
  })
  const untilNext = Date.parse(stopped.allowance.nextAt) - shifted.system.clock.wall()
  expect(untilNext).toBeGreaterThan(23 * 3_600_000)
  expect(untilNext).toBeLessThanOrEqual(24 * 3_600_000 + 120_000)

  const again = await dcalab(shifted.system, ['run', join(folder, 'study.json'), '--json'])
  expect(again.code).toBe(3)

  const limits = JSON.parse((await dcalab(shifted.system, ['service', 'limits', '--json'])).stdout)
  const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  expect(limits).toMatchObject({
    ledger: { nextAt: isoTime, source: 'ledger' },
    service: { nextAt: isoTime, source: 'reported' },
  })

  shifted.advance(dayAndTwoMinutes)
  const last = await dcalab(shifted.system, ['run', join(folder, 'study.json'), '--json'])
  expect(last.code).toBe(0)
  expect(JSON.parse(last.stdout)).toMatchObject({
    trials: { total: 130, done: 130, reused: 100, pending: 0 },
    stoppedBy: null,
  })
  expect(statuses.filter((status) => status === 429)).toEqual([])
  expect(statuses.length).toBeGreaterThan(130)
})

const study = {
  name: 'more-than-a-day',
  market: { exchange: 'synthetic', baseAsset: 'A', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-03' },
  base: {
    investment: 1000,
    dcaTotalBudget: 1000,
    dcaInitialOrderSize: 20,
    dcaMaxSafetyOrders: 3,
    dcaPriceStepMultiplier: 1.2,
    dcaVolumeScale: 1.3,
    stopLoss: 0,
  },
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: { from: 0.5, to: 3.5, count: 13 }, takeProfit: { from: 0.5, to: 5, step: 0.5 } },
}

/** The whole program in this process, its world being `system`. */
async function dcalab(system: System, args: readonly string[]) {
  const parts: string[] = []
  const code = await runCli(args, {
    system: { ...system, terminal: { ...system.terminal, out: async (text) => void parts.push(text) } },
    settings: () =>
      readSettings(
        {
          DCALAB_STORE: join(folder, 'workbench.sqlite'),
          DCALAB_SERVICE_STORE: join(folder, 'service.sqlite'),
          DCALAB_CANDLES: join(folder, 'candles'),
        },
        undefined,
      ),
    signal: new AbortController().signal,
    entryFile: new URL('file:///absent.js'),
    workerFile: pathToFileURL(join(projectRoot, 'dist/engine-worker.js')),
    studiesFolder: pathToFileURL(join(projectRoot, 'studies/')),
    tlsUnverified: false,
    environment: {},
    streams: () => {
      throw new Error('nothing is read from stdin here')
    },
  })
  return { code, stdout: parts.join('') }
}
