/** The pair beside a net profit is that of two real runs, whichever convention the result itself was computed by, and is not run for nothing. */
import { describe, expect, it } from 'vitest'
import { withAmbiguityPair } from '../../src/engine/ambiguity-pair.ts'
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

/** How often the engine walks for one result. */
function walksOf(input: BacktestInput): number {
  let walks = 0
  const prepared = prepareCandles(input.candles)
  withAmbiguityPair(input, (asked) => {
    walks++
    return runJumpOnce(asked, prepared)
  })
  return walks
}

it('where no candle is ambiguous nothing more is run, and else only what the own run is not', () => {
  const clear = inputOf({ candles: candlesOf([[100, 100, 100, 100]]) })
  for (const own of OWN) expect(walksOf(under(clear, own))).toBe(1)
  // Both the rung and the take profit lie inside the second candle.
  const unclear = inputOf({
    candles: candlesOf([
      [100, 100, 100, 100],
      [100, 102, 97, 100],
    ]),
    config: { dcaMaxSafetyOrders: 1, dcaPriceScalePercent: 2, takeProfit: 1.5 },
  })
  expect(OWN.map((own) => [own, walksOf(under(unclear, own))])).toEqual([
    ['pessimistic', 2],
    ['optimistic', 2],
    ['low-first', 3],
    ['high-first', 3],
    ['candle-colour', 3],
  ])
})
