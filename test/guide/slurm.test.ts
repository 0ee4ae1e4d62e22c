/**
 * The recipe for Slurm as the guide has it, by a Slurm: an array of twenty parts of 307,200 points, one killed, one on a node that goes down, one run twice, one of other
 * candles. `LONG=1` alone, where Slurm is installed (`.ci/slurm.mjs` does it where it can): a scheduler takes its time.
 */
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { watch } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { comparableScreen } from '../support/comparable-screen.ts'
import { type Desk, desk, type Ended, ended, program } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'
import { readRecipes } from '../support/recipes.ts'
import { isLong } from '../support/share.ts'
import { sharedData } from '../support/shared-data.ts'
import { nodeName, type Slurm, slurmIsHere, startSlurm } from '../support/slurm.ts'

const hasSlurm = isLong && slurmIsHere()
if (isLong && !hasSlurm) console.log('skipped: Slurm is not installed (apt-get install slurm-wlm munge)')
const candles = hasSlurm ? sharedData('candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz') : undefined

const MARKET = 'binance/ETH-USDT'
const RULES = ['--tick', '0.01', '--lot', '0.0001', '--min-notional', '5']

const study = {
  name: 'slurm',
  market: { exchange: 'binance', baseAsset: 'ETH', quoteAsset: 'USDT' },
  period: { from: '2025-05-20', to: '2025-08-18' },
  costs: { feePercent: 0.1, slippagePercent: 0 },
  base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 10 },
  grid: {
    dcaMaxSafetyOrders: { from: 3, to: 10, step: 1 },
    dcaPriceScalePercent: { from: 0.6, to: 2.4, step: 0.2 },
    dcaPriceStepMultiplier: [1, 1.1, 1.2, 1.4],
    dcaVolumeScale: { from: 1, to: 1.4, step: 0.1 },
    takeProfit: { from: 0.6, to: 3.7, step: 0.1 },
    stopLoss: [0, 8, 12, 16, 20, 25],
  },
  objective: { maximize: 'netProfit', where: { closedDeals: { min: 20 } } },
}

/** The seventh part kills itself the first time, the eleventh waits for the end of its node. */
const wrapper = (begun: string) => `#!/bin/sh
case "$SLURM_ARRAY_TASK_ID$*" in
  7screen*) if mkdir killed 2>/dev/null; then ${begun} & kill -9 $!; wait $!; exit 137; fi;;
  11screen*) if mkdir waits 2>/dev/null; then exec sleep 900; fi;;
esac
exec ${begun}
`

describe.skipIf(candles === undefined)('an array of Slurm, twenty parts', () => {
  let at: Desk
  let slurm: Slurm

  beforeAll(async () => {
    at = desk()
    const recipe = readRecipes('many-machines.md').get('slurm') ?? ''
    writeFileSync(join(at.folder, 'parts.sh'), recipe)
    writeFileSync(join(at.folder, 'study.yaml'), JSON.stringify(study))
    mkdirSync(join(at.folder, 'bin'))
    writeFileSync(join(at.folder, 'bin/dcalab'), wrapper(`"${process.execPath}" "${program}" "$@"`))
    chmodSync(join(at.folder, 'bin/dcalab'), 0o755)
    const minutes = gunzipSync(readFileSync(candles ?? '')).toString()
    writeFileSync(join(at.folder, 'eth.csv'), minutes)
    // The first close is another one.
    const other = minutes.replace(/\n(\d+),([\d.]+),([\d.]+),([\d.]+),[\d.]+,/, '\n$1,$2,$3,$4,$2,')
    writeFileSync(join(at.folder, 'other.csv'), other)
    for (const [file, folder] of [
      ['eth.csv', 'data/candles'],
      ['other.csv', 'other'],
    ]) {
      const ground = ['--market', MARKET, '--candles-dir', folder]
      await done(at.dcalab(['candles', 'import', file, '--interval', '1m', ...ground]))
      await done(at.dcalab(['candles', 'symbols', ...RULES, ...ground]))
    }
    slurm = await startSlurm(temporaryFolder())
  })
  afterAll(() => slurm.stop())

  it('a killed part is named, a lost node runs its part again, a part run twice is the same part, other candles are refused; the merged top 200 is the single run’s with every metric', async () => {
    const single = await done(at.dcalab(['screen', 'study.yaml', '--top', '200', '--json']))
    const expected = { ...comparableScreen(single.stdout), parts: { n: 20, missing: [] } }

    const array = sbatch('parts.sh')
    await appears(at.folder, 'waits')
    for (const state of ['down', 'resume'])
      await done(run('scontrol', ['update', `nodename=${nodeName()}`, `state=${state}`, 'reason=test']))
    expect((await array).code).not.toBe(0)
    expect(endedTasks()).toMatchObject({ '7': 'FAILED', '11': 'COMPLETED', '20': 'COMPLETED' })
    const lacking = await at.dcalab(['screen', 'merge', 'parts'])
    expect(lacking).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('lacks 1 of 20 parts: --array=7 (Slurm;'),
    })

    expect((await sbatch('--array=7', 'parts.sh')).code).toBe(0)
    const merged = await done(at.dcalab(['screen', 'merge', 'parts', '--json']))
    expect(comparableScreen(merged.stdout)).toEqual(expected)
    expect(JSON.parse(merged.stdout).top).toHaveLength(200)

    const files = readdirSync(join(at.folder, 'parts'))
    const part = 'screen study.yaml --part 3/20 --top 200 --workers 1 --out parts --json'.split(' ')
    const before = await done(at.dcalab(part))
    await done(at.dcalab([...part, '--candles-dir', 'other']))
    const mixed = await at.dcalab(['screen', 'merge', 'parts'])
    expect(mixed.code).toBe(2)
    expect(mixed.stderr).toMatch(/003-of-020\.part.*other candles of binance\/ETH-USDT/)
    const after = await done(at.dcalab(part))
    expect(JSON.parse(after.stdout).hash).toBe(JSON.parse(before.stdout).hash)
    expect(readdirSync(join(at.folder, 'parts'))).toEqual(files)
    const again = await done(at.dcalab(['screen', 'merge', 'parts', '--json']))
    expect(comparableScreen(again.stdout)).toEqual(expected)
  })

  /** In the working folder, by the Slurm of this test. */
  function run(file: string, args: readonly string[]): Promise<Ended> {
    const env = { PATH: `${join(at.folder, 'bin')}:${process.env.PATH ?? ''}`, HOME: at.folder, ...slurm.environment }
    return ended(spawn(file, [...args], { cwd: at.folder, env, stdio: ['ignore', 'pipe', 'pipe'] }))
  }

  /** Until all tasks have ended; with the worst of their exit codes. */
  function sbatch(...args: readonly string[]): Promise<Ended> {
    return run('sbatch', ['--wait', '--output=task-%a.txt', ...args])
  }

  /** The state in which each task of an array ended last. */
  function endedTasks(): Readonly<Record<string, string>> {
    const lines = readFileSync(slurm.endedJobs, 'utf8').matchAll(/JobState=(\w+) .*ArrayTaskId=(\d+)/g)
    return Object.fromEntries([...lines].map(([, state, task]) => [task, state]))
  }
})

/** @throws when it failed */
async function done(ending: Promise<Ended>): Promise<Ended> {
  const answer = await ending
  expect(answer, answer.stderr).toMatchObject({ code: 0 })
  return answer
}

async function appears(folder: string, name: string): Promise<void> {
  const changes = watch(folder)
  if (existsSync(join(folder, name))) return
  for await (const { filename } of changes) if (filename === name) return
}
