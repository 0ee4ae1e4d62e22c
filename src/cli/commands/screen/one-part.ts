/** `dcalab screen --part`: one part of a grid into a file. It prints what it wrote and no result: a part has no top of its own. */
import { availableParallelism } from 'node:os'
import { Failure } from '../../../errors.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { type ReplacingOptions, readGivenStudy } from '../../given-study.ts'
import { formatBytes, formatDuration, printJson, printLines } from '../../output.ts'
import { showScreenProgress } from '../../screen-progress.ts'
import { pathsOf } from '../../workbench.ts'
import { loadSaying } from './ground-of-screen.ts'

interface PartOptions extends CommonOptions, ReplacingOptions {
  readonly part: string
  readonly out?: string
  readonly depth?: string
  readonly top: number
  readonly workers?: number
}

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
  readonly workers: number
  readonly elapsedMs: number
}

export async function screenOnePart(context: Context, file: string, options: PartOptions): Promise<void> {
  const { terminal } = context.system
  const report = await screenInto(context, file, options)
  if (options.json) return printJson(terminal, report)
  const { part, configs, of, path, bytes, elapsedMs } = report
  return printLines(terminal, [
    `part ${part.i} of ${part.n}: ${configs} of ${of} configs in ${formatDuration(elapsedMs)}`,
    `${path}: ${formatBytes(bytes)}`,
  ])
}

async function screenInto(context: Context, file: string, options: PartOptions): Promise<PartReport> {
  const { clock } = context.system
  const startedAt = clock.monotonic()
  const [{ demandLevels }, { screenPart }, { keepPart }, { MOST_POINTS_IN_PARTS, readPartNumber }] = await Promise.all([
    import('../../../workbench/study/axis-levels.ts'),
    import('../../../workbench/screen/parts/screen-part.ts'),
    import('../../../workbench/screen/parts/part-folder.ts'),
    import('../../../workbench/screen/parts/part-number.ts'),
  ])
  const part = readPartNumber(options.part, context.settings().arrayTasks)
  if (options.out === undefined)
    throw new Failure('usage', '--part needs --out, the folder that the merge reads', { hint: 'add --out parts/' })
  const { store: path, candlesFolder } = pathsOf(context, options)
  const replaced = { ...options, store: path, mostPoints: MOST_POINTS_IN_PARTS }
  const { study } = await readGivenStudy(context, file, replaced)
  demandLevels(study, { file })
  const markets = await loadSaying(context, candlesFolder, study)
  const closest = options.depth === undefined ? {} : { closest: await readDepth(options.depth) }
  const workers = options.workers ?? availableParallelism()
  const progress = showScreenProgress(context)
  const content = await screenPart({
    workerFile: new URL('screen-worker.js', context.workerFile), // it is built beside the engine worker
    study,
    markets,
    part,
    top: options.top,
    ...closest,
    workers,
    signal: context.signal,
    onProgress: progress.show,
  }).finally(progress.clear)
  const elapsedMs = Math.round(clock.monotonic() - startedAt)
  const tag = Buffer.from(context.system.randomBytes(6)).toString('hex')
  const kept = keepPart(options.out, content, { work: { elapsedMs, workers }, tag })
  const { header } = content
  return {
    study: study.name,
    part: { i: part.number, n: part.of },
    configs: header.stretch.to - header.stretch.from,
    of: header.points,
    depths: header.depths,
    path: kept.path,
    bytes: kept.bytes,
    hash: kept.hash,
    workers,
    elapsedMs,
  }
}

/** @throws Failure usage */
async function readDepth(text: string) {
  const { DEPTHS } = await import('../../../workbench/screen/measures.ts')
  const depth = DEPTHS.find((known) => known === text)
  if (depth !== undefined) return depth
  throw new Failure('usage', `--depth: expected ${DEPTHS.join(', ')}, found "${text}"`)
}
