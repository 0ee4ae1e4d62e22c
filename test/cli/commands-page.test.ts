/** What commands and options say of themselves. After a change, `npx vitest run --config test/vitest.config.ts test/cli/commands-page.test.ts -u` writes COMMANDS.md again. */
import type { Option } from 'commander'
import { expect, it } from 'vitest'
import { MESSAGE_FLAGS } from '../../src/cli/long-work.ts'
import { DeclaredOption } from '../../src/cli/option.ts'
import { boundsOf, defaultOf, INTERRUPT_HINTS } from '../../src/cli/program.ts'
import { REQUEST_LIMITS } from '../../src/workbench/store/request-log.ts'
import { VIEWS } from '../../src/workbench/store/views.ts'
import { commandsBelow, commandTree, examplesOf, type NamedCommand } from '../support/command-tree.ts'

const commands = commandsBelow(commandTree())
const options = commands.flatMap(({ path, command }) =>
  command.options.map((option) => ({ name: `dcalab${path} ${option.flags}`, option })),
)

it('COMMANDS.md is the commands with their options, written out', async () => {
  await expect(page()).toMatchFileSnapshot('../../src/cli/COMMANDS.md')
})

it('a first word that names a command declares that one alone, as it is among all; any other word declares all', () => {
  const all = commandTree()
  for (const command of all.commands) {
    const alone = commandTree(command.name()).commands
    expect(alone.map((one) => one.helpInformation())).toEqual([command.helpInformation()])
  }
  for (const word of ['leaderboards', 'toString', '--help', '']) {
    expect(commandTree(word).commands).toHaveLength(all.commands.length)
  }
})

it('what is said after Ctrl-C is said of commands that there are', () => {
  const names = commands.map(({ path }) => path.trim())
  expect(Object.keys(INTERRUPT_HINTS).filter((name) => !names.includes(name))).toEqual([])
})

it('no description says a default or a minimum by hand', () => {
  const byHand = options.filter(({ option }) => /[(;] ?default|\bat least \d/.test(option.description))
  expect(byHand.map(({ name }) => name)).toEqual([])
})

it('every option that takes a number has its smallest one', () => {
  const placeholders = /<(n|seconds|hours|percent|price|quantity|quote|factor)>/
  const unbound = options.filter(
    ({ option }) =>
      placeholders.test(option.flags) && !(option instanceof DeclaredOption && option.minimum !== undefined),
  )
  expect(unbound.map(({ name }) => name)).toEqual([])
  expect(options.filter(({ option }) => placeholders.test(option.flags)).length).toBeGreaterThan(25)
})

it('the usual rate that the help of run names is the one that it keeps', () => {
  const rate = options.find(({ name }) => name === 'dcalab run --rate <n>')?.option
  expect(rate).toMatchObject({ otherwise: `${REQUEST_LIMITS.count} of 120` })
})

it('the help of sql names every view', () => {
  const [argument] = commands.find(({ path }) => path === ' sql')?.command.registeredArguments ?? []
  expect(argument.description.match(/views: (.*)/)?.[1].split(', ')).toEqual(expect.arrayContaining(Object.keys(VIEWS)))
})

function page(): string {
  return `# Commands

Every command with its options, as \`--help\` shows them. An option that may be repeated ends in \`...\`. A setting in capitals says the same for every call.
Every command also takes \`--quiet\` (print failures only), \`--verbose\` (show files used and every request), \`--wide\` (keep all columns of tables on a terminal) and \`--no-pager\` (print long answers at once).

${commands.map(section).join('\n\n')}

These tables are the declarations in \`commands/\`, written out; a test keeps both alike.
`
}

function section({ path, command }: NamedCommand): string {
  const usage = [`dcalab${path}`, ...command.registeredArguments.map(argumentText)].join(' ')
  const rows = command.options.filter(({ long }) => !MESSAGE_FLAGS.includes(long ?? '')).map(row)
  const table =
    rows.length === 0 ? '' : `\n\n| option | meaning | allowed | default |\n|---|---|---|---|\n${rows.join('\n')}`
  const examples = examplesOf(command).map((example) => `    ${example}`)
  return `## ${usage.replaceAll('<', '&lt;')}\n\n${command.description()}${table}\n\n${examples.join('\n')}`
}

function argumentText(argument: { name(): string; required: boolean; variadic: boolean }): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name()
  return argument.required ? `<${name}>` : `[${name}]`
}

function row(option: Option): string {
  const declared = option instanceof DeclaredOption ? option : undefined
  const flags = `\`${option.flags}\`${option.mandatory ? ', needed' : ''}`
  const setting = declared?.variable === undefined ? '' : ` (\`${declared.variable}\`)`
  const allowed = declared === undefined ? '' : boundsOf(declared)
  const usual = declared === undefined ? '' : defaultOf(declared).replace(/^default /, '')
  return `| ${[flags, option.description + setting, allowed, usual].map(cell).join(' | ')} |`
}

function cell(text: string): string {
  return text.startsWith('`') ? text : text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
