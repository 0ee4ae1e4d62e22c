/** Reads one question from stdin and writes the answer to stdout, in lines of JSON. */
import { readFileSync, writeSync } from 'node:fs'
import { Failure } from '../../../errors.ts'
import { type Question, type Row, withRows } from './select.ts'

// What the process that runs a statement is asked on stdin, and answers on stdout: one JSON document a line.

export interface AskedQuestion extends Question {
  readonly path: string
}

/** The columns come first; then rows until the end, or until something is wrong. */
export type AnswerLine =
  | { readonly kind: 'columns'; readonly columns: readonly string[] }
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'end' }
  | { readonly kind: 'failure'; readonly failure: ReportedFailure }
  | { readonly kind: 'bug'; readonly stack: string }

export type ReportedFailure = Pick<Failure, 'code' | 'message' | 'hint' | 'problems' | 'details'>

/** JSON has no infinite numbers, and reads a number that is too large as one. */
function rowText(row: Row): string {
  const cells = row.map((cell) =>
    typeof cell === 'number' && !Number.isFinite(cell) ? `${cell < 0 ? '-' : ''}1e999` : JSON.stringify(cell),
  )
  return `[${cells.join(',')}]`
}

/** A line of rows is sent once it has so many characters or rows. */
const longestLine = 64_000
const mostRowsOfALine = 1_000

const stdin = 0
const stdout = 1

export async function answerQuestion(): Promise<void> {
  const { path, ...question }: AskedQuestion = JSON.parse(readFileSync(stdin, 'utf8'))
  try {
    withRows(path, question, (columns, rows) => {
      send({ kind: 'columns', columns })
      sendRows(rows)
    })
    send({ kind: 'end' })
  } catch (error) {
    send(error instanceof Failure ? lineOf(await knowingLayout(path, error)) : await explain(path, error))
  }
}

/** A name may be missing because no command of this version has opened the store yet, and so made the views that the version promises. */
async function knowingLayout(path: string, failure: Failure): Promise<Failure> {
  if (!/^no such (table|column):/.test(failure.message)) return failure
  const { isOfOlderVersion } = await import('../migrate.ts')
  if (!isOfOlderVersion(path)) return failure
  const { code, message, details, cause } = failure
  const hint = 'the store was last opened by an older version: `dcalab status` brings it forward, with its views'
  return new Failure(code, message, { hint, cause, details })
}

/** What is wrong with the file, in words. The store's own rooms are loaded for that alone; their failures are of a class of theirs (.ci/layers.mjs). */
async function explain(path: string, error: unknown): Promise<AnswerLine> {
  const [{ requireStore, storeFailure }, { Failure: StoreFailure }] = await Promise.all([
    import('../store.ts'),
    import('../../../errors.ts'),
  ])
  try {
    requireStore(path)
    return lineOf(storeFailure(path, error), StoreFailure)
  } catch (absent) {
    return lineOf(absent, StoreFailure)
  }
}

/** The first row goes alone, and each line has twice the rows of the one before: a slow statement shows at once what it has. */
function sendRows(rows: Iterable<Row>): void {
  let most = 1
  let length = 0
  let texts: string[] = []
  const flush = () => {
    if (texts.length > 0) writeWhole(`{"kind":"rows","rows":[${texts.join(',')}]}\n`)
    length = 0
    texts = []
    most = Math.min(2 * most, mostRowsOfALine)
  }
  for (const row of rows) {
    const text = rowText(row)
    texts.push(text)
    length += text.length
    if (texts.length >= most || length >= longestLine) flush()
  }
  flush()
}

function lineOf(error: unknown, FailureClass = Failure): AnswerLine {
  if (error instanceof FailureClass) {
    const { code, message, hint, problems, details } = error
    return { kind: 'failure', failure: { code, message, hint, problems, details } }
  }
  return { kind: 'bug', stack: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

function send(line: AnswerLine): void {
  writeWhole(`${JSON.stringify(line)}\n`)
}

/** The pipe blocks: while its reader is busy the statement waits, and no more than a line is held. */
function writeWhole(text: string): void {
  const bytes = Buffer.from(text)
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(stdout, bytes, written)
  } catch (error) {
    // Its reader is gone, and with it whoever wanted to know.
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') process.exit()
    throw error
  }
}
