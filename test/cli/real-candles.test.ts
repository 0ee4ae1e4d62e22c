/** The main job on real minute candles: import, study of 96 trials over HTTP, report, promotion; and a recorded bot replayed. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Desk, projectRoot } from '../support/dcalab.ts'
import { deskInProcess } from '../support/program.ts'
import { sharedData } from '../support/shared-data.ts'

const bitcoin = sharedData('candles/binance_BTC-USDT_1m_2021-04_2021-05.csv.gz') ?? ''
const ether = sharedData('candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz') ?? ''
const klines = sharedData('original/binancevision_spot_ms_BTCUSDT-1h-2024-12.csv') ?? ''

let at: Desk
beforeAll(() => {
  at = deskInProcess()
})

describe.skipIf(bitcoin === '')('bitcoin in May 2021', () => {
  it('runs 96 trials to the end through HTTP, reported and promoted', async () => {
    const imported = await at.dcalab(['candles', 'import', bitcoin, '--json'])
    expect(imported.code).toBe(0)
    expect(JSON.parse(imported.stdout)).toMatchObject({ market: 'binance/BTC-USDT', added: 42_915, missing: 284 })

    const run = await at.dcalab(['run', join(projectRoot, 'studies/btc-may-2021.yaml'), '--json'])
    expect(run.stderr).not.toContain('429')
    expect(run.code).toBe(0)
    expect(JSON.parse(run.stdout)).toMatchObject({ trials: { total: 96, done: 96, failed: 0 }, stoppedBy: null })

    const report = await at.dcalab(['report', 'btc-may-2021', '--json'])
    expect(report.code).toBe(0)
    expect(JSON.parse(report.stdout)).toMatchObject({ path: 'reports/btc-may-2021.html', trials: 96 })

    // The exchange stood still for 284 minutes; most of these bots held a position, and each says so, by the way through HTTP and SQL.
    const counted = 'select min(missing_in_deals) as least, max(missing_in_deals) as most, count(*) as n from results'
    const sql = await at.dcalab(['sql', counted, '--json'])
    expect(JSON.parse(sql.stdout)).toEqual([{ least: expect.toBeOneOf([0, 284]), most: 284, n: 96 }])
    expect(readFileSync(join(at.folder, 'reports/btc-may-2021.html'), 'utf8')).toContain('Missing in deals')

    const promotion = await at.dcalab(['promote', 'btc-may-2021', '--yes', '--accept', 'notJudged', '--json'])
    expect(promotion.code).toBe(0)
    expect(JSON.parse(promotion.stdout)).toMatchObject({ isDemo: true, validated: true, created: true, started: false })
  })
})

describe.skipIf(ether === '')('the recorded 3Commas bot 16403596', () => {
  it('closes the same eight deals under three-commas', async () => {
    copyFileSync(join(projectRoot, 'studies/three-commas-eth.yaml'), join(at.folder, 'bot.yaml'))
    const { code, stdout } = await at.dcalab(['backtest', 'bot.yaml', '--candles', ether, '--json'])
    expect(code).toBe(0)
    const { deals, metrics } = JSON.parse(stdout)
    expect(deals.map((deal: { safetyOrders: number }) => deal.safetyOrders)).toEqual([2, 0, 1, 1, 1, 1, 1, 2])
    expect(Math.abs(metrics.realizedProfit / 3.1958 - 1)).toBeLessThan(0.002)
  })
})

describe.skipIf(ether === '')('how much of a profit is chance', () => {
  it('is, on ETH 2025, what the guide says', async () => {
    const config = {
      ...{ investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 25, dcaMaxSafetyOrders: 6, stopLoss: 0 },
      ...{ dcaPriceScalePercent: 0.8, dcaVolumeScale: 1.4, dcaPriceStepMultiplier: 1, takeProfit: 3 },
    }
    const costs = { feePercent: 0.1, slippagePercent: 0 }
    const symbol = { tick: 0.01, lot: 0.0001, minNotional: 5 }
    writeFileSync(join(at.folder, 'chance.yaml'), JSON.stringify({ config, costs, symbol }))
    const asked = ['backtest', 'chance.yaml', '--candles', ether, '--starts', '--take-profits', '0.5..5']
    const { code, stdout } = await at.dcalab(asked)
    expect(code).toBe(0)
    const guide = readFileSync(join(projectRoot, 'src/guide/verdict.md'), 'utf8')
    const [, printed = ''] = /```text\n(start: [^`]*)```/.exec(guide) ?? []
    expect(printed).not.toBe('')
    expect(stdout).toContain(printed.trimEnd())

    const json = await at.dcalab([...asked, '--json'])
    const { starts, takeProfitCurve, ladderLength } = JSON.parse(json.stdout)
    expect(ladderLength).toMatchObject({ from: 0, to: 100, best: { from: 7, to: 100 } })
    expect(starts).toMatchObject({ of: 1440, botsAfterTenDays: 2, otherSignPercent: 0 })
    expect(takeProfitCurve).toMatchObject({ from: 0.5, to: 5, certified: { percent: 100, reason: null } })
    expect(takeProfitCurve.envelope).toHaveLength(512)
    const high = Math.max(...takeProfitCurve.envelope.map(([, , most]: number[]) => most))
    expect(high).toBeCloseTo(takeProfitCurve.best.netProfit, 0)
  })

  it('needs a range whose lower end comes first', async () => {
    const { code, stderr } = await at.dcalab(['backtest', 'chance.yaml', '--take-profits', '5..1'])
    expect(code).toBe(2)
    expect(stderr).toContain('--take-profits 5..1: expected two percentages up to')
  })
})

describe.skipIf(klines === '')('a Binance Vision kline file', () => {
  it('is imported by name of its market and listed', async () => {
    const imported = await at.dcalab(['candles', 'import', klines, '--market', 'binance/BTC-USDT', '--json'])
    expect(imported.code).toBe(0)
    expect(JSON.parse(imported.stdout)).toMatchObject({ interval: '1h', added: 744, missing: 0 })
    const listed = await at.dcalab(['candles', 'list', '--json'])
    expect(JSON.parse(listed.stdout)).toContainEqual(
      expect.objectContaining({ market: 'binance/BTC-USDT', interval: '1h', count: 744, synthetic: false }),
    )
  })
})
