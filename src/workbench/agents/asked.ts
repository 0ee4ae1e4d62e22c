/** What an agent's call becomes: a command line of ours, and what that command says. */

export interface CommandLine {
  /** As a person would type them; what the agent gave stands behind `=` or `--`, so that none of it is read as an option. */
  readonly words: readonly string[]
  /** Texts in place of files, by the name that stands in `words`. */
  readonly texts: ReadonlyMap<string, string>
  /** After so long it is interrupted, as by Ctrl-C. */
  readonly seconds: number
}

/** What a command said until it ended. */
export interface Heard {
  readonly exitCode: number
  readonly out: string
  readonly err: string
  /** Seconds after which it was interrupted; absent = it came to its own end. */
  readonly interruptedAfter?: number
}

/** Runs a command line; `signal` interrupts it, `showProgress` hears how far it is. */
export type AskCommand = (
  line: CommandLine,
  around: { readonly signal: AbortSignal; readonly showProgress: (text: string) => void },
) => Promise<Heard>
