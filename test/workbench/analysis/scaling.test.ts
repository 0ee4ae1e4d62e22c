/**
 * What a result says does not hang on the unit of prices or of money, nor on the order of trials. Factors are powers of two, which change no
 * digit of a double, so that everything has to hold to the bit; without symbol rules, whose tick and lot are amounts of their own.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import { METRIC_NAMES, METRICS, metricValue } from '../../../src/contract/metrics.ts'
import type { Candles } from '../../../src/engine/candles.ts'
import { type Conventions, NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import type { BacktestInput, BacktestResult } from '../../../src/engine/deal.ts'
import { runJump } from '../../../src/engine/jump/jump.ts'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
import { CONFIG_ROW, createSweep, writeConfigRow } from '../../../src/engine/jump/sweep.ts'
import { runReference } from '../../../src/engine/reference.ts'
import { parameterImportance } from '../../../src/workbench/analysis/importance.ts'
import { paretoFront } from '../../../src/workbench/analysis/pareto.ts'
import { rankByObjective } from '../../../src/workbench/study/objective.ts'
import type { Objective } from '../../../src/workbench/study/study.ts'
import { someCandles, someConfig, someConventions, someCosts } from '../../engine/arbitraries.ts'
import { createDice } from '../../engine/jump/cases.ts'

const ENGINES = [
  ['reference', runReference],
  ['jump', (input: BacktestInput) => runJump(input)],
] as const

/** A few ladders on the same candles: the trials of a study. */
const someTrials = fc.record({
  candles: someCandles,
  configs: fc.array(someConfig, { minLength: 2, maxLength: 6 }),
  conventions: someConventions,
  costs: someCosts,
})
type Trials = typeof someTrials extends fc.Arbitrary<infer Each> ? Each : never

const someFactor = fc.integer({ min: -12, max: 12 }).map((power) => 2 ** power)
const someObjective: fc.Arbitrary<Objective> = fc.record({
  direction: fc.constantFrom('maximize', 'minimize'),
  metric: fc.constantFrom(...METRIC_NAMES),
  where: fc.constant([]),
})

function scalePrices(candles: Candles, factor: number): Candles {
  const column = (values: Float64Array) => values.map((value) => value * factor)
  const { open, high, low, close } = candles
  return { ...candles, open: column(open), high: column(high), low: column(low), close: column(close) }
}

function scaleMoney({ configs, conventions, ...rest }: Trials, factor: number): Trials {
  const scaleConfig = (config: DcaSpotConfig) => ({
    ...config,
    investment: config.investment * factor,
    dcaTotalBudget: config.dcaTotalBudget * factor,
    dcaInitialOrderSize: config.dcaInitialOrderSize * factor,
  })
  const { safetyOrderSize: size } = conventions
  const scaled = { ...conventions, safetyOrderSize: size === null ? null : size * factor } as Conventions // the same choices
  return { ...rest, configs: configs.map(scaleConfig), conventions: scaled }
}

type Run = (input: BacktestInput) => BacktestResult

function resultsOf(run: Run, { candles, configs, conventions, costs }: Trials): readonly BacktestResult[] {
  return configs.map((config) => run({ candles, config, conventions, costs, symbol: NO_SYMBOL_RULES }))
}

/** Every metric, sums of money divided by `money`. */
function numbersOf({ metrics }: BacktestResult, money: number) {
  const scalars = METRIC_NAMES.map((name) => {
    const value = metricValue(metrics, name)
    return [name, METRICS[name].unit === 'quote' && value !== null ? value / money : value]
  })
  return {
    ...Object.fromEntries(scalars),
    sampleSize: metrics.sampleSize,
    histogram: metrics.safetyOrdersFilled.histogram,
    months: metrics.monthlyReturns,
    days: metrics.dailyEquity.map(({ date, equity }) => [date, equity / money]),
  }
}

/** Prices divided by `price`, money by `money`. */
function dealsOf({ deals, openDeal }: BacktestResult, price: number, money: number) {
  const closed = deals.map((deal) => ({
    ...deal,
    price: deal.price / price,
    quantity: (deal.quantity * price) / money,
    cost: deal.cost / money,
    proceeds: deal.proceeds / money,
    profit: deal.profit / money,
    lowestValue: deal.lowestValue / money,
  }))
  return {
    closed,
    open: openDeal === null ? null : [openDeal.openedAt, openDeal.safetyOrders, openDeal.profit / money],
  }
}

/** Names that stay when money is another: a trial's own names its config, and decides ties. */
const labelOf = (trial: number) => String(trial).padStart(3, '0')

function ranksOf(results: readonly BacktestResult[], objective: Objective) {
  const rows = results.map(({ metrics }, trial) => ({ fingerprint: labelOf(trial), metrics }))
  const { ranked, noValue } = rankByObjective(rows, objective)
  return {
    ranked: ranked.map(({ fingerprint }) => fingerprint),
    noValue: noValue.map(({ fingerprint }) => fingerprint),
  }
}

describe.each(ENGINES)('by the %s engine', (_, run) => {
  it('prices in another unit change quantities, and nothing that a result says', () => {
    fc.assert(
      fc.property(someTrials, someFactor, someObjective, (trials, factor, objective) => {
        const scaled = { ...trials, candles: scalePrices(trials.candles, factor) }
        const [before, after] = [resultsOf(run, trials), resultsOf(run, scaled)]
        expect(after.map((each) => numbersOf(each, 1))).toEqual(before.map((each) => numbersOf(each, 1)))
        expect(after.map((each) => dealsOf(each, factor, 1))).toEqual(before.map((each) => dealsOf(each, 1, 1)))
        expect(ranksOf(after, objective)).toEqual(ranksOf(before, objective))
      }),
      { numRuns: 150 },
    )
  })

  it('money in another unit scales money, and nothing else that a result says', () => {
    fc.assert(
      fc.property(someTrials, someFactor, someObjective, (trials, factor, objective) => {
        const scaled = scaleMoney(trials, factor)
        const [before, after] = [resultsOf(run, trials), resultsOf(run, scaled)]
        expect(after.map((each) => numbersOf(each, factor))).toEqual(before.map((each) => numbersOf(each, 1)))
        expect(after.map((each) => dealsOf(each, 1, factor))).toEqual(before.map((each) => dealsOf(each, 1, 1)))
        expect(ranksOf(after, objective)).toEqual(ranksOf(before, objective))
      }),
      { numRuns: 150 },
    )
  })
})

const somePermuted = someTrials.chain((trials) =>
  fc.record({
    trials: fc.constant(trials),
    order: fc.shuffledSubarray([...trials.configs.keys()], { minLength: trials.configs.length }),
  }),
)

it('trials in another order have the same ranks and the same front', () => {
  fc.assert(
    fc.property(somePermuted, someObjective, ({ trials, order }, objective) => {
      const results = resultsOf((input) => runJump(input), trials)
      const rows = results.map(({ metrics }, trial) => ({
        fingerprint: labelOf(trial),
        metrics,
        config: trials.configs[trial],
      }))
      const shuffled = order.map((trial) => rows[trial])
      const isLess = (a: { readonly fingerprint: string }, b: { readonly fingerprint: string }) =>
        a.fingerprint < b.fingerprint ? -1 : 1
      const told = (given: typeof rows) => {
        const { ranked, noValue } = rankByObjective(given, objective)
        const front = paretoFront(given, ({ metrics }) => ({
          cost: metrics.maxDrawdownPercent,
          gain: metrics.netProfit,
        }))
        return { ranked, noValue: noValue.toSorted(isLess), front: front.toSorted(isLess) }
      }
      expect(told(shuffled)).toEqual(told(rows))
    }),
    { numRuns: 150 },
  )
})

it('weights of parameters are those of the trials in another order, but for the last bits of sums', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([...Array(24).keys()], { minLength: 24 }), fc.integer(), (order, seed) => {
      const dice = createDice(seed)
      const rows = Array.from({ length: 24 }, (_, n) => ({
        values: { takeProfit: n % 4, dcaVolumeScale: n % 3, stopLoss: n % 2 },
        score: 100 * dice.normal(),
      }))
      const told = (given: typeof rows) => {
        const found = parameterImportance(given, ['takeProfit', 'dcaVolumeScale', 'stopLoss'])
        if (found.kind !== 'found') throw new Error(found.kind)
        return new Map(found.parameters.map(({ field, share }) => [field, share]))
      }
      const shares = told(rows)
      for (const [field, share] of told(order.map((n) => rows[n])))
        expect(share).toBeCloseTo(shares.get(field) ?? -1, 9)
    }),
    { numRuns: 100 },
  )
})

it('a sweep tells of every config the same, wherever it stands among the others', () => {
  fc.assert(
    fc.property(somePermuted, ({ trials: { candles, configs, conventions, costs }, order }) => {
      const prepared = prepareCandles(candles)
      const told = (places: readonly number[]) => {
        const rows = new Float64Array(places.length * CONFIG_ROW)
        places.forEach((trial, row) => {
          writeConfigRow(rows, row, configs[trial])
        })
        const sweep = createSweep(prepared, { conventions, costs, symbol: NO_SYMBOL_RULES, want: 'used' }).run(rows)
        const at = (row: number) => [sweep.netProfit[row], sweep.closedDeals[row], sweep.used?.average[row]]
        return places.map((trial, row) => [trial, ...at(row)] as const).toSorted(([a], [b]) => a - b)
      }
      expect(told(order)).toEqual(told([...configs.keys()]))
    }),
    { numRuns: 100 },
  )
})
