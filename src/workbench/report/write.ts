/** `dcalab report`: reads, builds, and renames the finished file to its name, so that nobody ever sees a part of it. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { METRIC_NAMES, metricValue } from '../../contract/metrics.ts'
import { Failure } from '../../errors.ts'
import { renameOver, type System } from '../../system.ts'
import type { ServiceQuestion } from '../store/choose-service.ts'
import type { Store } from '../store/store.ts'
import { CHARTS, type StillChart } from './charts/charts.ts'
import { fillShape, shapeOf } from './charts/shapes.ts'
import { type Facts, type FinishedTrial, readFacts } from './facts.ts'
import { type GatherRequest, gatherStudy } from './gather.ts'
import type { CandleChoice, DriftInput, ReportInput } from './input.ts'
import { layReport } from './lay-report.ts'

export interface ReportRequest {
  readonly system: System
  readonly store: Store
  /** Names of studies in the store, at least one; a name given twice counts once. */
  readonly studies: readonly string[]
  readonly candlesFolder: string
  readonly candles: CandleChoice
  readonly findKnown: GatherRequest['findKnown']
  /** Whose results are shown. */
  readonly service?: ServiceQuestion
  readonly reportsFolder: string
  /** Where to write instead of `<reportsFolder>/<study>.<format>`; its folder must exist. */
  readonly out?: string | undefined
  readonly format: ReportFormat
  /** One chart instead of everything: a name of `CHARTS`. An SVG is always of one. */
  readonly chart?: string | undefined
}

type ReportFormat = 'html' | 'json' | 'svg'

interface WrittenReport {
  readonly path: string
  readonly bytes: number
  /** Trials in the report, whatever their state. */
  readonly trials: number
}

/**
 * One HTML file that needs nothing else; or its facts as JSON; or one of its charts, as SVG or as a Vega-Lite spec with its data.
 * @throws Failure usage without a study, for an invalid name, a chart that is not there or a place that cannot be written; notFound for a study that is not
 * in the store
 */
export async function writeReport(request: ReportRequest): Promise<WrittenReport> {
  const { system, reportsFolder, out, format, chart } = request
  const studies = [...new Set(request.studies)]
  requireFitting(request)
  const name = `${reportName(studies)}${chart === undefined ? '' : `-${safeChart(chart)}`}`
  const path = out ?? join(reportsFolder, `${name}.${format}`)
  const makesFolder = resolve(dirname(path)) === resolve(reportsFolder)
  if (!makesFolder) requireFolder(path)
  const { text, trials } = await makeReport(request)
  const bytes = Buffer.from(text, 'utf8')
  replaceFile(path, bytes, { system, makesFolder })
  return { path, bytes: bytes.length, trials }
}

/** The same as text. @throws Failure as `writeReport`, but for a place */
export async function makeReport(
  request: Omit<ReportRequest, 'reportsFolder' | 'out'>,
): Promise<{ readonly text: string; readonly trials: number }> {
  const { system, store, candlesFolder, candles, findKnown, service } = request
  requireFitting(request)
  const studies = [...new Set(request.studies)]
  const ofStudies = studies.map((name) =>
    gatherStudy(store, name, {
      ...{ candlesFolder, embedded: candles, findKnown },
      ...(service === undefined ? {} : { service }),
    }),
  )
  const text = await contentOf({ madeAt: system.clock.wall(), sections: ofStudies.flat() }, request)
  return { text, trials: ofStudies.reduce((sum, [{ trials }]) => sum + trials.length, 0) }
}

/** Part of a file's name. */
function safeChart(chart: string): string {
  return chart.replace(/[^a-z0-9-]/gi, '-').slice(0, 40)
}

function requireFitting({ format, chart }: Pick<ReportRequest, 'format' | 'chart'>): void {
  if (format === 'svg' && chart === undefined) {
    throw new Failure('usage', 'expected --chart with the name of a chart, because an SVG is of one', {
      hint: `--chart ${Object.keys(CHARTS).join(', --chart ')}`,
    })
  }
  if (format === 'html' && chart !== undefined) {
    throw new Failure('usage', `--chart ${chart} is drawn by itself, not as html`, {
      hint: 'give --format svg or --format json',
    })
  }
}

async function contentOf(
  input: ReportInput,
  { format, chart }: Pick<ReportRequest, 'format' | 'chart'>,
): Promise<string> {
  if (format === 'html') {
    const report = layReport(input)
    return report.toText(readPageRuntime(), await compiled(report.charts))
  }
  const facts = input.sections.map(readFacts)
  const { drawSvg, findChart } = await import('./drawing.ts')
  const spec = chart === undefined ? undefined : findChart(facts, chart)
  if (format === 'svg' && spec !== undefined) return drawSvg(spec)
  return `${JSON.stringify(spec ?? factsAsJson(input, facts), null, 2)}\n`
}

/** A study's, with or without the number of a revision. */
const safeName = /^[a-z0-9][a-z0-9-]{0,63}(@[1-9][0-9]{0,8})?$/
/** Device names of Windows: a file of that name cannot be made there, whatever its extension. */
const reservedName = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/

/**
 * The file name of a report, without extension: the name of the study, or those of several joined. No other text becomes a path.
 * @throws Failure usage
 */
export function reportName(studies: readonly string[]): string {
  if (studies.length === 0) throw new Failure('usage', 'expected the name of at least one study, found none')
  for (const name of studies) {
    if (!safeName.test(name) || reservedName.test(name)) {
      throw new Failure('usage', `expected a study name (a–z, 0–9 and -, at most 64), found ${JSON.stringify(name)}`)
    }
  }
  const joined = studies.join('-and-')
  return safeName.test(joined) ? joined : `${studies[0].slice(0, 40)}-and-${studies.length - 1}-more`
}

/** A missing folder that the user named is probably an unmounted disk or a typing error. Checked before the report is computed. */
function requireFolder(path: string): void {
  const folder = dirname(path)
  try {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  } catch (error) {
    throw cannotWrite(path, error)
  }
  throw new Failure('usage', `cannot write the report to ${path}: there is no folder ${folder}`, {
    hint: 'mount its disk, make the folder (mkdir -p), or name another place with --out',
  })
}

/** Writes beside the target, then renames: an old report stays complete until the new one is. A link at the target is replaced and not followed. */
function replaceFile(
  path: string,
  bytes: Uint8Array,
  { system, makesFolder }: { readonly system: System; readonly makesFolder: boolean },
): void {
  const temporary = `${path}.${Buffer.from(system.randomBytes(6)).toString('hex')}.tmp`
  try {
    if (makesFolder) mkdirSync(dirname(path), { recursive: true })
    writeFileSync(temporary, bytes, { flag: 'wx' })
    renameOver(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw cannotWrite(path, error)
  }
}

function cannotWrite(path: string, error: unknown): Failure {
  return new Failure('usage', `cannot write the report to ${path}: ${error instanceof Error ? error.message : error}`, {
    cause: error,
    hint: 'name another place with --out',
  })
}

/** Charts of a usual shape as the build has compiled them: Vega, which takes longer to load than all else of a report, is asked for others alone. */
async function compiled(charts: readonly StillChart[]): Promise<(chart: StillChart) => string> {
  const texts = new Map<StillChart, string>()
  for (const chart of charts) {
    const { name, fills } = shapeOf(chart)
    const known = findBuilt(`charts/${name}.json`)
    texts.set(
      chart,
      known === undefined
        ? (await import('./draw.ts')).chartText(chart)
        : fillShape(readFileSync(known, 'utf8'), fills),
    )
  }
  return (chart) => texts.get(chart) ?? ''
}

/** The minified script of a report, Vega in it, as text. */
export function readPageRuntime(): string {
  const found = findBuilt('report-page.js')
  if (found === undefined) throw new Error('report-page.js is not built: npm run build')
  return readFileSync(found, 'utf8')
}

/** In the built program beside this module or one folder above its chunk; in tests, which run the source, in `dist/`. */
function findBuilt(name: string): URL | undefined {
  const places = [`./${name}`, `../${name}`, `../../../dist/${name}`]
  return places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url))
}

/**
 * What a report shows, as data: for programs that would otherwise read its page.
 * Times are ISO 8601 UTC; a number that is not known is null. Series (equity, months, deals) are left to `dcalab export`.
 */
export function factsAsJson({ madeAt }: ReportInput, sections: readonly Facts[]): unknown {
  return { madeAt: new Date(madeAt).toISOString(), sections: sections.map(sectionAsJson) }
}

function sectionAsJson(facts: Facts): unknown {
  const { study, market, input, best, varied, importance, ranked, outside, noValue, samples, failed, pending } = facts
  const standing = (name: string, trials: readonly FinishedTrial[]) =>
    trials.map((trial, index) => trialAsJson(trial, { standing: name, rank: name === 'ranked' ? index + 1 : null }))
  return {
    study: study.name,
    market,
    identity: input.identity,
    service: input.service?.name ?? null,
    simulated: facts.simulated,
    synthetic: facts.synthetic,
    period: { from: new Date(study.period.from).toISOString(), to: new Date(study.period.to).toISOString() },
    holdout: study.holdout && {
      from: new Date(study.holdout.from).toISOString(),
      to: new Date(study.holdout.to).toISOString(),
    },
    objective: study.objective,
    varied,
    best: best?.fingerprint ?? null,
    verdict: input.best?.verdict ?? null,
    counts: {
      finished: facts.finished.length,
      failed: failed.length,
      pending: pending.length,
    },
    tried: input.tried,
    spending: input.spending,
    importance: importance.kind === 'found' ? importance : null,
    examined: [...input.examinations.keys()],
    trials: [
      ...standing('ranked', ranked),
      ...standing('outside', outside),
      ...standing('noValue', noValue),
      ...standing('sample', samples),
    ],
    promotions: input.promotions.map(({ fingerprint, ...kept }) => ({ trial: fingerprint, ...kept })),
    drifts: input.drifts.map(driftAsJson),
    withoutResult: failed.map(({ fingerprint, state, failure }) => ({ trial: fingerprint, state, failure })),
  }
}

/** A bot beside its backtest; of one in whose time a closed hold-out lies, nothing but that it was compared. */
function driftAsJson({ check, isHidden }: DriftInput): unknown {
  const { series, checkedAt, span, identity, botId, botName, trial, ...found } = check
  const about = { identity, botId, botName, trial, checkedAt: new Date(checkedAt).toISOString() }
  if (isHidden) return { ...about, hidden: 'the hold-out of the study lies in its time and is closed' }
  const inTime = { from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() }
  return { ...about, hidden: null, span: inTime, ...found }
}

function trialAsJson(
  { fingerprint, config, metrics, jobId }: FinishedTrial,
  place: { readonly standing: string; readonly rank: number | null },
): unknown {
  return {
    trial: fingerprint,
    ...place,
    jobId,
    config,
    metrics: {
      ...Object.fromEntries(METRIC_NAMES.map((name) => [name, metricValue(metrics, name)])),
      sampleSize: metrics.sampleSize,
    },
  }
}
