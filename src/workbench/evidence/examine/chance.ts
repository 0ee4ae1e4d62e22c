/** How much chance alone moves the profit: its own ups and downs, the minute of the start, the last digit of the take profit. */
import { CONFIG_BOUNDS } from '../../../contract/bot.ts'
import { backtest } from '../../../engine/backtest.ts'
import { DAY_MS } from '../../../engine/daily-equity.ts'
import { prepareForOneRun } from '../../../engine/jump/prepared.ts'
import { factOfTakeProfits, WITHIN } from '../../analysis/certainty/arbitrariness.ts'
import type { CheckAnswer, NoiseCheck } from '../../analysis/certainty/checks.ts'
import { leadNoise, leadOver, profitNoise } from '../../analysis/certainty/equity.ts'
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

export function checkStarts({ trial, starts }: Evaluation): CheckAnswer<'starts'> {
  const { from, to } = trial.period
  if (to - from <= 2 * DAY_MS) return { refused: 'the period is too short (2 days or less)' }
  return { value: starts() }
}

/** Percent; wider where the values near its own are not all inside. */
const CURVE = { from: 0.5, to: 5 }

export function checkTakeProfits({
  trial: { config },
  terms,
  loaded: { candles },
}: Evaluation): CheckAnswer<'takeProfitCurve'> {
  const { takeProfit } = config
  const range = {
    from: Math.min(CURVE.from, takeProfit * (1 - WITHIN / 100)),
    to: Math.min(CONFIG_BOUNDS.takeProfit.max, Math.max(CURVE.to, takeProfit * (1 + WITHIN / 100))),
  }
  return { value: factOfTakeProfits(prepareForOneRun(candles), terms, config, range) }
}
