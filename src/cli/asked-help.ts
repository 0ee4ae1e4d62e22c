/** The command whose help somebody asks for, and what is said where there is no such command: the parser itself would show the help of what stands above it. */
import { Command } from 'commander'
import { withCandles, withStore } from './context.ts'
import { describeOption } from './option.ts'
import { SETTING_VARIABLES } from './settings.ts'
import { withPrintOptions } from './talk.ts'
import { findNamed, pathOf, unknownCommand } from './wrong-use.ts'

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
