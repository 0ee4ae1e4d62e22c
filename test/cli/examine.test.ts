/** `dcalab examine` on recorded candles: what it says of winners that are known, each number computed a second, plain way. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Candles, sliceCandles } from '../../src/engine/candles.ts'
import { type Conventions, NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import { runReference } from '../../src/engine/reference.ts'
import { enumerateConfigs } from '../../src/workbench/study/grid.ts'
import { parseStudy } from '../../src/workbench/study/parse.ts'
import type { Study } from '../../src/workbench/study/study.ts'
import { createHistory, type Run } from '../guide/history.ts'
import { readCsvCandles } from '../support/csv-candles.ts'
import { projectRoot } from '../support/dcalab.ts'
import { type ExaminedJson, unexplained } from '../support/examined.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { sharedData } from '../support/shared-data.ts'

const solana = sharedData('candles/binance_SOL-USDT_5m_2022-08_2023-09.csv.gz') ?? ''
const ether = sharedData('candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz') ?? ''

const profitOf = ({ metrics }: Run) => metrics.netProfit

/** Imports the candles, runs the first trial of the study, which is its winner, and examines it. */
async function examineFirst(dcalab: Program, { candles, file, name }: Record<'candles' | 'file' | 'name', string>) {
  expect((await dcalab(['candles', 'import', candles])).code).toBe(0)
  expect((await dcalab(['run', file, '--max', '1'])).code).toBe(0)
  const { code, out } = await dcalab(['examine', name, '--json'])
  expect(code).toBe(0)
  const said: ExaminedJson = JSON.parse(out)
  expect(unexplained(said)).toEqual([])
  return said
}

/** A study of ours whose values stand in another order, so that a run begins with the winner. */
function withFirst(name: string, order: Readonly<Record<string, string>>): string {
  const source = readFileSync(join(projectRoot, `studies/${name}.yaml`), 'utf8')
  return Object.entries(order).reduce(
    (text, [field, values]) => text.replace(new RegExp(`^  ${field}: .*$`, 'm'), `  ${field}: ${values}`),
    source,
  )
}

describe.skipIf(solana === '')('a ladder with a stop on SOL, in candles of 5 minutes', () => {
  const STUDY = `name: sol-ladder
market: { exchange: binance, baseAsset: SOL, quoteAsset: USDT }
period: { from: 2022-08-01, to: '2023-09-27T19:15:00Z' }
interval: 5m
costs: { feePercent: 0.1, slippagePercent: 0 }
base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 25, dcaPriceStepMultiplier: 1 }
objective: { maximize: netProfit }
grid: { dcaMaxSafetyOrders: [6], dcaPriceScalePercent: [1], dcaVolumeScale: [1.4], takeProfit: [1], stopLoss: [11] }
`
  const folder = temporaryFolder()
  const dcalab = program(folder, { XDG_STATE_HOME: folder })
  let examined: ExaminedJson
  beforeAll(async () => {
    const file = join(folder, 'sol.yaml')
    writeFileSync(file, STUDY)
    examined = await examineFirst(dcalab, { candles: solana, file, name: 'sol-ladder' })
  })

  it('the order of prices inside 300 candles decides between −740.66 and +158.41', () => {
    expect(examined.checks.ambiguity).toMatchObject({ ambiguousCandles: 300, signFlips: true })
    const { pessimistic, optimistic } = examined.checks.ambiguity ?? {}
    expect([pessimistic, optimistic]).toEqual([expect.closeTo(-740.66, 2), expect.closeTo(158.41, 2)])
    const candles = readCsvCandles(solana, 300_000)
    const study = parseStudy(STUDY, { file: 'sol.yaml' })
    expect(pessimistic).toBeCloseTo(plainProfit(study, candles, 'pessimistic'), 8)
    expect(optimistic).toBeCloseTo(plainProfit(study, candles, 'optimistic'), 8)
  })

  it('is said in words, and decides the verdict', async () => {
    const { out } = await dcalab(['examine', 'sol-ladder', '--all'])
    expect(out).toContain('−740.66 to +158.41, worst to best fill order inside 300 candles\n')
    expect(out).toContain('too coarse to decide; use shorter candles (1m)\n')
    expect(examined.verdict).toMatchObject({ grade: 'doNotUse' })
  })

  it('is not promoted until the grade is accepted by its name', async () => {
    const refused = await dcalab(['promote', 'sol-ladder', '--yes'])
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('add --accept doNotUse')])
    const other = await dcalab(['promote', 'sol-ladder', '--yes', '--accept', 'notJudged'])
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('add --accept doNotUse')])
    const accepted = await dcalab(['promote', 'sol-ladder', '--yes', '--accept', 'doNotUse', '--json'])
    expect([accepted.code, accepted.err]).toEqual([0, ''])
    expect(JSON.parse(accepted.out)).toMatchObject({ isDemo: true, created: true, started: false })
  })
})

function plainProfit(study: Study, candles: Candles, intrabar: Conventions['intrabar']): number {
  const [{ config }] = enumerateConfigs(study)
  const conventions = { ...study.conventions, intrabar }
  const { metrics } = runReference({ candles, config, conventions, costs: study.costs, symbol: NO_SYMBOL_RULES })
  return metrics.netProfit
}

describe.skipIf(ether === '')('the winner on ETH in the summer of 2025', () => {
  const folder = temporaryFolder()
  const dcalab = program(folder, { XDG_STATE_HOME: folder })
  let examined: ExaminedJson
  let summer: ReturnType<typeof createHistory>
  let runs: readonly Run[]
  let winner: Run
  let second: Run
  beforeAll(async () => {
    const file = join(folder, 'eth.yaml')
    const order = {
      dcaMaxSafetyOrders: '[6, 4, 8]',
      dcaVolumeScale: '[1.4, 1.2]',
      takeProfit: '[3, 0.8, 1.5]',
    }
    writeFileSync(file, withFirst('eth-2025', order))
    examined = await examineFirst(dcalab, { candles: ether, file, name: 'eth-2025' })
    summer = createHistory('eth-2025', ether)
    runs = summer.run(0, summer.days)
    ;[winner, second] = summer.ranked(runs)
  })

  it('is the winner of all 105, and minutes leave no order of fills open', () => {
    expect(examined.checks.noise?.netProfit).toBeCloseTo(222.7, 2)
    expect(examined.checks.noise?.netProfit).toBeCloseTo(profitOf(winner), 8)
    const equal = { ambiguousCandles: 0, rankPessimistic: 1, rankOptimistic: 1, of: 105, signFlips: false }
    expect(examined.checks.ambiguity).toMatchObject(equal)
  })

  it('earns by the start what the same bot earns from each candle of the first day', () => {
    const { costs, conventions } = summer.study
    const { starts } = examined.checks
    const candles = summer.between(0, summer.days)
    const found = Array.from({ length: 12 }, (_, at) => {
      const later = sliceCandles(candles, candles.openTime[120 * at], Infinity)
      return runReference({ candles: later, config: winner.config, conventions, costs, symbol: NO_SYMBOL_RULES })
    }).map(({ metrics }) => metrics.netProfit)
    expect(starts?.of).toBe(1440)
    expect(starts?.reported).toBeCloseTo(found[0], 8)
    const { q1 = Number.NaN, q3 = Number.NaN } = starts ?? {}
    const inside = found.filter((profit) => profit >= q1 && profit <= q3).length
    expect([inside > 3, inside < 9]).toEqual([true, true])
  })

  it('earns most at a take profit just behind which it earns less, and loses 14 and 18 % by ±0.11', () => {
    const { best, from, to, certified } = examined.checks.takeProfitCurve ?? {}
    expect([from, to, certified]).toEqual([0.5, 5, { percent: 100, reason: null }])
    const { costs, conventions } = summer.study
    const candles = summer.between(0, summer.days)
    const [own, low, high, most, behind] = [3, 2.89, 3.11, best?.to ?? 0, (best?.to ?? 0) + 1e-9].map((takeProfit) => {
      const config = { ...winner.config, takeProfit }
      return runReference({ candles, config, conventions, costs, symbol: NO_SYMBOL_RULES }).metrics.netProfit
    })
    expect(most).toBeCloseTo(best?.netProfit ?? 0, 8)
    expect(behind).toBeLessThan(most)
    expect([1 - low / own, 1 - high / own]).toEqual([expect.closeTo(0.14, 2), expect.closeTo(0.18, 2)])
  })

  it('made its profit with the most capital: r .91 over the study', () => {
    const pairs = runs.map(({ metrics }) => [metrics.netProfit, metrics.usedCapital.average] as const)
    expect(examined.checks.capital?.profitFollowsCapital).toBeCloseTo(plainPearson(pairs), 8)
    expect(examined.checks.capital?.profitFollowsCapital).toBeCloseTo(0.91, 2)
  })

  it('made less than holding, with the whole investment and at the same exposure', () => {
    const { open, close } = summer.between(0, summer.days)
    const rise = (close[close.length - 1] * 0.999) / open[0] / 1.001 - 1 // a fee at either end
    const { hold, exposedHold } = examined.checks.benchmark ?? {}
    expect(hold?.profit).toBeCloseTo(1000 * rise, 0)
    expect(exposedHold?.profit).toBeCloseTo(winner.metrics.usedCapital.average * rise, 0)
    expect([hold?.profit, exposedHold?.profit].map((profit) => Math.round(profit ?? 0))).toEqual([765, 343])
  })

  it('leads by less than one standard error of the daily difference', () => {
    const daily = winner.metrics.dailyEquity.map(({ equity }, day) => equity - second.metrics.dailyEquity[day].equity)
    const steps = daily.map((difference, day) => difference - (day === 0 ? 0 : daily[day - 1]))
    const { lead, leadStandardError } = examined.checks.noise ?? {}
    expect(lead).toBeCloseTo(profitOf(winner) - profitOf(second), 8)
    expect(leadStandardError).toBeCloseTo(sampleDeviation(steps) * Math.sqrt(steps.length), 8)
    expect([lead, leadStandardError]).toEqual([expect.closeTo(15.88, 2), expect.closeTo(42.46, 2)])
  })

  it('refuses what 90 days cannot say, and what the file does not ask', () => {
    expect(examined.checks).toMatchObject({
      overfitting: null,
      overfittingReason: '90 daily returns, at least 200 needed',
      walkForward: null,
      walkForwardReason: expect.stringContaining('not set in the study: validate: { walkForward'),
    })
  })
})

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function sampleDeviation(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1))
}

function plainPearson(pairs: readonly (readonly [number, number])[]): number {
  const [x, y] = [mean(pairs.map(([one]) => one)), mean(pairs.map(([, other]) => other))]
  const sum = (of: (one: number, other: number) => number) =>
    pairs.reduce((total, [one, other]) => total + of(one - x, other - y), 0)
  return sum((one, other) => one * other) / Math.sqrt(sum((one) => one * one) * sum((_, other) => other * other))
}
