/** What the process that runs a statement is asked on stdin, and answers on stdout: one JSON document a line. */
import type { Failure } from '../../../errors.ts'
import type { Question, Row } from './select.ts'

export interface AskedQuestion extends Question {
  readonly path: string
}

/** The columns come first; then rows until the end, or until something is wrong. */
export type AnswerLine =
  | { readonly kind: 'columns'; readonly columns: readonly string[] }
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'end' }
  | { readonly kind: 'failure'; readonly failure: ToldFailure }
  | { readonly kind: 'bug'; readonly stack: string }

export type ToldFailure = Pick<Failure, 'code' | 'message' | 'hint' | 'problems' | 'details'>

/** JSON has no infinite numbers, and reads a number that is too large as one. */
export function rowText(row: Row): string {
  const cells = row.map((cell) =>
    typeof cell === 'number' && !Number.isFinite(cell) ? `${cell < 0 ? '-' : ''}1e999` : JSON.stringify(cell),
  )
  return `[${cells.join(',')}]`
}
