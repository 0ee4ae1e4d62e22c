/** What a row of the list of doubts says. */

import type { Period } from '../../study/study.ts'

/** How much a doubt weighs. `promote --yes` accepts `info` and `warn`; each `block` has to be accepted by its code. */
export type Weight = 'info' | 'warn' | 'block'

/** `Facts`: the numbers its sentence needs. */
export interface DoubtRow<Facts extends readonly unknown[]> {
  readonly weight: Weight
  /** Under some circumstances it weighs `block`; `when` continues the row's own `when`. */
  readonly block?: { readonly when: string; readonly applies: (...facts: Facts) => boolean }
  /** When it is raised, for the page of doubts: "it closed fewer than 164 deals". */
  readonly when: string
  /** The number that decides, where there is one; `when` names it. */
  readonly threshold?: number
  /** What was found, with its numbers. */
  readonly say: (...facts: Facts) => string
  /** The same in a few words, with the number that says most: "41 deals". */
  readonly short: (...facts: Facts) => string
  /** What to do about it. */
  readonly hint: string
}

/** `2025-07-01 to 2025-09-01`. */
export function shownSpan({ from, to }: Period): string {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return `${day(from)} to ${day(to)}`
}

/** Four digits that count. */
export function shown(value: number): string {
  return String(Number(value.toPrecision(4)))
}
