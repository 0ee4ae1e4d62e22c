/** What a part of a screen will take of the machine, from a few of its own chunks: what a config costs depends on candles, rules and ladders. */
import type { System } from '../../../system.ts'
import { createWorkerGroup } from '../../../workers/worker-group.ts'
import type { Study } from '../../study/study.ts'
import { GOLDEN_RATIO, planChunks } from '../chunks.ts'
import type { Depth } from '../measures.ts'
import type { ScreenReply, ScreenRequest, ScreenSetting, ScreenWorkers } from '../messages.ts'
import type { ScreenProgress } from '../screen-grid.ts'
import type { MarketOnCandles } from '../screen-markets.ts'
import { type PartNumber, type Stretch, stretchOfPart } from './part-number.ts'
import { depthsDownTo } from './screen-part.ts'

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

interface Sweeping {
  readonly workerGroup: ScreenWorkers
  readonly signal: AbortSignal
  readonly onPoints: (done: number) => void
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
