/** Runs a statement in a process of its own (`sql-worker.ts`), which a signal or a limit of time ends at once. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Failure } from '../../../errors.ts'
import type { AnswerLine, AskedQuestion, ReportedFailure } from './answer-question.ts'
import type { Row } from './select.ts'

// Ends a process that computes and cannot look after itself when this one dies, however it dies. A shell waits for a line from a pipe that
// only this process holds open: the system closes it with the process. A shell, because it starts in a millisecond, where another Node takes
// twenty and a thread in the process that computes takes as long.

interface Watch {
  /** To be called while the number of the process is still its own. */
  stop(): void
}

/** `pid`: of a child of this process. */
function startWatch(pid: number): Watch {
  let watcher = process.platform === 'win32' ? nodeWatch(pid) : shellWatch(pid)
  let isOver = false
  watcher.on('error', () => {
    if (!isOver) watcher = nodeWatch(pid) // there is no shell, as in a container of this program alone
  })
  return {
    stop() {
      isOver = true
      watcher.kill('SIGKILL')
    },
  }
}

function shellWatch(pid: number): ChildProcess {
  return start('/bin/sh', ['-c', 'read -r line; kill -9 "$1"', 'watch', String(pid)])
}

function nodeWatch(pid: number): ChildProcess {
  const text = `process.stdin.resume().on('close', () => process.kill(${pid}, 'SIGKILL'))`
  return start(process.execPath, ['-e', text]).on('error', () => {}) // the statement itself could not have started either
}

/** In a group of its own, so that Ctrl-C in the terminal leaves it to see the end of its parent. */
function start(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], env: {}, detached: true })
  child.stdin?.on('error', () => {}) // a watch that has ended
  child.unref()
  return child
}

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

function failureOf({ code, message, details, ...rest }: ReportedFailure): Failure {
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
