/**
 * Random cases for holding two engines together, from a seed: walks with gaps in price and time, candles that stand still, crashes, thin
 * ticks; configs from sober to absurd (take profit below two fees, stop above the last rung, money for three losses); every convention.
 */
import { type DcaSpotConfig, forEachField } from '../../../src/contract/bot.ts'
import type { Candles } from '../../../src/engine/candles.ts'
import {
  type ChoiceName,
  CONVENTION_VALUES,
  type Conventions,
  forEachChoice,
  NO_SYMBOL_RULES,
  type SymbolRules,
} from '../../../src/engine/conventions.ts'
import type { BacktestInput } from '../../../src/engine/deal.ts'

export interface Dice {
  /** Uniform in [from, to). */
  between(from: number, to: number): number
  whole(from: number, to: number): number
  chance(share: number): boolean
  of<T>(values: readonly T[]): T
  normal(): number
}

export function seedsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, n) => first + n)
}

/** mulberry32. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    between: (from, to) => from + (to - from) * next(),
    whole: (from, to) => Math.floor(from + (to - from + 1) * next()),
    chance: (share) => next() < share,
    of: (values) => values[Math.floor(next() * values.length)],
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  }
}

export function walkCandles(dice: Dice, count: number): Candles {
  const intervalMs = dice.of([60_000, 900_000, 3_600_000])
  const step = dice.of([0.0005, 0.002, 0.01, 0.03])
  const decimals = dice.of([null, 2, 4])
  const round = (value: number) =>
    decimals === null ? value : Math.max(1, Math.round(value * 10 ** decimals)) / 10 ** decimals
  const column = () => new Float64Array(count)
  const candles = {
    openTime: column(),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
  }
  let time = Date.UTC(2023, 4, 1, 7)
  let price = dice.of([0.05, 1, 100, 30_000])
  for (let i = 0; i < count; i++) {
    if (dice.chance(0.01)) time += intervalMs * dice.whole(1, dice.chance(0.1) ? 4000 : 20)
    if (dice.chance(0.03)) price *= Math.exp(4 * step * dice.normal())
    const still = dice.chance(0.05)
    const open = round(price)
    const close = still ? open : round(price * Math.exp(step * dice.normal()))
    const wick = () => (still || dice.chance(0.2) ? 1 : Math.exp(Math.abs(step * dice.normal())))
    candles.openTime[i] = time
    candles.open[i] = open
    candles.high[i] = Math.max(open, close, round(Math.max(open, close) * wick()))
    candles.low[i] = Math.min(open, close, round(Math.min(open, close) / wick()))
    candles.close[i] = close
    candles.volume[i] = still ? 0 : 1
    price = Math.max(price * 1e-3, close)
    time += intervalMs
  }
  return { intervalMs, ...candles }
}

/** Percent sizes are of the order of `move`, the percent a price moves while a deal lasts, so that deals both close and go deep. */
export function someConfigOf(dice: Dice, move: number): DcaSpotConfig {
  const base = dice.of([10, 100, dice.between(20, 300)])
  const round = dice.chance(0.5)
    ? (value: number) => Math.max(0.1, Math.round(value * 10) / 10)
    : (value: number) => value
  const known = {
    investment: base * dice.of([1.002, 3, 10, 100]),
    leverage: 1,
    dcaTotalBudget: base * dice.of([1.001, 2, 8, 1000]),
    dcaInitialOrderSize: base,
    dcaMaxSafetyOrders: dice.chance(0.1) ? dice.whole(10, 100) : dice.whole(0, 9),
    dcaPriceScalePercent: round(move * dice.between(0.05, 1)),
    dcaVolumeScale: round(dice.between(0.6, 2)),
    dcaPriceStepMultiplier: round(dice.between(0.7, 1.8)),
    takeProfit: dice.chance(0.15) ? dice.of([0.01, 0.1, 0.15]) : round(move * dice.between(0.05, 1.5)),
    stopLoss: dice.chance(0.5) ? 0 : Math.min(100, round(move * dice.between(0.1, 4))),
  }
  // A field that is not named here is drawn from its tries, after the others.
  return { ...forEachField((field, { tries }) => (field in known ? 0 : dice.of<number>(tries))), ...known }
}

/** Most bots go on after a stop, and most runs are pessimistic: what is most used is tried most. */
export function someConventionsOf(dice: Dice): Conventions {
  const choices: Record<ChoiceName, string> = forEachChoice((name) => dice.of<string>(CONVENTION_VALUES[name]))
  if (dice.chance(0.6)) choices.afterStopLoss = CONVENTION_VALUES.afterStopLoss[0]
  if (dice.chance(0.4)) choices.intrabar = CONVENTION_VALUES.intrabar[0]
  const safetyOrderSize = choices.safetyOrderSizing === 'explicit' ? dice.of([15, 50, 120]) : null
  return { ...choices, safetyOrderSize } as Conventions // values of each choice's own row
}

/** Ticks and lots in proportion to the price: from fine to so coarse that neighbouring levels meet. */
export function someSymbolOf(dice: Dice, price: number): SymbolRules {
  if (dice.chance(0.6)) return NO_SYMBOL_RULES
  const magnitude = Math.floor(Math.log10(price))
  const powerOfTen = (exponent: number) => Number(`1e${exponent}`)
  return {
    tick: dice.chance(0.2) ? null : powerOfTen(magnitude - dice.whole(2, 5)),
    lot: dice.chance(0.2) ? null : powerOfTen(1 - magnitude - dice.whole(1, 6)),
    minNotional: dice.chance(0.5) ? null : dice.of([5, 40]),
  }
}

export function someInputOf(dice: Dice, candles: Candles): BacktestInput {
  const count = candles.close.length
  const swing = count === 0 ? 0.01 : Math.log(highest(candles.high) / lowest(candles.low))
  const move = Math.min(40, Math.max(0.2, 100 * swing * dice.of([0.02, 0.1, 0.4])))
  return {
    candles,
    config: someConfigOf(dice, move),
    conventions: someConventionsOf(dice),
    costs: {
      feePercent: dice.of([0, 0.075, 0.1, 0.5]),
      slippagePercent: dice.of([0, 0, 0.05, 0.3]),
    },
    symbol: someSymbolOf(dice, candles.open.at(0) ?? 1),
  }
}

const highest = (column: Float64Array) => column.reduce((max, value) => Math.max(max, value), 0)
const lowest = (column: Float64Array) => column.reduce((min, value) => Math.min(min, value), Number.POSITIVE_INFINITY)

/** Lengths around the sizes of the pyramid's nodes, and now and then several blocks. */
export function someLength(dice: Dice): number {
  if (dice.chance(0.02)) return dice.whole(15_000, 40_000)
  return dice.chance(0.5) ? dice.whole(1, 150) : dice.whole(150, 2500)
}
