/** `dcalab run`: plans a study, submits what is missing, polls, stores. Continues where it stopped. */
import { BACKTEST_ALLOWANCE } from '../../contract/refusals.ts'
import { Failure } from '../../errors.ts'
import type { RunSummary } from '../../workbench/run/run.ts'
import type { Settings } from '../../workbench/study/settings.ts'
import type { Study } from '../../workbench/study/study.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { readInput } from '../input.ts'
import { decimal, whole } from '../option.ts'
import { countOf, formatNumber, printJson, printLines, say } from '../output.ts'
import { watchProgress } from '../run-progress.ts'
import { withService } from '../service-link.ts'
import { pathsOf, withOpenStore } from '../workbench.ts'
import { scalarMetrics } from './leaderboard.ts'

interface RunOptions extends CommonOptions {
  readonly wait?: boolean
  readonly limit?: number
  readonly dryRun?: boolean
  readonly settle?: number
  readonly maxRejects?: number
  readonly rerun?: boolean
  readonly rate?: number
  readonly allowance?: number
  readonly allowanceWindow?: number
  readonly reserve?: number
}

/** Exit codes by what stopped the run. */
export const STOP_EXIT_CODES: Readonly<Record<NonNullable<RunSummary['stoppedBy']>, number>> = {
  limit: 0,
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
  const command = program
    .command('run')
    .description('submits a study’s trials within the limits, polls, stores; continues where it stopped')
    .argument('<file>', 'study file (YAML or JSON)')
    .option('--wait', 'sleep until the allowance reopens, over days if need be')
    .addOption(whole('--limit <n>', 'submit at most n trials now', { minimum: 0 }))
    .option('--dry-run', 'say what would be submitted; nothing is sent')
    .addOption(decimal('--settle <seconds>', 'how long an unanswered submission may still arrive', { minimum: 0 }))
    .addOption(whole('--max-rejects <n>', 'stop after n rejects in a row at the start', { minimum: 1, otherwise: '3' }))
    .option('--rerun', 'submit again what already has a result')
    .addOption(whole('--rate <n>', 'requests per minute', { minimum: 1, otherwise: '110 of 120' }))
    .addOption(
      whole('--allowance <n>', 'backtests per window', { minimum: 1, otherwise: String(BACKTEST_ALLOWANCE.count) }),
    )
    .addOption(decimal('--allowance-window <hours>', 'length of the window', { minimum: 1, otherwise: '24' }))
    .addOption(whole('--reserve <n>', 'units of the allowance to leave untouched', { minimum: 0 }))
  withExamples(withCandles(withStore(command)), [
    'dcalab run studies/btc-may-2021.yaml',
    'dcalab run studies/btc-may-2021.yaml --wait --reserve 10',
  ]).action(async (file: string, options: RunOptions) => {
    const summary = await runStudyFile(context, { file, options })
    const { terminal } = context.system
    if (options.json) await printJson(terminal, { ...summary, best: shownBest(summary) })
    else await printLines(terminal, describeSummary(summary))
    if (summary.stoppedBy !== null) context.endWith(exitCodeOf(summary, context))
  })
}

export interface RunRequest {
  readonly file: string
  readonly options: RunOptions
  /** Account on the embedded service; default the researcher's. */
  readonly account?: string
}

/** Everything `run` does except printing its result; `demo` uses it too. */
export async function runStudyFile(context: Context, { file, options, account }: RunRequest): Promise<RunSummary> {
  const [{ parseStudy }, { planTrials }, { runStudy }] = await Promise.all([
    import('../../workbench/study/parse.ts'),
    import('../../workbench/study/trials.ts'),
    import('../../workbench/run/run.ts'),
  ])
  const study = parseStudy(readInput(file), { file })
  const { trials } = planTrials(study)
  const { store: path, candlesFolder } = pathsOf(context, options)
  const settings = await resolveSettings(context, candlesFolder, study)
  const { stateFolder } = context.settings()
  const counted = countRequests(context)
  return withOpenStore(context, path, (store) =>
    withService(
      counted.context,
      {
        store,
        candlesFolder,
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
          trials,
          options: {
            account: link.userEmail,
            loopback: link.loopback,
            wait: options.wait ?? false,
            dryRun: options.dryRun ?? false,
            rerun: options.rerun ?? false,
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
            ...(settings === undefined ? {} : { settings }),
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
async function resolveSettings(context: Context, candlesFolder: string, study: Study): Promise<Settings | undefined> {
  if (context.settings().baseUrl !== undefined) return undefined
  const { loadStudyCandles, settingsOnCandles } = await import('../local-candles.ts')
  const { info, warnings } = loadStudyCandles(candlesFolder, study)
  for (const { message } of warnings) say(context.system.terminal, `note: ${message}`)
  return settingsOnCandles(candlesFolder, study, info)
}

function exitCodeOf(summary: RunSummary, context: Context): number {
  const reason: unknown = context.signal.reason
  if (summary.stoppedBy === 'interrupt' && reason instanceof Failure) return reason.exitCode
  return summary.stoppedBy === null ? 0 : STOP_EXIT_CODES[summary.stoppedBy]
}

function shownBest(summary: RunSummary) {
  return summary.best === null ? null : { ...summary.best, metrics: scalarMetrics(summary.best.metrics) }
}

function describeSummary(summary: RunSummary): string[] {
  const { trials, allowance, best } = summary
  return [
    `${summary.study}: ${trials.done} of ${trials.total} done, ${trials.reused} reused, ${trials.failed} failed, ${trials.pending} pending; ${countOf(summary.requests, 'request')}`,
    `allowance: ${allowance.used} of ${allowance.limit} used, ${allowance.available} free` +
      (allowance.nextAt === null ? '' : `; the next one fits at ${allowance.nextAt}`),
    ...(best === null
      ? []
      : [
          `best: ${best.trial.slice(0, 12)}, net profit ${formatNumber(best.metrics.netProfit, 2)} (${formatNumber(best.metrics.roiPercent, 2)} %), ` +
            `drawdown ${formatNumber(best.metrics.maxDrawdownPercent, 2)} %, ${best.metrics.closedDeals} deals${best.interval === null ? '' : `, on ${best.interval} candles`}`,
        ]),
    ...(summary.stoppedBy === null ? [] : [`stopped by: ${summary.stoppedBy}`]),
  ]
}
