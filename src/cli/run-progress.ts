/** Prints the progress of a run: on a terminal as one line that is updated, elsewhere as one line per minute. */

import { METRICS } from '../contract/metrics.ts'
import { REOPENING_WORDS, type ReopeningSource } from '../workbench/run/allowance.ts'
import { type Progress, type SlowJob, waitsForAllowance } from '../workbench/run/progress.ts'
import type { RunEvent, RunSummary } from '../workbench/run/run.ts'
import type { Context } from './context.ts'
import { columnTitle } from './metrics-table.ts'
import { countOf, formatDuration, formatNumber, formatTime, say, type TimeWords, timesSaid } from './output.ts'

/** "37 of 250 done, 4 running · 4.1 a second · 52 s left". `sinceMs`: how old it is; `when`: how its times are written. */
export function describeProgress(progress: Progress, sinceMs = 0, when: TimeWords = plainTime): string {
  const { done, total, running, failed, windows, reopensAt, source, slowest } = progress
  // Nothing that ended before says when a job ends that hangs.
  const hangs = slowest !== undefined && running === 1
  const perSecond = hangs ? null : progress.perSecond
  const leftMs = progress.leftMs === null || hangs ? null : Math.max(0, progress.leftMs - sinceMs)
  const counts = [
    `${done} of ${total} done`,
    ...(running > 0 ? [`${running} running`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ]
  const time = leftMs === null ? [] : [formatDuration(leftMs)]
  const isIdle = reopensAt !== null && running === 0
  return [
    counts.join(', '),
    ...(perSecond === null || isIdle ? [] : [formatRate(perSecond)]),
    ...describeReopening(reopensAt === null ? null : Math.ceil(reopensAt / 1000) * 1000, source, when),
    ...(windows !== null && waitsForAllowance(progress)
      ? [`done after about ${countOf(windows, 'daily limit')}${time.map((text) => ` (${text})`).join('')}`]
      : time.map((text) => `${text} left`)),
    ...(slowest === undefined ? [] : [describeSlow(slowest, sinceMs, when)]),
  ].join(' · ')
}

/** "next backtest, counted here, at 2026-01-02 00:01:00Z"; nothing where one is free now. */
export function describeReopening(
  at: number | string | null,
  source: ReopeningSource | null,
  when: TimeWords,
): string[] {
  return at === null || source === null ? [] : [`${REOPENING_WORDS[source]} ${when(at)}`]
}

function plainTime(at: number | string | null): string {
  return typeof at === 'number' ? formatTime(at) : (at ?? '-')
}

function describeSlow({ runsForMs, longestMs, stallsAt }: SlowJob, sinceMs: number, when: TimeWords): string {
  const others = longestMs === null ? 'none has ended yet' : `usual: up to ${formatDuration(longestMs)}`
  const givenUpAt = when(Math.ceil(stallsAt / 1000) * 1000)
  return `oldest job: ${formatDuration(runsForMs + sinceMs)} so far, skipped at ${givenUpAt} (${others})`
}

/** A rate per second, minute or hour: the first unit in which it is at least one. */
function formatRate(perSecond: number): string {
  if (perSecond >= 1) return `${perSecond.toFixed(1)} a second`
  if (perSecond * 60 >= 1) return `${(perSecond * 60).toFixed(1)} a minute`
  return `${(perSecond * 3600).toFixed(1)} an hour`
}

const refreshMs = 1_000
/** Logs and pipes: seldom enough to be read, often enough to show that the program is alive. */
const lineEveryMs = 60_000

export interface ProgressWatch {
  readonly emit: (event: RunEvent) => void
  readonly end: () => void
}

/** Reports progress until `end` is called. Between two events the remaining time counts down. */
export function watchProgress({ system, line }: Pick<Context, 'system' | 'line'>): ProgressWatch {
  const { clock, terminal } = system
  const over = new AbortController()
  let latest: { readonly progress: Progress; readonly at: number } | undefined
  const words = () =>
    latest === undefined
      ? 'waiting for the service to answer'
      : describeProgress(latest.progress, clock.monotonic() - latest.at, timesSaid(terminal))
  void keepReporting()
  return {
    emit: (event) => {
      if (event.kind === 'warning') return say(terminal, `note: ${event.message}`)
      if (event.kind !== 'progress') return say(terminal, event.message)
      latest = { progress: event, at: clock.monotonic() }
      line.show(words())
    },
    end: () => {
      over.abort()
      line.clear()
    },
  }

  async function keepReporting(): Promise<void> {
    try {
      for (;;) {
        await clock.sleep(line.isDrawn ? refreshMs : lineEveryMs, over.signal)
        if (line.isDrawn) line.show(words())
        else say(terminal, words())
      }
    } catch (error) {
      if (!over.signal.aborted) throw error
    }
  }
}

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

/** What is known; @param when how its times are written */
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
    ...(revision === null ? [] : [`results of this version: dcalab leaderboard ${revision}`]),
    ...(summary.stoppedBy === null ? [] : [`stopped by: ${summary.stoppedBy}`]),
  ]
}

/** "daily limit: 100 of 100 used, 0 left; reopens at …" */
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
