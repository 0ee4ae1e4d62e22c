/** What `dcalab run` says when it ends. */
import { METRICS } from '../contract/metrics.ts'
import type { RunSummary } from '../workbench/run/run.ts'
import { columnTitle } from './metrics-table.ts'
import { countOf, formatNumber } from './output.ts'
import type { TimeWords } from './reader-time.ts'
import { describeReopening } from './run-progress.ts'

function describeRunBest({ id, metric, objective, metrics, interval, markets }: Best): string[] {
  const together = `${columnTitle(metric).replace(/ %$/, '')} ${inUnit(metric, objective)}`
  if (markets === undefined) {
    const candles = interval === null ? '' : `, on ${interval} candles`
    return [`best: ${id}, ${metric === 'netProfit' ? '' : `${together}, `}${describeResult(metrics)}${candles}`]
  }
  const results = markets.map((one) => {
    const result = one.metrics === null ? 'not readable' : describeResult(one.metrics)
    return `  ${one.market}: ${result}`
  })
  return [`best on ${markets.length} markets together: ${id}, ${together}`, ...results]
}

function inUnit(metric: Best['metric'], value: number): string {
  return `${formatNumber(value, 2)}${METRICS[metric].unit === 'percent' ? ' %' : ''}`
}

function describeResult({ netProfit, roiPercent, maxDrawdownPercent, closedDeals }: Best['metrics']): string {
  return (
    `net profit ${formatNumber(netProfit, 2)} (${formatNumber(roiPercent, 2)} %), ` +
    `drawdown ${formatNumber(maxDrawdownPercent, 2)} %, ${closedDeals} deals`
  )
}

type Best = NonNullable<RunSummary['best']>

/** What is known; @param when how its times are told */
export function describeSummary(summary: RunSummary, when: TimeWords): string[] {
  const { trials, allowance, best, revision } = summary
  const name = revision ?? summary.study
  const counts =
    trials.done === null
      ? `${countOf(trials.total, 'trial')}; the service has not said yet who it is`
      : `${trials.done} of ${trials.total} done, ${trials.reused} reused, ${trials.failed} failed, ${trials.pending} pending`
  return [
    `${name}: ${counts}; ${countOf(summary.requests, 'request')}`,
    ...(allowance === null ? [] : [describeAllowance(allowance, when)]),
    ...(best === null ? [] : describeRunBest(best)),
    ...(revision === null ? [] : [`kept beside the study: dcalab leaderboard ${revision}`]),
    ...(summary.stoppedBy === null ? [] : [`stopped by: ${summary.stoppedBy}`]),
  ]
}

/** "allowance: 100 of 100 used, 0 free; reopens at …" */
export function describeAllowance(
  { used, limit, available, nextAt, source }: NonNullable<RunSummary['allowance']>,
  when: TimeWords,
): string {
  const counts = `daily limit: ${used} of ${limit} used, ${available} left`
  return [counts, ...describeReopening(nextAt, source, when)].join('; ')
}

/** The command after a run that stopped before its end: the same once more, or what resolves it; undefined = it follows from its results. */
export function describeNext(
  { stoppedBy }: Pick<RunSummary, 'stoppedBy'>,
  { given, dryRun }: { readonly given: string; readonly dryRun: boolean },
): string | null | undefined {
  if (dryRun || stoppedBy === 'limit' || stoppedBy === 'interrupt') return `dcalab run ${given}`
  if (stoppedBy === 'allowance') return `dcalab run ${given} --wait`
  if (stoppedBy === 'unresolved') return 'dcalab service jobs resolve'
  return stoppedBy === null || stoppedBy === 'enough' ? undefined : null // why it stopped says what to do
}
