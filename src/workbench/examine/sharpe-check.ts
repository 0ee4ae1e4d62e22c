/** The Sharpe ratio with what chance alone moves it by. */

import { sharpeError } from '../../engine/risk-adjusted.ts'
import type { CheckAnswer } from '../analysis/certainty/checks.ts'
import type { Ground } from './ground.ts'

export function checkSharpe({ run }: Ground): CheckAnswer<'sharpe'> {
  const { sharpe, dailyEquity } = run.metrics
  const days = dailyEquity.length
  const standardError = sharpeError(days)
  if (sharpe === null || standardError === null) {
    return { refused: days < 30 ? `there are ${days} daily returns: it takes 30` : 'the daily returns do not vary' }
  }
  return { value: { value: sharpe, standardError, days } }
}

export function checkLooks({ looks: { paid, localAtMost } }: Ground): CheckAnswer<'looks'> {
  return { value: { paid, localAtMost, total: paid + localAtMost } }
}
