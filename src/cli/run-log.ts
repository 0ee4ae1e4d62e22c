/**
 * `run --log ndjson`: everything that a run says on stderr as one JSON object a line, `{ at, kind, … }`, for a program that reads along. What is
 * progress comes at the beginning and once a minute; kinds are those of `RunEvent`, `note` for every other sentence, `end` and `onEnd`.
 */
import type { Progress } from '../workbench/run/progress.ts'
import type { Context } from './context.ts'
import { formatTime, jsonText } from './output.ts'
import type { ProgressWatch } from './run-progress.ts'

const progressEveryMs = 60_000

export interface RunLog {
  /** What runs in it says nothing that is not a line of the log. */
  readonly context: Context
  readonly watch: () => ProgressWatch
  readonly write: (kind: string, facts: object) => void
}

/** Whether a command line asks for it: a failure is then a line of JSON, too. */
export function asksForLog(args: readonly string[]): boolean {
  return (
    args[0] === 'run' &&
    args.some((arg, at) => arg === '--log=ndjson' || (arg === 'ndjson' && args[at - 1] === '--log'))
  )
}

export function openRunLog(context: Context): RunLog {
  const { clock, terminal } = context.system
  const write = (kind: string, facts: object) =>
    terminal.err(`${jsonText({ at: new Date(clock.wall()).toISOString(), kind, ...facts })}\n`)
  const err = (text: string) => {
    for (const line of text.split('\n')) if (line !== '') write('note', { message: line.replace(/^note: /, '') })
  }
  return {
    context: {
      ...context,
      system: { ...context.system, terminal: { ...terminal, err, errIsTerminal: false, colours: false } },
      line: { isDrawn: false, show: () => {}, clear: () => {} },
    },
    watch: () => watchForLog(context, write),
    write,
  }
}

function watchForLog({ system: { clock } }: Pick<Context, 'system'>, write: RunLog['write']): ProgressWatch {
  const over = new AbortController()
  let latest: Progress | undefined
  void keepWriting()
  return {
    tell: ({ kind, ...event }) => {
      if (kind !== 'progress' || !('total' in event)) return write(kind, event)
      if (latest === undefined) write(kind, factsOf(event))
      latest = event
    },
    end: () => over.abort(),
  }

  async function keepWriting(): Promise<void> {
    try {
      for (;;) {
        await clock.sleep(progressEveryMs, over.signal)
        if (latest !== undefined) write('progress', factsOf(latest))
      }
    } catch (error) {
      if (!over.signal.aborted) throw error
    }
  }
}

function factsOf({ reopensAt, ...progress }: Progress): object {
  return { ...progress, reopensAt: reopensAt === null ? null : formatTime(reopensAt) }
}
