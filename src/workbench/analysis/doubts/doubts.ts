/**
 * The one list of doubts: what speaks against believing a study, a result or a run. Every command that raises one takes its words from
 * here, so that a code means the same everywhere. `../DOUBTS.md` is this list, written out.
 */
import { EXAMINATION_DOUBTS } from './examination-rows.ts'
import { RESULT_DOUBTS } from './result-rows.ts'
import type { DoubtRow, Weight } from './row.ts'
import { RUN_DOUBTS } from './run-rows.ts'
import { STUDY_DOUBTS } from './study-rows.ts'

export const DOUBTS = { ...STUDY_DOUBTS, ...RESULT_DOUBTS, ...EXAMINATION_DOUBTS, ...RUN_DOUBTS }

export type DoubtCode = keyof typeof DOUBTS

/** The numbers that a code's sentence needs; none for some. */
type FactsOf<Code extends DoubtCode> = Parameters<(typeof DOUBTS)[Code]['say']>

/** A doubt that has been raised. */
export interface Doubt<Code extends DoubtCode = DoubtCode> {
  readonly code: Code
  readonly weight: Weight
  /** One sentence with its numbers. */
  readonly message: string
  /** What to do about it. */
  readonly hint: string
}

export function doubt<Code extends DoubtCode>(code: Code, ...facts: FactsOf<Code>): Doubt<Code> {
  const row: DoubtRow<FactsOf<Code>> = rowOf(code)
  const blocks = row.block?.applies(...facts) ?? false
  return { code, weight: blocks ? 'block' : row.weight, message: row.say(...facts), hint: row.hint }
}

export function isDoubtCode(text: string): text is DoubtCode {
  return Object.hasOwn(DOUBTS, text)
}

function rowOf<Code extends DoubtCode>(code: Code): DoubtRow<FactsOf<Code>> {
  const rows: { readonly [Each in DoubtCode]: DoubtRow<FactsOf<Each>> } = DOUBTS // as a mapped type, which `code` selects from
  return rows[code]
}
