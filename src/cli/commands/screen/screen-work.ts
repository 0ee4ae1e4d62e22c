/** What each form of `dcalab screen` does around the work itself: the candles before, the store after. */
import { availableParallelism, setPriority } from 'node:os'
import type { CandlesBody } from '../../../contract/bodies.ts'
import { isInterval, marketName } from '../../../contract/market.ts'
import type { Metrics } from '../../../contract/metrics.ts'
import { ENGINE_VERSION } from '../../../engine/backtest.ts'
import { Failure } from '../../../errors.ts'
import { warning } from '../../../workbench/analysis/warnings/warnings.ts'
import type { Depth } from '../../../workbench/screen/measures.ts'
import {
  type GatheredParts,
  gatherParts,
  mergeParts,
  studyOfParts,
} from '../../../workbench/screen/parts/merge-parts.ts'
import {
  type KeptPoints,
  openPointFile,
  type PointFile,
  type PointsToWrite,
} from '../../../workbench/screen/point-file.ts'
import { reportScreening, screenStudy } from '../../../workbench/screen/screen.ts'
import { findOpening } from '../../../workbench/store/holdouts.ts'
import type { MarketScreen, ScreenReport, ScreenReportAcross } from '../../../workbench/store/screen-record.ts'
import { saveScreen } from '../../../workbench/store/screens.ts'
import { storeIsThere } from '../../../workbench/store/store.ts'
import { demandLevels } from '../../../workbench/study/axis-levels.ts'
import { configFingerprint, gridFingerprint, shortIds } from '../../../workbench/study/fingerprint.ts'
import type { Study } from '../../../workbench/study/study.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { type ReplacingOptions, readGivenStudy, sameQuestion } from '../../given-study.ts'
import { describeFailure, loadMarket, loadMarkets } from '../../local-candles.ts'
import { showScreenProgress, withProgress } from '../../long-work.ts'
import { metricTitle } from '../../metrics-table.ts'
import { countOf, formatBytes, formatNumber, formatTime, type Line, printAnswer, printJson, say } from '../../output.ts'
import { rankingTable, variedFields } from '../../ranking-table.ts'
import { pathsOf, recordTried, withOpenStore } from '../../workbench.ts'

/** `os.constants.priority.PRIORITY_LOW`: everything else goes first. */
const LOW_PRIORITY = 19

/** Threads that are started afterwards have the lowest priority: others come first, and an idle machine is not slower for it. */
export function yieldToOthers(nice: boolean | undefined): void {
  if (nice) setPriority(LOW_PRIORITY)
}

/** Says which candles are missing, and which markets are left out for that. */
export async function loadSaying({ system }: Context, candlesFolder: string, study: Study) {
  const { markets, leftOut } = loadMarkets(candlesFolder, study)
  for (const { info } of markets) {
    const { market, missing, count } = info
    const place = study.markets.length === 1 ? '' : `${market}: `
    if (missing > 0) say(system.terminal, `note: ${place}${warning('candlesGap', { missing, count }).message}`)
  }
  for (const { market, failure } of leftOut) {
    say(system.terminal, `note: ${market} is left out: ${describeFailure(failure)}`)
  }
  return markets
}

/** Opens the store once, so that an unusable one is found before the work. @throws Failure storeUnusable */
async function demandStore(context: Context, path: string): Promise<void> {
  await withOpenStore(context, path, async () => {})
}

/** Where `--points` writes every point, if it is given. `name`: without its ending. @throws Failure storeUnusable */
export function openPoints(
  { system }: Context,
  { folder, ...file }: Pick<PointsToWrite, 'study' | 'markets' | 'name'> & { readonly folder: string | undefined },
): PointFile | undefined {
  if (folder === undefined) return undefined
  return openPointFile({ ...file, folder, tag: unpredictableTag(system) })
}

/** Twelve digits for the name of an unfinished file: numbers of processes are equal in containers, and on two machines with one disk. */
export function unpredictableTag({ randomBytes }: Context['system']): string {
  return Buffer.from(randomBytes(6)).toString('hex')
}

interface Screened {
  readonly study: Study
  readonly perMarket: readonly MarketScreen[]
}

/** Keeps what a screen found where that is wanted, and counts what was tried. */
async function keepScreen(
  context: Context,
  path: string,
  { study, perMarket, save }: Screened & { readonly save: boolean },
): Promise<void> {
  if (save) {
    const screen = { study, engineVersion: ENGINE_VERSION, markets: perMarket }
    await withOpenStore(context, path, (store) => saveScreen(store, screen))
    say(context.system.terminal, `saved in ${path}: see the tables screen, screen_result and screen_parameter`)
  }
  for (const { report } of perMarket) {
    await recordScreened(context, path, { study, market: report.candles.market, configs: report.distinct })
  }
}

/** `configs`: those that were simulated on this market. */
export async function recordScreened(
  context: Context,
  path: string,
  { study, market, configs }: { readonly study: Study; readonly market: string; readonly configs: number },
): Promise<void> {
  const triedHere = { period: study.period, source: 'screen', key: gridFingerprint(study) } as const
  await recordTried(context, path, { ...triedHere, market, configs })
}

type AnyReport = ScreenReport | ScreenReportAcross

/** Configurations may differ in something without effect, such as a stop that is never touched. The top shows one of them. */
function describeFolding(report: AnyReport): string[] {
  const { top, folded, comparedOnly } = report
  const notes: string[] = []
  if (folded > 0) {
    const shown = top.length === 1 ? 'this one' : `one of these ${top.length}`
    const where = 'markets' in report ? ' on every market' : ''
    notes.push(`${folded} more trade identically to ${shown}${where} and are not listed`)
  }
  if (comparedOnly !== null) {
    notes.push(`only the best ${comparedOnly} were checked for identical trading; lower ranks may repeat`)
  }
  return notes
}

function describeReport(study: Study, report: AnyReport): Line[] {
  const candles = 'markets' in report ? report.markets.map((market) => market.candles) : [report.candles]
  return [
    ...candles.map(describeCandles),
    ...describeSpan(study),
    `${formatNumber(report.configs, 0)} configurations, ${formatNumber(report.distinct, 0)} simulated, in ${formatNumber(report.elapsedMs / 1000, 2)} s with ` +
      countOf(report.workers, 'worker') +
      (report.complete ? '' : '; interrupted, this is the best so far'),
    ...('markets' in report ? describeReducing(study, report) : []),
    '',
    ...(report.top.length === 0 ? [describeNothing(study, report)] : describeTop(study, report)),
  ]
}

function describeCandles({ market, interval, from, to, count, synthetic }: CandlesBody): string {
  return `${market} ${interval}, ${from} to ${to}: ${count} candles${synthetic ? ', synthetic' : ''}`
}

function describeSpan({ holdout }: Study): string[] {
  if (holdout === null) return []
  return [`held out, not screened: ${formatTime(holdout.from)} to ${formatTime(holdout.to)}`]
}

function describeReducing({ objective }: Study, { across, markets, missing }: ScreenReportAcross): string[] {
  const leftOut = missing.length === 0 ? '' : `; partial, without ${missing.join(', ')}`
  const count = markets.length === 1 ? 'one market' : `${markets.length} markets`
  return [`${metricTitle(objective.metric)}: the ${across} of ${count}${leftOut}`]
}

function describeNothing({ objective: { metric, where } }: Study, report: AnyReport): string {
  if (where.length === 0)
    return `${metricTitle(metric)} is undefined for every configuration simulated${report.complete ? '' : ' so far'}`
  const bounds = `the limits of the objective${'markets' in report ? ' on every market' : ''}`
  if (report.complete) return `no configuration is within ${bounds}`
  return `no configuration simulated so far is within ${bounds}`
}

function describeTop(study: Study, report: AnyReport): Line[] {
  const measured = (metrics: Metrics) => ({ metrics, period: study.period })
  const ids = shortIds(report.top.map(({ config }) => configFingerprint(config)))
  const rows = report.top.map((row, at) => ({
    rank: row.rank,
    id: ids[at],
    config: row.config,
    value: 'markets' in row ? row.value : null,
    results: 'markets' in row ? row.markets.map(({ metrics }) => measured(metrics)) : [measured(row.metrics)],
  }))
  const across = 'markets' in report ? { across: report.across } : {}
  return rankingTable(rows, {
    objective: { ...study.objective, ...across },
    varied: variedFields(study.axes),
    markets: 'markets' in report ? report.markets.map(({ candles }) => candles.market) : [report.candles.market],
  })
}

export interface ScreenCliOptions extends CommonOptions, ReplacingOptions {
  readonly top: number
  readonly workers?: number
  readonly save?: boolean
  readonly part?: string
  readonly out?: string
  readonly depth?: Depth
  readonly points?: string
  readonly nice?: boolean
  readonly dryRun?: boolean
}

export async function screenWhole(context: Context, file: string, options: ScreenCliOptions): Promise<void> {
  const { study, report } = await screenFile(context, file, options)
  const { terminal } = context.system
  if (options.json) await printJson(terminal, report)
  else await printAnswer(terminal, describeReport(study, report))
  for (const note of describeFolding(report)) say(terminal, `note: ${note}`)
  if (!report.complete) return context.endWith(exitCodeOf(context))
  const { store: path } = pathsOf(context, options)
  const isOver =
    storeIsThere(path) && (await withOpenStore(context, path, async (store) => findOpening(store, study.name)))
  if (!isOver) context.suggestNext(`dcalab run ${sameQuestion(file, options)}`)
}

async function screenFile(
  context: Context,
  file: string,
  options: ScreenCliOptions,
): Promise<{ readonly study: Study; readonly report: AnyReport }> {
  const { clock, terminal } = context.system
  const startedAt = clock.monotonic()
  const { store: path, candlesFolder } = pathsOf(context, options)
  const { study } = await readGivenStudy(context, file, { ...options, store: path })
  demandLevels(study, { file })
  const markets = await loadSaying(context, candlesFolder, study)
  if (options.save) await demandStore(context, path)
  const name = `${study.name}-${study.fingerprint.slice(0, 12)}`
  const points = openPoints(context, { folder: options.points, study, markets, name })
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

export interface MergeOptions extends CommonOptions {
  readonly workers?: number
  readonly save?: boolean
  readonly nice?: boolean
}

export async function mergeFolder(context: Context, folder: string, given: MergeOptions): Promise<void> {
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
  const gathered = await withProgress(context, async (showProgress) =>
    gatherParts(folder, (done, files) => showProgress(`${done} of ${files} parts read`)),
  )
  const study = studyOfParts(gathered)
  const { store: path, candlesFolder } = pathsOf(context, options)
  const markets = candlesOfParts(candlesFolder, study, gathered)
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
function candlesOfParts(folder: string, study: Study, { parts: [{ header }], of }: GatheredParts) {
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

/** Of `--points`. */
export function describePoints({ path, rows, bytes }: KeptPoints): string {
  return `${path}: ${rows} rows, ${formatBytes(bytes)}`
}
