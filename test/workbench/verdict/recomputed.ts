/** What a verdict says of its stretches, computed a second way: by the reference engine, and the statistics by hand. */
import { expect } from 'vitest'
import { CONFIG_DEFAULTS, type DcaSpotConfig } from '../../../src/contract/bot.ts'
import { type Candles, sliceCandles } from '../../../src/engine/candles.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS, NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { runReference } from '../../../src/engine/reference.ts'
import type { Verdict } from '../../../src/workbench/verdict/judge.ts'

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
    const at = (values: readonly number[], part: number) => {
      const sorted = values.toSorted((a, b) => a - b)
      const place = part * (sorted.length - 1)
      const low = Math.floor(place)
      return sorted[low] + (place - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low])
    }
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

/** A number as people read it is the value to its last digit. */
function expectShown(text: string | undefined, value: number): void {
  const plain = (text ?? '').replace('−', '-').replaceAll(',', '')
  const digits = plain.split('.')[1]?.length ?? 0
  expect(Math.abs(Number(plain) - value)).toBeLessThanOrEqual(0.5 * 10 ** -digits + 1e-9)
}
