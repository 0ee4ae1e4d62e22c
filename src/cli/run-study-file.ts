/** A study run as `dcalab run` runs it; `demo` and `holdout --test` do so, too. */
import { type Market, marketName } from '../contract/market.ts'
import { Failure } from '../errors.ts'
import { REOPENING_WORDS, type ReopeningSource, waitsForAllowance } from '../workbench/run/allowance.ts'
import type { Progress, SlowJob } from '../workbench/run/progress.ts'
import type { RunEvent, RunSummary } from '../workbench/run/run.ts'
import type { Searching } from '../workbench/store/kept-proposals.ts'
import type { Store } from '../workbench/store/store.ts'
import type { Settings } from '../workbench/study/settings.ts'
import type { Study } from '../workbench/study/study.ts'
import { refuseOtherHoldout } from './agent-limits.ts'
import type { CommonOptions, Context } from './context.ts'
import { type ReplacingOptions, readGivenStudy } from './given-study.ts'
import { countOf, formatDuration, formatTime, say, type TimeWords, timesSaid } from './output.ts'
import { withService } from './service-link.ts'
import { pathsOf, withOpenStore } from './workbench.ts'

// Prints the progress of a run: on a terminal as one line that is updated, elsewhere as one line per minute.

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

/** "daily limit: 100 of 100 used, 0 left; reopens at …". Where the service counts fewer, or some are kept back, what is left is not the rest. */
export function describeAllowance(
  { used, limit, available, nextAt, source }: NonNullable<RunSummary['allowance']>,
  when: TimeWords,
): string {
  const left = available === limit - used || nextAt !== null ? `${available} left` : `${available} can be sent now`
  const counts = `daily limit: ${used} of ${limit} used, ${left}`
  return [counts, ...describeReopening(nextAt, source, when)].join('; ')
}

export interface RunCommandOptions extends CommonOptions, ReplacingOptions {
  readonly wait?: boolean
  readonly max?: number
  readonly part?: string
  readonly dryRun?: boolean
  readonly settle?: number
  readonly maxRejects?: number
  readonly rerun?: boolean
  readonly retryRejected?: boolean
  readonly rate?: number
  readonly allowance?: number
  readonly allowanceWindow?: number
  readonly reserve?: number
  readonly anyway?: boolean
  readonly trustClock?: boolean
  readonly workers?: number
  readonly log?: 'ndjson'
  readonly onEnd?: string
}

interface RunRequest {
  readonly file: string
  readonly options: RunCommandOptions
  /** Account on the embedded service; default the researcher's. */
  readonly account?: string
  /** Hears of the progress; default: what a person reads. */
  readonly watch?: () => ProgressWatch
  /** What is searched for, in place of what the study says. */
  readonly searchFor?: (study: Study) => Searching
}

/** Everything `run` does except printing its result; `demo` uses it too. */
export async function runStudyFile(
  context: Context,
  { file, options, account, searchFor, watch = () => watchProgress(context) }: RunRequest,
): Promise<RunSummary> {
  const [{ planTrials }, { runStudy }, { searchingOf }] = await Promise.all([
    import('../workbench/study/parse.ts'),
    import('../workbench/run/run.ts'),
    import('./searching.ts'),
  ])
  const { store: path, candlesFolder } = pathsOf(context, options)
  const { study, rerun } = await readGivenStudy(context, file, { ...options, store: path, candlesFolder })
  const part = options.part === undefined ? undefined : await readPart(context, study, options.part)
  if (rerun === null) await refuseOtherHoldout(context, path, study)
  const { anyway = false } = options
  const { workers } = options
  const search = searchFor?.(study) ?? searchingOf(context, study, { candlesFolder, anyway, workers })
  const trials = search === undefined ? planTrials(study).trials : []
  const settingsOn = await resolveSettings(context, candlesFolder, study)
  const { stateFolder } = context.settings()
  const counted = countRequests(context)
  return withOpenStore(context, path, (store) =>
    withService(
      counted.context,
      {
        store,
        candlesFolder,
        showsProgress: true,
        account,
        ratePerMinute: options.rate,
      },
      async (link) => {
        const progress = watch()
        return runStudy({
          system: context.system,
          store,
          client: link.client,
          study,
          ...(rerun === null ? {} : { rerun }),
          trials,
          search,
          options: {
            account: link.userEmail,
            loopback: link.loopback,
            wait: options.wait ?? false,
            dryRun: options.dryRun ?? false,
            rerun: options.rerun ?? false,
            retryRejected: options.retryRejected ?? false,
            trustClock: options.trustClock ?? false,
            anyway,
            limit: options.max,
            part,
            ...(options.settle === undefined ? {} : { settleMs: options.settle * 1000 }),
            maxRejects: options.maxRejects,
            ratePerMinute: options.rate,
            allowance: options.allowance,
            ...(options.allowanceWindow === undefined
              ? {}
              : { allowanceWindowMs: options.allowanceWindow * 3_600_000 }),
            lockFolder: stateFolder,
            reserve: options.reserve,
            settingsOn,
            ...(context.agent === undefined ? {} : { agentBudget: context.agent.budget }),
            signal: context.signal,
            countRequests: counted.count,
            complete: () => completeStored(context, store, { study, candlesFolder }),
            onProgress: progress.emit,
          },
        }).finally(progress.end)
      },
    ),
  )
}

/** What a service does not report is computed on the candles here, by what is known of it. */
async function completeStored(
  context: Context,
  store: Store,
  of: { readonly study: Study; readonly candlesFolder: string },
): Promise<void> {
  const [{ completeResults }, { findKnownTerms }] = await Promise.all([
    import('../workbench/evidence/examine/complete-results.ts'),
    import('./known-terms.ts'),
  ])
  const knownOf = (identity: string) => findKnownTerms(store, identity)
  const missing = await completeResults(store, { ...of, knownOf })
  const { metric } = of.study.objective
  if (missing === null || metric !== 'stressedPerUsed') return
  say(context.system.terminal, `note: some results have no ${metric}, by which the study ranks: ${missing}`)
}

/** @throws Failure usage for no part, and for a study whose trials are not known beforehand */
async function readPart(context: Context, { name, search }: Study, text: string) {
  const { readPartNumber } = await import('../workbench/screen/parts/part-number.ts')
  const part = readPartNumber(text, context.settings().arrayTasks)
  if (search.method !== 'screen') return part
  throw new Failure(
    'usage',
    `--part ${text}: ${name} uses method: screen, which chooses trials by the results of all parts`,
    { hint: 'run it on one machine; only grid, random and sobol studies can be divided' },
  )
}

/** Returns the same context with a fetch that counts requests. */
function countRequests(context: Context): { context: Context; count: () => number } {
  let requests = 0
  const counting: typeof globalThis.fetch = (input, init) => {
    requests++
    return context.system.fetch(input, init)
  }
  return { context: { ...context, system: { ...context.system, fetch: counting } }, count: () => requests }
}

/**
 * What the embedded service is asked to compute under; it uses our own candles. Missing candles are reported once here instead of once
 * per refused trial.
 */
export async function resolveSettings(
  context: Context,
  candlesFolder: string,
  study: Study,
): Promise<((market: Market) => Settings) | undefined> {
  if (context.settings().baseUrl !== undefined) {
    if (study.search.method !== 'screen') return undefined
    // What was screened is to be confirmed: a service of ours is asked for all that the screen rests on, whether the file names it or not.
    const { interval, conventions, costs } = study
    return () => ({ interval, conventions: { ...conventions }, costs, symbol: null })
  }
  const [{ loadStudyCandles, settingsOnCandles }, { settingsOf }] = await Promise.all([
    import('./local-candles.ts'),
    import('../workbench/study/parse.ts'),
  ])
  const resolved = study.markets.map((market) => {
    const { info, warnings } = loadStudyCandles(candlesFolder, study, market)
    for (const { message } of warnings) say(context.system.terminal, `note: ${message}`)
    return [marketName(market), settingsOnCandles(candlesFolder, study, { market, interval: info.interval })] as const
  })
  const settings = new Map(resolved)
  return (market) => settings.get(marketName(market)) ?? settingsOf(study)
}
