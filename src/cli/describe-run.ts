/** What `dcalab run` says when it ends. */
import type { RunSummary } from '../workbench/run/run.ts'
import { countOf, formatNumber } from './output.ts'
import type { TimeWords } from './reader-time.ts'
import { describeReopening } from './run-progress.ts'

function describeRunBest({ trial, metrics, interval, markets = [] }: Best): string[] {
  const candles = interval === null ? '' : `, on ${interval} candles`
  if (markets.length === 0) return [`best: ${trial.slice(0, 12)}, ${describeResult(metrics)}${candles}`]
  const results = markets.map((one) => {
    const result = one.metrics === null ? 'not readable' : describeResult(one.metrics)
    return `  ${one.market}: ${one.trial.slice(0, 12)}, ${result}`
  })
  return [`best on ${markets.length} markets together:`, ...results]
}

function describeResult({ netProfit, roiPercent, maxDrawdownPercent, closedDeals }: Best['metrics']): string {
  return (
    `net profit ${formatNumber(netProfit, 2)} (${formatNumber(roiPercent, 2)} %), ` +
    `drawdown ${formatNumber(maxDrawdownPercent, 2)} %, ${closedDeals} deals`
  )
}

type Best = NonNullable<RunSummary['best']>

/** @param when how its times are told */
export function describeSummary(summary: RunSummary, when: TimeWords): string[] {
  const { trials, allowance, best, revision } = summary
  return [
    `${revision ?? summary.study}: ${trials.done} of ${trials.total} done, ${trials.reused} reused, ${trials.failed} failed, ${trials.pending} pending; ${countOf(summary.requests, 'request')}`,
    describeAllowance(allowance, when),
    ...(best === null ? [] : describeRunBest(best)),
    ...(revision === null ? [] : [`kept beside the study: dcalab leaderboard ${revision}`]),
    ...(summary.stoppedBy === null ? [] : [`stopped by: ${summary.stoppedBy}`]),
  ]
}

/** "allowance: 100 of 100 used, 0 free; reopens at …" */
export function describeAllowance(
  { used, limit, available, nextAt, source }: RunSummary['allowance'],
  when: TimeWords,
): string {
  const counts = `daily limit: ${used} of ${limit} used, ${available} left`
  return [counts, ...describeReopening(nextAt, source, when)].join('; ')
}

/** The command after a run: the same once more where it stopped before its end, else what its results are read by. */
export function describeNext(
  { study, revision, trials, best, stoppedBy }: RunSummary,
  { given, dryRun }: { readonly given: string; readonly dryRun: boolean },
): string | null {
  if (dryRun || stoppedBy === 'limit') return `dcalab run ${given}`
  if (stoppedBy === 'allowance') return `dcalab run ${given} --wait`
  if (stoppedBy === 'unresolved') return 'dcalab service jobs resolve'
  if (stoppedBy !== null && stoppedBy !== 'enough') return null // why it stopped says what to do
  if (best !== null) return `dcalab report ${study} --open`
  return trials.done > 0 ? `dcalab leaderboard ${revision ?? study}` : `dcalab status ${study}`
}
