/** The workbench killed ten times without warning, then left to finish: the service's own book has one job per trial. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Desk, desk, ended, firstLine } from '../support/dcalab.ts'

const kills = 10
const trials = 40
const seed = 20_261_120

let at: Desk
beforeAll(() => {
  at = desk()
})
afterAll(() => at.clear())

it(`killed ${kills} times with SIGKILL (seed ${seed}), every trial is one job`, async () => {
  await at.dcalab(['candles', 'generate', '--market', 'synthetic/K-USDT', '--from', '2024-01-01', '--days', '20'])
  mkdirSync(at.folder, { recursive: true })
  writeFileSync(join(at.folder, 'study.yaml'), JSON.stringify(study))
  const serving = at.start(['serve', '--json'])
  const { url, apiKey, secretKey } = JSON.parse(await firstLine(serving))
  const environment = { DCALAB_BASE_URL: url, DCALAB_API_KEY: apiKey, DCALAB_SECRET_KEY: secretKey }
  const random = sequence(seed)
  try {
    for (let i = 0; i < kills; i++) {
      const run = at.start(['run', 'study.yaml'], environment)
      const end = ended(run)
      await Promise.race([delay(150 + random() * 1_600), end])
      run.kill('SIGKILL')
      await end
    }
    const last = await at.dcalab(['run', 'study.yaml', '--json'], environment)
    expect(last.stderr).not.toMatch(/bug/)
    expect(last.code).toBe(0)
    expect(JSON.parse(last.stdout)).toMatchObject({ trials: { total: trials, done: trials }, stoppedBy: null })

    const book = await jobsOf(url, { 'X-API-Key': apiKey, 'X-Secret-Key': secretKey })
    expect(book).toHaveLength(trials)
    expect(new Set(book.map((job) => JSON.stringify(job.request.dcaPriceScalePercent))).size).toBe(trials)
    expect(book.every((job) => job.state === 'completed')).toBe(true)
  } finally {
    serving.kill('SIGTERM')
  }
})

const study = {
  name: 'killed',
  market: { exchange: 'synthetic', baseAsset: 'K', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-21' },
  base: {
    investment: 1000,
    dcaTotalBudget: 1000,
    dcaInitialOrderSize: 20,
    dcaMaxSafetyOrders: 3,
    dcaPriceStepMultiplier: 1.2,
    dcaVolumeScale: 1.3,
    takeProfit: 1,
    stopLoss: 0,
  },
  grid: { dcaPriceScalePercent: { from: 0.5, to: 4.4, count: trials } },
}

interface BookedJob {
  readonly state: string
  readonly request: { readonly dcaPriceScalePercent: number }
}

async function jobsOf(url: string, headers: Record<string, string>): Promise<BookedJob[]> {
  const jobs: BookedJob[] = []
  for (let next: string | null = '?limit=1000'; next !== null; ) {
    const reply = await fetch(`${url}/api/backtest/jobs${next}`, { headers })
    const page = (await reply.json()) as { jobs: BookedJob[]; next: string | null } // our own service's A-14
    jobs.push(...page.jobs)
    next = page.next
  }
  return jobs
}

/** A small repeatable sequence in [0, 1). */
function sequence(start: number): () => number {
  let state = start
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
