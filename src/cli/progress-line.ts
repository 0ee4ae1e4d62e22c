/**
 * A progress line at the bottom of the terminal that is updated in place. All other output goes through the terminal made here:
 * it clears the line first, and after a message on stderr it draws the line again below.
 */
import type { Terminal } from '../system.ts'
import { printable } from './output.ts'

export interface ProgressLine {
  /** Does nothing where it is not drawn. */
  show(text: string): void
  clear(): void
  /** False off a terminal, and on one that cannot draw anew: there a sentence now and then takes its place. */
  readonly isDrawn: boolean
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
