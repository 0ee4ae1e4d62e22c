/** How much chance alone moves the profit, and whether the lead over the next best is more than that. */
import { backtest } from '../../engine/backtest.ts'
import type { CheckAnswer, NoiseCheck } from '../analysis/certainty/checks.ts'
import { leadNoise, leadOver, profitNoise } from '../analysis/certainty/noise.ts'
import { behaviourHash } from '../study/behaviour.ts'
import { rankField } from './field.ts'
import { type Ground, noField } from './ground.ts'

export async function checkNoise(ground: Ground): Promise<CheckAnswer<'noise'>> {
  const { run, trial } = ground
  const { netProfit, dailyEquity } = run.metrics
  const standardError = profitNoise({ investment: trial.config.investment, dailyEquity })
  if (standardError === null) return { refused: 'there are fewer than two days' }
  const lead = await findLead(ground)
  return { value: { standardError, netProfit, ...lead } }
}

type Lead = Pick<NoiseCheck, 'lead' | 'leadStandardError' | 'leadReason'>

/** Over the best of the others that did something else. */
async function findLead(ground: Ground): Promise<Lead> {
  const without = (leadReason: string): Lead => ({ lead: null, leadStandardError: null, leadReason })
  const { field, terms, loaded, run, trial } = ground
  const values = await ground.fieldValues()
  if (field === null || values === null) return without(noField(ground))
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
  return without('no other configuration inside the bounds did anything else')
}
