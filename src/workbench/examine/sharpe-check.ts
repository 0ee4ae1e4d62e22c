/** The Sharpe ratio with what chance alone moves it by. */
const sharpeError = (days: number) => (days < 30 ? null : Math.sqrt(365 / days))

import type { CheckOutcome } from '../analysis/certainty/checks.ts'
import type { Ground } from './ground.ts'

export function checkSharpe({ run }: Ground): CheckOutcome<'sharpe'> {
  const { sharpe, dailyEquity } = run.metrics
  const days = dailyEquity.length
  const standardError = sharpeError(days)
  if (sharpe === null || standardError === null) {
    return { refused: days < 30 ? `there are ${days} daily returns: it takes 30` : 'the daily returns do not vary' }
  }
  return { value: { value: sharpe, standardError, days } }
}

export function checkLooks({ looks: { paid, localAtMost } }: Ground): CheckOutcome<'looks'> {
  return { value: { paid, localAtMost, total: paid + localAtMost } }
}
