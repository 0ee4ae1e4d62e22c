/** Ten million points take no more memory than one million: measured on the program itself, at length only. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ScreenReport, ScreenReportAcross } from '../../../src/workbench/store/screen-record.ts'
import { type Desk, desk } from '../../support/dcalab.ts'
import { isLong } from '../../support/share.ts'

const ASSETS = ['T', 'U']

async function deskWithCandles(): Promise<Desk> {
  const at = desk()
  for (const asset of ASSETS) {
    const made = ['candles', 'generate', '--market', `synthetic/${asset}-USDT`, '--from', '2024-01-01', '--days', '2']
    expect((await at.dcalab(made)).code).toBe(0)
  }
  return at
}

describe.runIf(isLong)('what a screen keeps in memory', () => {
  it.each([1, 2])('is no more for a grid ten times larger, on markets: %d', async (markets) => {
    const at = await deskWithCandles()
    // In fewer points the heap of each thread does not settle: ten thousand, a tenth of a second, take some 80 MB less.
    const few = await leastPeak(at, 1_000, { markets })
    const many = await leastPeak(at, 10_000, { markets })
    process.stderr.write(
      `peak on ${markets}: ${few.megabytes} MB for ${few.configs} points, ${many.megabytes} MB for ${many.configs}\n`,
    )
    expect(few.configs).toBe(1_000_000)
    expect(many.configs).toBe(10_000_000)
    // Heaps and compiled code settle 20 to 66 MB higher in ten seconds than in one; nine bytes a point would be more than that.
    expect(many.megabytes - few.megabytes).toBeLessThan(80)
  })
})

/** Of two runs: when a heap is collected moves a single peak, and what is kept of each point is kept in both. */
async function leastPeak(...asked: Parameters<typeof peakOf>): ReturnType<typeof peakOf> {
  const [one, other] = [await peakOf(...asked), await peakOf(...asked)]
  return one.megabytes < other.megabytes ? one : other
}

/** Screens 1000 × `takeProfits` points. */
async function peakOf(
  at: Desk,
  takeProfits: number,
  { markets }: { readonly markets: number },
): Promise<{ readonly configs: number; readonly megabytes: number }> {
  const study = {
    name: 'memory',
    markets: ASSETS.slice(0, markets).map((baseAsset) => ({ exchange: 'synthetic', baseAsset, quoteAsset: 'USDT' })),
    period: { from: '2024-01-01', to: '2024-01-03' },
    base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 10, dcaPriceStepMultiplier: 1.1 },
    grid: {
      dcaMaxSafetyOrders: [2, 3, 4, 5, 6],
      stopLoss: [0, 5, 10, 20],
      dcaVolumeScale: [1, 1.1, 1.2, 1.3, 1.4],
      dcaPriceScalePercent: { from: 0.5, to: 5, count: 10 },
      takeProfit: { from: 0.5, to: 5, count: takeProfits },
    },
    objective: { maximize: 'netProfit', where: { maxDrawdownPercent: { max: 20 } } },
  }
  writeFileSync(join(at.folder, 'memory.yaml'), JSON.stringify(study))
  const tellPeak = "process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS))"
  const { code, stdout, stderr } = await at.dcalab(['screen', 'memory.yaml', '--workers', '2', '--json'], {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tellPeak)}`,
  })
  expect(code).toBe(0)
  const report: ScreenReport | ScreenReportAcross = JSON.parse(stdout)
  const kilobytes = Number(/peak (\d+)/.exec(stderr)?.[1])
  return { configs: report.configs, megabytes: Math.round(kilobytes / 1000) }
}
