/** Runs a statement in a process of its own (`sql-worker.ts`), which a signal or a limit of time ends at once. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Failure } from '../../../errors.ts'
import type { Row } from './select.ts'
import { startWatch } from './watch.ts'
import type { AnswerLine, AskedQuestion, ToldFailure } from './wire.ts'

export interface StreamedAnswer {
  readonly columns: readonly string[]
  /** Rows in the order of the statement, so many at a time as have come. */
  readonly batches: AsyncIterable<readonly Row[]>
}

interface AskOptions {
  /** The built `sql-worker.js`. */
  readonly workerFile: URL
  /** Aborted, it ends the process; what is thrown then is its reason. */
  readonly signal: AbortSignal
}

/**
 * Hands the answer to `work` while it is computed. The process is gone when this returns or throws.
 * @throws Failure as `withRows`, and the signal's reason
 */
export async function askStore<T>(
  question: AskedQuestion,
  { workerFile, signal }: AskOptions,
  work: (answer: StreamedAnswer) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  // It inherits the environment, which holds no keys any more (main.ts): SQLite looks there for TZ and for its temporary folder.
  const child = spawn(process.execPath, [fileURLToPath(workerFile)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const watch = child.pid === undefined ? undefined : startWatch(child.pid)
  const end = endOf(child)
  const { aborted, release } = rejectOnAbort(signal)
  try {
    return await Promise.race([readAnswer(child, question, end, work), aborted])
  } finally {
    release()
    watch?.stop()
    child.kill('SIGKILL') // after the end of an answer its store is closed already
    child.stdout?.destroy() // it may hold rows that nobody reads any more
    await end
  }
}

async function readAnswer<T>(
  child: ChildProcess,
  question: AskedQuestion,
  end: Promise<ProcessEnd>,
  work: (answer: StreamedAnswer) => Promise<T>,
): Promise<T> {
  for (const stream of child.stdio) stream?.on('error', () => {}) // a process that ends early: its end says why
  child.stdin?.end(JSON.stringify(question))
  const lines = readLines(child, end)
  const first = await lines.next()
  if (first.done || first.value.kind !== 'columns')
    throw new Error('the answer to a statement does not begin with columns')
  return work({ columns: first.value.columns, batches: batchesOf(lines) })
}

async function* batchesOf(lines: AsyncIterable<AnswerLine>): AsyncGenerator<readonly Row[]> {
  for await (const line of lines) if (line.kind === 'rows') yield line.rows
}

/** The lines up to the end. @throws what the process says is wrong, and when it ends before it has said all */
async function* readLines(child: ChildProcess, end: Promise<ProcessEnd>): AsyncGenerator<AnswerLine> {
  let rest = ''
  for await (const part of child.stdout?.setEncoding('utf8') ?? []) {
    const texts = (rest + part).split('\n')
    rest = texts.pop() ?? ''
    for (const text of texts) {
      const line: AnswerLine = JSON.parse(text)
      if (line.kind === 'end') return
      if (line.kind === 'failure') throw failureOf(line.failure)
      if (line.kind === 'bug') throw new Error(`in the process of the statement: ${line.stack}`)
      yield line
    }
  }
  throw endedEarly(await end)
}

function failureOf({ code, message, details, ...rest }: ToldFailure): Failure {
  return new Failure(code, message, { ...rest, ...(details === undefined ? {} : { details }) })
}

interface ProcessEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

function endOf(child: ChildProcess): Promise<ProcessEnd> {
  const end = new Promise<ProcessEnd>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve({ code, signal }))
  })
  end.catch(() => {}) // thrown where it is awaited
  return end
}

/** Ctrl-C reaches every process of the terminal, this one perhaps before its parent. */
const INTERRUPTS: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGINT: 130, SIGTERM: 143 }

function endedEarly({ code, signal }: ProcessEnd): Error {
  if (signal === null) return new Error(`the process of the statement ended with exit code ${code}`)
  const exitCode = INTERRUPTS[signal]
  if (exitCode !== undefined) return new Failure('interrupted', `Interrupted by ${signal}`, { exitCode })
  return new Failure('sqlInvalid', `The process of the statement was ended from outside (${signal})`, {
    hint: 'the machine may be short of memory: ask for fewer rows at once',
  })
}

function rejectOnAbort(signal: AbortSignal): { readonly aborted: Promise<never>; release(): void } {
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
  })
  return { aborted, release: () => signal.removeEventListener('abort', onAbort) }
}
