/** `dcalab screen`: a whole grid on the local engine over local candles. Nothing is sent, nothing is spent. */
import { availableParallelism } from 'node:os'
import { Failure } from '../../../errors.ts'
import type { ScreenReport, ScreenReportAcross } from '../../../workbench/store/screen-record.ts'
import type { Study } from '../../../workbench/study/study.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../../context.ts'
import { type ReplacingOptions, readGivenStudy, withGivenStudy } from '../../given-study.ts'
import { whole } from '../../option.ts'
import { printJson, printLines, say } from '../../output.ts'
import { recordLook } from '../../record-look.ts'
import { showScreenProgress } from '../../screen-progress.ts'
import { pathsOf, withOpenStore } from '../../workbench.ts'
import { describeFolding, describeReport } from './describe-screen.ts'

interface ScreenCliOptions extends CommonOptions, ReplacingOptions {
  readonly top: number
  readonly workers?: number
  readonly save?: boolean
}

const MOST_TOP = 10_000
const MOST_WORKERS = 256

export const screenCommand: Register = (program, context) => {
  const command = withGivenStudy(program.command('screen'))
    .description(
      'the whole grid of a study, up to 10 million points, on the local engine, on all its markets; nothing is spent',
    )
    .addOption(whole('--top <n>', 'how many of the best', { minimum: 1, maximum: MOST_TOP, default: 20 }))
    .addOption(whole('--workers <n>', 'threads', { minimum: 1, maximum: MOST_WORKERS, otherwise: 'one per core' }))
    .option('--save', 'keep the top and a summary per parameter in the store, for each market')
  withExamples(withCandles(withStore(command)), [
    'dcalab screen studies/screen-btc-may-2021.yaml',
    'dcalab screen studies/screen-btc-may-2021.yaml --top 100 --workers 4 --save --json',
  ]).action(async (file: string, options: ScreenCliOptions) => {
    const { study, report } = await screenFile(context, file, options)
    const { terminal } = context.system
    if (options.json) await printJson(terminal, report)
    else await printLines(terminal, describeReport(study, report))
    for (const note of describeFolding(report)) say(terminal, `note: ${note}`)
    if (!report.complete) context.endWith(exitCodeOf(context))
  })
}

async function screenFile(
  context: Context,
  file: string,
  options: ScreenCliOptions,
): Promise<{ readonly study: Study; readonly report: ScreenReport | ScreenReportAcross }> {
  const { clock, terminal } = context.system
  const startedAt = clock.monotonic()
  const [{ demandLevels }, { screenStudy }] = await Promise.all([
    import('../../../workbench/study/axis-levels.ts'),
    import('../../../workbench/screen/screen.ts'),
  ])
  const { store: path, candlesFolder } = pathsOf(context, options)
  const { study } = await readGivenStudy(context, file, { ...options, store: path })
  demandLevels(study, { file })
  const markets = await loadSaying(context, candlesFolder, study)
  if (options.save) await withOpenStore(context, path, async () => {}) // checked before the work and not after it
  const progress = showScreenProgress(context)
  const { report, perMarket } = await screenStudy({
    clock,
    workerFile: new URL('screen-worker.js', context.workerFile), // it is built beside the engine worker
    study,
    markets,
    workers: options.workers ?? availableParallelism(),
    top: options.top,
    startedAt,
    signal: context.signal,
    onProgress: progress.show,
  }).finally(progress.clear)
  if (options.save) {
    const { saveScreen } = await import('../../../workbench/store/screens.ts')
    const { ENGINE_VERSION } = await import('../../../engine/backtest.ts')
    const screen = { study, engineVersion: ENGINE_VERSION, markets: perMarket }
    await withOpenStore(context, path, (store) => saveScreen(store, screen))
    say(terminal, `saved in ${path}: see the views screens, screen_top and screen_parameters`)
  }
  const { gridFingerprint } = await import('../../../workbench/study/fingerprint.ts')
  const look = { period: study.period, source: 'screen', key: gridFingerprint(study) } as const
  for (const { report: onMarket } of perMarket) {
    await recordLook(context, path, { ...look, market: onMarket.candles.market, configs: onMarket.distinct })
  }
  return { study, report }
}

/** Says which candles are missing, and which markets are left out for that. */
async function loadSaying({ system }: Context, candlesFolder: string, study: Study) {
  const [{ describeFailure, loadMarkets }, { doubt }] = await Promise.all([
    import('../../screened-markets.ts'),
    import('../../../workbench/analysis/doubts/doubts.ts'),
  ])
  const { markets, leftOut } = loadMarkets(candlesFolder, study)
  for (const { info } of markets) {
    const { market, missing, count } = info
    const place = study.markets.length === 1 ? '' : `${market}: `
    if (missing > 0) say(system.terminal, `note: ${place}${doubt('candlesGap', { missing, count }).message}`)
  }
  for (const { market, failure } of leftOut) {
    say(system.terminal, `note: ${market} is left out: ${describeFailure(failure)}`)
  }
  return markets
}

function exitCodeOf({ signal }: Context): number {
  const reason: unknown = signal.reason
  return reason instanceof Failure ? reason.exitCode : 130
}
