/** A further study around the best configuration of one: each axis drawn closer, everything else as it was. Pure. */
import type { ConfigField, DcaSpotConfig } from '../../contract/bot.ts'
import type { Costs } from '../../engine/conventions.ts'
import { expandAxis, readAxis } from './axis.ts'
import { type AxisEnd, finerLevels, finerRange } from './finer-axis.ts'
import { fitBudget } from './fit-budget.ts'
import { parseStudy } from './parse.ts'
import { valueAt } from './path.ts'
import { rewriteSource } from './rewrite-source.ts'
import { readSourceDocument } from './source-document.ts'
import type { Axis, Study } from './study.ts'

export interface RefinedAxis {
  readonly field: ConfigField
  readonly winner: number
  /** In the order of the file; of a continuous axis its ends. */
  readonly values: readonly number[]
  readonly isContinuous: boolean
  /** Beyond which ends of the old axis it reaches. */
  readonly extended: readonly AxisEnd[]
}

export interface RefinedStudy {
  readonly text: string
  readonly study: Study
  readonly axes: readonly RefinedAxis[]
}

export interface Refining {
  /** The best configuration of the study, on its axes. */
  readonly winner: DcaSpotConfig
  readonly name: string
  /** Where it comes from, in whole lines; they stand in its comments. */
  readonly origin: readonly string[]
  /** In place of the study's own. */
  readonly costs?: Costs
  /** The base order is such that the dearest ladder costs all of its capital. */
  readonly fitsBudget?: boolean
}

/**
 * `study`: as read from its text. The name, the axes and the comment at the top are new; what is held out is the same span.
 * @throws Failure usage where no base order fits the budget
 */
export function refineStudy(study: Study, { winner, name, origin, costs, fitsBudget }: Refining): RefinedStudy {
  const { value } = readSourceDocument(study.source, study.name)
  const drawn = study.axes.map((axis) => {
    const isLog = valueAt(value, ['grid', axis.field, 'scale']) === 'log'
    return drawCloser(axis, { winner: winner[axis.field], scale: isLog ? 'log' : 'linear' })
  })
  const text = rewriteSource(study.source, {
    parts: [
      [['name'], name],
      ...drawn.map(({ axis, written }) => [['grid', axis.field], written] as const),
      ...(costs === undefined ? [] : [[['costs'], costs] as const]),
    ],
    origin,
  })
  const written = fitsBudget === true ? fitBudget(text, name) : text
  return { text: written, study: parseStudy(written, { file: name }), axes: drawn.map(({ axis }) => axis) }
}

interface Drawn {
  readonly axis: RefinedAxis
  /** As the file says it. */
  readonly written: unknown
}

function drawCloser(
  { field, values, continuous }: Axis,
  { winner, scale }: { readonly winner: number; readonly scale: 'linear' | 'log' },
): Drawn {
  if (continuous !== undefined) {
    const { range, extended } = finerRange(field, continuous, winner)
    const { from, to } = range
    const written = { from, to, ...(range.scale === 'log' ? { scale: range.scale } : {}) }
    return { axis: { field, winner, values: [from, to], isContinuous: true, extended }, written }
  }
  const { values: levels, extended } = finerLevels(field, { values, scale, winner })
  const range = scale === 'log' ? logRange(field, levels, winner) : undefined
  const axis = { field, winner, values: range?.values ?? levels, isContinuous: false, extended }
  return { axis, written: range?.written ?? levels }
}

/** The levels as a range of equal ratios, so that it stays known as one; undefined where they are none, or would miss the winner by a digit. */
function logRange(field: ConfigField, levels: readonly number[], winner: number): LogRange | undefined {
  const written = { from: Math.min(...levels), to: Math.max(...levels), count: levels.length, scale: 'log' as const }
  const read = readAxis(field, written)
  if (!('spec' in read)) return undefined
  const values = expandAxis(read.spec)
  const isSame = values.every((value, at) => Math.abs(value / levels[at] - 1) < 1e-9) && values.includes(winner)
  return isSame ? { written, values } : undefined
}

interface LogRange {
  readonly written: object
  readonly values: readonly number[]
}
