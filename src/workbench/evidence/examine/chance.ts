/** How much chance alone moves the profit, and whether the lead over the next best is more than that. */
import { backtest } from '../../../engine/backtest.ts'
import type { CheckAnswer, NoiseCheck } from '../../analysis/certainty/checks.ts'
import { leadNoise, leadOver, profitNoise } from '../../analysis/certainty/noise.ts'
import { behaviourHash } from '../../study/behaviour.ts'
import { type Evaluation, noField } from './evaluation.ts'
import { rankField } from './field.ts'

export async function checkNoise(evaluation: Evaluation): Promise<CheckAnswer<'noise'>> {
  const { run, trial } = evaluation
  const { netProfit, dailyEquity } = run.metrics
  const standardError = profitNoise({ investment: trial.config.investment, dailyEquity })
  if (standardError === null) return { refused: 'there are fewer than two days' }
  const lead = await findLead(evaluation)
  return { value: { standardError, netProfit, ...lead } }
}

type Lead = Pick<NoiseCheck, 'lead' | 'leadStandardError' | 'leadReason'>

/** Over the best of the others that did something else. */
async function findLead(evaluation: Evaluation): Promise<Lead> {
  const without = (leadReason: string): Lead => ({ lead: null, leadStandardError: null, leadReason })
  const { field, terms, loaded, run, trial } = evaluation
  const values = await evaluation.fieldValues()
  if (field === null || values === null) return without(noField(evaluation))
  const own = behaviourHash({ ...run, dailyEquity: run.metrics.dailyEquity })
  for (const place of rankField(field, values)) {
    if (place === field.own) continue
    const other = backtest({ ...terms, candles: loaded.candles, config: field.configs[place].config })
    if (behaviourHash({ ...other, dailyEquity: other.metrics.dailyEquity }) === own) continue
    const [ours, theirs] = [run, other].map(({ metrics }, at) => ({
      investment: at === 0 ? trial.config.investment : field.configs[place].config.investment,
      dailyEquity: metrics.dailyEquity,
    }))
    const lead = leadOver(ours, theirs)
    if (lead === null) return without('the next best covers other days')
    return { lead, leadStandardError: leadNoise(ours, theirs), leadReason: null }
  }
  return without('every other configuration within the limits traded identically')
}
