/** What a verdict says of its stretches, computed a second way: by the reference engine, and the statistics by hand. */
import { expect } from 'vitest'
import { CONFIG_DEFAULTS, type DcaSpotConfig } from '../../../src/contract/bot.ts'
import { type Candles, sliceCandles } from '../../../src/engine/candles.ts'
import { CONVENTION_PRESETS, type Costs, DEFAULT_COSTS, NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { runJumpOnce } from '../../../src/engine/jump/jump.ts'
import { prepareForOneRun } from '../../../src/engine/jump/prepared.ts'
import { runReference } from '../../../src/engine/reference.ts'
import type { Verdict } from '../../../src/workbench/verdict/judge.ts'
import type { Reason } from '../../../src/workbench/verdict/reasons.ts'

/** As `dcalab verdict --stretches --json` prints it. */
export interface VerdictJson extends Verdict {
  readonly trial: string
  readonly market: string
  readonly stretches: readonly {
    readonly from: string
    readonly to: string
    readonly netProfit: number
    readonly usedCapital: number
    readonly holdPercent: number
    readonly plainNetProfit: number
    readonly plainUsedCapital: number
    readonly maxDrawdownPercent: number
    readonly changePercent: number
  }[]
}

export const worst = { conventions: CONVENTION_PRESETS.default, costs: DEFAULT_COSTS, symbol: NO_SYMBOL_RULES }

export function ladderOf(investment: number): DcaSpotConfig {
  return {
    ...CONFIG_DEFAULTS,
    investment,
    dcaTotalBudget: investment,
    dcaInitialOrderSize: 0.025 * investment,
    dcaMaxSafetyOrders: 6,
    dcaPriceScalePercent: 2.5,
    dcaVolumeScale: 1.2,
    dcaPriceStepMultiplier: 1.1,
    takeProfit: 2,
  }
}

/** @param every which stretches are run again; the statistics are of all */
export function expectRecomputed(
  { stretches, excess, plain, sentence, expect: expected }: VerdictJson,
  {
    candles,
    config,
    every = 1,
  }: { readonly candles: Candles; readonly config: DcaSpotConfig; readonly every?: number },
): void {
  stretches.forEach((stretch, at) => {
    if (at % every !== 0) return
    const part = sliceCandles(candles, Date.parse(stretch.from), Date.parse(stretch.to))
    const own = runReference({ ...worst, candles: part, config }).metrics
    const other = runReference({ ...worst, candles: part, config: ladderOf(config.investment) }).metrics
    expect(stretch.netProfit).toBeCloseTo(own.netProfit, 8)
    expect(stretch.usedCapital).toBeCloseTo(own.usedCapital.average, 8)
    expect(stretch.plainNetProfit).toBeCloseTo(other.netProfit, 8)
    expect(stretch.plainUsedCapital).toBeCloseTo(other.usedCapital.average, 8)
    expect(stretch.holdPercent).toBeCloseTo(100 * (((part.close.at(-1) ?? 0) / part.open[0]) * (0.999 / 1.001) - 1), 8)
  })
  let disjoint = 0
  let free = ''
  for (const { from, to } of stretches) {
    if (from < free) continue
    disjoint++
    free = to
  }
  const averageOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const errorOf = (values: readonly number[]) => {
    const squares = values.reduce((sum, value) => sum + (value - averageOf(values)) ** 2, 0)
    return Math.sqrt(squares / (values.length - 1) / disjoint)
  }
  const usual = averageOf(stretches.map(({ usedCapital }) => usedCapital))
  const usualPlain = averageOf(stretches.map(({ plainUsedCapital }) => plainUsedCapital))
  const held = usual * averageOf(stretches.map(({ holdPercent }) => holdPercent / 100))
  const excesses = stretches.map(({ netProfit, holdPercent }) => netProfit - (usual * holdPercent) / 100)
  const leads = stretches.map(
    ({ plainNetProfit, holdPercent }, at) => 100 * (excesses[at] / usual - plainNetProfit / usualPlain) + holdPercent,
  )
  if (expected !== null) {
    const profitsOf = (lowest: number, highest: number) =>
      stretches.filter(({ changePercent: change }) => change > lowest && change <= highest).map((one) => one.netProfit)
    const least = (profits: readonly number[]) => (profits.length < 5 ? null : Math.min(...profits))
    // Rose by more than 5 %, stood, fell by more.
    const parts = [profitsOf(5, Infinity), profitsOf(-5, 5), profitsOf(-Infinity, -5)]
    expect(expected.rows.map((row) => [row.stretches, row.worst])).toEqual(parts.map((one) => [one.length, least(one)]))
    expected.rows.forEach(({ middleHalf }, row) => {
      const [low, high] = [0.25, 0.75].map((part) => (parts[row].length < 5 ? null : at(parts[row], part)))
      expect(middleHalf).toEqual(low === null ? null : [expect.closeTo(low, 8), expect.closeTo(high ?? NaN, 8)])
    })
    const profits = stretches.map(({ netProfit }) => netProfit)
    const middle = at(profits, 0.5)
    expect(expected.low).toBeCloseTo(middle - 1.25 * (middle - at(profits, 0.05)), 8)
    expect(expected.high).toBeCloseTo(middle + 1.25 * (at(profits, 0.95) - middle), 8)
    const falls = stretches.map(({ maxDrawdownPercent }) => maxDrawdownPercent)
    expect(expected.drawdownBelowPercent).toBeCloseTo(1.1 * at(falls, 0.95), 8)
  }
  expect(excess?.disjoint).toBe(disjoint)
  expect(excess?.usualCapital).toBeCloseTo(usual, 8)
  expect(excess?.mean).toBeCloseTo(averageOf(excesses), 8)
  expect(excess?.error).toBeCloseTo(errorOf(excesses), 8)
  expect(plain?.differencePercent).toBeCloseTo(averageOf(leads), 8)
  expect(plain?.error).toBeCloseTo(errorOf(leads), 8)
  const said =
    /^In (\S+) stretches of \d+ days it earned (\S+) \w+ each; holding its usual (\S+) \w+ earned (\S+): (\S+) ± (\S+) (less|more)\./
  const [, count, profit, capital, holding, difference, error, direction] = said.exec(sentence) ?? []
  if (count === undefined) return
  const mean = averageOf(excesses)
  expect([Number(count), direction]).toEqual([stretches.length, mean < 0 ? 'less' : 'more'])
  expectShown(profit, averageOf(stretches.map(({ netProfit }) => netProfit)))
  expectShown(capital, usual)
  expectShown(holding, held)
  expectShown(difference, Math.abs(mean))
  expectShown(error, errorOf(excesses))
}

type Metrics = ReturnType<typeof runReference>['metrics']

/** By linear interpolation between the sorted values. */
function at(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = part * (sorted.length - 1)
  const low = Math.floor(place)
  return sorted[low] + (place - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low])
}

interface Judged {
  /** Of the period of the result alone. */
  readonly candles: Candles
  readonly config: DcaSpotConfig
  /** Net profit as the service reported it, quote. */
  readonly reported: number
  /** The other configurations of the study. */
  readonly rivals: readonly DcaSpotConfig[]
}

/** A reason as it has to be: value, error, and the numbers of its sentence in their order. */
type SecondWay = readonly [value: number, error: number | null, said: readonly number[]]

/**
 * Every reason of a verdict, and what it says of fills and higher costs, by the reference engine on the candles of the result.
 * One that has no second way here is a failure.
 */
export function expectReasonsRecomputed(
  { reasons, honest, stressed, excess, plain, stretches }: VerdictJson,
  { candles, config, reported, rivals }: Judged,
): void {
  const { feePercent, slippagePercent } = worst.costs
  const own = runReference({ ...worst, candles, config }).metrics
  const { intrabar: _, ...rest } = worst.conventions
  const best = runReference({ ...worst, conventions: { ...rest, intrabar: 'optimistic' }, candles, config }).metrics
  const costs = { feePercent: feePercent + 0.1, slippagePercent: slippagePercent + 0.05 }
  const dear = runReference({ ...worst, costs, candles, config }).metrics
  expect(honest).toMatchObject({
    worstCase: expect.closeTo(own.netProfit, 8),
    bestCase: expect.closeTo(best.netProfit, 8),
    service: expect.closeTo(reported, 8),
  })
  expect(stressed).toBeCloseTo(dear.netProfit, 8)
  const held = own.usedCapital.average * (((candles.close.at(-1) ?? 0) / candles.open[0]) * (0.999 / 1.001) - 1)
  const ends = own.dailyEquity.map(({ equity }) => equity)
  const shortThird = Math.floor(ends.length / 3) // the last; days that are left over go to those before it
  const thirdEnds = [0, Math.ceil(ends.length / 3), ends.length - shortThird, ends.length]
  const equityAt = (days: number) => (days === 0 ? config.investment : ends[days - 1])
  const thirds = [0, 1, 2].map((third) => equityAt(thirdEnds[third + 1]) - equityAt(thirdEnds[third]))
  const averageOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const usualPlain = averageOf(stretches.map(({ plainUsedCapital }) => plainUsedCapital))
  const plainExcess = averageOf(
    stretches.map(({ plainNetProfit, holdPercent }) => (100 * plainNetProfit) / usualPlain - holdPercent),
  )
  const openPercent = (-100 * own.unrealizedProfit) / own.realizedProfit
  const largestThird = (100 * Math.max(...thirds)) / (own.netProfit || NaN)
  const ways: Readonly<Partial<Record<Reason['code'], () => SecondWay>>> = {
    signDepends: () => [own.netProfit, null, [own.netProfit, best.netProfit]],
    losesHonest: () => [own.netProfit, null, [own.netProfit]],
    losesStressed: () => [dear.netProfit, null, [0.1, 0.05, dear.netProfit]],
    optimisticFills: () => [reported - own.netProfit, null, [reported, own.netProfit]],
    belowHolding: () => [excess?.mean ?? NaN, excess?.error ?? NaN, [own.netProfit, held]],
    plainAsGood: () => [
      plain?.differencePercent ?? NaN,
      plain?.error ?? NaN,
      [plainExcess, (100 * (excess?.mean ?? NaN)) / (excess?.usualCapital ?? NaN)],
    ],
    openLoss: () => [own.unrealizedProfit, null, [-own.unrealizedProfit, openPercent]],
    onePart: () => [largestThird, null, [largestThird]],
    knifeEdge: () => nearWith({ candles, config, own }),
    tie: () => tieWith(rivals, { candles, own, dear: costs }),
  }
  for (const { code, value, error, sentence } of reasons) {
    const way = ways[code]?.()
    if (way === undefined) throw new Error(`${code} is not computed a second way: ${sentence}`)
    expect(value, code).toBeCloseTo(way[0], 8)
    expect(error, code).toEqual(way[1] === null ? null : expect.closeTo(way[1], 8))
    const said =
      sentence.replace(/ on \d+[mhd] candles$|^within 5 % of its [a-z ×]+ the/, '').match(/[−+]?\d[\d,.]*/g) ?? []
    expect(said, sentence).toHaveLength(way[2].length)
    way[2].forEach((number, place) => {
      expectShown(said[place], number)
    })
  }
}

/** The least of three medians: of 41 values within 5 % of take profit, first step and size multiplier, each run whole. */
function nearWith({ candles, config, own }: { candles: Candles; config: DcaSpotConfig; own: Metrics }): SecondWay {
  const prepared = prepareForOneRun(candles)
  const medians = (['takeProfit', 'dcaPriceScalePercent', 'dcaVolumeScale'] as const).map((field) => {
    const profits = Array.from({ length: 41 }, (_, n) => {
      const near = { ...config, [field]: config[field] * (1 + ((n - 20) / 20) * 0.05) }
      return runJumpOnce({ ...worst, candles, config: near }, prepared).metrics.netProfit
    })
    return at(profits, 0.5)
  })
  const least = Math.min(...medians)
  return [own.netProfit - least, null, [least, own.netProfit]]
}

interface OfTie {
  readonly candles: Candles
  readonly own: Metrics
  readonly dear: Costs
}

/** Those whose lead is smaller than the error of the sum of the daily differences; the first by stressed profit per used capital is named. */
function tieWith(rivals: readonly DcaSpotConfig[], { candles, own, dear }: OfTie): SecondWay {
  const gainsOf = ({ dailyEquity }: Metrics) =>
    dailyEquity.map(({ equity }, day) => equity - (day === 0 ? 0 : dailyEquity[day - 1].equity))
  const ours = gainsOf(own)
  const within = rivals.flatMap((config) => {
    const other = runReference({ ...worst, candles, config }).metrics
    const gaps = gainsOf(other)
      .map((gain, day) => ours[day] - gain)
      .with(0, own.dailyEquity[0].equity - other.dailyEquity[0].equity)
    const average = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
    const error = Math.sqrt(
      (gaps.reduce((sum, gap) => sum + (gap - average) ** 2, 0) / (gaps.length - 1)) * gaps.length,
    )
    const lead = own.netProfit - other.netProfit
    const { netProfit, usedCapital } = runReference({ ...worst, costs: dear, candles, config }).metrics
    return Math.abs(lead) < error ? [{ lead, error, score: netProfit / usedCapital.average }] : []
  })
  const [first] = within.toSorted((a, b) => b.score - a.score)
  return [within.length, null, [within.length, first?.lead ?? NaN, first?.error ?? NaN]]
}

/** A number as people read it is the value to its last digit. */
function expectShown(text: string | undefined, value: number): void {
  const plain = (text ?? '').replace('−', '-').replaceAll(',', '')
  const digits = plain.split('.')[1]?.length ?? 0
  expect(Math.abs(Number(plain) - value)).toBeLessThanOrEqual(0.5 * 10 ** -digits + 1e-9)
}
