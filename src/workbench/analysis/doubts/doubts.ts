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
  /** The same in a few words: "41 deals". */
  readonly short: string
  /** What to do about it. */
  readonly hint: string
}

export function doubt<Code extends DoubtCode>(code: Code, ...facts: FactsOf<Code>): Doubt<Code> {
  const row: DoubtRow<FactsOf<Code>> = rowOf(code)
  const blocks = row.block?.applies(...facts) ?? false
  return {
    code,
    weight: blocks ? 'block' : row.weight,
    message: row.say(...facts),
    short: row.short(...facts),
    hint: row.hint,
  }
}

/**
 * Doubts that were kept as JSON, each code once. A store may have been merged from another's: a code that is not of the list, or without its texts,
 * is left out, and a weight is one that its row gives.
 */
export function readKeptDoubts(kept: unknown): readonly Doubt[] {
  const found = new Map<DoubtCode, Doubt>()
  for (const entry of Array.isArray(kept) ? kept : []) {
    const { code, weight, message, short, hint }: Readonly<Record<string, unknown>> = Object(entry)
    if (typeof code !== 'string' || typeof message !== 'string' || typeof hint !== 'string') continue
    if (!isDoubtCode(code) || found.has(code)) continue
    const row = rowOf(code)
    const blocks = row.block !== undefined && weight === 'block'
    found.set(code, {
      code,
      weight: blocks ? 'block' : row.weight,
      message,
      short: typeof short === 'string' ? short : firstClause(message), // older programs kept none
      hint,
    })
  }
  return [...found.values()]
}

/** "the market rose by 76.55 %: a winner of …" → "the market rose by 76.55 %": what was found, without what it means. */
function firstClause(message: string): string {
  return message.split(/: | \(|; /)[0]
}

/** `belowExposedHold` → "below exposed hold": a doubt without its numbers. */
export function wordsOf(code: string): string {
  return code.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
}

/** Whether only an examination finds it; what else it noted is found anew, as it is now. */
export function isOfExamination(code: DoubtCode): boolean {
  return Object.hasOwn(EXAMINATION_DOUBTS, code) || code === 'withinNoise'
}

export function isDoubtCode(text: string): text is DoubtCode {
  return Object.hasOwn(DOUBTS, text)
}

function rowOf<Code extends DoubtCode>(code: Code): DoubtRow<FactsOf<Code>> {
  const rows: { readonly [Each in DoubtCode]: DoubtRow<FactsOf<Each>> } = DOUBTS // as a mapped type, which `code` selects from
  return rows[code]
}
