/** The Sharpe ratio with what chance alone moves it by. */

import { FEWEST_DAYS, sharpeError } from '../../../engine/risk-adjusted.ts'
import type { CheckAnswer } from '../../analysis/certainty/checks.ts'
import type { Evaluation } from './evaluation.ts'

export function checkSharpe({ run }: Evaluation): CheckAnswer<'sharpe'> {
  const { sharpe, dailyEquity } = run.metrics
  const days = dailyEquity.length
  const standardError = sharpeError(days)
  if (sharpe === null || standardError === null) {
    return {
      refused:
        days < FEWEST_DAYS
          ? `there are ${days} daily returns: it takes ${FEWEST_DAYS}`
          : 'the daily returns do not vary',
    }
  }
  return { value: { value: sharpe, standardError, days } }
}
