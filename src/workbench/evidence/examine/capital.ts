/** How much capital the profit took, and whether profit is a question of capital in this study. */
import type { CheckAnswer } from '../../analysis/certainty/checks.ts'
import { pearson } from '../../analysis/pearson.ts'
import { type Evaluation, noField } from './evaluation.ts'
import type { FieldValues } from './field.ts'

export async function checkCapital(evaluation: Evaluation): Promise<CheckAnswer<'capital'>> {
  const { run, trial } = evaluation
  const { usedCapital, netProfit, timeInDealPercent } = run.metrics
  const values = await evaluation.fieldValues()
  const together = values === null ? null : correlate(values)
  return {
    value: {
      average: usedCapital.average,
      max: usedCapital.max,
      averagePercent: (100 * usedCapital.average) / trial.config.investment,
      netProfit,
      netProfitPerUsedPercent: usedCapital.average === 0 ? null : (100 * netProfit) / usedCapital.average,
      timeInDealPercent,
      profitFollowsCapital: together,
      reason:
        values === null ? noField(evaluation) : together === null ? 'all configurations use or earn the same' : null,
    },
  }
}

function correlate({ metrics }: FieldValues): number | null {
  const [profits, capitals] = [metrics.netProfit ?? [], metrics['usedCapital.average'] ?? []]
  const pairs = profits.flatMap((profit, at) => {
    const capital = capitals[at]
    return profit === null || capital === null ? [] : [[profit, capital] as const]
  })
  return pearson(pairs, 1e-9)
}
