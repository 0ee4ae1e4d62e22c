/** `dcalab run`: plans a study, submits what is missing, polls, stores. Continues where it stopped. */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { BACKTEST_ALLOWANCE } from '../../contract/bodies.ts'
import { METRICS } from '../../contract/metrics.ts'
import { Failure } from '../../errors.ts'
import type { Progress } from '../../workbench/run/progress.ts'
import type { RunSummary } from '../../workbench/run/run.ts'
import { type Context, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { sameQuestion, withGivenStudy } from '../given-study.ts'
import { withHeartbeat, withProgress } from '../long-work.ts'
import { columnTitle, scalarMetrics } from '../metrics-table.ts'
import { ADVANCED, decimal, option, whole } from '../option.ts'
import {
  countOf,
  formatDuration,
  formatNumber,
  formatTime,
  jsonText,
  printJson,
  printLines,
  say,
  type TimeWords,
  timesShown,
} from '../output.ts'
import { describeAllowance, type ProgressWatch, type RunCommandOptions, runStudyFile } from '../run-study-file.ts'
import { pathsOf, withOpenStore } from '../workbench.ts'

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
  inconsistent: 5,
  busy: 5,
  store: 6,
  interrupt: 130,
}

/** What people read: `limit` is that of `--max`, and no daily one. */
export function stopInWords(stoppedBy: NonNullable<RunSummary['stoppedBy']>): string {
  if (stoppedBy === 'limit') return '--max'
  return stoppedBy === 'allowance' ? 'the daily limit' : stoppedBy
}

export const runCommand: Register = (program, context) => {
  const command = withGivenStudy(program.command('run'))
    .description('run a study’s backtests; start again to continue')
    .option('--wait', 'wait for the daily limit, over days if necessary')
    .addOption(whole('--max <n>', 'send at most n backtests now', { minimum: 0 }))
    .option('--part <i/n>', 'send one of n parts of the trials: 1/2, or auto/20')
    .option('--dry-run', 'show what would be sent, without sending it')
    .addOption(
      decimal('--settle <seconds>', 'wait this long for an unanswered submission', { minimum: 0 }).helpGroup(ADVANCED),
    )
    .addOption(
      whole('--max-rejects <n>', 'stop after n rejects in a row at the start', {
        minimum: 1,
        otherwise: '3',
      }).helpGroup(ADVANCED),
    )
    .option('--rerun', 'send again what already has a result, oldest first')
    .option('--retry-rejected', 'send rejected backtests again')
    .addOption(whole('--rate <n>', 'requests per minute', { minimum: 1, otherwise: '110 of 120' }))
    .addOption(
      whole('--allowance <n>', 'backtests per window', { minimum: 1, otherwise: String(BACKTEST_ALLOWANCE.count) }),
    )
    .addOption(decimal('--allowance-window <hours>', 'length of the window', { minimum: 1, otherwise: '24' }))
    .addOption(whole('--reserve <n>', 'backtests to keep for other uses', { minimum: 0 }).helpGroup(ADVANCED))
    .addOption(option('--trust-clock', 'trust this clock: later stored times are wrong').helpGroup(ADVANCED))
    .addOption(
      option('--log <format>', 'write stderr as one JSON object a line: ndjson')
        .choices(['ndjson'])
        .helpGroup(ADVANCED),
    )
    .addOption(
      option('--on-end <command>', 'run this command at the end; DCALAB_RUN_… describe the run').helpGroup(ADVANCED),
    )
    .addOption(option('--anyway', 'continue although service and screen disagree').helpGroup(ADVANCED))
    .addOption(
      whole('--workers <n>', 'threads of the local screen', { minimum: 1, maximum: 256, otherwise: 'one per core' }),
    )
  withExamples(withCandles(withStore(command)), [
    'dcalab run studies/btc-may-2021.yaml',
    'dcalab run btc-may-2021 --period 2021-06-01..2021-07-01 --wait --reserve 10',
  ]).action((file: string, options: RunCommandOptions) => runAndReport(context, file, options))
}

type Best = NonNullable<RunSummary['best']>

/** The run, its summary on stdout, and what `--log` and `--on-end` get of its end, however it ends. */
async function runAndReport(outside: Context, file: string, options: RunCommandOptions): Promise<void> {
  const log = options.log === undefined ? undefined : openRunLog(outside)
  const context = log?.context ?? outside
  const reportEnd = (end: Omit<RunEnd, 'store'>) => announceEnd(context, { log, options, end })
  const request = { file, options, ...(log === undefined ? {} : { watch: log.watch }) }
  const summary = await runStudyFile(context, request).catch(async (error: unknown) => {
    const failure = error instanceof Failure ? error : undefined
    await reportEnd({ exitCode: failure?.exitCode ?? 1, failure: failure?.code, summary: undefined })
    throw error
  })
  const { terminal } = context.system
  const judged = await judgeBest(context, summary, options)
  if (!options.dryRun && !context.signal.aborted) await refreshExports(context, summary, options)
  reportFailures(context, summary)
  if (options.json) await printJson(terminal, { ...summary, best: shownBest(summary, judged?.json) })
  else {
    const said = describeSummary(summary, timesShown(terminal))
    const others = options.part !== undefined && summary.stoppedBy === null && (summary.trials.pending ?? 0) > 0
    await printLines(terminal, [
      ...said,
      ...(others ? ['the rest belongs to other parts: `dcalab store merge <their store>` imports them'] : []),
      ...(judged?.lines ?? []),
    ])
  }
  await context.system.clock.sleep(0) // a signal that came while it was judged is heard now, and not by what follows
  const exitCode = exitCodeOf(summary, context)
  context.endWith(exitCode)
  await reportEnd({ exitCode, summary, failure: undefined })
  context.suggestNext(describeNext(summary, file, options))
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

/** What is known; @param when how its times are written */
function describeSummary(summary: RunSummary, when: TimeWords): string[] {
  const { trials, allowance, best, revision } = summary
  const name = revision ?? summary.study
  const counts =
    trials.done === null
      ? `${countOf(trials.total, 'trial')}; how many are done is not known, as the service did not answer`
      : `${trials.done} of ${trials.total} done, ${trials.reused} reused, ${trials.failed} failed, ${trials.pending} pending`
  return [
    `${name}: ${counts}; ${countOf(summary.requests, 'request')}`,
    ...(allowance === null ? [] : [describeAllowance(allowance, when)]),
    ...(best === null ? [] : describeRunBest(best)),
    ...(revision === null ? [] : [`results of this version: dcalab leaderboard ${revision}`]),
    ...(summary.stoppedBy === null ? [] : [`stopped by: ${stopInWords(summary.stoppedBy)}`]),
  ]
}

/**
 * The command after a run that stopped before its end: the same once more, or what resolves it; null = the reason says what to do, or with `--rerun`
 * the user, since the same once more would send all of it again; undefined = it follows from its results.
 */
function describeNext(
  { stoppedBy, trials }: Pick<RunSummary, 'stoppedBy' | 'trials'>,
  file: string,
  options: RunCommandOptions,
): string | null | undefined {
  const { dryRun, rerun, retryRejected } = options
  const given = sameQuestion(file, options)
  const isNothingLeft = trials.pending === 0 && !rerun && !retryRejected
  if (dryRun) return isNothingLeft ? undefined : `dcalab run ${given}`
  if (rerun && stoppedBy !== null && stoppedBy !== 'unresolved' && stoppedBy !== 'enough') return null
  if (stoppedBy === 'limit' || stoppedBy === 'interrupt') return `dcalab run ${given}`
  if (stoppedBy === 'allowance') return `dcalab run ${given} --wait`
  if (stoppedBy === 'unresolved') return 'dcalab service jobs resolve'
  return stoppedBy === null || stoppedBy === 'enough' ? undefined : null
}

function reportFailures({ system }: Context, { trials, study, revision }: RunSummary): void {
  if (trials.failed === 0) return
  // `trials` has the current revision alone.
  const from =
    revision === null
      ? `trials where study = '${study}' and state in ('failed', 'gone')`
      : `attempts where study = '${study}' and (state = 'rejected' or job_state in ('failed', 'gone'))`
  const why = `dcalab sql "select trial, failure from ${from}"`
  const again = '--retry-rejected sends rejected ones again'
  say(system.terminal, `${trials.failed} failed; reasons: ${why}; ${again}`)
}

interface Ending {
  readonly log: RunLog | undefined
  readonly options: RunCommandOptions
  readonly end: Omit<RunEnd, 'store'>
}

async function announceEnd(context: Context, { log, options, end }: Ending): Promise<void> {
  const { summary, ...facts } = end
  const { study = null, stoppedBy = null, trials = null, best = null } = summary ?? {}
  log?.write('end', { ...facts, study, stoppedBy, trials, best: best?.trial ?? null })
  if (options.onEnd === undefined) return
  const store = resolve(pathsOf(context, options).store)
  const { onEnd } = options
  const code = await withHeartbeat(
    context,
    (elapsedMs) => `still running the --on-end command (${formatDuration(elapsedMs)})`,
    () => runOnEnd(context, onEnd, { ...end, store }),
  )
  if (log === undefined) say(context.system.terminal, `on-end ended with exit code ${code ?? '– (it was ended)'}`)
  else log.write('onEnd', { exitCode: code })
}

/** Whoever interrupts a run that has just come to its end interrupts what follows it: its verdict, its exports. */
export function exitCodeOf(summary: Pick<RunSummary, 'stoppedBy'>, context: Context): number {
  const reason: unknown = context.signal.reason
  const isOver = summary.stoppedBy === null || summary.stoppedBy === 'interrupt'
  if (isOver && reason instanceof Failure) return reason.exitCode
  return summary.stoppedBy === null ? 0 : STOP_EXIT_CODES[summary.stoppedBy]
}

function shownBest({ best }: RunSummary, verdict: unknown = null) {
  if (best === null) return null
  const markets = best.markets?.map((one) => ({ ...one, metrics: scalarMetrics(one.metrics) }))
  const metrics = scalarMetrics(best.metrics)
  return { ...best, metrics, ...(markets === undefined ? {} : { markets }), verdict }
}

/** A run that was interrupted, or planned only, judges nothing. */
async function judgeBest(context: Context, summary: RunSummary, options: RunCommandOptions) {
  const { best, study, revision, stoppedBy } = summary
  if (best === null || options.dryRun) return null
  if (context.signal.aborted) {
    if (stoppedBy === null)
      say(context.system.terminal, `the best is not judged; \`dcalab verdict ${revision ?? study}\` does it`)
    return null
  }
  return (await import('../judging.ts')).judgeStudy(context, revision ?? study, pathsOf(context, options))
}

/** Folders of Parquet files get the new results; a folder that cannot be written is named, and the run stays what it was. */
async function refreshExports(context: Context, { study }: RunSummary, options: RunCommandOptions): Promise<void> {
  const { signal, system } = context
  const { store: path } = pathsOf(context, options)
  try {
    await withOpenStore(context, path, async (store) => {
      const { refreshFolders } = await import('../../workbench/store/export/folder.ts')
      const { gone } = await withProgress(context, (showProgress) =>
        refreshFolders(store, { study, showProgress, signal }),
      )
      for (const folder of gone)
        say(system.terminal, `note: ${folder} is no export of ${path} any more; runs leave it out`)
    })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    say(system.terminal, `note: the exported files were not updated: ${error.message}`)
  }
}

const progressEveryMs = 60_000

interface RunLog {
  /** What runs in it says nothing that is not a line of the log. */
  readonly context: Context
  readonly watch: () => ProgressWatch
  readonly write: (kind: string, facts: object) => void
}

function openRunLog(context: Context): RunLog {
  const { clock, terminal } = context.system
  const write = (kind: string, facts: object) =>
    terminal.err(`${jsonText({ at: new Date(clock.wall()).toISOString(), kind, ...facts })}\n`)
  const err = (text: string) => {
    for (const line of text.split('\n')) if (line !== '') write('note', { message: line.replace(/^note: /, '') })
  }
  return {
    context: {
      ...context,
      system: { ...context.system, terminal: { ...terminal, err, errIsTerminal: false, colours: false } },
      line: { isDrawn: false, show: () => {}, clear: () => {} },
    },
    watch: () => watchForLog(context, write),
    write,
  }
}

function watchForLog({ system: { clock } }: Pick<Context, 'system'>, write: RunLog['write']): ProgressWatch {
  const over = new AbortController()
  let latest: Progress | undefined
  void keepWriting()
  return {
    emit: ({ kind, ...event }) => {
      if (kind !== 'progress' || !('total' in event)) return write(kind, event)
      if (latest === undefined) write(kind, factsOf(event))
      latest = event
    },
    end: () => over.abort(),
  }

  async function keepWriting(): Promise<void> {
    try {
      for (;;) {
        await clock.sleep(progressEveryMs, over.signal)
        if (latest !== undefined) write('progress', factsOf(latest))
      }
    } catch (error) {
      if (!over.signal.aborted) throw error
    }
  }
}

function factsOf({ reopensAt, ...progress }: Progress): object {
  return { ...progress, reopensAt: reopensAt === null ? null : formatTime(reopensAt) }
}

/** Where a run ended. */
interface RunEnd {
  readonly exitCode: number
  /** undefined = it failed before there was anything to sum up. */
  readonly summary: RunSummary | undefined
  /** Code of the failure (`errors.ts`); undefined = none. */
  readonly failure: string | undefined
  /** Path of the result store. */
  readonly store: string
}

/** Long enough to write a report and upload it. */
const longestMs = 600_000

/**
 * The command is given to the shell of the system as it was typed, and nothing of the run is put into it: no name and no word of a service can
 * become a part of a command. It has no key. After ten minutes, and with this program, it is ended with all that it started (on Windows its
 * shell alone). @returns its exit code; null = it was ended, or could not be started
 */
async function runOnEnd(context: Context, command: string, end: RunEnd): Promise<number | null> {
  const { terminal, clock } = context.system
  const isGroup = process.platform !== 'win32'
  const child = spawn(command, {
    shell: true, // sh, or cmd.exe on Windows
    detached: isGroup, // a group of its own
    env: { ...withoutKeys(context.environment), ...variablesOf(end) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', terminal.err) // stdout is for the run's data
  const stop = () => {
    for (const stream of [child.stdout, child.stderr]) stream.destroy() // whatever is left would hold them open
    try {
      if (isGroup && child.pid !== undefined) process.kill(-child.pid)
      else child.kill()
    } catch {} // nothing of it is left
  }
  const done = new AbortController()
  process.once('exit', stop)
  context.signal.addEventListener('abort', stop, { once: true, signal: done.signal })
  clock.sleep(longestMs, done.signal).then(stop, () => {}) // else it was done in time
  return new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null))
    child.on('close', resolve)
  }).finally(() => {
    process.removeListener('exit', stop)
    done.abort()
  })
}

/** Names, numbers, times and hashes of our own, and no text of a service; empty = there is none. */
function variablesOf({ exitCode, summary, failure, store }: RunEnd): Record<string, string> {
  const { study, stoppedBy, trials, allowance, best } = summary ?? {}
  const values = {
    EXIT_CODE: exitCode,
    FAILURE: failure,
    STUDY: study,
    STOPPED_BY: stoppedBy,
    TOTAL: trials?.total,
    DONE: trials?.done,
    FAILED: trials?.failed,
    PENDING: trials?.pending,
    NEXT_AT: allowance?.nextAt,
    NEXT_AT_SOURCE: allowance?.source,
    BEST: best?.trial,
  }
  const named = Object.entries(values).map(([name, value]) => [`DCALAB_RUN_${name}`, String(value ?? '')])
  return { ...Object.fromEntries(named), DCALAB_STORE: store }
}

function withoutKeys(environment: Context['environment']): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^DCALAB_.*KEY/.test(name)))
}
