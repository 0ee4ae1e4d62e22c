/**
 * The one list of warnings: what speaks against a study, or a run of it, whatever it finds. What speaks against a result is a reason of its
 * verdict (`verdict/reasons.ts`). Every command takes its words from here, so that a code means the same everywhere. `../DOUBTS.md` is
 * this list, written out.
 */
import type { DoubtRow } from './row.ts'
import { RUN_DOUBTS } from './run-rows.ts'
import { STUDY_DOUBTS } from './study-rows.ts'

export const DOUBTS = { ...STUDY_DOUBTS, ...RUN_DOUBTS }

export type DoubtCode = keyof typeof DOUBTS

/** The numbers that a code's sentence needs; none for some. */
type FactsOf<Code extends DoubtCode> = Parameters<(typeof DOUBTS)[Code]['say']>

/** A warning that has been raised. */
export interface Doubt<Code extends DoubtCode = DoubtCode> {
  readonly code: Code
  /** One sentence with its numbers. */
  readonly message: string
  /** What to do about it. */
  readonly hint: string
}

export function doubt<Code extends DoubtCode>(code: Code, ...facts: FactsOf<Code>): Doubt<Code> {
  const rows: { readonly [Each in DoubtCode]: DoubtRow<FactsOf<Each>> } = DOUBTS // as a mapped type, which `code` selects from
  const row: DoubtRow<FactsOf<Code>> = rows[code]
  return { code, message: row.say(...facts), hint: row.hint }
}
