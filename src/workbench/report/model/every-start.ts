/**
 * How much of a figure is chance, by the engine's kernel in the page: the bot started on every candle of the first day, and every value of one field.
 * Each in steps of some milliseconds, so that the page stays quick meanwhile. Pure.
 */
import type { ConfigField, DcaSpotConfig } from '../../../contract/bot.ts'
import { joinCurves, type TakeProfitCurve, takeProfitCurve } from '../../../engine/curve/take-profit.ts'
import type { Market } from '../../../engine/jump/flight.ts'
import type { PreparedCandles } from '../../../engine/jump/prepared.ts'
import { runStarts } from '../../../engine/jump/starts.ts'
import { CONFIG_ROW, createSweep, writeConfigRow } from '../../../engine/jump/sweep.ts'
import {
  factOfCurve,
  firstAfter,
  type StartsSpread,
  spreadOfStarts,
  type TakeProfitFact,
} from '../../analysis/certainty/arbitrariness.ts'
import { niceStep } from './heat.ts'
import { findConfigProblems, type SliderRange } from './what-if.ts'

export interface BotOnCandles {
  readonly prepared: PreparedCandles
  readonly market: Market
  readonly config: DcaSpotConfig
}

interface Bin {
  readonly from: number
  readonly to: number
  readonly count: number
}

/**
 * Bins of one nice width with zero at a border: the width of Freedman and Diaconis (1981), 2 · IQR / ∛n, kept
 * between 15 (fewer for few values) and 40 bins. `quartiles` are of the values. Empty without values.
 */
export function binsOf(
  values: readonly number[],
  quartiles: { readonly lower: number; readonly upper: number },
): Bin[] {
  if (values.length === 0) return []
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const range = [high - low, Math.abs(high), 1].find((candidate) => candidate > 1e-9) ?? 1 // equal values still need a width
  const wanted = (2 * (quartiles.upper - quartiles.lower)) / Math.cbrt(values.length)
  const fewest = Math.min(15, Math.max(4, Math.ceil(2 * Math.sqrt(values.length))))
  const width = niceStep(Math.min(range / fewest, Math.max(range / 40, wanted)))
  const first = Math.floor(low / width)
  const last = Math.floor(high / width)
  const counts = Array.from({ length: last - first + 1 }, () => 0)
  for (const value of values) counts[Math.floor(value / width) - first]++
  return counts.map((count, index) => ({ from: (first + index) * width, to: (first + index + 1) * width, count }))
}

export interface StartsFound extends StartsSpread {
  /** Net profit, quote, of the bot started on each candle of the first day; the first one is the reported one. */
  readonly profits: readonly number[]
}

/** Started together: neighbours share most of their deals. */
const STARTS_A_STEP = 240

export function* findStarts(
  { prepared, market, config }: BotOnCandles,
  done: (found: StartsFound) => void,
): Generator<void> {
  const all = firstAfter(prepared, 1)
  const profits: number[] = []
  while (profits.length < all) {
    const size = Math.min(STARTS_A_STEP, all - profits.length)
    const starts = Array.from({ length: size }, (_, n) => profits.length + n)
    profits.push(...runStarts(prepared, market, config, starts, { want: 'profit' }).netProfit)
    yield
  }
  done({ profits, ...spreadOfStarts(profits) })
}

/** Below it a bot sells within a candle or two: its curve has hundreds of thousands of pieces. */
const LEAST_TAKE_PROFIT = 0.5
const CURVES = 32

/** Every take profit that the slider reaches, from 0.5 % on (from half of a smaller one). */
export function* findTakeProfits(
  { prepared, market, config }: BotOnCandles,
  slider: SliderRange,
  done: (found: TakeProfitFact) => void,
): Generator<void> {
  const { takeProfit } = config
  const from = Math.max(slider.min, Math.min(LEAST_TAKE_PROFIT, takeProfit / 2))
  const range = { from, to: Math.max(slider.max, takeProfit) }
  // a smaller take profit has more pieces, so the parts widen
  const at = (part: number) =>
    part === CURVES ? range.to : from + (range.to - from) * (part / CURVES) * (part / CURVES)
  const curves: TakeProfitCurve[] = []
  for (let part = 0; part < CURVES; part++) {
    curves.push(takeProfitCurve(prepared, market, config, { from: at(part), to: at(part + 1) }))
    yield
  }
  done(factOfCurve(joinCurves(curves), takeProfit, range))
}

const VALUES_A_STEP = 64

/** Net profit, quote, at every step of a slider, and at the value that is set; without what cannot be run. */
export function* findValues(
  { prepared, market, config }: BotOnCandles,
  field: ConfigField,
  { min, max, step }: SliderRange,
  done: (found: readonly (readonly [value: number, netProfit: number])[]) => void,
): Generator<void> {
  const steps = Array.from({ length: Math.round((max - min) / step) + 1 }, (_, n) =>
    Number(Math.min(max, min + n * step).toPrecision(12)),
  )
  const configs = [...new Set([...steps, config[field]])]
    .sort((a, b) => a - b)
    .map((value) => ({ ...config, [field]: value }))
    .filter((each) => findConfigProblems(each, market).refused.size === 0)
  const found: [number, number][] = []
  while (found.length < configs.length) {
    const some = configs.slice(found.length, found.length + VALUES_A_STEP)
    const rows = new Float64Array(some.length * CONFIG_ROW)
    for (const [row, each] of some.entries()) writeConfigRow(rows, row, each)
    const { netProfit } = createSweep(prepared, { ...market, want: 'profit' }).run(rows)
    found.push(...some.map((each, row): [number, number] => [each[field], netProfit[row]]))
    yield
  }
  done(found)
}
