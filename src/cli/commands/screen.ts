/** `dcalab screen`: a whole grid on the local engine over local candles. Nothing is sent, nothing is spent. */
import { availableParallelism } from 'node:os'
import { marketName } from '../../contract/market.ts'
import { metricValue } from '../../contract/metrics.ts'
import { Failure } from '../../errors.ts'
import type { ScreenProgress } from '../../workbench/screen/screen-grid.ts'
import type { ScreenReport } from '../../workbench/store/screen-record.ts'
import type { Study } from '../../workbench/study/study.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { readInput } from '../input.ts'
import { metricTitle } from '../metrics-table.ts'
import { whole } from '../option.ts'
import { formatNumber, formatTable, printJson, printLines, say } from '../output.ts'
import { recordLook } from '../record-look.ts'
import { pathsOf, withOpenStore } from '../workbench.ts'
import { shownMetrics } from './leaderboard.ts'

interface ScreenCliOptions extends CommonOptions {
  readonly top: number
  readonly workers?: number
  readonly save?: boolean
}

const MOST_TOP = 10_000
const MOST_WORKERS = 256

export const screenCommand: Register = (program, context) => {
  const command = program
    .command('screen')
    .description('the whole grid of a study, up to 10 million points, on the local engine; nothing is spent')
    .argument('<file>', 'study file (YAML or JSON)')
    .addOption(whole('--top <n>', 'how many of the best', { minimum: 1, maximum: MOST_TOP, default: 20 }))
    .addOption(whole('--workers <n>', 'threads', { minimum: 1, maximum: MOST_WORKERS, otherwise: 'one per core' }))
    .option('--save', 'keep the top and a summary per parameter in the store')
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
): Promise<{ readonly study: Study; readonly report: ScreenReport }> {
  const { clock, terminal } = context.system
  const startedAt = clock.monotonic()
  const [{ parseStudy }, { loadCandles, findSymbolRules }, { screenStudy }, { doubt }] = await Promise.all([
    import('../../workbench/study/parse.ts'),
    import('../../candles/folder/folder.ts'),
    import('../../workbench/screen/screen.ts'),
    import('../../workbench/analysis/doubts/doubts.ts'),
  ])
  const study = parseStudy(readInput(file), { file })
  const { store: path, candlesFolder } = pathsOf(context, options)
  const market = marketName(study.market)
  const loaded = loadCandles(candlesFolder, {
    market,
    ...study.period,
    ...(study.interval === null ? {} : { interval: study.interval }),
  })
  const { count, missing } = loaded.info
  if (missing > 0) say(terminal, `note: ${doubt('candlesGap', { missing, count }).message}`)

  const symbol = findSymbolRules(candlesFolder, market)
  if (options.save) await withOpenStore(context, path, async () => {}) // checked before the work and not after it
  const progress = showProgress(context)
  const { report, parameters } = await screenStudy({
    clock,
    workerFile: new URL('screen-worker.js', context.workerFile), // it is built beside the engine worker
    study,
    loaded,
    symbol,
    workers: options.workers ?? availableParallelism(),
    top: options.top,
    startedAt,
    signal: context.signal,
    onProgress: progress.show,
  }).finally(progress.clear)
  if (options.save) {
    const { saveScreen } = await import('../../workbench/store/screens.ts')
    const { ENGINE_VERSION } = await import('../../engine/backtest.ts')
    await withOpenStore(context, path, (store) =>
      saveScreen(store, { study, symbol, engineVersion: ENGINE_VERSION, report, parameters }),
    )
    say(terminal, `saved in ${path}: see the views screens, screen_top and screen_parameters`)
  }
  const { gridFingerprint } = await import('../../workbench/study/fingerprint.ts')
  const look = { market, period: study.period, source: 'screen', key: gridFingerprint(study) } as const
  await recordLook(context, path, { ...look, configs: report.distinct })
  return { study, report }
}

const SHOW_EVERY_MS = 100

/** Shows points, configs per second and the time left on one line. */
function showProgress({ system, line }: Context): { show(progress: ScreenProgress): void; clear(): void } {
  const { clock } = system
  let current = { pass: '', startedAt: 0 }
  let shownAt = Number.NEGATIVE_INFINITY
  return { show, clear: line.clear }

  function show({ pass, done, total }: ScreenProgress): void {
    const now = clock.monotonic()
    if (current.pass !== pass) current = { pass, startedAt: now }
    if (now - shownAt < SHOW_EVERY_MS && done < total) return
    shownAt = now
    const perSecond = (1000 * done) / Math.max(1, now - current.startedAt)
    const secondsLeft = Math.ceil((total - done) / perSecond)
    const percent = Math.floor((100 * done) / total)
    line.show(
      `${done} of ${total} (${percent} %), ${Math.round(perSecond)} configs/s, ${secondsLeft} s left; by ${pass}`,
    )
  }
}

function exitCodeOf({ signal }: Context): number {
  const reason: unknown = signal.reason
  return reason instanceof Failure ? reason.exitCode : 130
}

/** Configurations may differ in something without effect, such as a stop that is never touched. The top shows one of them. */
function describeFolding({ top, folded, comparedOnly }: ScreenReport): string[] {
  const notes: string[] = []
  if (folded > 0) {
    const shown = top.length === 1 ? 'this 1 stands' : `these ${top.length} behave differently and stand`
    notes.push(`${shown} for ${folded} more that are folded: their deals and their equity are the same`)
  }
  if (comparedOnly !== null) {
    notes.push(
      `the best ${comparedOnly} hold no more that behave differently; configurations behind them were not compared`,
    )
  }
  return notes
}

/** By the objective itself, the table says it all. */
function describeScore({ search, objective }: Study): string[] {
  const title = metricTitle(objective.metric)
  switch (search.score) {
    case 'point':
      return []
    case 'stressed':
      return [`ranked by stressed: ${title} on pessimistic candles and under worse costs (decisions/0007-screening.md)`]
    case 'plateau':
      return [`ranked by plateau: the mean ${title} of a configuration and its neighbours on every varied field`]
  }
}

function describeNothing({ complete, score }: ScreenReport): string {
  if (complete) return 'no configuration lies inside the objective’s bounds'
  if (score === 'plateau')
    return 'nothing to rank yet: of no configuration inside the bounds all neighbours were looked at'
  return 'no configuration that was looked at lies inside the objective’s bounds'
}

function describeReport(study: Study, report: ScreenReport): string[] {
  const { candles, top } = report
  const varied = study.axes.map(({ field }) => field)
  type Row = ScreenReport['top'][number]
  return [
    `${candles.market} ${candles.interval}, ${candles.from} to ${candles.to}: ${candles.count} candles${candles.synthetic ? ', synthetic' : ''}`,
    `${report.configs} configs, ${report.distinct} simulated, in ${formatNumber(report.elapsedMs / 1000, 2)} s with ` +
      `${report.workers} worker${report.workers === 1 ? '' : 's'}: ${report.configYearsPerMinute} config-years per minute` +
      (report.complete ? '' : '; interrupted, this is the best so far'),
    ...describeScore(study),
    '',
    ...(top.length === 0
      ? [describeNothing(report)]
      : formatTable(
          top,
          [
            { title: 'rank', value: (row) => row.rank },
            { title: 'trial', value: (row) => row.fingerprint.slice(0, 12) },
            ...varied.map((field) => ({
              title: field.replace(/^dca/, ''),
              value: (row: Row) => String(row.config[field]),
            })),
            ...(report.score === 'point' ? [] : [{ title: report.score, value: (row: Row) => row.score }]),
            ...shownMetrics(study.objective.metric).map((metric) => ({
              title: metricTitle(metric),
              value: (row: Row) => metricValue(row.metrics, metric),
            })),
          ],
          { narrow: true },
        )),
  ]
}
