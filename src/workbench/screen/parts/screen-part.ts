/** Screens one part of a grid: what a merge needs of it, and no more. */
import { ENGINE_VERSION } from '../../../engine/backtest.ts'
import { Failure } from '../../../errors.ts'
import type { System } from '../../../system.ts'
import { createWorkerGroup } from '../../../workers/worker-group.ts'
import { createGrid } from '../../study/grid.ts'
import type { Study } from '../../study/study.ts'
import { depthsOf } from '../appraise.ts'
import { GOLDEN_RATIO, planChunks } from '../chunks.ts'
import { SPARE_PLACES } from '../find-top.ts'
import type { Depth } from '../measures.ts'
import type { ScreenReply, ScreenRequest, ScreenSetting, ScreenWorkers } from '../messages.ts'
import { type Pass, type PassRequest, type PointSink, type ScreenProgress, sweepGrid } from '../screen-grid.ts'
import type { MarketOnCandles } from '../screen-markets.ts'
import { createShortlist, nameConfigs } from '../shortlist.ts'
import { createTally, mergeTallies, type TallyRows, takeRows } from '../tally.ts'
import { type Column, candidateColumns, type PartContent, tallyColumns } from './part-file.ts'
import { chunksPerTally, type PartNumber, type Stretch, stretchOfPart } from './part-number.ts'

export interface PartEstimate {
  /** Points of the part, and how many of them were computed for this. */
  readonly configs: number
  readonly sampled: number
  /** Of all threads. */
  readonly cpuMs: number
  /** Of it what is spent before the first point, however few there are: the program, the candles, compiling. */
  readonly beginCpuMs: number
  /** The most at once. */
  readonly memoryBytes: number
}

interface EstimateRequest {
  /** The built `screen-worker.js`. */
  readonly workerFile: URL
  readonly study: Study
  readonly markets: readonly MarketOnCandles[]
  readonly part: PartNumber
  readonly closest?: Depth
  readonly workers: number
  readonly usage: System['usage']
  readonly signal: AbortSignal
  /** `total`: points that are computed. */
  readonly onProgress: (progress: ScreenProgress) => void
}

/** Chunks that are computed: a few seconds at most. */
const SAMPLES = 24

interface Sweeping {
  readonly workerGroup: ScreenWorkers
  readonly signal: AbortSignal
  readonly onPoints: (done: number) => void
}

interface PartTask {
  readonly part: PartNumber
  /** How many of the best the merge is to find. */
  readonly top: number
  /** Down to which depth; default the first, at which points can be ranked. */
  readonly closest?: Depth
  /** Gets the metrics of every point of the first pass, in the order of the grid. */
  readonly points?: PointSink
  readonly signal: AbortSignal
  /** Monotonic, in milliseconds; with it the time left is reported. */
  readonly now?: () => number
  readonly onProgress?: (progress: ScreenProgress) => void
}

interface PartRequest extends PartTask {
  /** The built `screen-worker.js`. */
  readonly workerFile: URL
  readonly study: Study
  readonly markets: readonly MarketOnCandles[]
  readonly workers: number
}

/** Screens a part with a worker group of threads of its own. @throws Failure usage, studyInvalid; the signal's reason once it aborts */
export async function screenPart({ workerFile, study, markets, workers, ...task }: PartRequest): Promise<PartContent> {
  const candles = markets.reduce((sum, { prepared }) => sum + prepared.count, 0)
  const setting = { study, chunks: planChunks(study, candles), markets }
  const workerGroup = createWorkerGroup<ScreenSetting, ScreenRequest, ScreenReply>({
    workerFile,
    size: workers,
    setting,
  })
  try {
    return await screenStretch({ workerGroup, setting, ...task })
  } finally {
    await workerGroup.close()
  }
}

export interface SettingOfParts extends ScreenSetting {
  readonly markets: readonly MarketOnCandles[]
}

interface StretchRequest extends PartTask {
  readonly workerGroup: ScreenWorkers
  /** What the worker group was given. */
  readonly setting: SettingOfParts
}

/** The same with a worker group that is there. @throws Failure usage; the signal's reason once it aborts: half a part is none */
export async function screenStretch(request: StretchRequest): Promise<PartContent> {
  const { workerGroup, setting, part, top, signal, onProgress } = request
  const { study, chunks, markets } = setting
  const depths = depthsDownTo(study, request.closest)
  const grid = createGrid(study, chunks.order)
  const stretch = stretchOfPart(study, chunks, part)
  const nameOf = nameConfigs(study)
  const columns = new Map<string, Column>()
  const sums = collectTallies(setting, chunksPerTally(grid.points, chunks))
  let first: Pass | undefined
  for (const depth of depths) {
    const shortlist = createShortlist(top + SPARE_PLACES, (index) => nameOf(grid.configAt(index)))
    const isFirst = first === undefined
    const onChunk: PassRequest['onChunk'] = (reply) => {
      if (!isFirst) return
      sums.add(reply.tallies)
      request.points?.(depth, reply)
    }
    const pass = await sweepGrid({
      workerGroup,
      depth,
      ...stretch,
      chunk: chunks.size,
      markets: markets.length,
      shortlist,
      wantsPoints: isFirst && request.points !== undefined,
      onChunk,
      signal,
      ...(request.now === undefined ? {} : { now: request.now }),
      onPoints: (done, leftMs) => onProgress?.({ pass: depth, done, total: stretch.to - stretch.from, leftMs }),
    })
    signal.throwIfAborted()
    for (const [name, column] of candidateColumns(depth, shortlist.ranked())) columns.set(name, column)
    first ??= pass
  }
  if (first === undefined) throw new Error('a part has at least one pass')
  for (const [market, tallies] of sums.end().entries())
    for (const [name, column] of tallyColumns(market, tallies)) columns.set(name, column)
  const cut = { points: grid.points, chunk: chunks.size, chunksPerTally: sums.every }
  const counts = { feasible: first.feasible, simulated: [...first.simulated] }
  return { header: { ...headOf(study, markets), ...cut, top, depths, part, stretch, ...counts }, columns }
}

/** What parts of one screen have in common beside how they are cut. */
export function headOf(study: Study, markets: readonly MarketOnCandles[]) {
  const { name, fingerprint, source, conventions, costs } = study
  return {
    study: { name, fingerprint, source },
    engineVersion: ENGINE_VERSION,
    conventions: { ...conventions },
    costs: { ...costs },
    markets: markets.map(({ info, symbol }) => ({ candles: { ...info }, symbol: { ...symbol } })),
  }
}

/** @throws Failure usage for a depth that the objective never needs */
function depthsDownTo({ name, objective }: Study, closest: Depth | undefined): Depth[] {
  const depths = depthsOf(objective)
  const end = closest === undefined ? 0 : depths.indexOf(closest)
  if (end !== -1) return depths.slice(0, end + 1)
  throw new Failure('usage', `--depth: ${name} is never compared by ${closest}; expected ${depths.join(' or ')}`)
}

/** Adds up the sums of so many chunks at a time, for each market. */
function collectTallies({ markets, chunks }: Pick<ScreenSetting, 'markets' | 'chunks'>, every: number) {
  const kept: TallyRows[][] = markets.map(() => [])
  const open = markets.map(() => createTally(chunks.order))
  let count = 0

  function close(): void {
    kept.forEach((tallies, market) => {
      tallies.push(takeRows(open[market]))
    })
    count = 0
  }

  return {
    every,
    add(rows: readonly TallyRows[]): void {
      mergeTallies(open, rows)
      if (++count === every) close()
    },
    end(): readonly (readonly TallyRows[])[] {
      if (count > 0) close()
      return kept
    },
  }
}

/** @throws Failure usage, studyInvalid; the signal's reason once it aborts */
export async function estimatePart(request: EstimateRequest): Promise<PartEstimate> {
  const { workerFile, study, markets, part, closest, workers, usage, signal, onProgress } = request
  const depths = depthsDownTo(study, closest)
  const candles = markets.reduce((sum, { prepared }) => sum + prepared.count, 0)
  const chunks = planChunks(study, candles)
  const stretch = stretchOfPart(study, chunks, part)
  const setting = { study, chunks, markets }
  const workerGroup = createWorkerGroup<ScreenSetting, ScreenRequest, ScreenReply>({
    workerFile,
    size: workers,
    setting,
  })
  try {
    // The first chunk of each thread compiles the engine there.
    await sweepDepth(
      { workerGroup, signal, onPoints: () => {} },
      { depth: depths[0], stretches: drawn(stretch, chunks.size, workers) },
    )
    const beginCpuMs = usage().cpuMs
    const stretches = drawn(stretch, chunks.size, SAMPLES)
    const configs = stretch.to - stretch.from
    const sampled = stretches.reduce((sum, { from, to }) => sum + to - from, 0)
    for (const depth of depths) {
      const onPoints = (done: number) => onProgress({ pass: depth, done, total: sampled, leftMs: () => null })
      await sweepDepth({ workerGroup, signal, onPoints }, { depth, stretches })
    }
    const { cpuMs, peakBytes } = usage()
    const perConfig = sampled === 0 ? 0 : (cpuMs - beginCpuMs) / sampled
    return { configs, sampled, beginCpuMs, cpuMs: beginCpuMs + perConfig * configs, memoryBytes: peakBytes }
  } finally {
    await workerGroup.close()
  }
}

/** Chunks from all over the part, each once. */
function drawn({ from: first, to: end }: Stretch, chunk: number, most: number): readonly Stretch[] {
  const count = Math.ceil((end - first) / chunk)
  const numbers = new Set<number>()
  for (let at = 1; numbers.size < Math.min(count, most); at++)
    numbers.add(count <= most ? numbers.size : Math.floor(((at * GOLDEN_RATIO) % 1) * count))
  return [...numbers].map((number) => {
    const from = first + number * chunk
    return { from, to: Math.min(end, from + chunk) }
  })
}

async function sweepDepth(
  { workerGroup, signal, onPoints }: Sweeping,
  { depth, stretches }: { readonly depth: Depth; readonly stretches: readonly Stretch[] },
): Promise<void> {
  const waiting = stretches.values()
  let done = 0
  const work = async () => {
    for (const { from, to } of waiting) {
      signal.throwIfAborted()
      await workerGroup.ask({ kind: 'chunk', depth, from, to, floor: null })
      done += to - from
      onPoints(done)
    }
  }
  await Promise.all(Array.from({ length: workerGroup.size }, work))
}
