/** (b): how much of a rank on train is left on test, and what the best by a measure did next. */
import type { SweepColumns } from '../../../src/engine/jump/columns.ts'
import { forEachName, MEASURES, type MeasureName } from './names.ts'
import { percentileAmong, rowOfMost, spearman } from './ranks.ts'

/** One span of the random configurations, one value per row. */
export interface SpanResults {
  /** With risk. */
  readonly own: SweepColumns
  /** On pessimistic candles and under worse costs. */
  readonly stressed: SweepColumns
}

export interface Persistence {
  /** Spearman's ρ of the measure on train with itself on test; null where one side is all ties. */
  readonly itself: number | null
  /** The same with net profit on test. */
  readonly nextProfit: number | null
  /** What the best by the measure on train did on test: its percentile by net profit, and its maximum drawdown in percent. */
  readonly bestPercentile: number | null
  readonly bestDrawdown: number | null
}

export function persistenceOf(train: SpanResults, test: SpanResults): Record<MeasureName, Persistence> {
  const [before, after] = [measuresOf(train), measuresOf(test)]
  const { netProfit } = test.own
  const drawdown = riskOf(test).maxDrawdownPercent
  return forEachName(MEASURES, (name) => {
    const best = rowOfMost(before[name])
    return {
      itself: spearman(before[name], after[name]),
      nextProfit: spearman(before[name], netProfit),
      bestPercentile: best === -1 ? null : percentileAmong(netProfit, netProfit[best]),
      bestDrawdown: best === -1 ? null : drawdown[best],
    }
  })
}

/** NaN where a measure is undefined. */
function measuresOf(span: SpanResults): Record<MeasureName, Float64Array> {
  const { netProfit, realizedProfit } = span.own
  const { used, risk } = span.own
  if (used === null || risk === null) throw new Error('only a full sweep has risk columns')
  const { maxFloatingLoss, maxDrawdownPercent } = risk
  return {
    netProfit,
    perUsedCapital: netProfit.map((profit, row) => profit / used.average[row]),
    underStress: span.stressed.netProfit,
    lessFloatingLoss: netProfit.map((profit, row) => profit + maxFloatingLoss[row]),
    lowDrawdown: maxDrawdownPercent.map((percent) => -percent),
    realizedProfit,
    onMostUsedCapital: netProfit.map((profit, row) => profit / used.max[row]),
  }
}

function riskOf({ own }: SpanResults) {
  if (own.risk === null) throw new Error('a profit sweep has no risk columns')
  return own.risk
}
