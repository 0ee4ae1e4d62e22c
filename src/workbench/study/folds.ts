/**
 * The folds (windows) of a walk-forward test, from the calendar alone: whole UTC days inside the span that a study measures on, so never in what it holds
 * out. Each begins one `test` later than the one before; anchored ones keep the first day of their train.
 *
 *     train ......... | embargo | test ...
 *               train ......... | embargo | test ...
 */
import type { Period, WalkForward } from './study.ts'

const DAY_MS = 86_400_000

/** More would be read by nobody; each is computed on its own. */
const MOST_FOLDS = 1000

export interface Fold {
  /** What a configuration is chosen on. */
  readonly train: Period
  /** What it is then tested on. */
  readonly test: Period
}

/** In the order of time; tests follow one another without a gap. @param period the study's, before its hold-out and embargo */
export function foldsOf(period: Period, walkForward: WalkForward): readonly Fold[] {
  const { trainMs, testMs, embargoMs, anchored } = walkForward
  const { first } = wholeDaysOf(period)
  return Array.from({ length: countFolds(period, walkForward) }, (_, number) => {
    const start = first + number * testMs
    const test = start + trainMs + embargoMs
    return {
      train: { from: anchored ? first : start, to: start + trainMs },
      test: { from: test, to: test + testMs },
    }
  })
}

/** Why there are no folds to test; undefined = there are. */
export function findFoldProblem(period: Period, walkForward: WalkForward): string | undefined {
  const count = countFolds(period, walkForward)
  if (count > MOST_FOLDS) return `expected at most ${MOST_FOLDS} windows, found ${count}; a longer test makes fewer`
  if (count > 0) return undefined
  const { trainMs, testMs, embargoMs } = walkForward
  const { first, end } = wholeDaysOf(period)
  const room = end - first - embargoMs
  const embargo = embargoMs === 0 ? '' : ` + embargo ${days(embargoMs)}`
  const lengths = `train ${days(trainMs)}${embargo} + test ${days(testMs)} = ${days(trainMs + embargoMs + testMs)}`
  const most = [
    longest('train', room - testMs, `test ${days(testMs)}`),
    longest('test', room - trainMs, `train ${days(trainMs)}`),
  ]
  const span = end > first ? `${dateOf(first)} to ${dateOf(end)} has ${days(end - first)}` : 'there is no whole day'
  return `expected lengths that give a complete window, found ${lengths}, and ${span} to measure on; ${most.join(', ')}`
}

function countFolds(period: Period, { trainMs, testMs, embargoMs }: WalkForward): number {
  const { first, end } = wholeDaysOf(period)
  return Math.max(0, Math.floor((end - first - trainMs - embargoMs) / testMs))
}

function wholeDaysOf({ from, to }: Period): { readonly first: number; readonly end: number } {
  return { first: Math.ceil(from / DAY_MS) * DAY_MS, end: Math.floor(to / DAY_MS) * DAY_MS }
}

function longest(part: 'train' | 'test', mostMs: number, given: string): string {
  return mostMs < DAY_MS ? `with ${given} no ${part} fits` : `with ${given} the longest ${part} is ${days(mostMs)}`
}

function days(ms: number): string {
  return `${ms / DAY_MS}d`
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
