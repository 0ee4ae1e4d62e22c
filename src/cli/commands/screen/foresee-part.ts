/** `dcalab screen --part --dry-run`: what a part would take, before an array of them is submitted. Nothing is kept. */
import type { PartEstimate } from '../../../workbench/screen/parts/estimate-part.ts'
import type { PartNumber } from '../../../workbench/screen/parts/part-number.ts'
import type { Context } from '../../context.ts'
import { countOf, formatBytes, formatDuration, printJson, printLines } from '../../output.ts'
import { showScreenProgress } from '../../screen-progress.ts'
import { type GivenPart, openPart, type PartOptions } from './open-part.ts'

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
  const [{ estimatePart }, { countPoints }] = await Promise.all([
    import('../../../workbench/screen/parts/estimate-part.ts'),
    import('../../../workbench/study/grid.ts'),
  ])
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
