/** The figures that the pages of `src/guide/certainty/` quote, as they are written there. */
import { NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import { dailyReturns } from '../../src/engine/daily-equity.ts'
import { sharpeError } from '../../src/engine/risk-adjusted.ts'
import {
  exposedHoldBenchmark,
  holdBenchmark,
  periodicPurchases,
} from '../../src/workbench/analysis/certainty/benchmarks.ts'
import type { EquityCurve } from '../../src/workbench/analysis/certainty/equity-curve.ts'
import { fallAfterBaseOrder } from '../../src/workbench/analysis/certainty/falls.ts'
import { leadNoise, leadOver, profitNoise } from '../../src/workbench/analysis/certainty/noise.ts'
import { partsOfProfit } from '../../src/workbench/analysis/certainty/parts-of-profit.ts'
import {
  deflatedSharpe,
  expectedMaximumSharpe,
  FEWEST_RETURNS,
} from '../../src/workbench/analysis/certainty/sharpe-probability.ts'
import { pearson } from '../../src/workbench/analysis/pearson.ts'
import { rankCorrelation } from '../../src/workbench/analysis/rank-correlation.ts'
import { createHistory, type Run } from './history.ts'

const money = (value: number | null) => (value ?? Number.NaN).toFixed(2).replace('-', '−')
const signed = (value: number | null) => ((value ?? 0) > 0 ? `+${money(value)}` : money(value))
const percent = (value: number, digits = 0) => `${value.toFixed(digits)} %`
const whole = (value: number) => Math.round(value).toLocaleString('en')
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)
const profitOf = ({ metrics }: Run) => metrics.netProfit
const curveOf = ({ config, metrics }: Run): EquityCurve => ({
  investment: config.investment,
  dailyEquity: metrics.dailyEquity,
})

/** Share of the runs that made less, ties half. */
function percentileOf(run: Run, runs: readonly Run[]): number {
  const [less, equal] = [
    (other: Run) => profitOf(other) < profitOf(run),
    (other: Run) => profitOf(other) === profitOf(run),
  ]
  return (100 * (runs.filter(less).length + runs.filter(equal).length / 2)) / runs.length
}

export type PageName = keyof ReturnType<typeof figuresOfPages>

export function figuresOfPages(ether: string) {
  const summer = createHistory('eth-2025', ether)
  const runs = summer.run(0, summer.days)
  const [winner, second] = summer.ranked(runs)
  const found: Found = { summer, runs, place: runs.indexOf(winner), winner, second }
  const own = signed(profitOf(winner))
  return {
    README: [`${runs.length} ladders`, `${summer.days} days`, `${own} on ${whole(winner.config.investment)}`],
    ambiguity: [own, ...ambiguity(found)],
    'thirds-and-months': [own, ...parts(found)],
    'next-span': nextSpan(found),
    'walk-forward': walkForward(found),
    fall: falls(found),
    benchmarks: [own, percent(winner.metrics.maxDrawdownPercent, 1), ...benchmarks(found)],
    'capital-in-use': [own, ...capital(found)],
    'noise-and-lead': [own, ...noise(found)],
    sharpe: sharpe(found),
    looks: looks(found),
    'psr-dsr-pbo': overfitting(found),
    twin: [own, ...twin(found)],
  }
}

interface Found {
  readonly summer: ReturnType<typeof createHistory>
  readonly runs: readonly Run[]
  /** Of the winner in the grid. */
  readonly place: number
  readonly winner: Run
  readonly second: Run
}

function ambiguity({ summer, place, winner }: Found): string[] {
  const optimistic = summer.run(0, summer.days, { intrabar: 'optimistic' })
  return [
    `${winner.metrics.ambiguousCandles} of its ${whole(summer.between(0, summer.days).close.length)} candles`,
    `optimistic ${signed(profitOf(optimistic[place]))}`,
    // Measured before, on a ladder with a stop that no study of ours has.
    '5 minutes',
    '−740.7 pessimistic and +158.4 optimistic',
    '300 ambiguous candles of 121,751',
  ]
}

function parts({ winner }: Found): string[] {
  const deals = winner.openDeal === null ? winner.deals : [...winner.deals, winner.openDeal]
  const { thirds, months, largestMonth, largestThird, largestDeal } = partsOfProfit({ ...curveOf(winner), deals })
  return [
    ...thirds.map(signed),
    ...months.map(({ profit }) => signed(profit)),
    `third has ${percent(largestThird?.sharePercent ?? Number.NaN)}`,
    `July has ${percent(largestMonth?.sharePercent ?? Number.NaN)}`,
    `${signed(largestDeal?.profit ?? null)}, ${percent(largestDeal?.sharePercent ?? Number.NaN)}`,
    `${winner.deals.length} closed deals`,
    '60 %',
    '30 %',
  ]
}

function nextSpan({ summer, place }: Found): string[] {
  const half = summer.days / 2
  const [first, next] = [summer.run(0, half), summer.run(half, summer.days)]
  const persistence = rankCorrelation(first.map((run, at) => [profitOf(run), profitOf(next[at])] as const))
  const best = first.indexOf(summer.ranked(first)[0])
  const percentile = percentileOf(next[best], next)
  return [
    `${half} days`,
    `${persistence.n} configurations`,
    `correlate by ${persistence.rho?.toFixed(2)}`,
    `${signed(profitOf(first[best]))}, made ${signed(profitOf(next[best]))}`,
    percent(percentile),
    `${signed(profitOf(first[place]))} and then ${signed(profitOf(next[place]))}`,
    'below 0.3',
  ]
}

function walkForward({ summer }: Found): string[] {
  const said = [
    [30, 10],
    [45, 15],
  ].flatMap(([train, test]) => {
    const starts = Array.from({ length: (summer.days - train) / test }, (_, fold) => fold * test)
    const folds = starts.map((start) => {
      const trained = summer.run(start, start + train)
      const tested = summer.run(start + train, start + train + test)
      const chosen = tested[trained.indexOf(summer.ranked(trained)[0])]
      const percentile = percentileOf(chosen, tested)
      return { profit: profitOf(chosen), percentile }
    })
    const worst = folds.reduce((low, fold) => (fold.profit < low.profit ? fold : low))
    return [
      `${train} days`,
      `${test} days`,
      `${folds.length} folds`,
      signed(sum(folds.map(({ profit }) => profit))),
      `percentile ${whole(sum(folds.map(({ percentile }) => percentile)) / folds.length)}`,
      `${signed(worst.profit)} at percentile ${whole(worst.percentile)}`,
    ]
  })
  return [...said, `${summer.days} days`]
}

function falls({ summer, winner }: Found): string[] {
  const { costs, conventions } = summer.study
  const startPrice = summer.between(0, 1).open[0]
  const terms = { config: winner.config, conventions, costs, symbol: NO_SYMBOL_RULES, startPrice }
  const rows = fallAfterBaseOrder(terms).map(
    ({ dropPercent, tied, loss, breakEvenRisePercent }) =>
      `| ${dropPercent} % | ${money(tied)} | ${money(loss)} | ${percent(breakEvenRisePercent ?? Number.NaN)} |`,
  )
  const deepest = winner.config.dcaPriceScalePercent * winner.config.dcaMaxSafetyOrders
  return [
    whole(winner.config.investment),
    `at ${money(startPrice)}`,
    `${winner.config.dcaMaxSafetyOrders} safety orders`,
    percent(deepest, 1),
    ...rows,
  ]
}

function benchmarks({ summer, winner }: Found): string[] {
  const candles = summer.between(0, summer.days)
  const terms = { investment: winner.config.investment, feePercent: summer.study.costs.feePercent }
  const averageUsedCapital = winner.metrics.usedCapital.average
  const rows = [
    holdBenchmark(candles, terms),
    exposedHoldBenchmark(candles, { ...terms, averageUsedCapital }),
    periodicPurchases(candles, { ...terms, every: 'day' }),
    periodicPurchases(candles, { ...terms, every: 'week' }),
  ]
  return [
    `with ${money(averageUsedCapital)}`,
    ...rows.map(({ profit, maxDrawdownPercent }) => `| ${signed(profit)} | ${percent(maxDrawdownPercent, 1)} |`),
    ...rows.flatMap((row) => ('purchases' in row ? [`${row.purchases} purchases`] : [])),
  ]
}

function capital({ runs, winner }: Found): string[] {
  const perCapital = (run: Run) => profitOf(run) / run.metrics.usedCapital.average
  const best = runs.reduce((high, run) => (perCapital(run) > perCapital(high) ? run : high))
  const r = pearson(
    runs.map((run) => [profitOf(run), run.metrics.usedCapital.average] as const),
    0,
  )
  const { max, average } = winner.metrics.usedCapital
  return [
    `${money(average)} on average and ${money(max)} at most`,
    `of its ${whole(winner.config.investment)}`,
    `${perCapital(winner).toFixed(2)} for each`,
    `${runs.length} configurations`,
    `correlate by ${r?.toFixed(2)}`,
    `${signed(profitOf(best))} with ${money(best.metrics.usedCapital.average)}`,
    perCapital(best).toFixed(2),
    `steps of ${best.config.dcaPriceScalePercent} %`,
    `take profit of ${best.config.takeProfit} %`,
  ]
}

function noise({ winner, second }: Found): string[] {
  const [own, other] = [curveOf(winner), curveOf(second)]
  const error = profitNoise(own)
  const profits = winner.deals.map(({ profit }) => profit)
  const mean = sum(profits) / profits.length
  const squares = sum(profits.map((profit) => (profit - mean) ** 2))
  const ofDeals = Math.sqrt((squares / (profits.length - 1)) * profits.length)
  return [
    `± ${money(error)}`,
    `${(profitOf(winner) / (error ?? Number.NaN)).toFixed(1)} standard errors`,
    `from its ${profits.length} closed deals alone, is ${money(ofDeals)}`,
    `${signed(leadOver(own, other))} ± ${money(leadNoise(own, other))}`,
    `take profit of ${second.config.takeProfit} %`,
  ]
}

function sharpe({ summer, winner }: Found): string[] {
  const { sharpe: ratio } = winner.metrics
  const error = sharpeError(summer.days) ?? Number.NaN
  const known = ratio ?? Number.NaN
  return [
    `${money(ratio)} ± ${money(error)} over ${summer.days} days`,
    `365`,
    `90 %`,
    `1.645`,
    `from ${money(known - 1.645 * error)} to ${money(known + 1.645 * error)}`,
  ]
}

function looks({ runs }: Found): string[] {
  const deviations = (count: number) => (expectedMaximumSharpe({ looks: count, variance: 1 }) ?? Number.NaN).toFixed(1)
  return [
    `${runs.length} looks`,
    `${deviations(runs.length)} standard deviations`,
    `${deviations(153_624)} with 153,624`,
  ]
}

function overfitting({ winner }: Found): string[] {
  const values = winner.metrics.dailyEquity.map(({ equity }) => equity)
  const returns = dailyReturns({ firstDay: 0, values }, winner.config.investment)
  // The example of the paper: 2.5 a year over 250 days, five years.
  const published = { count: 1250, sharpe: 2.5 / Math.sqrt(250), skew: -3, kurtosis: 10 }
  const deflated = (count: number) => deflatedSharpe(published, { looks: count, variance: 0.5 / 250 })?.toFixed(4)
  return [
    `${returns.length} daily returns`,
    `${FEWEST_RETURNS} are needed`,
    `2.5`,
    `1,250 returns`,
    `skew −3`,
    `kurtosis 10`,
    `${deflated(46)} after 46 looks`,
    `${deflated(100)} after 100`,
    '.95',
  ]
}

function twin({ summer, place, winner }: Found): string[] {
  const [other] = [summer.run(0, summer.days, { safetyOrderSizing: 'first-equals-base' })[place]]
  const { investment } = winner.config
  return [
    `${winner.metrics.closedDeals} closed deals`,
    `${signed(profitOf(other))} with ${other.metrics.closedDeals}`,
    `a gap of ${money(Math.abs(profitOf(winner) - profitOf(other)))}`,
    `0.2 % of ${whole(investment)}, which is ${money(0.002 * investment)}`,
  ]
}
