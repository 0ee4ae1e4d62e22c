/** `dcalab chart`: one trial drawn in the terminal. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'

const STUDY = `name: drawn
market: { exchange: synthetic, baseAsset: BTC, quoteAsset: USDT }
period: { from: 2025-01-01, to: 2025-01-21 }
base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 25, stopLoss: 0, dcaVolumeScale: 1.2, dcaPriceStepMultiplier: 1 }
grid: { dcaMaxSafetyOrders: [2, 4], dcaPriceScalePercent: [1], takeProfit: [1, 2] }
`

describe('a trial of a study of four', () => {
  const folder = temporaryFolder()
  const dcalab = program(folder, { XDG_STATE_HOME: folder })
  let best = ''

  beforeAll(async () => {
    const file = join(folder, 'drawn.yaml')
    writeFileSync(file, STUDY)
    const market = [
      '--market',
      'synthetic/BTC-USDT',
      '--interval',
      '5m',
      '--from',
      '2025-01-01',
      '--days',
      '20',
      '--seed',
      '3',
    ]
    expect((await dcalab(['candles', 'generate', ...market])).code).toBe(0)
    expect((await dcalab(['run', file])).code).toBe(0)
    const [first] = JSON.parse((await dcalab(['leaderboard', 'drawn', '--json'])).out)
    best = first.fingerprint
  })

  it('is its equity from the first day to the last, with the highest and the lowest value beside it', async () => {
    const { code, out } = await dcalab(['chart', best])
    expect(code).toBe(0)
    const { dailyEquity } = JSON.parse((await dcalab(['chart', best, '--json'])).out)
    const values: readonly number[] = dailyEquity.map(({ equity }: { readonly equity: number }) => equity)
    expect(values).toHaveLength(20)
    const lines = out.split('\n')
    const plot = lines.filter((line) => /[\u2801-\u28ff]/.test(line))
    expect(plot[0]).toContain(Math.max(...values).toFixed(2))
    expect(plot.at(-1)).toContain(Math.min(...values).toFixed(2))
    expect(out).toMatch(/2025-01-01 +2025-01-20/)
    expect(lines[1]).toMatch(/net profit .* in use on average, drawdown/)
  })

  it('stands in the heat map of its study, each cell with its mean and how many trials it rests on', async () => {
    const { out } = await dcalab(['chart', best])
    expect(out.match(/\(1\)/g)).toHaveLength(4)
    expect(out.match(/\*-?[0-9.,]+ \(1\)/g)).toHaveLength(1)
    const { heat } = JSON.parse((await dcalab(['chart', best, '--json'])).out)
    const ranked: readonly {
      readonly config: Record<string, number>
      readonly metrics: { readonly netProfit: number }
    }[] = JSON.parse((await dcalab(['leaderboard', 'drawn', '--json'])).out)
    for (const { config, metrics } of ranked) {
      const cell = heat.cells.find(
        (each: Record<string, number>) => each.x === config[heat.x] && each.y === config[heat.y],
      )
      expect(cell).toMatchObject({ count: 1, mean: metrics.netProfit, best: metrics.netProfit })
    }
  })

  it('is not found in a study that does not have it', async () => {
    const { code, err } = await dcalab(['chart', best, '--study', 'other'])
    expect(code).toBe(2)
    expect(err).toContain('study other has no trial')
    expect(err).toContain('it is in drawn')
  })
})
