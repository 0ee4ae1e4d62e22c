/**
 * The progress line of a terminal, and `--quiet`, `--verbose`, `--wide` and `--no-pager`: options that every command has, because they are
 * about what is printed and not about what is done.
 */
import type { System, Terminal } from '../system.ts'
import type { ProgressLine } from './context.ts'
import { printable, say } from './output.ts'

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
