/** The pair beside a net profit is that of two real runs, whichever convention the result itself was computed by, and is not run for nothing. */
import { describe, expect, it } from 'vitest'
import { withOtherRuns } from '../../src/engine/ambiguity-pair.ts'
import type { Candles } from '../../src/engine/candles.ts'
import { CONVENTION_VALUES, type Conventions } from '../../src/engine/conventions.ts'
import type { BacktestInput, BacktestResult } from '../../src/engine/deal.ts'
import { runJump, runJumpOnce } from '../../src/engine/jump/jump.ts'
import { prepareCandles } from '../../src/engine/jump/prepared.ts'
import { runReference } from '../../src/engine/reference.ts'
import { readCsvCandles } from '../support/csv-candles.ts'
import { sharedData } from '../support/shared-data.ts'
import { candlesOf, inputOf } from './inputs.ts'
import { createDice, seedsFrom, someInputOf, walkCandles } from './jump/cases.ts'

const OWN = CONVENTION_VALUES.intrabar
type Intrabar = Conventions['intrabar']
type Run = (input: BacktestInput) => BacktestResult

function under(input: BacktestInput, intrabar: Intrabar): BacktestInput {
  return { ...input, conventions: { ...input.conventions, intrabar } }
}

/** The pair of a result under every own convention, each beside what two real runs of that engine make. */
function pairsOf(run: Run, input: BacktestInput) {
  const [pessimistic, optimistic] = (['pessimistic', 'optimistic'] as const).map((each) => {
    return run(under(input, each)).metrics.netProfit
  })
  return OWN.map((own) => {
    const { netProfitPessimistic, netProfitOptimistic } = run(under(input, own)).metrics
    return { found: [netProfitPessimistic, netProfitOptimistic], expected: [pessimistic, optimistic] }
  })
}

const ENGINES: readonly (readonly [string, Run])[] = [
  ['reference', runReference],
  ['jump', (input) => runJump(input)],
]

describe.each(ENGINES)('the %s engine', (_, run) => {
  it('tells the net profit of both real runs on random ladders, to the bit', () => {
    let ambiguous = 0
    let differ = 0
    for (const seed of seedsFrom(1, 150)) {
      const dice = createDice(seed)
      const input = someInputOf(dice, walkCandles(dice, 300))
      for (const { found, expected } of pairsOf(run, input)) {
        expect({ seed, found }).toEqual({ seed, found: expected })
        if (expected[0] !== expected[1]) differ++
      }
      if (run(input).metrics.ambiguousCandles > 0) ambiguous++
    }
    // Else nothing was tried: both kinds of run are among them.
    expect(ambiguous).toBeGreaterThan(20)
    expect(ambiguous).toBeLessThan(130)
    expect(differ).toBeGreaterThan(100)
  })

  it('has the profit per capital used of a run with worst-case fills and higher costs', () => {
    let differ = 0
    for (const seed of seedsFrom(1, 40)) {
      const dice = createDice(seed)
      const input = someInputOf(dice, walkCandles(dice, 300))
      const { feePercent, slippagePercent } = input.costs
      const costs = { feePercent: feePercent + 0.1, slippagePercent: slippagePercent + 0.05 }
      const { netProfit, usedCapital } = run({ ...under(input, 'pessimistic'), costs }).metrics
      const expected = usedCapital.average === 0 ? null : (100 * netProfit) / usedCapital.average
      const { stressedPerUsed, netProfitPerUsedPercent } = run(input).metrics
      expect({ seed, stressedPerUsed }).toEqual({ seed, stressedPerUsed: expected })
      if (stressedPerUsed !== netProfitPerUsedPercent) differ++
    }
    expect(differ).toBeGreaterThan(20)
  })
})

const bitcoin = sharedData('candles/binance_BTC-USDT_1m_2021-04_2021-05.csv.gz') ?? ''

it.skipIf(bitcoin === '')(
  'on the minutes of a crash the pair is that of two real runs under every own convention',
  () => {
    const candles: Candles = readCsvCandles(bitcoin, 60_000)
    const prepared = prepareCandles(candles)
    for (const takeProfit of [0.1, 0.3, 1, 8]) {
      const config = { dcaMaxSafetyOrders: 6, dcaPriceScalePercent: takeProfit / 2, takeProfit, stopLoss: 5 }
      for (const { found, expected } of pairsOf((input) => runJump(input, prepared), inputOf({ candles, config }))) {
        expect({ takeProfit, found }).toEqual({ takeProfit, found: expected })
      }
    }
  },
)

/** One walk of every result is its stress test. */
const STRESS_TEST = 1

/** How often the engine walks for one result. */
function walksOf(input: BacktestInput): number {
  let walks = 0
  const prepared = prepareCandles(input.candles)
  withOtherRuns(input, (asked) => {
    walks++
    return runJumpOnce(asked, prepared)
  })
  return walks
}

it('where no candle is ambiguous nothing more is run, and else only what the own run is not', () => {
  const clear = inputOf({ candles: candlesOf([[100, 100, 100, 100]]) })
  for (const own of OWN) expect(walksOf(under(clear, own))).toBe(1 + STRESS_TEST)
  // Both the rung and the take profit lie inside the second candle.
  const unclear = inputOf({
    candles: candlesOf([
      [100, 100, 100, 100],
      [100, 102, 97, 100],
    ]),
    config: { dcaMaxSafetyOrders: 1, dcaPriceScalePercent: 2, takeProfit: 1.5 },
  })
  expect(OWN.map((own) => [own, walksOf(under(unclear, own))])).toEqual([
    ['pessimistic', 2 + STRESS_TEST],
    ['optimistic', 2 + STRESS_TEST],
    ['low-first', 3 + STRESS_TEST],
    ['high-first', 3 + STRESS_TEST],
    ['candle-colour', 3 + STRESS_TEST],
  ])
})
