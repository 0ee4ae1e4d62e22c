/** Profit over every take profit: the lines are what the engine says on each breakpoint and one double behind it, and nothing makes more than their best. */
import { describe, expect, it } from 'vitest'
import { CONVENTION_VALUES, NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import { after, type CurvePiece, takeProfitCurve } from '../../src/engine/curve/take-profit.ts'
import type { BacktestInput } from '../../src/engine/deal.ts'
import { runJump } from '../../src/engine/jump/jump.ts'
import { prepareCandles, prepareForOneRun } from '../../src/engine/jump/prepared.ts'
import { createSweep } from '../../src/engine/jump/sweep.ts'
import { share } from '../support/share.ts'
import { candlesOf, inputOf, type Row } from './inputs.ts'
import { createDice, type Dice, seedsFrom, someInputOf, someSymbolOf, walkCandles } from './jump/cases.ts'
import { rowsOf } from './jump/sweep-cases.ts'

const CASES = share({ usual: 8, long: 2500 })
const VALUES = 200
const SCARCE = share({ usual: 30, long: 1000 })
const VIOLENT = share({ usual: 60, long: 3000 })

interface Checked {
  readonly wrongDeals: number
  readonly above: number
  /** Values that are not those of the line, in a part that is certified; elsewhere steps that are not the engine's. */
  readonly wrong: number
}

/** Half of these values lie on a breakpoint or one double behind it. */
function someValues(dice: Dice, pieces: readonly CurvePiece[], { from, to }: { from: number; to: number }): number[] {
  return Array.from({ length: VALUES }, (_, n) => {
    const end = dice.of(pieces).to
    return n % 4 === 0 ? end : n % 4 === 1 ? Math.min(to, after(end)) : dice.between(from, to)
  })
}

function check(dice: Dice, input: BacktestInput, range: { from: number; to: number }): Checked {
  const prepared = prepareForOneRun(input.candles)
  const curve = takeProfitCurve(prepared, input, input.config, range)
  const step = (range.to - range.from) / VALUES
  const evenly = Array.from({ length: VALUES + 1 }, (_, n) => Math.min(range.to, range.from + n * step))
  const values = [...someValues(dice, curve.pieces, range), ...evenly]
  const rows = rowsOf(values.map((takeProfit) => ({ ...input.config, takeProfit })))
  const { netProfit, closedDeals, used } = createSweep(prepared, { ...input, want: 'used' }).run(rows)
  const allowed = 1e-9 * Math.max(input.config.investment, 1)
  let [wrongDeals, above, wrong] = [0, 0, 0]
  values.forEach((value, row) => {
    const piece = curve.pieces.find(({ to }) => value <= to)
    if (piece === undefined) throw new Error(`no piece at ${value}`)
    if (!piece.isCertified) {
      // A step is what the engine says there, to the double.
      if (value === piece.to && !(netProfit[row] === piece.profit && closedDeals[row] === piece.closedDeals)) wrong++
      return
    }
    if (netProfit[row] > curve.best.netProfit) above++
    if (closedDeals[row] !== piece.closedDeals) wrongDeals++
    const share = piece.to > piece.from ? (value - piece.from) / (piece.to - piece.from) : 1
    const line = piece.fromProfit + share * (piece.profit - piece.fromProfit)
    if (netProfit[row] < line - allowed || netProfit[row] > line + piece.stair + allowed) wrong++
    else if (
      piece.usedSum === null ||
      Math.abs((used?.average[row] ?? 0) * prepared.count - piece.usedSum) > 1e-9 * (1 + piece.usedSum)
    )
      wrong++
  })
  return { wrongDeals, above, wrong }
}

describe('profit over every take profit', () => {
  it(`is what the engine says, on ${CASES} walks of every rule and ${VALUES} values each`, () => {
    for (const seed of seedsFrom(1, CASES)) {
      const dice = createDice(seed)
      const candles = walkCandles(dice, dice.whole(1, 1200))
      const some = someInputOf(dice, candles)
      const symbol = dice.chance(0.4) ? someSymbolOf(dice, candles.open[0]) : NO_SYMBOL_RULES
      const config = dice.chance(0.5) ? { ...some.config, investment: 1e7 } : some.config
      const from = dice.of([0.05, 0.5, Math.min(4, some.config.takeProfit)])
      const found = check(dice, { ...some, symbol, config }, { from, to: from * dice.of([1.01, 2, 6]) })
      expect({ seed, ...found }).toEqual({ seed, wrongDeals: 0, above: 0, wrong: 0 })
    }
  })
})

it(`is what the engine says where losses take the cash for orders, in ${SCARCE} walks`, () => {
  let mixed = 0
  for (const seed of seedsFrom(20_000, SCARCE)) {
    const dice = createDice(seed)
    const candles = walkCandles(dice, dice.whole(300, 1500))
    const some = someInputOf(dice, candles)
    const { dcaInitialOrderSize, dcaPriceScalePercent } = some.config
    const dcaMaxSafetyOrders = dice.whole(1, 5)
    const config = {
      ...some.config,
      investment: dcaInitialOrderSize * (dcaMaxSafetyOrders + 1) * dice.between(0.8, 1.3),
      dcaTotalBudget: 1e6,
      dcaMaxSafetyOrders,
      dcaVolumeScale: 1,
      stopLoss: dcaPriceScalePercent * dice.between(0.8, 4),
    }
    const symbol = dice.chance(0.5) ? someSymbolOf(dice, candles.open[0]) : NO_SYMBOL_RULES
    const input = { ...some, symbol, config }
    const range = { from: 0.3, to: 0.6 }
    const { percent } = takeProfitCurve(prepareForOneRun(candles), input, config, range).certified
    if (percent > 0 && percent < 100) mixed++
    expect({ seed, ...check(dice, input, range) }).toEqual({ seed, wrongDeals: 0, above: 0, wrong: 0 })
  }
  expect(mixed).toBeGreaterThan(SCARCE / 50)
})

/** Where gaps, fills, stops and take profits meet on one candle: a few candles, each as wide as the ladder. */
function violentCandles(dice: Dice) {
  let price = 100
  return candlesOf(
    Array.from({ length: dice.whole(3, 14) }, (): Row => {
      const open = price * (1 + (dice.chance(0.4) ? dice.between(-0.04, 0.05) : 0))
      const close = open * (1 + dice.between(-0.04, 0.04))
      const high = Math.max(open, close) * (1 + dice.of([0, 0.01, 0.03]) * dice.between(0, 1))
      const low = Math.min(open, close) * (1 - dice.of([0, 0.01, 0.03]) * dice.between(0, 1))
      price = close
      return [open, high, low, close]
    }),
  )
}

it('is what the engine says where everything happens on one candle', () => {
  for (const seed of seedsFrom(9_000, VIOLENT)) {
    const dice = createDice(seed)
    const input = inputOf({
      candles: violentCandles(dice),
      config: {
        dcaMaxSafetyOrders: 2,
        dcaPriceScalePercent: 1.5,
        stopLoss: dice.of([0, 0, 1, 4]),
        investment: dice.of([1000, 1000, 1000, 1000, 300]),
      },
      conventions: { intrabar: dice.of(CONVENTION_VALUES.intrabar), safetyOrderSizing: 'scaled-from-base' },
      feePercent: dice.of([0, 0.1]),
      symbol: { tick: dice.of([null, 0.01, 1]) },
    })
    // By the smallest ones a sale loses its fees, and the order of prices decides otherwise.
    const range = dice.of([
      { from: 0.1, to: 6 },
      { from: 0.02, to: 0.25 },
    ])
    expect({ seed, ...check(dice, input, range) }).toEqual({ seed, wrongDeals: 0, above: 0, wrong: 0 })
  }
})

it('is what the engine says where, by a few doubles, the sale and holding on are alike to a rounding', () => {
  const input = inputOf({
    candles: candlesOf([
      [100, 100, 100, 100],
      [99, 99.4, 97.9, 99.04],
      [95, 95, 90, 90],
    ]),
    config: { dcaMaxSafetyOrders: 1, dcaPriceScalePercent: 2 },
  })
  const found = check(createDice(1), input, { from: 0.01, to: 0.3 })
  expect(found).toEqual({ wrongDeals: 0, above: 0, wrong: 0 })
})

it('is what the engine says where the deal is sold at the open of a candle whose low is at the stop', () => {
  const input = inputOf({
    candles: candlesOf([
      [100, 100, 100, 100],
      [101, 102, 98, 100],
      [100, 100, 100, 100],
    ]),
    config: { dcaMaxSafetyOrders: 0, stopLoss: 1 },
  })
  const curve = takeProfitCurve(prepareCandles(input.candles), input, input.config, { from: 0.5, to: 3 })
  expect(curve.pieces.map(({ to }) => to.toFixed(6))).toEqual(['1.000000', '2.000000', '3.000000'])
  expect(curve.pieces[1].profit).toBeLessThan(0)
  expect(check(createDice(1), input, { from: 0.5, to: 3 })).toEqual({ wrongDeals: 0, above: 0, wrong: 0 })
})

const HAND = {
  candles: candlesOf([
    [100, 101, 99, 100],
    [100, 100, 97, 98],
    [98, 100, 98, 99],
    [99, 102, 99, 101],
    [101, 103, 100, 102],
    [102, 102, 96, 97],
    [97, 100, 97, 99],
    [99, 99, 98, 98],
  ]),
  config: { dcaMaxSafetyOrders: 1, dcaPriceScalePercent: 2, takeProfit: 1 },
  feePercent: 0,
}

it('of eight candles, worked out by hand', () => {
  const input = inputOf(HAND)
  const curve = takeProfitCurve(prepareCandles(input.candles), input, input.config, { from: 0.1, to: 5 })
  const shown = curve.pieces.map(
    ({ to, profit, closedDeals }) => `${to.toFixed(9)} ${profit.toFixed(9)} ${closedDeals}`,
  )
  expect(shown).toEqual([
    '1.000000000 -0.882352941 4',
    '1.020408163 -1.800720288 3',
    '1.980198020 0.058241119 2',
    '2.020610224 0.080824409 1',
    '3.040816327 2.121236614 1',
    '4.051020408 2.219687875 1',
    '5.000000000 -2.000000000 0',
  ])
  expect(curve.certified).toEqual({ percent: 100, reason: null })
  expect(curve.best.netProfit.toFixed(9)).toBe('2.219687875')
})

it('of eight candles with a tick, where a piece is a staircase above its line', () => {
  const input = inputOf({ ...HAND, config: { ...HAND.config, stopLoss: 3 }, symbol: { tick: 1 } })
  const prepared = prepareCandles(input.candles)
  const [first] = takeProfitCurve(prepared, input, input.config, { from: 0.1, to: 5 }).pieces
  const { metrics } = runJump({ ...input, config: { ...input.config, takeProfit: 1 } }, prepared)
  expect([first.to.toFixed(6), first.profit.toFixed(9), metrics.netProfit.toFixed(9)]).toEqual([
    '1.000000',
    '-3.091115233',
    '-2.049480206',
  ])
  expect(metrics.netProfit).toBeLessThanOrEqual(first.profit + first.stair)
})

it('where the cash runs short, the take profits at which it did are said, and steps are tried there', () => {
  const input = inputOf({ ...HAND, config: { ...HAND.config, investment: 199.5 } })
  const prepared = prepareCandles(input.candles)
  const short = takeProfitCurve(prepared, input, input.config, { from: 0.1, to: 5 })
  expect(short.certified).toEqual({
    percent: 0,
    reason: 'the bot ran short of cash on 100 % of these take profits; there 0.001 % steps were tried',
  })
  const tried = rowsOf(short.pieces.map(({ to }) => ({ ...input.config, takeProfit: to })))
  const { netProfit } = createSweep(prepared, { ...input, want: 'profit' }).run(tried)
  expect(short.pieces.map(({ profit }) => profit)).toEqual([...netProfit])
  expect(short.best.netProfit).toBe(Math.max(...netProfit))
})

it('more equal take profits than a call takes arguments have a best one: the first', () => {
  const falling = candlesOf([
    [100, 100, 100, 100],
    [100, 100, 97, 97],
  ])
  const config = { investment: 150, dcaTotalBudget: 1e6, dcaMaxSafetyOrders: 1 }
  const input = inputOf({ candles: falling, config })
  const range = { from: 1, to: 201 }
  const { best, certified, pieces } = takeProfitCurve(prepareForOneRun(falling), input, input.config, range)
  expect([certified.percent, new Set(pieces.map(({ profit }) => profit)).size]).toEqual([0, 1])
  expect(pieces.length).toBeGreaterThan(199_000) // a step of a thousandth of a percent each
  expect(best).toMatchObject({ from: 1, closedDeals: 0, netProfit: pieces[0].profit })
})
