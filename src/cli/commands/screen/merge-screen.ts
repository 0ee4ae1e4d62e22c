/** `dcalab screen merge`: the parts of a screen put together. What it says is what a single run would have said. */
import { availableParallelism } from 'node:os'
import type { Command } from 'commander'
import { Failure } from '../../../errors.ts'
import type { GatheredParts } from '../../../workbench/screen/parts/gather-parts.ts'
import type { Study } from '../../../workbench/study/study.ts'
import { type CommonOptions, type Context, withCandles, withExamples, withStore } from '../../context.ts'
import { withProgress } from '../../long-work.ts'
import { whole } from '../../option.ts'
import { printAnswer, printJson, say } from '../../output.ts'
import { pathsOf } from '../../workbench.ts'
import { describeFolding, describeReport } from './describe-screen.ts'
import { demandStore, keepScreen, yieldToOthers } from './ground-of-screen.ts'

interface MergeOptions extends CommonOptions {
  readonly workers?: number
  readonly save?: boolean
  readonly nice?: boolean
}

export const MOST_WORKERS = 256

export function addMerge(screen: Command, context: Context): void {
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
  ]).action((folder: string, options: MergeOptions) => mergeFolder(context, folder, options))
}

async function mergeFolder(context: Context, folder: string, given: MergeOptions): Promise<void> {
  yieldToOthers(given.nice)
  const { terminal } = context.system
  const { study, report, of } = await screenFromParts(context, folder, given)
  if (given.json) await printJson(terminal, { ...report, parts: { n: of, missing: [] } })
  else await printAnswer(terminal, [`merged from ${of} parts`, ...describeReport(study, report)])
  for (const note of describeFolding(report)) say(terminal, `note: ${note}`)
}

async function screenFromParts(context: Context, folder: string, options: MergeOptions) {
  const { clock } = context.system
  const startedAt = clock.monotonic()
  const [{ gatherParts }, { mergeParts, studyOfParts }, { reportScreening }] = await Promise.all([
    import('../../../workbench/screen/parts/gather-parts.ts'),
    import('../../../workbench/screen/parts/merge-parts.ts'),
    import('../../../workbench/screen/screen.ts'),
  ])
  const gathered = await withProgress(context, async (tell) =>
    gatherParts(folder, (done, files) => tell(`${done} of ${files} parts read`)),
  )
  const study = studyOfParts(gathered)
  const { store: path, candlesFolder } = pathsOf(context, options)
  const markets = await candlesOfParts(candlesFolder, study, gathered)
  if (options.save) await demandStore(context, path)
  const screening = await mergeParts({
    gathered,
    study,
    markets,
    workerFile: new URL('screen-worker.js', context.workerFile), // it is built beside the engine worker
    workers: options.workers ?? availableParallelism(),
    signal: context.signal,
  })
  const { parts } = gathered
  const workers = Math.max(...parts.map(({ work }) => work.workers))
  // What all parts took one after the other, so that config-years per minute are those of one machine.
  const elapsedMs = parts.reduce((sum, { work }) => sum + work.elapsedMs, Math.max(1, clock.monotonic() - startedAt))
  const reported = reportScreening({ study, markets, screening: { ...screening, workers }, elapsedMs })
  await keepScreen(context, path, { study, perMarket: reported.perMarket, save: options.save === true })
  return { study, report: reported.report, of: gathered.of }
}

/** The best are measured on the candles of the parts. @throws Failure candlesMissing saying what cannot be done without them */
async function candlesOfParts(folder: string, study: Study, { parts: [{ header }], of }: GatheredParts) {
  const [{ loadMarket }, { isInterval, marketName }] = await Promise.all([
    import('../../screened-markets.ts'),
    import('../../../contract/market.ts'),
  ])
  return header.markets.map(({ candles }) => {
    const market = study.markets.find((known) => marketName(known) === candles.market)
    const { interval } = candles
    if (market === undefined || !isInterval(interval))
      throw new Failure(
        'partsRefused',
        `the parts name candles that their study cannot have: ${candles.market} ${interval}`,
      )
    try {
      return loadMarket(folder, { ...study, interval }, market)
    } catch (cause) {
      if (!(cause instanceof Failure) || cause.code !== 'candlesMissing') throw cause
      throw new Failure(
        'candlesMissing',
        `all ${of} parts are here, but their best cannot be ranked or measured: ${cause.message}`,
        {
          cause,
          problems: cause.problems,
          hint: `merge where the candles of ${candles.market} are (${interval}, hash ${candles.hash.slice(0, 12)}…), or bring them into the candle folder`,
        },
      )
    }
  })
}
