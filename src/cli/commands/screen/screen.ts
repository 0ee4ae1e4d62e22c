/** `dcalab screen`: a whole grid on the local engine over local candles, or a part of one. Nothing is sent, nothing is spent. */
import type { Command } from 'commander'
import { Failure } from '../../../errors.ts'
import type { Depth } from '../../../workbench/screen/measures.ts'
import { type Context, type Register, withCandles, withExamples, withStore } from '../../context.ts'
import { withGivenStudy } from '../../given-study.ts'
import { option, whole } from '../../option.ts'
import type { MergeOptions, ScreenCliOptions } from './screen-work.ts'

/** Here, so that `--help` loads no room. */
const DEPTHS: readonly Depth[] = ['profit', 'used', 'risk', 'stress', 'backtest', 'pair']
const MOST_TOP = 10_000
const MOST_WORKERS = 256

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
      option('--depth <depth>', 'metrics of a part, if a merge asks: used, risk, backtest', {
        otherwise: 'as the objective needs',
      }).choices(DEPTHS),
    )
    .option('--dry-run', 'estimate time and memory of a part from a sample')
  withExamples(withCandles(withStore(command)), [
    'dcalab screen studies/screen-btc-may-2021.yaml',
    'dcalab screen studies/screen-btc-may-2021.yaml --part 7/20 --top 100 --out parts/',
  ]).action(async (file: string, options: ScreenCliOptions) => {
    const { part, out, depth, dryRun, ...others } = options
    const { screenWhole, yieldToOthers } = await import('./screen-work.ts')
    yieldToOthers(options.nice)
    if (part !== undefined) {
      const { foreseePart, screenOnePart } = await import('./one-part.ts')
      return (dryRun ? foreseePart : screenOnePart)(context, file, { ...options, part })
    }
    const [ofPart] =
      Object.entries({ '--out': out, '--depth': depth, '--dry-run': dryRun }).find(
        ([, value]) => value !== undefined,
      ) ?? []
    if (ofPart !== undefined) throw new Failure('usage', `${ofPart} needs --part`)
    return screenWhole(context, file, others)
  })
  addMerge(command, context)
}

function addMerge(screen: Command, context: Context): void {
  const command = screen
    .command('merge')
    .description('join the parts of a screen into one result')
    .argument('<folder>', 'where `screen --part` wrote them')
    .addOption(
      whole('--workers <n>', 'threads', { minimum: 1, maximum: MOST_WORKERS, otherwise: 'one per core there is' }),
    )
    .option('--nice', 'run at the lowest priority')
    .option('--save', 'store the top and a summary per parameter')
  withExamples(withCandles(withStore(command)), [
    'dcalab screen merge parts/',
    'dcalab screen merge parts/ --save --json',
  ]).action(async (folder: string, options: MergeOptions) => {
    const { mergeFolder } = await import('./screen-work.ts')
    return mergeFolder(context, folder, options)
  })
}
