/** `dcalab screen`: a whole grid on the local engine over local candles, or a part of one. Nothing is sent, nothing is spent. */
import { availableParallelism } from 'node:os'
import { Failure } from '../../../errors.ts'
import type { ScreenReport, ScreenReportAcross } from '../../../workbench/store/screen-record.ts'
import type { Study } from '../../../workbench/study/study.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../../context.ts'
import { type ReplacingOptions, readGivenStudy, withGivenStudy } from '../../given-study.ts'
import { shellWord } from '../../next-command.ts'
import { option, whole } from '../../option.ts'
import { printAnswer, printJson, say } from '../../output.ts'
import { showScreenProgress } from '../../screen-progress.ts'
import { pathsOf } from '../../workbench.ts'
import { describeFolding, describeReport } from './describe-screen.ts'
import { foreseePart } from './foresee-part.ts'
import { demandStore, keepScreen, loadSaying, openPoints, yieldToOthers } from './ground-of-screen.ts'
import { addMerge, MOST_WORKERS } from './merge-screen.ts'
import { describePoints, screenOnePart } from './one-part.ts'

interface ScreenCliOptions extends CommonOptions, ReplacingOptions {
  readonly top: number
  readonly workers?: number
  readonly save?: boolean
  readonly part?: string
  readonly out?: string
  readonly depth?: string
  readonly points?: string
  readonly nice?: boolean
  readonly dryRun?: boolean
}

const MOST_TOP = 10_000

export const screenCommand: Register = (program, context) => {
  const command = withGivenStudy(program.command('screen'))
    .description('simulate the whole grid of a study locally (free)')
    .addOption(whole('--top <n>', 'how many of the best', { minimum: 1, maximum: MOST_TOP, default: 20 }))
    .addOption(
      whole('--workers <n>', 'threads', { minimum: 1, maximum: MOST_WORKERS, otherwise: 'one per core there is' }),
    )
    .option('--nice', 'run at the lowest priority')
    .option('--save', 'store the top and a summary per parameter')
    .addOption(option('--points <folder>', 'write every point as Parquet: configuration and metrics'))
    .addOption(option('--part <i/n>', 'screen one of n parts: 7/20, or auto/20 under a scheduler').conflicts('save'))
    .addOption(option('--out <folder>', 'folder of the part’s file'))
    .addOption(
      option('--depth <depth>', 'metrics of a part, when a merge asks: risk, backtest, pair', {
        otherwise: 'as the objective needs',
      }),
    )
    .option('--dry-run', 'estimate time and memory of a part from a sample')
  withExamples(withCandles(withStore(command)), [
    'dcalab screen studies/screen-btc-may-2021.yaml',
    'dcalab screen studies/screen-btc-may-2021.yaml --part 7/20 --top 100 --out parts/',
  ]).action(async (file: string, options: ScreenCliOptions) => {
    const { part, out, depth, dryRun, ...others } = options
    yieldToOthers(options.nice)
    if (part !== undefined) return (dryRun ? foreseePart : screenOnePart)(context, file, { ...options, part })
    const [ofPart] =
      Object.entries({ '--out': out, '--depth': depth, '--dry-run': dryRun }).find(
        ([, value]) => value !== undefined,
      ) ?? []
    if (ofPart !== undefined) throw new Failure('usage', `${ofPart} needs --part`)
    return screenWhole(context, file, others)
  })
  addMerge(command, context)
}

async function screenWhole(context: Context, file: string, options: ScreenCliOptions): Promise<void> {
  const { study, report } = await screenFile(context, file, options)
  const { terminal } = context.system
  if (options.json) await printJson(terminal, report)
  else await printAnswer(terminal, describeReport(study, report))
  for (const note of describeFolding(report)) say(terminal, `note: ${note}`)
  if (report.complete) context.suggestNext(`dcalab run ${shellWord(file)}`)
  else context.endWith(exitCodeOf(context))
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
  if (options.save) await demandStore(context, path)
  const name = `${study.name}-${study.fingerprint.slice(0, 12)}`
  const points = await openPoints(context, { folder: options.points, study, markets, name })
  const progress = showScreenProgress(context)
  try {
    const { report, perMarket } = await screenStudy({
      clock,
      workerFile: new URL('screen-worker.js', context.workerFile), // it is built beside the engine worker
      study,
      markets,
      workers: options.workers ?? availableParallelism(),
      top: options.top,
      ...(points === undefined ? {} : { points: points.sink }),
      startedAt,
      signal: context.signal,
      onProgress: progress.show,
    })
    progress.clear()
    if (points !== undefined)
      say(terminal, report.complete ? describePoints(points.keep()) : 'note: interrupted, so no points are kept')
    await keepScreen(context, path, { study, perMarket, save: options.save === true })
    return { study, report }
  } finally {
    progress.clear()
    points?.close()
  }
}

function exitCodeOf({ signal }: Context): number {
  const reason: unknown = signal.reason
  return reason instanceof Failure ? reason.exitCode : 130
}
