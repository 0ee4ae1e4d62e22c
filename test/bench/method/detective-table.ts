/** (d) as a table. */
import { type DetectiveFigures, type DetectivePlace, HIDDEN_SETS } from './detective.ts'
import { DETECTIVE_STRETCHES } from './detective-stretches.ts'
import type { FigureTable } from './tables.ts'

export function detectiveTable({ hidden, mostJobs, places }: DetectiveFigures): FigureTable {
  return {
    title: `(d) The detective on ${hidden} hidden sets of each stretch, at most ${mostJobs} jobs: sets found up to ties (jobs on average)`,
    head: [
      '',
      'exact results',
      'profit to the cent',
      'other configurations predicted',
      'right on moved candles',
      'wrong ones said to be poor',
      'poor on equal candles',
      'wrong and called good',
      'CPU of one',
    ],
    lines: places.map((place) => [place.name, ...cellsOf(place)]),
  }
}

function cellsOf(place: DetectivePlace): readonly string[] {
  const { exact, rounded, predicted, movedRight, movedFlagged, falselyPoor, wrongCalledGood, cpuSeconds } = place
  return [
    ...[exact, rounded].map((found) => `${spellPart(found)} (${found.jobs.toFixed(1)})`),
    ...[predicted, movedRight, movedFlagged, falselyPoor, wrongCalledGood].map(spellPart),
    `${cpuSeconds.toFixed(1)} s`,
  ]
}

function spellPart({ count, of }: { readonly count: number; readonly of: number }): string {
  return `${count} of ${of}`
}

/** Why these figures are not for the guide; null = they are. */
export function whyDetectiveIsPart({ hidden, places }: DetectiveFigures): string | null {
  return hidden < HIDDEN_SETS || places.length < DETECTIVE_STRETCHES.length
    ? `(d) took ${hidden} of ${HIDDEN_SETS} sets on ${places.length} of ${DETECTIVE_STRETCHES.length} stretches`
    : null
}
