/** Everything that the bench measures, in parts that can be run by themselves: what the file beside the guide holds, and the tables it is shown in. */
import { type DetectiveFigures, HIDDEN_SETS, measureDetective } from './detective.ts'
import { detectiveTable, whyDetectiveIsPart } from './detective-table.ts'
import { measureStretches } from './measure-stretches.ts'
import { STRETCHES } from './stretches.ts'
import type { Figures } from './summarize.ts'
import { type FigureTable, tablesOf } from './tables.ts'

/** The stretches of (a) to (c) stand at the top level, because they were there first. */
export interface AllFigures extends Figures {
  readonly detective: DetectiveFigures
}

/** How a part is asked for: `--only d`. */
export const PARTS = ['abc', 'd'] as const
export type Part = (typeof PARTS)[number]

export interface Occasion {
  /** yyyy-mm-dd. */
  readonly measuredOn: string
  readonly seed: string
  /** A tenth of everything, and of what there are less than ten, one. */
  readonly quick: boolean
}

const TENTH = 10

/** Empty where the recordings are not there. */
export async function measurePart(
  part: Part,
  { measuredOn, seed, quick }: Occasion,
): Promise<{ readonly figures: Partial<AllFigures>; readonly whyPart: string | null }> {
  const every = quick ? TENTH : 1
  if (part === 'd') {
    const detective = await measureDetective(seed, { measuredOn, hidden: Math.ceil(HIDDEN_SETS / every) })
    return { figures: { detective }, whyPart: whyDetectiveIsPart(detective) }
  }
  const figures = await measureStretches({ measuredOn, seed, every })
  const count = figures?.stretches ?? 0
  const whyPart = count < STRETCHES.length ? `(a) to (c) took ${count} of ${STRETCHES.length} stretches` : null
  return { figures: figures ?? {}, whyPart }
}

/** Of what is there. */
export function allTablesOf(figures: Partial<AllFigures>): readonly FigureTable[] {
  const { detective } = figures
  return [
    ...(hasStretches(figures) ? tablesOf(figures) : []),
    ...(detective === undefined ? [] : [detectiveTable(detective)]),
  ]
}

/** They are measured together, so that one of them stands for all. */
function hasStretches(figures: Partial<AllFigures>): figures is Partial<AllFigures> & Figures {
  return figures.stretches !== undefined
}
