/**
 * What is said beside the answer: how far a long work has come and that it goes on (no silence is longer than a minute), the progress line that
 * it stands in, and the options that make it more or less.
 */

import type { Clock, System, Terminal } from '../system.ts'
import type { ScreenProgress } from '../workbench/screen/screen-grid.ts'
import type { Context, ProgressLine } from './context.ts'
import { formatDuration, printable, say } from './output.ts'

const silentMs = 2_000
const lineEveryMs = 60_000

type Around = Pick<Context, 'system' | 'line'>

/**
 * `work` calls `showProgress` as often as it likes: nothing is said in the first two seconds, then on the terminal's line, elsewhere once a
 * minute. What it said last is said again while it is busy with one thing for long.
 */
export async function withProgress<T>(
  { system, line }: Around,
  work: (showProgress: (text: string) => void) => Promise<T>,
): Promise<T> {
  const { clock, terminal } = system
  const begun = clock.monotonic()
  let said = begun + silentMs - lineEveryMs
  let latest = 'at work'
  const put = (text: string) => {
    said = clock.monotonic()
    if (line.isDrawn) line.show(text)
    else say(terminal, text)
  }
  const over = new AbortController()
  void everyMinute(clock, over.signal, () => {
    const now = clock.monotonic()
    if (now - said >= lineEveryMs) put(`${latest}, after ${formatDuration(now - begun)}`)
  })
  try {
    return await work((text) => {
      latest = text
      const now = clock.monotonic()
      if (now - begun >= silentMs && (line.isDrawn || now - said >= lineEveryMs)) put(text)
    })
  } finally {
    over.abort()
    line.clear()
  }
}

/** While `work` goes on, a word every minute. `words`: given how long it has gone on, ms. */
export async function withHeartbeat<T>(
  { system, line }: Around,
  words: (elapsedMs: number) => string,
  work: () => Promise<T>,
): Promise<T> {
  const { clock, terminal } = system
  const begun = clock.monotonic()
  const over = new AbortController()
  void everyMinute(clock, over.signal, () => {
    const text = words(clock.monotonic() - begun)
    if (line.isDrawn) line.show(text)
    else say(terminal, text)
  })
  try {
    return await work()
  } finally {
    over.abort()
    line.clear()
  }
}

async function everyMinute(clock: Clock, over: AbortSignal, act: () => void): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(lineEveryMs, over)
      act()
    }
  } catch (error) {
    if (!over.aborted) throw error
  }
}

const SHOW_EVERY_MS = 100
const SAY_EVERY_MS = 60_000

/** Shows points, configs per second and the time left. */
export function showScreenProgress({ system, line }: Pick<Context, 'system' | 'line'>): {
  show(progress: ScreenProgress): void
  clear(): void
} {
  const { clock, terminal } = system
  let current = { pass: '', startedAt: 0 }
  let shownAt = Number.NEGATIVE_INFINITY
  let saidAt = clock.monotonic()
  return { show, clear: line.clear }

  function show(progress: ScreenProgress): void {
    const { pass, done, total } = progress
    const now = clock.monotonic()
    if (current.pass !== pass) current = { pass, startedAt: now }
    if (!line.isDrawn) {
      if (now - saidAt < SAY_EVERY_MS) return
      saidAt = now
      say(terminal, words(progress, now - current.startedAt))
      return
    }
    if (now - shownAt < SHOW_EVERY_MS && done < total) return
    shownAt = now
    line.show(words(progress, now - current.startedAt))
  }
}

function words(progress: ScreenProgress, passedMs: number): string {
  const { pass, done, total } = progress
  const perSecond = (1000 * done) / Math.max(1, passedMs)
  const leftMs = progress.leftMs()
  const left = leftMs === null ? '' : `, ${formatDuration(leftMs)} left`
  return `${done} of ${total} (${Math.floor((100 * done) / total)} %), ${Math.round(perSecond)} configs/s${left}; by ${pass}`
}

// The progress line of a terminal, and `--quiet`, `--verbose`, `--wide` and `--no-pager`: options that every command has, because they are
// about what is printed and not about what is done.

export interface MessageOptions {
  readonly quiet?: boolean | undefined
  readonly verbose?: boolean | undefined
  readonly wide?: boolean | undefined
  /** False = `--no-pager`. */
  readonly pager?: boolean | undefined
}

/** Their flags, for the page of commands and for words that stand before the command. */
export const MESSAGE_FLAGS: readonly string[] = ['--quiet', '--verbose', '--wide', '--no-pager']

interface AdjustableMessages {
  readonly system: System
  readonly line: ProgressLine
  /** Called once, when the command line was read. */
  adjust(options: MessageOptions): void
}

/** The same world, in which the options decide what is said. */
export function adjustableMessages(system: System, line: ProgressLine): AdjustableMessages {
  let chosen: MessageOptions = {}
  const loud = system.terminal
  const terminal: Terminal = {
    ...loud,
    get columns() {
      return chosen.wide ? 0 : loud.columns
    },
    get page() {
      return chosen.pager === false ? undefined : loud.page
    },
    err: (text) => {
      if (!chosen.quiet) loud.err(text)
    },
  }
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (!chosen.verbose) return system.fetch(input, init)
    const began = system.clock.monotonic()
    const asked = `${init?.method ?? 'GET'} ${pathIn(input)}`
    try {
      const reply = await system.fetch(input, init)
      say(terminal, `${asked}: ${reply.status}, ${Math.round(system.clock.monotonic() - began)} ms`)
      return reply
    } catch (error) {
      say(terminal, `${asked}: no answer after ${Math.round(system.clock.monotonic() - began)} ms`)
      throw error
    }
  }
  return {
    system: { ...system, terminal, fetch },
    line: { ...line, show: (text) => (chosen.quiet ? undefined : line.show(text)) },
    adjust: (options) => (chosen = options),
  }
}

/** Without the address and the query, in which an owner's e-mail may stand. */
function pathIn(input: Parameters<typeof globalThis.fetch>[0]): string {
  return new URL(input instanceof Request ? input.url : input).pathname
}

const clearLine = '\r\u001b[2K'

export function withProgressLine(terminal: Terminal): { readonly terminal: Terminal; readonly line: ProgressLine } {
  if (!terminal.errIsTerminal || !terminal.redraws) {
    return { terminal, line: { show: () => {}, clear: () => {}, isDrawn: false } }
  }
  const room = terminal.columns > 1 ? terminal.columns - 1 : Number.POSITIVE_INFINITY // some terminals report 0 columns: unknown
  let shown: string | undefined
  const clear = () => {
    if (shown !== undefined) terminal.err(clearLine)
    shown = undefined
  }
  const show = (text: string) => {
    if (text === shown) return
    shown = text
    terminal.err(`${clearLine}${printable(text).slice(0, room)}`)
  }
  const { page } = terminal
  return {
    line: { show, clear, isDrawn: true },
    terminal: {
      ...terminal,
      page:
        page &&
        ((text) => {
          clear()
          return page(text)
        }),
      err: (text) => {
        const below = shown
        clear()
        terminal.err(text)
        if (below !== undefined && text.endsWith('\n')) show(below)
      },
      out: (text) => {
        clear()
        return terminal.out(text)
      },
    },
  }
}
