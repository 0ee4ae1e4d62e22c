/** Screens one part of a grid: what a merge needs of it, and no more. */
import { ENGINE_VERSION } from '../../../engine/backtest.ts'
import { Failure } from '../../../errors.ts'
import { createWorkerGroup } from '../../../workers/worker-group.ts'
import { createGrid } from '../../study/grid.ts'
import type { Study } from '../../study/study.ts'
import { depthsOf } from '../appraise.ts'
import { planChunks } from '../chunks.ts'
import { SPARE_PLACES } from '../find-top.ts'
import type { Depth } from '../measures.ts'
import type { ScreenReply, ScreenRequest, ScreenSetting, ScreenWorkers } from '../messages.ts'
import { type Pass, type PassRequest, type PointSink, type ScreenProgress, sweepGrid } from '../screen-grid.ts'
import type { MarketOnCandles } from '../screen-markets.ts'
import { createShortlist, nameConfigs } from '../shortlist.ts'
import { createTally, mergeTallies, type TallyRows, takeRows } from '../tally.ts'
import { type Column, candidateColumns, type PartContent, tallyColumns } from './part-file.ts'
import { chunksPerTally, type PartNumber, stretchOfPart } from './part-number.ts'

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
export function depthsDownTo({ name, objective }: Study, closest: Depth | undefined): Depth[] {
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
