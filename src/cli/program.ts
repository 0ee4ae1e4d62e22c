/** The program: its commands, its help, and how every failure is printed at the end. */

import { existsSync } from 'node:fs'
import { Command, CommanderError, type Option } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { FAILURES, Failure, findSimilar, shellWord } from '../errors.ts'
import type { FolderDefaults } from '../workbench/study/defaults-file.ts'
import { backtestCommand } from './commands/backtest.ts'
import { botsCommand } from './commands/bots/bots.ts'
import { candlesCommand } from './commands/candles/candles.ts'
import { compareCommand } from './commands/compare.ts'
import { COMPLETE_WORD, completionCommand, printFitting } from './commands/completion/completion.ts'
import { demoCommand } from './commands/demo.ts'
import { exportCommand } from './commands/export.ts'
import { guideCommand } from './commands/guide.ts'
import { holdoutCommand } from './commands/holdout/holdout.ts'
import { examineCommand, leaderboardCommand, verdictCommand } from './commands/leaderboard.ts'
import { mcpCommand } from './commands/mcp/mcp.ts'
import { promoteCommand } from './commands/promote.ts'
import { reportCommand } from './commands/report.ts'
import { runCommand } from './commands/run.ts'
import { screenCommand } from './commands/screen/screen.ts'
import { serveCommand } from './commands/serve/serve.ts'
import { serviceCommand } from './commands/service/service.ts'
import { showCommand } from './commands/show.ts'
import { markStatements, sqlCommand } from './commands/sql/sql.ts'
import { findNext, statusCommand } from './commands/status.ts'
import { storeCommand } from './commands/store.ts'
import { studyCommand } from './commands/study/study.ts'
import {
  type CommonOptions,
  type Context,
  exampleOf,
  type ProgressLine,
  type Register,
  withCandles,
  withStore,
} from './context.ts'
import { readInput } from './input.ts'
import { adjustableMessages, MESSAGE_FLAGS, type MessageOptions, withProgressLine } from './long-work.ts'
import { DeclaredOption, option } from './option.ts'
import { asCalled, printable, printFailure, say } from './output.ts'
import { leadsOut, SETTING_VARIABLES, type Settings } from './settings.ts'
import { EVERY_SERVICE, type ServiceOptions } from './shown-service.ts'

// What is said of a command line that cannot be read: which word is wrong, and how this very command is written.

/** The command that the words name, as deep as they do: the program itself where the first names none. */
function findNamed(program: Command, words: readonly string[]): Command {
  const [first, ...rest] = words
  const child = program.commands.find((one) => one.name() === first)
  return child === undefined ? program : findNamed(child, rest)
}

/** "candles import", as rows of tables name a command; empty for the program. */
function pathOf(command: Command): string {
  const { parent } = command
  return parent === null ? '' : `${pathOf(parent)} ${command.name()}`.trim()
}

/** The failure that one of the parser is. */
function asWrongUse({ code, message }: CommanderError, command: Command): Failure {
  const said = message.replace(/^error: /, '').replaceAll('\n', ' ')
  const [, meant] = /\(Did you mean ([^ ?,]+)\?\)/.exec(said) ?? []
  const hint = meant === undefined ? describeRightUse(code, command) : `write ${meant}`
  return new Failure('usage', said, { hint })
}

/** The failure that the parser makes of a word that is no command below this one. */
function unknownCommand(word: string, above: Command): Failure {
  const names = namesBelow(above)
  const meant = findSimilar(word, names)
  const message = `unknown command '${word}'`
  if (meant !== undefined)
    return new Failure('usage', `${message} (Did you mean ${meant}?)`, { hint: `write ${meant}` })
  const alone = `dcalab ${pathOf(above)} has no subcommands`
  return new Failure('usage', message, { hint: names.length > 0 ? describeCommands(above) : alone })
}

/** A failure without a hint of its own gets the example of its command. */
function withExampleHint(failure: Failure, command: Command): Failure {
  const example = exampleOf(command)
  if (failure.code !== 'usage' || failure.hint !== FAILURES.usage.hint || example === undefined) return failure
  const { message, problems, details, cause } = failure
  return new Failure('usage', message, {
    ...{ problems, cause, hint: `for instance \`${example}\`` },
    ...(details === undefined ? {} : { details }),
  })
}

function describeRightUse(code: string, command: Command): string {
  if (code === 'commander.unknownCommand') return describeCommands(command)
  if (code === 'commander.unknownOption') {
    return `dcalab ${pathOf(command)} takes ${command.options.map(({ long, flags }) => long ?? flags).join(', ')}`
  }
  const example = exampleOf(command)
  const names = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name()
    return argument.required ? `<${name}>` : `[${name}]`
  })
  const needed = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags)
  const usage = `it is written \`${['dcalab', pathOf(command), ...names, ...needed].join(' ')}\``
  return example === undefined ? usage : `${usage}, for instance \`${example}\``
}

/** Without those that the help does not show. */
function namesBelow(command: Command): string[] {
  const shown = command.createHelp().visibleCommands(command)
  return shown.map((child) => child.name())
}

function describeCommands(command: Command): string {
  const names = namesBelow(command).join(', ')
  return command.parent === null ? `the commands are ${names}` : `dcalab ${pathOf(command)} takes ${names}`
}

const GOES_ON = 'everything done is stored; run the same command to continue'

/** A command without a row keeps nothing of what it had begun: `FAILURES.interrupted` says that. */
export const INTERRUPT_HINTS: Readonly<Record<string, string>> = {
  run: GOES_ON,
  demo: GOES_ON,
  holdout: GOES_ON,
  'service calibrate': GOES_ON,
  'store reread': GOES_ON,
  'store clean': 'part was deleted; run the same command for the rest',
  examine: 'finished checks are stored; run the same command for the rest',
  'store merge': 'neither store was changed; run the same command again',
  sql: 'the statement changed nothing; --limit and --timeout shorten it',
  export: 'no file was written; run the same command again',
}

/** Whether the same command goes on where it was. */
function isContinued(error: unknown, command: Command): boolean {
  return error instanceof Failure && error.code === 'interrupted' && INTERRUPT_HINTS[pathOf(command)] === GOES_ON
}

/** The failure of an interrupted command, with what is true of that command. */
function withInterruptHint(failure: Failure, command: Command): Failure {
  const hint = INTERRUPT_HINTS[pathOf(command)]
  if (failure.code !== 'interrupted' || failure.hint !== FAILURES.interrupted.hint || hint === undefined) return failure
  const { message, cause, exitCode } = failure
  return new Failure('interrupted', message, { cause, exitCode, hint })
}

/**
 * `help bots show` and `bots help show` as `bots show --help`; other command lines as they are.
 * @throws Failure `usage` where help is asked for a word that is no command
 */
function withHelpBehind(program: Command, words: readonly string[]): readonly string[] {
  const named = findNamed(program, words)
  const rest = words.slice(depthOf(named))
  if (rest[0] === 'help' && isGroup(named)) {
    const meant = rest.slice(1).filter((word) => !word.startsWith('-') && word !== 'help')
    return [...pathTo(demandCommand(named, meant)), '--help']
  }
  const asksForHelp = rest.some((word) => word === '--help' || word === '-h')
  if (asksForHelp && isGroup(named) && !rest[0].startsWith('-')) throw unknownCommand(rest[0], named)
  return words
}

function demandCommand(above: Command, words: readonly string[]): Command {
  const found = findNamed(above, words)
  const unknown = words.at(depthOf(found) - depthOf(above))
  if (unknown !== undefined) throw unknownCommand(unknown, found)
  return found
}

/** It does nothing by itself: the word after it is a command. */
function isGroup({ parent, commands, options }: Command): boolean {
  return parent === null || (commands.length > 0 && options.length === 0)
}

function pathTo(command: Command): readonly string[] {
  return pathOf(command).split(' ').filter(Boolean)
}

function depthOf(command: Command): number {
  return pathTo(command).length
}

/** What `dcalab help settings` prints: the options that commands share, which their own help leaves out, and the settings of the environment. */
function describeSettingsHelp(columns: number): string {
  const shared = withPrintOptions(withCandles(withStore(new Command('dcalab'))))
    .usage('<command> [options]')
    .helpOption(false)
    .configureHelp({ optionDescription: describeOption, helpWidth: columns })
  for (const option of shared.options) option.hidden = option.long === '--json'
  return `${shared.helpInformation()}
Settings, in the environment or in .env; dcalab.yaml names store and candles:
${SETTING_VARIABLES.map((name) => `  ${name}\n`).join('')}
What each of them means: dcalab guide settings
`
}

/** Shown once, by `dcalab help settings`. */
function withPrintOptions(command: Command): Command {
  return command
    .addOption(option('--quiet', 'no progress, notes or hints').hideHelp())
    .addOption(option('--verbose', 'show files used and every request').hideHelp())
    .addOption(option('--wide', 'keep all columns of tables on a terminal').hideHelp())
    .addOption(option('--no-pager', 'print long answers at once').hideHelp())
}

/** As `--help` shows it: "at most so many (at least 1; default 100)". */
function describeOption(shown: Option): string {
  if (!(shown instanceof DeclaredOption)) return shown.description
  const facts = [shown.variable ?? '', boundsOf(shown), defaultOf(shown)].filter((text) => text !== '')
  return facts.length === 0 ? shown.description : `${shown.description} (${facts.join('; ')})`
}

export function boundsOf({ minimum, maximum }: DeclaredOption): string {
  if (minimum === undefined) return ''
  return maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`
}

export function defaultOf({ defaultValue, otherwise }: DeclaredOption): string {
  const text = defaultValue === undefined ? otherwise : String(defaultValue)
  return text === undefined ? '' : `default ${text}`
}

/** By group and name, in the order of the help. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Register>>>> = {
  Start: { status: statusCommand, demo: demoCommand, guide: guideCommand },
  Research: {
    candles: candlesCommand,
    study: studyCommand,
    screen: screenCommand,
    run: runCommand,
    backtest: backtestCommand,
  },
  Results: {
    leaderboard: leaderboardCommand,
    verdict: verdictCommand,
    show: showCommand,
    compare: compareCommand,
    examine: examineCommand,
    holdout: holdoutCommand,
    report: reportCommand,
  },
  Bots: { promote: promoteCommand, bots: botsCommand },
  Data: { sql: sqlCommand, export: exportCommand, store: storeCommand },
  Service: { service: serviceCommand, serve: serveCommand, mcp: mcpCommand },
}

const HIDDEN: Readonly<Record<string, Register>> = { completion: completionCommand }

const COMMANDS: Readonly<Record<string, Register>> = Object.assign({}, ...Object.values(GROUPS), HIDDEN)

const AFTER_HELP = `
Begin with: dcalab demo. More: dcalab help <command>, dcalab help settings,
dcalab guide, dcalab --version
`

/**
 * The whole command tree, or, where the first word names a command, that one alone: declaring all of them takes longer than many a command. Where
 * it names none, `--help` and a misspelt word among them, the names and what they do are enough. The documentation test reads the whole tree, too.
 */
export function buildProgram(context: Context, firstWord = 'help'): Command {
  const isNamed = Object.hasOwn(COMMANDS, firstWord)
  const program = (isNamed || firstWord === 'help' ? new Command('dcalab') : new OutlinedProgram('dcalab'))
    .description('Research workbench for DCA bots: study, backtest, judge, promote to a demo bot.')
    .usage('<command> [options]')
    .version(packageJson.version, '--version')
    .addHelpText('after', AFTER_HELP)
  if (isNamed) COMMANDS[firstWord](program, context)
  else if (firstWord !== '--version') declareAll(program, context)
  overrideExit(program, context)
  return program.configureHelp({ subcommandTerm: (command) => command.name(), visibleOptions: () => [] })
}

function declareAll(program: Command, context: Context): void {
  for (const [group, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(`${group}:`)
    for (const register of Object.values(commands)) register(program, context)
  }
  for (const register of Object.values(HIDDEN)) register(program, context)
}

/** What `main` knows. */
interface Surroundings extends Omit<Context, 'endWith' | 'line' | 'settings' | 'call' | 'suggestNext'> {
  settings(defaults?: FolderDefaults): Settings
  /** Hears how far the command is in place of the terminal's own line. */
  readonly line?: ProgressLine
}

/** Runs one command line. @returns the exit code, one of those in the guide's reference */
export async function runCli(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let exitCode = 0
  let next: string | null | undefined
  let defaults: FolderDefaults = {}
  const { terminal: own } = surroundings.system
  const below = surroundings.line === undefined ? withProgressLine(own) : { terminal: own, line: surroundings.line }
  const loud = { ...surroundings.system, terminal: below.terminal }
  const { adjust, ...messages } = adjustableMessages(loud, below.line)
  const context: Context = {
    ...{ ...surroundings, ...messages },
    settings: () => surroundings.settings(defaults),
    endWith: (code) => (exitCode = code),
    suggestNext: (command) => (next = command),
    call: (given, { terminal: heard, ...changes }) =>
      runCli(given, { ...surroundings, ...changes, system: { ...surroundings.system, terminal: heard } }),
  }
  const words = startsAlone(args) ? ['status', ...args] : withMessageFlagsBehind(args)
  if (args[0] === COMPLETE_WORD) {
    const written = args.slice(2) // after `--`
    defaults = await readFolderDefaults().catch(() => ({})) // the command itself says what is wrong with it
    await printFitting(context, buildProgram(context, written[0]), written)
    return 0
  }
  if (words[0] === 'help' && words[1] === 'settings') {
    await context.system.terminal.out(
      asCalled(context.system.terminal, describeSettingsHelp(context.system.terminal.columns)),
    )
    return 0
  }
  const program = buildProgram(context, words[0])
  const isRead = own.outIsTerminal && own.errIsTerminal && !asksForJson(args)
  try {
    program.hook('preAction', async (_, command) => {
      defaults = await readFolderDefaults()
      const options: MessageOptions = { ...defaults, ...command.opts() }
      adjust(options)
      if (options.verbose) say(context.system.terminal, describePlaces(context.settings()))
    })
    program.hook('postAction', async (_, command) => {
      if (!isRead) return
      if (exitCode === 0 && next === undefined) next = await findNext(context, pathOf(command), command)
      next &&= inSamePlaces(context, next, command.opts<ServiceOptions & CommonOptions>())
    })
    await program.parseAsync(markStatements(withHelpBehind(program, words)), { from: 'user' })
    if (next && isRead) say(context.system.terminal, `next: ${next}`)
    return exitCode
  } catch (error) {
    const failed = error instanceof Failure ? withBetterHint(error, findNamed(program, words)) : error
    const code = endWith(failed, { ...context, system: loud }, asksForJson(args) || asksForLog(args))
    if (isRead && isContinued(failed, findNamed(program, words))) {
      say(context.system.terminal, `next: dcalab ${args.map(shellWord).join(' ')}`)
    }
    return code
  }
}

/** Whether a command line asks for it: a failure is then a line of JSON, too. */
function asksForLog(args: readonly string[]): boolean {
  return (
    args[0] === 'run' &&
    args.some((arg, at) => arg === '--log=ndjson' || (arg === 'ndjson' && args[at - 1] === '--log'))
  )
}

/** The flags that stand before the command, `dcalab --quiet run …`, are put behind it. */
function withMessageFlagsBehind(args: readonly string[]): readonly string[] {
  const count = args.findIndex((word) => !MESSAGE_FLAGS.includes(word))
  if (count < 1) return args
  const [flags, words] = [args.slice(0, count), args.slice(count)]
  const end = words.includes('--') ? words.indexOf('--') : words.length
  return words[0]?.startsWith('-') ? args : [...words.slice(0, end), ...flags, ...words.slice(end)]
}

/** By `--json`, or by the format of rows that it is short for. */
function asksForJson(args: readonly string[]): boolean {
  if (args[0] === 'report') return args.includes('--json') // its formats are of a file
  const isFormat = (word: string, at: number) => word === 'json' && args[at - 1] === '--format'
  return args.includes('--json') || args.includes('--format=json') || args.some(isFormat)
}

/** What the command knows better than the table of failures. */
function withBetterHint(failure: Failure, command: Command): Failure {
  return withInterruptHint(withExampleHint(failure, command), command)
}

/** Which files and which service a command works with; no keys. */
function describePlaces({ baseUrl, store, serviceStore, candlesFolder }: Settings): string {
  const service = baseUrl === undefined ? `embedded, ${serviceStore}` : new URL(baseUrl).origin
  return `store ${store}; candles ${candlesFolder}; service ${service}`
}

/** No command was named: then it is `status`, with its options. */
function startsAlone(args: readonly string[]): boolean {
  const first = args.find((word) => !MESSAGE_FLAGS.includes(word))
  return first === undefined || (first.startsWith('-') && !['--help', '-h', '--version'].includes(first))
}

/** Who named a service, a store or a candle folder means it in what is typed next, too, where that takes it. */
function inSamePlaces(context: Context, next: string, options: ServiceOptions & CommonOptions): string {
  const { service, store, candlesDir } = options
  const words = next.split(' ').slice(1)
  const command = findNamed(buildProgram(context, words[0]), words)
  const flags = {
    '--service': service === EVERY_SERVICE ? undefined : service,
    '--store': store,
    '--candles-dir': candlesDir,
  }
  const given = Object.entries(flags).flatMap(([flag, value]) => {
    const isTaken = command.options.some(({ long }) => long === flag) && !words.includes(flag)
    return value === undefined || !isTaken ? [] : [flag, shellWord(value)]
  })
  return [next, ...given].join(' ')
}

function endWith(thrown: unknown, context: Context, json: boolean): number {
  const { terminal } = context.system
  const error = asBinaryFailure(thrown) ?? thrown
  if (error instanceof Failure) {
    printFailure(terminal, error, json)
    return error.exitCode
  }
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? 0 : 2 // help or version was asked for; a group without a command printed its help to stderr
  }
  if (context.signal.aborted && error === context.signal.reason) return 130
  terminal.err(`${printable(`bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)}\n`)
  return 1
}

/**
 * SQLite's binary was built for another kind of machine, for example because `node_modules` was copied: the installation is
 * wrong, not the program.
 */
function asBinaryFailure(error: unknown): Failure | undefined {
  const refused = error instanceof Error && 'code' in error && error.code === 'ERR_DLOPEN_FAILED'
  if (!refused) return undefined
  const message = `this machine (${process.platform} ${process.arch}) cannot load a binary of the installation: ${error.message}`
  return new Failure('binaryRefused', message, { cause: error })
}

function overrideExit(command: Command, context: Context): void {
  const { terminal } = context.system
  // Options belong to the command they follow: `serve keys list --json` is not `serve --json`.
  command
    .enablePositionalOptions()
    .helpCommand(false) // `withHelpBehind` reads the word
    .configureHelp({ optionDescription: describeOption })
    .exitOverride((error) => {
      throw error.exitCode === 0 || error.code === 'commander.help' ? error : asWrongUse(error, command)
    })
    .configureOutput({
      writeOut: (text) => void terminal.out(asCalled(terminal, text)),
      writeErr: (text) => terminal.err(asCalled(terminal, text)),
      outputError: () => {},
      getOutHelpWidth: () => terminal.columns,
    })
  if (command instanceof OutlinedCommand) return
  const isGroup = command.commands.length > 0 && command.options.length === 0
  if (command.parent !== null && !isGroup) withPrintOptions(command)
  for (const child of command.commands) overrideExit(child, context)
}

/** A program whose commands are outlined. */
class OutlinedProgram extends Command {
  override createCommand(name?: string): Command {
    return new OutlinedCommand(name)
  }
}

/** It is shown, and never run. */
class OutlinedCommand extends OutlinedProgram {
  override addOption(): this {
    return this
  }

  override option(): this {
    return this
  }

  override requiredOption(): this {
    return this
  }

  override addHelpText(): this {
    return this
  }
}

const DEFAULTS_FILE = 'dcalab.yaml'

/** @throws Failure configInvalid for what such a file may not say, with its place; also where a link leads a path out of the folder */
async function readFolderDefaults(): Promise<FolderDefaults> {
  if (!existsSync(DEFAULTS_FILE)) return {}
  const { parseDefaults } = await import('../workbench/study/defaults-file.ts')
  const defaults = parseDefaults(readInput(DEFAULTS_FILE), { file: DEFAULTS_FILE })
  const { store, candles } = defaults
  const problems = Object.entries({ store, candles })
    .filter(([, path]) => path !== undefined && leadsOut(path))
    .map(([name, path]) => ({
      place: `${DEFAULTS_FILE} ${name}`,
      message: `"${path}" leads out of this folder through a link`,
    }))
  if (problems.length === 0) return defaults
  throw new Failure('configInvalid', `${DEFAULTS_FILE} cannot be used`, {
    problems,
    hint: 'set DCALAB_STORE or DCALAB_CANDLES in the environment instead',
  })
}
