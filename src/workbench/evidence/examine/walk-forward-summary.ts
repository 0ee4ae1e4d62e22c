/** The folds of a walk-forward test taken together. */
import type { MetricName } from '../../../contract/metrics.ts'
import { reduceAcross } from '../../study/objective.ts'
import type { Objective } from '../../study/study.ts'
import type { ChosenFold, FoldResult, FoldsTogether } from './walk-forward-result.ts'

/** Growth of a year, which a shorter test does not show. */
const YEARLY: readonly MetricName[] = ['cagrPercent', 'calmar']
const YEAR_MS = 365 * 86_400_000

/** @param markets their names, in the order of every fold */
export function summarizeFolds(
  folds: readonly FoldResult[],
  objective: Objective,
  markets: readonly string[],
): FoldsTogether {
  const chosen = folds.filter((fold) => fold.kind === 'chosen')
  const percentiles = chosen.flatMap(({ percentile }) => (percentile === null ? [] : [percentile]))
  const values = chosen.flatMap(({ testValue }) => (testValue === null ? [] : [testValue]))
  const testValueMissing = whyWithoutValue(chosen, objective, values.length)
  const across = objective.folds ?? 'mean'
  return {
    meanPercentile: reduceAcross(percentiles.length === 0 ? [null] : percentiles, {
      across: 'mean',
      direction: 'maximize',
    }),
    worstFold: findWorst(folds, objective),
    testValue: testValueMissing === null ? reduceAcross(values, { across, direction: objective.direction }) : null,
    testValueMissing,
    testNetProfit: addUp(chosen.map(({ testNetProfit }) => testNetProfit)),
    markets: markets.map((market, at) => ({
      market,
      testNetProfit: chosen.reduce((sum, fold) => sum + fold.markets[at].testNetProfit, 0),
    })),
  }
}

function whyWithoutValue(chosen: readonly ChosenFold[], { metric }: Objective, valued: number): string | null {
  if (chosen.length === 0) return 'no window had a configuration to choose'
  if (valued === 0) return `the chosen configurations have no value of ${metric} on any test`
  const [{ test }] = chosen
  const isShort = test.to - test.from < YEAR_MS
  return YEARLY.includes(metric) && isShort
    ? `${metric} is a yearly growth, and each test is shorter than 365 days`
    : null
}

function findWorst(folds: readonly FoldResult[], { direction }: Objective): number | null {
  const sign = direction === 'maximize' ? 1 : -1
  let worst: number | null = null
  let least = Infinity
  folds.forEach((fold, at) => {
    if (fold.kind !== 'chosen' || fold.testValue === null || sign * fold.testValue >= least) return
    worst = at
    least = sign * fold.testValue
  })
  return worst
}

/** null where a part is, or there is none. */
function addUp(amounts: readonly (number | null)[]): number | null {
  const known = amounts.filter((amount) => amount !== null)
  return known.length === 0 || known.length < amounts.length ? null : known.reduce((sum, amount) => sum + amount, 0)
}
