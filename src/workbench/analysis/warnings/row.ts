/** What a row of the list of warnings says. */

import type { Period } from '../../study/study.ts'

/** `Facts`: the numbers its sentence needs. */
export interface WarningRow<Facts extends readonly unknown[]> {
  /** When it is raised, for the page of warnings. */
  readonly when: string
  /** The number that decides, where there is one; `when` names it. */
  readonly threshold?: number
  /** What was found, with its numbers. */
  readonly say: (...facts: Facts) => string
  /** What to do about it. */
  readonly hint: string
}

/** `2025-07-01 to 2025-09-01`. */
export function shownSpan({ from, to }: Period): string {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return `${day(from)} to ${day(to)}`
}

/** Four significant digits. */
export function shown(value: number): string {
  return String(Number(value.toPrecision(4)))
}
