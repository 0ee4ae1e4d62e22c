/** The Sharpe ratio with what chance alone moves it by. */

import { dailyReturns } from '../../../engine/daily-equity.ts'
import { DAYS_PER_YEAR, FEWEST_DAYS } from '../../../engine/risk-adjusted.ts'
import type { CheckAnswer } from '../../analysis/certainty/checks.ts'
import { dependentSharpeError } from '../../analysis/certainty/sharpe-probability.ts'
import type { Evaluation } from './evaluation.ts'

export function checkSharpe({ run, trial }: Evaluation): CheckAnswer<'sharpe'> {
  const { sharpe, dailyEquity } = run.metrics
  const days = dailyEquity.length
  const values = dailyEquity.map(({ equity }) => equity)
  const daily = dependentSharpeError(dailyReturns({ firstDay: null, values }, trial.config.investment))
  if (sharpe === null || daily === null) {
    return {
      refused:
        days < FEWEST_DAYS ? `${days} daily returns, at least ${FEWEST_DAYS} needed` : 'the daily returns do not vary',
    }
  }
  return { value: { value: sharpe, standardError: daily * Math.sqrt(DAYS_PER_YEAR), days } }
}
