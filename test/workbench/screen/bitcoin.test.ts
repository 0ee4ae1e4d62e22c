/** The program as a researcher runs it: 153,600 points on the minutes of Bitcoin's crash of May 2021, with real threads. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { metricValue } from '../../../src/contract/metrics.ts'
import { sliceCandles } from '../../../src/engine/candles.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { runReference } from '../../../src/engine/reference.ts'
import type { ScreenReport } from '../../../src/workbench/store/screen-record.ts'
import { createGrid } from '../../../src/workbench/study/grid.ts'
import { rankByObjective } from '../../../src/workbench/study/objective.ts'
import { parseStudy } from '../../../src/workbench/study/parse.ts'
import { createDice } from '../../engine/jump/cases.ts'
import { readCsvCandles } from '../../support/csv-candles.ts'
import { type Desk, ended, projectRoot } from '../../support/dcalab.ts'
import { deskInProcess } from '../../support/program.ts'
import { share } from '../../support/share.ts'
import { sharedData } from '../../support/shared-data.ts'

const bitcoin = sharedData('candles/binance_BTC-USDT_1m_2021-04_2021-05.csv.gz') ?? ''
const file = join(projectRoot, 'studies/screen-btc-may-2021.yaml')
const OTHERS = share({ usual: 6, long: 200 })

/** Budgets and minimum orders that cut most ladders short, and stops that are hardly ever touched: many points do the same. */
const STUDY_OF_CUTS = {
  name: 'cuts',
  market: { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' },
  period: { from: '2021-04-21', to: '2021-05-19' },
  interval: '1m',
  base: { investment: 2000, dcaInitialOrderSize: 20, dcaPriceStepMultiplier: 1.1 },
  grid: {
    dcaMaxSafetyOrders: { from: 2, to: 12, step: 1 },
    dcaPriceScalePercent: { from: 0.6, to: 2.4, step: 0.3 },
    dcaVolumeScale: [0.8, 1, 1.4],
    dcaTotalBudget: [100, 200, 400, 800],
    takeProfit: { from: 0.6, to: 3.6, step: 0.3 },
    stopLoss: [0, 40],
  },
  objective: { maximize: 'netProfit' },
}

describe.skipIf(bitcoin === '')('a screen of 153,600 points on bitcoin minutes', () => {
  const study = parseStudy(readFileSync(file, 'utf8'), { file })
  let at: Desk
  /** Of two workers, kept as the first. */
  let report: ScreenReport
  beforeAll(async () => {
    at = deskInProcess()
    expect((await at.dcalab(['candles', 'import', bitcoin])).code).toBe(0)
    const { code, stdout } = await at.dcalab(['screen', file, '--workers', '2', '--save', '--json'])
    expect(code).toBe(0)
    report = JSON.parse(stdout)
  })

  it('has the top 20 that the reference engine gives, also among random others', async () => {
    expect(report).toMatchObject({ study: study.name, configs: 153_600, workers: 2, complete: true })
    expect(report.candles).toMatchObject({ market: 'binance/BTC-USDT', interval: '1m', count: 40_036 })
    expect(report.top.map(({ rank }) => rank)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))

    const candles = sliceCandles(readCsvCandles(bitcoin, 60_000), study.period.from, study.period.to)
    const { conventions, costs, objective } = study
    const walk = (config: ScreenReport['top'][number]['config']) =>
      runReference({ candles, config, conventions, costs, symbol: NO_SYMBOL_RULES }).metrics
    const known = report.top.map(({ fingerprint, config, metrics }) => {
      const alone = walk(config)
      expect(metrics.closedDeals).toBe(alone.closedDeals)
      expect(Math.abs(metrics.netProfit - alone.netProfit)).toBeLessThan(1e-9 * Math.max(1, alone.volume))
      return { fingerprint, metrics: alone }
    })
    const best = rankByObjective(known, objective)
    expect(best.outside.length + best.noValue.length).toBe(0)
    const last = report.top[19]

    const grid = createGrid(study)
    const dice = createDice(7)
    let looked = 0
    while (looked < OTHERS) {
      const [point] = grid.walk(dice.whole(0, grid.points - 1), grid.points)
      if (point.fate !== 'trial') continue
      looked++
      const other = { fingerprint: 'f', metrics: walk(point.config) }
      const isInside = rankByObjective([other], objective).ranked.length === 1
      const ahead = (metricValue(other.metrics, objective.metric) ?? 0) - last.metrics.netProfit
      const isTop = report.top.some(({ config }) => JSON.stringify(config) === JSON.stringify(point.config))
      if (isInside && !isTop) expect(ahead).toBeLessThan(1e-9 * other.metrics.volume)
    }
  })

  it('gives one worker the same answer, and keeps it for SQL', async () => {
    const one = await at.dcalab(['screen', file, '--workers', '1', '--save', '--json'])
    expect(one.code, one.stderr).toBe(0)
    const alone: ScreenReport = JSON.parse(one.stdout)
    expect(alone.top).toEqual(report.top)
    expect(alone.distinct).toBe(report.distinct)

    const select =
      'select screen_id as screen, rank, fingerprint, net_profit from screen_result order by screen_id, rank'
    const { code, stdout, stderr } = await at.dcalab(['sql', select, '--json'])
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toEqual(
      [1, 2].flatMap((screen) =>
        report.top.map(({ rank, fingerprint, metrics }) => ({
          screen,
          rank,
          fingerprint,
          net_profit: metrics.netProfit,
        })),
      ),
    )
    const sums = await at.dcalab([
      'sql',
      'select p.screen_id, p.field, sum(p.trials) as trials, max(p.net_profit_best) as best, s.complete from screen_parameter p join screen s on s.id = p.screen_id group by p.screen_id, p.field',
      '--json',
    ])
    const rows: readonly Record<string, unknown>[] = JSON.parse(sums.stdout)
    expect(rows).toHaveLength(2 * study.axes.length)
    for (const row of rows) expect(row).toMatchObject({ trials: 144_480, complete: 1, best: rows[0].best })
  })

  it('shows a hundred that behave differently where lot and budget cut the ladders, for one worker and for two', async () => {
    await at.dcalab('candles symbols --market binance/BTC-USDT --tick 0.01 --lot 0.00001 --min-notional 10'.split(' '))
    writeFileSync(join(at.folder, 'cuts.json'), JSON.stringify(STUDY_OF_CUTS))
    const [two, one] = await Promise.all(
      ['2', '1'].map((workers) =>
        at.dcalab(['screen', 'cuts.json', '--workers', workers, '--top', '100', '--save', '--json']),
      ),
    )
    const [report, alone]: readonly ScreenReport[] = [two, one].map(({ stdout }) => JSON.parse(stdout))
    expect([alone.top, alone.folded]).toEqual([report.top, report.folded])
    expect(report).toMatchObject({ configs: 20_328, complete: true, comparedOnly: null })
    // The same question as an analyst puts it: what the account was worth at the end of every day.
    const { stdout } = await at.dcalab([
      'sql',
      'select count(*) as shown, count(distinct daily_equity_json || orders || volume) as different from screen_result group by screen_id',
      '--json',
    ])
    for (const row of JSON.parse(stdout).slice(-2)) expect(row).toEqual({ shown: 100, different: 100 })
    expect(report.folded).toBeGreaterThan(100)
    expect(two.stderr).toMatch(/\d+ more trade identically to one of these 100/)
  })

  it('keeps the best so far when it is interrupted', async () => {
    // Ten million points take far longer than a signal needs.
    const large = readFileSync(file, 'utf8')
      .replace('name: screen-btc-may-2021', 'name: large')
      .replace('{ from: 0.6, to: 3.6, step: 0.2 }', '{ from: 0.6, to: 3.6, count: 1000 }')
    writeFileSync(join(at.folder, 'large.yaml'), large)
    const child = at.start(['screen', 'large.yaml', '--json'])
    child.stderr?.once('data', () => child.kill('SIGINT')) // the note on missing candles: it has begun
    const { code, stdout } = await ended(child)
    expect(code).toBe(130)
    const report: ScreenReport = JSON.parse(stdout)
    expect(report.complete).toBe(false)
    expect(report.configs).toBeGreaterThan(0)
    expect(report.configs).toBeLessThan(9_600_000)
  })
})
