/** `dcalab screen --part`: one part of a grid into a file. It prints what it wrote and no result: a part has no top of its own. */
import { availableParallelism } from 'node:os'
import { Failure } from '../../../errors.ts'
import type { Depth } from '../../../workbench/screen/measures.ts'
import type { PartContent, PartWork } from '../../../workbench/screen/parts/part-file.ts'
import { type KeptPart, keepPart, partName } from '../../../workbench/screen/parts/part-folder.ts'
import { MOST_POINTS_IN_PARTS, type PartNumber, readPartNumber } from '../../../workbench/screen/parts/part-number.ts'
import { estimatePart, type PartEstimate, screenPart } from '../../../workbench/screen/parts/screen-part.ts'
import type { KeptPoints } from '../../../workbench/screen/point-file.ts'
import type { MarketOnCandles } from '../../../workbench/screen/screen-markets.ts'
import { demandLevels } from '../../../workbench/study/axis-levels.ts'
import { countPoints } from '../../../workbench/study/grid.ts'
import type { Study } from '../../../workbench/study/study.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { type ReplacingOptions, readGivenStudy } from '../../given-study.ts'
import { showScreenProgress } from '../../long-work.ts'
import { countOf, formatBytes, formatDuration, printJson, printLines } from '../../output.ts'
import { pathsOf } from '../../workbench.ts'
import { describePoints, loadSaying, openPoints, recordScreened, unpredictableTag } from './screen-work.ts'

/** What `--json` says of a part. */
interface PartReport {
  readonly study: string
  readonly part: { readonly i: number; readonly n: number }
  /** Points of the grid that it computed, of how many. */
  readonly configs: number
  readonly of: number
  readonly depths: readonly string[]
  readonly path: string
  readonly bytes: number
  /** Equal for equal parts, whoever computed them. */
  readonly hash: string
  /** Of `--points`; null = not asked for. */
  readonly points: KeptPoints | null
  readonly workers: number
  readonly elapsedMs: number
}

export async function screenOnePart(context: Context, file: string, options: PartOptions): Promise<void> {
  const { terminal } = context.system
  const report = await screenInto(context, file, options)
  if (options.json) return printJson(terminal, report)
  const { part, configs, of, path, bytes, points, elapsedMs } = report
  return printLines(terminal, [
    `part ${part.i} of ${part.n}: ${configs} of ${of} configs in ${formatDuration(elapsedMs)}`,
    `${path}: ${formatBytes(bytes)}`,
    ...(points === null ? [] : [describePoints(points)]),
  ])
}

async function screenInto(context: Context, file: string, options: PartOptions): Promise<PartReport> {
  const { clock } = context.system
  const startedAt = clock.monotonic()
  if (options.out === undefined)
    throw new Failure('usage', '--part needs --out, the folder that the merge reads', { hint: 'add --out parts/' })
  const given = await openPart(context, file, options)
  const { study, part, markets, workers } = given
  const name = partName({ study, part })
  const points = openPoints(context, { folder: options.points, study, markets, name })
  const progress = showScreenProgress(context)
  try {
    const content = await screenPart({
      workerFile: new URL('screen-worker.js', context.workerFile), // it is built beside the engine worker
      ...given,
      top: options.top,
      ...(points === undefined ? {} : { points: points.sink }),
      signal: context.signal,
      now: () => clock.monotonic(),
      onProgress: progress.show,
    })
    const keptPoints = points?.keep() ?? null
    const elapsedMs = Math.round(clock.monotonic() - startedAt)
    const work = { elapsedMs, workers }
    const kept = keepPart(options.out, content, { work, tag: unpredictableTag(context.system) })
    await countScreened(context, pathsOf(context, options).store, { study, content, seen: keptPoints })
    return reportOf(content, { kept, keptPoints, work })
  } finally {
    progress.clear()
    points?.close()
  }
}

/** A part shows no result, but its points do. */
async function countScreened(
  context: Context,
  path: string,
  {
    study,
    content: { header },
    seen,
  }: { readonly study: Study; readonly content: PartContent; readonly seen: KeptPoints | null },
): Promise<void> {
  if (seen === null) return
  for (const [at, { candles }] of header.markets.entries())
    await recordScreened(context, path, { study, market: candles.market, configs: header.simulated[at] })
}

interface Written {
  readonly kept: KeptPart
  readonly keptPoints: KeptPoints | null
  readonly work: PartWork
}

function reportOf({ header }: PartContent, { kept, keptPoints, work }: Written): PartReport {
  return {
    study: header.study.name,
    part: { i: header.part.number, n: header.part.of },
    configs: header.stretch.to - header.stretch.from,
    of: header.points,
    depths: header.depths,
    ...kept,
    points: keptPoints,
    ...work,
  }
}

interface PartOptions extends CommonOptions, ReplacingOptions {
  readonly part: string
  readonly out?: string
  readonly depth?: Depth
  readonly points?: string
  readonly top: number
  readonly workers?: number
}

interface GivenPart {
  readonly study: Study
  readonly markets: readonly MarketOnCandles[]
  readonly part: PartNumber
  /** Down to which depth; default as the objective needs. */
  readonly closest?: Depth
  readonly workers: number
}

/** @throws Failure usage, studyInvalid, candlesMissing */
async function openPart(context: Context, file: string, options: PartOptions): Promise<GivenPart> {
  const part = readPartNumber(options.part, context.settings().arrayTasks)
  const { store, candlesFolder } = pathsOf(context, options)
  const { study } = await readGivenStudy(context, file, { ...options, store, mostPoints: MOST_POINTS_IN_PARTS })
  demandLevels(study, { file })
  const markets = await loadSaying(context, candlesFolder, study)
  const closest = options.depth === undefined ? {} : { closest: options.depth }
  return { study, markets, part, ...closest, workers: options.workers ?? availableParallelism() }
}

/** Less than this, and most of what a part takes may be its beginning. */
const SHORTEST_PART_MS = 60_000

/** What `--json` says. */
interface PartForesight {
  readonly study: string
  readonly part: { readonly i: number; readonly n: number }
  /** Points of the grid in this part, of how many. */
  readonly configs: number
  readonly of: number
  readonly sampled: number
  readonly workers: number
  /** Of all threads; `begin`: before the first point. */
  readonly cpuSeconds: { readonly all: number; readonly begin: number }
  readonly memoryBytes: number
  /** Into how many parts at most the grid had better be cut; null = parts are long enough. */
  readonly fewerParts: number | null
}

export async function foreseePart(context: Context, file: string, options: PartOptions): Promise<void> {
  const { terminal } = context.system
  const given = await openPart(context, file, options)
  const progress = showScreenProgress(context)
  const estimate = await estimatePart({
    ...given,
    workerFile: new URL('screen-worker.js', context.workerFile), // it is built beside the engine worker
    usage: context.system.usage,
    signal: context.signal,
    onProgress: progress.show,
  }).finally(progress.clear)
  const foresight = foresightOf(given, { estimate, of: countPoints(given.study) })
  return options.json ? printJson(terminal, foresight) : printLines(terminal, linesOf(foresight))
}

function foresightOf(
  { study, part, workers }: GivenPart,
  { estimate, of }: { readonly estimate: PartEstimate; readonly of: number },
): PartForesight {
  const { configs, sampled, cpuMs, beginCpuMs, memoryBytes } = estimate
  const seconds = (ms: number) => Number((ms / 1000).toPrecision(3))
  return {
    study: study.name,
    part: { i: part.number, n: part.of },
    configs,
    of,
    sampled,
    workers,
    cpuSeconds: { all: seconds(cpuMs), begin: seconds(beginCpuMs) },
    memoryBytes,
    fewerParts: fewerParts({ part, workers, pointsMs: cpuMs - beginCpuMs }),
  }
}

/** Points of a minute or more by the clock, on so many threads, in each. */
function fewerParts({
  part,
  workers,
  pointsMs,
}: {
  readonly part: PartNumber
  readonly workers: number
  readonly pointsMs: number
}): number | null {
  const partMs = pointsMs / workers
  if (partMs >= SHORTEST_PART_MS || part.of === 1) return null
  return Math.max(1, Math.floor((part.of * partMs) / SHORTEST_PART_MS))
}

function linesOf({
  part,
  configs,
  of,
  sampled,
  workers,
  cpuSeconds,
  memoryBytes,
  fewerParts,
}: PartForesight): string[] {
  const threads = workers === 1 ? 'one thread' : `${workers} threads`
  return [
    `part ${part.i} of ${part.n}: ${configs} of ${of} configurations; nothing is screened`,
    `about ${formatCpu(cpuSeconds.all)} of CPU, ${formatCpu(cpuSeconds.begin)} of it to begin, and ${formatBytes(memoryBytes)} of memory on ${threads} (from a sample of ${sampled})`,
    ...(fewerParts === null ? [] : [`parts this small mostly load candles; use ${countOf(fewerParts, 'part')}`]),
  ]
}

function formatCpu(seconds: number): string {
  return seconds < 60 ? `${seconds.toFixed(1)} s` : formatDuration(1000 * seconds)
}
