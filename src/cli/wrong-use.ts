/** What is said of a command line that cannot be read: which word is wrong, and how this very command is written. */
import type { Command, CommanderError } from 'commander'
import { FAILURES, Failure, findSimilar } from '../errors.ts'
import { exampleOf } from './context.ts'

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
export function unknownCommand(word: string, above: Command): Failure {
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
