/** `dcalab run`: plans a study, submits what is missing, polls, stores. Continues where it stopped. */
import { type Market, marketName } from '../../contract/market.ts'
import { BACKTEST_ALLOWANCE } from '../../contract/refusals.ts'
import { Failure } from '../../errors.ts'
import type { Searching } from '../../workbench/run/options.ts'
import type { RunSummary } from '../../workbench/run/run.ts'
import type { Settings } from '../../workbench/study/settings.ts'
import type { Study } from '../../workbench/study/study.ts'
import { refuseOtherHoldout } from '../agent-limits.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { describeSummary } from '../describe-run.ts'
import { type ReplacingOptions, readGivenStudy, withGivenStudy } from '../given-study.ts'
import { scalarMetrics } from '../metrics-table.ts'
import { decimal, whole } from '../option.ts'
import { printJson, printLines, say } from '../output.ts'
import { watchProgress } from '../run-progress.ts'
import { withService } from '../service-link.ts'
import { pathsOf, withKnownStore, withOpenStore } from '../workbench.ts'

interface RunOptions extends CommonOptions, ReplacingOptions {
  readonly wait?: boolean
  readonly limit?: number
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
}

/** Exit codes by what stopped the run. */
export const STOP_EXIT_CODES: Readonly<Record<NonNullable<RunSummary['stoppedBy']>, number>> = {
  limit: 0,
  budget: 3,
  enough: 0,
  agreement: 7,
  allowance: 3,
  refusal: 4,
  rejects: 4,
  unreachable: 5,
  unresolved: 5,
  busy: 5,
  store: 6,
  interrupt: 130,
}

export const runCommand: Register = (program, context) => {
  const command = withGivenStudy(program.command('run'))
    .description('submits a study’s trials within the limits, polls, stores; continues where it stopped')
    .option('--wait', 'sleep until the allowance reopens, over days if need be')
    .addOption(whole('--limit <n>', 'submit at most n trials now', { minimum: 0 }))
    .option('--dry-run', 'say what would be submitted; nothing is sent')
    .addOption(decimal('--settle <seconds>', 'how long an unanswered submission may still arrive', { minimum: 0 }))
    .addOption(whole('--max-rejects <n>', 'stop after n rejects in a row at the start', { minimum: 1, otherwise: '3' }))
    .option('--rerun', 'submit again what already has a result')
    .option('--retry-rejected', 'submit again what the service rejected, once its reason is mended')
    .addOption(whole('--rate <n>', 'requests per minute', { minimum: 1, otherwise: '110 of 120' }))
    .addOption(
      whole('--allowance <n>', 'backtests per window', { minimum: 1, otherwise: String(BACKTEST_ALLOWANCE.count) }),
    )
    .addOption(decimal('--allowance-window <hours>', 'length of the window', { minimum: 1, otherwise: '24' }))
    .addOption(whole('--reserve <n>', 'units of the allowance to leave untouched', { minimum: 0 }))
    .option(
      '--trust-clock',
      'this machine’s clock is right, though submissions in the store are later: they count as now',
    )
    .option('--anyway', 'go on although the service and the local screen disagree')
    .addOption(
      whole('--workers <n>', 'threads of the local screen', { minimum: 1, maximum: 256, otherwise: 'one per core' }),
    )
  withExamples(withCandles(withStore(command)), [
    'dcalab run studies/btc-may-2021.yaml',
    'dcalab run btc-may-2021 --period 2021-06-01..2021-07-01 --wait --reserve 10',
  ]).action(async (file: string, options: RunOptions) => {
    const summary = await runStudyFile(context, { file, options })
    const { terminal } = context.system
    const sureness = await findSureness(context, summary, options)
    tellFailures(context, summary)
    if (options.json) await printJson(terminal, { ...summary, best: shownBest(summary, sureness?.json) })
    else await printLines(terminal, [...describeSummary(summary), ...(sureness === null ? [] : [sureness.text])])
    if (summary.stoppedBy !== null) context.endWith(exitCodeOf(summary, context))
  })
}

function tellFailures({ system }: Context, { trials, study, revision }: RunSummary): void {
  if (trials.failed === 0) return
  const why = `dcalab sql "select fingerprint, failure from trials where study = '${revision ?? study}' and state = 'failed'"`
  const again = 'what the service rejected is sent again with --retry-rejected'
  say(system.terminal, `${trials.failed} failed: ${why} says why; ${again}`)
}

export interface RunRequest {
  readonly file: string
  readonly options: RunOptions
  /** Account on the embedded service; default the researcher's. */
  readonly account?: string
  /** What is searched for, in place of what the study says. */
  readonly searchFor?: (study: Study) => Searching
}

/** Everything `run` does except printing its result; `demo` uses it too. */
export async function runStudyFile(
  context: Context,
  { file, options, account, searchFor }: RunRequest,
): Promise<RunSummary> {
  const [{ planTrials }, { runStudy }, { searchingOf }] = await Promise.all([
    import('../../workbench/study/trials.ts'),
    import('../../workbench/run/run.ts'),
    import('../searching.ts'),
  ])
  const { store: path, candlesFolder } = pathsOf(context, options)
  const { study, rerun } = await readGivenStudy(context, file, { ...options, store: path })
  if (rerun === null) await refuseOtherHoldout(context, path, study)
  const { anyway = false } = options
  const { workers } = options
  const search =
    searchFor?.(study) ??
    searchingOf(context, study, { candlesFolder, anyway, ...(workers === undefined ? {} : { workers }) })
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
        tellsProgress: true,
        ...(account === undefined ? {} : { account }),
        ...(options.rate === undefined ? {} : { ratePerMinute: options.rate }),
      },
      async (link) => {
        const progress = watchProgress(context)
        return runStudy({
          system: context.system,
          store,
          client: link.client,
          study,
          ...(rerun === null ? {} : { rerun }),
          trials,
          ...(search === undefined ? {} : { search }),
          options: {
            account: link.userEmail,
            loopback: link.loopback,
            wait: options.wait ?? false,
            dryRun: options.dryRun ?? false,
            rerun: options.rerun ?? false,
            retryRejected: options.retryRejected ?? false,
            trustClock: options.trustClock ?? false,
            ...(options.limit === undefined ? {} : { limit: options.limit }),
            ...(options.settle === undefined ? {} : { settleMs: options.settle * 1000 }),
            ...(options.maxRejects === undefined ? {} : { maxRejects: options.maxRejects }),
            ...(options.rate === undefined ? {} : { ratePerMinute: options.rate }),
            ...(options.allowance === undefined ? {} : { allowance: options.allowance }),
            ...(options.allowanceWindow === undefined
              ? {}
              : { allowanceWindowMs: options.allowanceWindow * 3_600_000 }),
            ...(stateFolder === undefined ? {} : { lockFolder: stateFolder }),
            ...(options.reserve === undefined ? {} : { reserve: options.reserve }),
            ...(settingsOn === undefined ? {} : { settingsOn }),
            ...(context.agent === undefined ? {} : { agentBudget: context.agent.budget }),
            signal: context.signal,
            countRequests: counted.count,
            onProgress: progress.tell,
          },
        }).finally(progress.end)
      },
    ),
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
    import('../local-candles.ts'),
    import('../../workbench/study/asked-settings.ts'),
  ])
  const resolved = study.markets.map((market) => {
    const { info, warnings } = loadStudyCandles(candlesFolder, study, market)
    for (const { message } of warnings) say(context.system.terminal, `note: ${message}`)
    return [marketName(market), settingsOnCandles(candlesFolder, study, { market, interval: info.interval })] as const
  })
  const settings = new Map(resolved)
  return (market) => settings.get(marketName(market)) ?? settingsOf(study)
}

/** Of a run that stopped before its end. */
export function exitCodeOf(summary: Pick<RunSummary, 'stoppedBy'>, context: Context): number {
  const reason: unknown = context.signal.reason
  if (summary.stoppedBy === 'interrupt' && reason instanceof Failure) return reason.exitCode
  return summary.stoppedBy === null ? 0 : STOP_EXIT_CODES[summary.stoppedBy]
}

function shownBest({ best }: RunSummary, examination: unknown) {
  if (best === null) return null
  const markets = best.markets?.map((one) => ({ ...one, metrics: scalarMetrics(one.metrics) }))
  const metrics = scalarMetrics(best.metrics)
  return { ...best, metrics, ...(markets === undefined ? {} : { markets }), examination }
}

/** How sure the best is, as far as it was examined: the last line, and for JSON. */
async function findSureness(context: Context, { best, study, revision }: RunSummary, options: RunOptions) {
  if (best === null) return null
  const [{ describeLastExamination, examinationForJson }, { lastExaminationOfBest }] = await Promise.all([
    import('../../workbench/store/describe-last-examination.ts'),
    import('../last-examination.ts'),
  ])
  return withKnownStore(context, pathsOf(context, options).store, async (store) => {
    const last = await lastExaminationOfBest(store, best)
    const now = context.system.clock.wall()
    return { text: describeLastExamination(last, { now, target: revision ?? study }), json: examinationForJson(last) }
  })
}
