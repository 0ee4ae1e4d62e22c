/** `dcalab screen --part`: one part of a grid into a file. It prints what it wrote and no result: a part has no top of its own. */
import { Failure } from '../../../errors.ts'
import type { PartContent, PartWork } from '../../../workbench/screen/parts/part-file.ts'
import type { KeptPart } from '../../../workbench/screen/parts/part-folder.ts'
import type { KeptPoints } from '../../../workbench/screen/point-file.ts'
import type { Study } from '../../../workbench/study/study.ts'
import type { Context } from '../../context.ts'
import { formatBytes, formatDuration, printJson, printLines } from '../../output.ts'
import { showScreenProgress } from '../../screen-progress.ts'
import { pathsOf } from '../../workbench.ts'
import { openPoints, recordScreenLook, unpredictableTag } from './ground-of-screen.ts'
import { openPart, type PartOptions } from './open-part.ts'

/** What `--json` says of a part. */
interface PartReport {
  readonly study: string
  readonly part: { readonly i: number; readonly n: number }
  /** Points of the grid that it looked at, of how many. */
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

/** Of `--points`. */
export function describePoints({ path, rows, bytes }: KeptPoints): string {
  return `${path}: ${rows} rows, ${formatBytes(bytes)}`
}

async function screenInto(context: Context, file: string, options: PartOptions): Promise<PartReport> {
  const { clock } = context.system
  const startedAt = clock.monotonic()
  if (options.out === undefined)
    throw new Failure('usage', '--part needs --out, the folder that the merge reads', { hint: 'add --out parts/' })
  const [{ screenPart }, { keepPart, partName }] = await Promise.all([
    import('../../../workbench/screen/parts/screen-part.ts'),
    import('../../../workbench/screen/parts/part-folder.ts'),
  ])
  const given = await openPart(context, file, options)
  const { study, part, markets, workers } = given
  const name = partName({ study, part })
  const points = await openPoints(context, { folder: options.points, study, markets, name })
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
    await countLook(context, pathsOf(context, options).store, { study, content, seen: keptPoints })
    return reportOf(content, { kept, keptPoints, work })
  } finally {
    progress.clear()
    points?.close()
  }
}

/** A part shows no result, but its points do. */
async function countLook(
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
    await recordScreenLook(context, path, { study, market: candles.market, configs: header.simulated[at] })
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
