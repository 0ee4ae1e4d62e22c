/**
 * The one list of warnings: what speaks against a study, or a run of it, whatever it finds. What speaks against a result is a reason of its
 * verdict (`verdict/reasons.ts`). Every command takes its words from here, so that a code means the same everywhere. `../WARNINGS.md` is
 * this list, written out.
 */
import type { WarningRow } from './row.ts'
import { RUN_WARNINGS } from './run-rows.ts'
import { STUDY_WARNINGS } from './study-rows.ts'

export const WARNINGS = { ...STUDY_WARNINGS, ...RUN_WARNINGS }

export type WarningCode = keyof typeof WARNINGS

/** The numbers that a code's sentence needs; none for some. */
type FactsOf<Code extends WarningCode> = Parameters<(typeof WARNINGS)[Code]['say']>

/** A warning that has been raised. */
export interface Warning<Code extends WarningCode = WarningCode> {
  readonly code: Code
  /** One sentence with its numbers. */
  readonly message: string
  /** What to do about it. */
  readonly hint: string
}

export function warning<Code extends WarningCode>(code: Code, ...facts: FactsOf<Code>): Warning<Code> {
  const rows: { readonly [Each in WarningCode]: WarningRow<FactsOf<Each>> } = WARNINGS // as a mapped type, which `code` selects from
  const row: WarningRow<FactsOf<Code>> = rows[code]
  return { code, message: row.say(...facts), hint: row.hint }
}
