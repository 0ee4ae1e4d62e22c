/** The service against the local engine on the same trial: how far what is said here can be taken for the service's. */
import type { CheckAnswer } from '../../analysis/certainty/checks.ts'
import type { Evaluation } from './evaluation.ts'

export function checkTwin({ trial, run, termsFrom, loaded }: Evaluation): CheckAnswer<'twin'> {
  const { netProfit, closedDeals } = trial.metrics
  if (netProfit === null) return { refused: 'the service does not report the net profit' }
  const difference = netProfit - run.metrics.netProfit
  const hash = trial.candles?.hash ?? null
  return {
    value: {
      difference,
      differencePercent: (100 * difference) / trial.config.investment,
      deals: closedDeals === null ? null : closedDeals - run.metrics.closedDeals,
      termsFrom,
      sameCandles: hash === null ? null : hash === loaded.info.hash,
    },
  }
}
