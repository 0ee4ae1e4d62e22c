/** The figures that the example in `src/guide/statistics.md` quotes, as they are written there. */
import { dailyReturns } from '../../src/engine/daily-equity.ts'
import { prepareCandles } from '../../src/engine/jump/prepared.ts'
import { sharpeError } from '../../src/engine/risk-adjusted.ts'
import { factOfStarts, factOfTakeProfits } from '../../src/workbench/analysis/certainty/arbitrariness.ts'
import {
  exposedHoldBenchmark,
  holdBenchmark,
  periodicPurchases,
} from '../../src/workbench/analysis/certainty/benchmarks.ts'
import {
  type EquityCurve,
  fallAfterBaseOrder,
  leadNoise,
  leadOver,
  partsOfProfit,
  profitNoise,
} from '../../src/workbench/analysis/certainty/equity.ts'
import {
  deflatedSharpe,
  expectedMaximumSharpe,
  FEWEST_RETURNS,
} from '../../src/workbench/analysis/certainty/sharpe-probability.ts'
import { pearson, rankCorrelation } from '../../src/workbench/analysis/correlation.ts'
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

export type CheckRow = keyof ReturnType<typeof exampleFigures>['rows']

/** @param ether minutes of ETH-USDT, a CSV file */
export function exampleFigures(ether: string) {
  const summer = createHistory('eth-2025', ether)
  const runs = summer.run(0, summer.days)
  const [winner, second] = summer.ranked(runs)
  const found: Found = { summer, runs, place: runs.indexOf(winner), winner, second }
  const own = signed(profitOf(winner))
  const { investment, dcaPriceScalePercent, dcaVolumeScale, takeProfit } = winner.config
  const study = [
    `${runs.length} ladders on ${summer.days} days`,
    `${dcaPriceScalePercent} % apart, size ×${dcaVolumeScale}, take profit ${takeProfit} %`,
    `${own} on ${whole(investment)}`,
  ]
  const rows = {
    service: [own, ...service(found)],
    'fill order': fillOrder(found),
    starts: starts(found),
    'take profits': takeProfits(found),
    parts: parts(found),
    persistence: persistence(found),
    'walk-forward': walkForward(found),
    'price drop': falls(found),
    holding: [`the bot ${percent(winner.metrics.maxDrawdownPercent, 1)}`, ...benchmarks(found)],
    capital: capital(found),
    error: [own, ...noise(found)],
    Sharpe: sharpe(found),
    tried: tried(found),
    overfitting: overfitting(found),
  }
  return { study, rows }
}

interface Found {
  readonly summer: ReturnType<typeof createHistory>
  readonly runs: readonly Run[]
  /** Of the winner in the grid. */
  readonly place: number
  readonly winner: Run
  readonly second: Run
}

function fillOrder({ summer, place, winner }: Found): string[] {
  const optimistic = summer.run(0, summer.days, { intrabar: 'optimistic' })
  return [
    `${winner.metrics.ambiguousCandles} of ${whole(summer.between(0, summer.days).close.length)} candles`,
    `best case ${signed(profitOf(optimistic[place]))}`,
  ]
}

function starts({ summer, winner }: Found): string[] {
  const fact = factOfStarts(prepareCandles(summer.between(0, summer.days)), summer.market, winner.config)
  return [
    `percentile ${whole(fact.percentile)} of ${whole(fact.of)} starts`,
    `middle half ${signed(fact.q1)} to ${signed(fact.q3)}`,
    `${percent(fact.otherSignPercent)} have the other sign`,
  ]
}

function takeProfits({ summer, winner }: Found): string[] {
  const candles = prepareCandles(summer.between(0, summer.days))
  const { from, to, best, band } = factOfTakeProfits(candles, summer.market, winner.config, { from: 0.5, to: 5 })
  return [
    `${signed(best.netProfit)} at ${best.to.toFixed(2)} %, the best of ${from} to ${to} %`,
    `within ± ${band?.within} % percentile ${whole(band?.percentile ?? Number.NaN)}`,
    `middle half ${signed(band?.q1 ?? null)} to ${signed(band?.q3 ?? null)}`,
  ]
}

function parts({ winner }: Found): string[] {
  const deals = winner.openDeal === null ? winner.deals : [...winner.deals, winner.openDeal]
  const { thirds, largestMonth, largestDeal } = partsOfProfit({ ...curveOf(winner), deals })
  return [
    thirds.map(signed).join(', '),
    `July ${percent(largestMonth?.sharePercent ?? Number.NaN)}`,
    `largest deal ${percent(largestDeal?.sharePercent ?? Number.NaN)}`,
  ]
}

function persistence({ summer, place }: Found): string[] {
  const half = summer.days / 2
  const [first, next] = [summer.run(0, half), summer.run(half, summer.days)]
  const ranks = rankCorrelation(first.map((run, at) => [profitOf(run), profitOf(next[at])] as const))
  return [
    `ρ ${ranks.rho?.toFixed(2)} over ${ranks.n} configurations`,
    `${signed(profitOf(first[place]))}, then ${signed(profitOf(next[place]))}`,
  ]
}

function walkForward({ summer }: Found): string[] {
  return [
    [30, 10],
    [45, 15],
  ].map(([train, test]) => {
    const starts = Array.from({ length: (summer.days - train) / test }, (_, fold) => fold * test)
    const folds = starts.map((start) => {
      const trained = summer.run(start, start + train)
      const tested = summer.run(start + train, start + train + test)
      const chosen = tested[trained.indexOf(summer.ranked(trained)[0])]
      return { profit: profitOf(chosen), percentile: percentileOf(chosen, tested) }
    })
    const average = sum(folds.map(({ percentile }) => percentile)) / folds.length
    const all = signed(sum(folds.map(({ profit }) => profit)))
    return `${train} + ${test} days: ${folds.length} windows, ${all}, percentile ${whole(average)}`
  })
}

function falls({ summer, winner }: Found): string[] {
  const startPrice = summer.between(0, 1).open[0]
  const terms = { ...summer.market, config: winner.config, startPrice }
  return fallAfterBaseOrder(terms).map(
    ({ dropPercent, loss, breakEvenRisePercent }) =>
      `${dropPercent} %: −${money(loss)}, rise ${percent(breakEvenRisePercent ?? Number.NaN)}`,
  )
}

function benchmarks({ summer, winner }: Found): string[] {
  const candles = summer.between(0, summer.days)
  const terms = { investment: winner.config.investment, feePercent: summer.study.costs.feePercent }
  const averageUsedCapital = winner.metrics.usedCapital.average
  const rows = [
    ['all at once', 'drawdown ', holdBenchmark(candles, terms)],
    ['the same average amount', '', exposedHoldBenchmark(candles, { ...terms, averageUsedCapital })],
    ['daily', '', periodicPurchases(candles, { ...terms, every: 'day' })],
    ['weekly', '', periodicPurchases(candles, { ...terms, every: 'week' })],
  ] as const
  return rows.map(
    ([name, word, { profit, maxDrawdownPercent }]) =>
      `${name} ${signed(profit)} (${word}${percent(maxDrawdownPercent, 1)})`,
  )
}

function capital({ runs, winner }: Found): string[] {
  const r = pearson(
    runs.map((run) => [profitOf(run), run.metrics.usedCapital.average] as const),
    0,
  )
  const { max, average } = winner.metrics.usedCapital
  return [
    `${money(average)} on average, ${money(max)} at most`,
    `${(profitOf(winner) / average).toFixed(2)} earned for each`,
    `r ${r?.toFixed(2)}`,
  ]
}

function noise({ winner, second }: Found): string[] {
  const [own, other] = [curveOf(winner), curveOf(second)]
  return [`± ${money(profitNoise(own))}`, `${signed(leadOver(own, other))} ± ${money(leadNoise(own, other))}`]
}

function sharpe({ summer, winner }: Found): string[] {
  const error = sharpeError(summer.days) ?? Number.NaN
  return [`${money(winner.metrics.sharpe)} ± ${money(error)} over ${summer.days} days`]
}

function tried({ runs }: Found): string[] {
  const deviations = (count: number) => (expectedMaximumSharpe({ tried: count, variance: 1 }) ?? Number.NaN).toFixed(1)
  return [
    `best of ${runs.length}`,
    `${deviations(runs.length)} standard deviations`,
    `of 153,624 it is ${deviations(153_624)}`,
  ]
}

function overfitting({ winner }: Found): string[] {
  const values = winner.metrics.dailyEquity.map(({ equity }) => equity)
  const returns = dailyReturns({ firstDay: 0, values }, winner.config.investment)
  // The example of the paper: 2.5 a year over 250 days, five years.
  const published = { count: 1250, sharpe: 2.5 / Math.sqrt(250), skew: -3, kurtosis: 10 }
  const deflated = (count: number) => deflatedSharpe(published, { tried: count, variance: 0.5 / 250 })?.toFixed(4)
  return [
    `${returns.length} daily returns, ${FEWEST_RETURNS} needed`,
    `${deflated(46)} after 46 configurations`,
    `${deflated(100)} after 100`,
  ]
}

function service({ summer, place, winner }: Found): string[] {
  const other = summer.run(0, summer.days, { safetyOrderSizing: 'first-equals-base' })[place]
  return [
    `${winner.metrics.closedDeals} deals`,
    `${signed(profitOf(other))} in ${other.metrics.closedDeals}`,
    `${money(Math.abs(profitOf(winner) - profitOf(other)))} less`,
  ]
}
