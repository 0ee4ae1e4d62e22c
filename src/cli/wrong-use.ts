/** What is said of a command line that cannot be read: which word is wrong, and how this very command is written. */
import { Command, type CommanderError } from 'commander'
import { FAILURES, Failure, findSimilar } from '../errors.ts'
import { exampleOf, withCandles, withStore } from './context.ts'
import { describeOption } from './option.ts'
import { withPrintOptions } from './progress-line.ts'
import { SETTING_VARIABLES } from './settings.ts'

/** The command that the words name, as deep as they do: the program itself where the first names none. */
export function findNamed(program: Command, words: readonly string[]): Command {
  const [first, ...rest] = words
  const child = program.commands.find((one) => one.name() === first)
  return child === undefined ? program : findNamed(child, rest)
}

/** "candles import", as rows of tables name a command; empty for the program. */
export function pathOf(command: Command): string {
  const { parent } = command
  return parent === null ? '' : `${pathOf(parent)} ${command.name()}`.trim()
}

/** The failure that one of the parser is. */
export function asWrongUse({ code, message }: CommanderError, command: Command): Failure {
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
export function withExampleHint(failure: Failure, command: Command): Failure {
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
export function isContinued(error: unknown, command: Command): boolean {
  return error instanceof Failure && error.code === 'interrupted' && INTERRUPT_HINTS[pathOf(command)] === GOES_ON
}

/** The failure of an interrupted command, with what is true of that command. */
export function withInterruptHint(failure: Failure, command: Command): Failure {
  const hint = INTERRUPT_HINTS[pathOf(command)]
  if (failure.code !== 'interrupted' || failure.hint !== FAILURES.interrupted.hint || hint === undefined) return failure
  const { message, cause, exitCode } = failure
  return new Failure('interrupted', message, { cause, exitCode, hint })
}

/**
 * `help bots show` and `bots help show` as `bots show --help`; other command lines as they are.
 * @throws Failure `usage` where help is asked for a word that is no command
 */
export function withHelpBehind(program: Command, words: readonly string[]): readonly string[] {
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
export function describeSettingsHelp(columns: number): string {
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
