/** What a part of a screen starts from, whether it is screened or foreseen. */
import { availableParallelism } from 'node:os'
import { Failure } from '../../../errors.ts'
import type { Depth } from '../../../workbench/screen/measures.ts'
import type { PartNumber } from '../../../workbench/screen/parts/part-number.ts'
import type { MarketOnCandles } from '../../../workbench/screen/screen-markets.ts'
import type { Study } from '../../../workbench/study/study.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { type ReplacingOptions, readGivenStudy } from '../../given-study.ts'
import { pathsOf } from '../../workbench.ts'
import { loadSaying } from './ground-of-screen.ts'

export interface PartOptions extends CommonOptions, ReplacingOptions {
  readonly part: string
  readonly out?: string
  readonly depth?: string
  readonly points?: string
  readonly top: number
  readonly workers?: number
}

export interface GivenPart {
  readonly study: Study
  readonly markets: readonly MarketOnCandles[]
  readonly part: PartNumber
  /** Down to which depth; default as the objective needs. */
  readonly closest?: Depth
  readonly workers: number
}

/** @throws Failure usage, studyInvalid, candlesMissing */
export async function openPart(context: Context, file: string, options: PartOptions): Promise<GivenPart> {
  const [{ demandLevels }, { MOST_POINTS_IN_PARTS, readPartNumber }] = await Promise.all([
    import('../../../workbench/study/axis-levels.ts'),
    import('../../../workbench/screen/parts/part-number.ts'),
  ])
  const part = readPartNumber(options.part, context.settings().arrayTasks)
  const { store, candlesFolder } = pathsOf(context, options)
  const { study } = await readGivenStudy(context, file, { ...options, store, mostPoints: MOST_POINTS_IN_PARTS })
  demandLevels(study, { file })
  const markets = await loadSaying(context, candlesFolder, study)
  const closest = options.depth === undefined ? {} : { closest: await readDepth(options.depth) }
  return { study, markets, part, ...closest, workers: options.workers ?? availableParallelism() }
}

/** @throws Failure usage */
async function readDepth(text: string): Promise<Depth> {
  const { DEPTHS } = await import('../../../workbench/screen/measures.ts')
  const depth = DEPTHS.find((known) => known === text)
  if (depth !== undefined) return depth
  throw new Failure('usage', `--depth: expected ${DEPTHS.join(', ')}, found "${text}"`)
}
