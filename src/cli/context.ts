import type { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import type { System, Terminal } from '../system.ts'
import { option } from './option.ts'
import { DEFAULT_CANDLES, DEFAULT_STORE, type Settings } from './settings.ts'

export interface ProgressLine {
  /** Does nothing where it is not drawn. */
  show(text: string): void
  clear(): void
  /** False off a terminal, and on one that cannot draw anew: there a sentence now and then takes its place. */
  readonly isDrawn: boolean
}

/** What every command receives. */
export interface Context {
  readonly system: System
  /** Read on first use, so that `--help` and `--version` work under any settings. */
  settings(): Settings
  /** Aborted by the first Ctrl-C or SIGTERM, with the Failure to end with as its reason. */
  readonly signal: AbortSignal
  /** The file that Node runs as the program. */
  readonly entryFile: URL
  /** The built engine worker (`dist/engine-worker.js`). */
  readonly workerFile: URL
  /** The studies shipped with the program. */
  readonly studiesFolder: URL
  /** TLS verification was switched off in the environment; requests to a real service are then refused. */
  readonly tlsUnverified: boolean
  /** What programs that we start are given: the environment of this process without our settings, and so without keys. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Standard input and output as they are, for a command that speaks a protocol over them. */
  streams(): { readonly input: Readable; readonly output: Writable }
  /** What a command may do for an agent; absent = a person typed it. */
  readonly agent?: AgentTerms
  /** Runs another command line in this process and world. @returns its exit code */
  call(args: readonly string[], changes: CallChanges): Promise<number>
  /** The progress line of `system.terminal`. */
  readonly line: ProgressLine
  /** The exit code of a command that printed its result but did not end with 0 (allowance spent, rejects …). */
  endWith(exitCode: number): void
  /** The command to type next, where this one knows; null = none, undefined = it follows from where the work stands. People see it; programs and `--json` do not. */
  suggestNext(command: string | null | undefined): void
}

interface AgentTerms {
  /** What it gave in place of files, by name: a command that is run for an agent reads no file that the agent names. */
  readonly texts: ReadonlyMap<string, string>
  /** How many backtests agents may submit in 24 hours, all together; 0 = none. */
  readonly budget: number
}

/** What is not as in the context that calls. `line`: hears how far the command is. */
interface CallChanges extends Pick<Context, 'settings' | 'signal' | 'line'> {
  readonly terminal: Terminal
  readonly agent: AgentTerms
}

/** Adds one command to the program. Its action imports the folders it needs when it runs, so that `--help` loads none. */
export type Register = (program: Command, context: Context) => void

/** Options that several commands share. */
export interface CommonOptions {
  readonly json?: boolean
  readonly store?: string
  readonly candlesDir?: string
}

export function withJson(command: Command): Command {
  return command.option('--json', 'one JSON document on stdout')
}

/** The places that most commands take; shown once, by `dcalab help settings`. */
export function withStore(command: Command): Command {
  const place = option('--store <file>', 'result store, in a folder that exists', {
    variable: 'DCALAB_STORE',
    otherwise: DEFAULT_STORE,
  })
  return withJson(command).addOption(place.hideHelp())
}

export function withCandles(command: Command): Command {
  const place = { variable: 'DCALAB_CANDLES', otherwise: DEFAULT_CANDLES }
  return command.addOption(option('--candles-dir <folder>', 'candle folder', place).hideHelp())
}

const FIRST_EXAMPLES = new WeakMap<Command, string>()

/** One way to type this command that is right; undefined for what only holds others. */
export function exampleOf(command: Command): string | undefined {
  return FIRST_EXAMPLES.get(command)
}

/** Every command's help ends with two real examples. */
export function withExamples(command: Command, examples: readonly [string, string]): Command {
  FIRST_EXAMPLES.set(command, examples[0])
  return command.addHelpText(
    'after',
    `\nExamples:\n  $ ${examples[0]}\n  $ ${examples[1]}\n\nStore, candle folder, what is printed: dcalab help settings\n`,
  )
}
