/**
 * A hint that names a command names one that exists, with flags that it takes: in messages, in reports, in the pages beside the code, in README and
 * guide. And what the API document offers can be asked for by a command.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { ENDPOINTS, type EndpointName } from '../../src/contract/endpoints.ts'
import { commandsBelow, commandTree } from '../support/command-tree.ts'
import { projectRoot } from '../support/dcalab.ts'

const program = commandTree()
const commands = commandsBelow(program)

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name))
}

const files = [
  'README.md',
  ...filesBelow('src', /\.(ts|md)$/),
  ...filesBelow('.github', /\.md$/),
  ...filesBelow('studies', /\.yaml$/),
]

/** `dcalab run …` in a string, in code of a page, at the beginning of a line; prose such as "the dcalab program" has nothing of these before it. */
const MENTION = /(?:^ *|[`'"$(>] ?|npx |: |; )(?:\.\/)?dcalab ([a-z-][^\n`'"|#;)]*)/gm
/** A word that stands for a value. */
const isWord = (word: string | undefined) => word !== undefined && /^[a-z][a-z-]*$/.test(word)
const isGroup = (command: Command) => command.commands.length > 0 && command.registeredArguments.length === 0

/** What is wrong with a command line; undefined = nothing. */
function findWrong(line: string): string | undefined {
  const [first, ...rest] = line.trim().split(/\s+/)
  if (first === 'help') return rest[0] === 'settings' || !isWord(rest[0]) ? undefined : findWrong(rest.join(' '))
  if (first.startsWith('-')) return undefined // of the program itself, or of `status`
  let command: Command = program
  const words = [first, ...rest]
  while (isGroup(command) || command.commands.some((child) => child.name() === words[0])) {
    const child = command.commands.find((one) => one.name() === words[0])
    if (child === undefined) return isWord(words[0]) ? `no command ${words[0]}` : undefined
    command = child
    words.shift()
  }
  const known = command.options.map(({ long }) => long)
  const flags = words.flatMap((word) => /^(--[a-z-]+)/.exec(word)?.[1] ?? [])
  const unknown = flags.find((flag) => flag !== '--help' && !known.includes(flag))
  return unknown && `no flag ${unknown}`
}

it('every command that is named anywhere exists, subcommands and flags too', () => {
  let mentions = 0
  const wrong = files.flatMap((file) =>
    [...readFileSync(join(projectRoot, file), 'utf8').matchAll(MENTION)].flatMap(([, line]) => {
      mentions++
      const problem = findWrong(line)
      return problem === undefined ? [] : [`${file}: dcalab ${line}: ${problem}`]
    }),
  )
  expect(wrong).toEqual([])
  expect(files.filter((file) => readFileSync(join(projectRoot, file), 'utf8').includes('holdout open'))).toEqual([])
  expect(mentions).toBeGreaterThan(400)
})

it.each(['here', 'bots pnl bot_1', 'holdout my-ladder --open', 'sql --csv-file', 'help doctor'])(
  'such a check would find dcalab %s',
  (line) => expect(findWrong(line)).toBeDefined(),
)

interface Asked {
  readonly command: string
  /** Of each parameter in the path and the query: the argument or flag; null = the document has one value of it. */
  readonly by: Readonly<Record<string, string | null>>
  /** What else it takes: of a body. */
  readonly with?: readonly string[]
}

const ofBot = { id: 'bot' }
const body = ['config-file', '--market', '--name', '--user']

/** By endpoint of the API document: the command that asks it. */
const ASKED_BY: Readonly<Record<EndpointName, Asked>> = {
  readLimits: { command: 'service limits', by: {} },
  listSymbols: { command: 'service symbols', by: { exchange: 'exchange', quote: '--quote', type: null } },
  createJob: { command: 'run', by: {}, with: ['study', '--period', '--market'] },
  listJobs: { command: 'service jobs list', by: {} },
  readJob: { command: 'service jobs show', by: { id: 'job' } },
  deleteJob: { command: 'service jobs delete', by: { id: 'job' } },
  validateBot: { command: 'bots create', by: {}, with: [...body, '--dry-run'] },
  createBot: { command: 'bots create', by: {}, with: body },
  listBots: { command: 'bots list', by: { userEmail: '--user' } },
  readBot: { command: 'bots show', by: ofBot },
  updateBot: { command: 'bots update', by: ofBot, with: body },
  startBot: { command: 'bots start', by: ofBot },
  stopBot: { command: 'bots stop', by: { ...ofBot, closePosition: '--close-position' }, with: ['--keep-position'] },
  listExecutions: { command: 'bots trades', by: ofBot },
  listOrders: { command: 'bots trades', by: ofBot, with: ['--orders'] },
  readPnl: { command: 'bots show', by: ofBot },
}

it.each(Object.keys(ENDPOINTS) as EndpointName[])(
  '%s of the API document is asked by a command, with all its parameters',
  (name) => {
    const { path, query } = ENDPOINTS[name]
    const asked = ASKED_BY[name]
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
    expect(Object.keys(asked.by).sort()).toEqual([...inPath, ...query].sort())
    const command = commands.find((one) => one.path === ` ${asked.command}`)?.command
    const taken = [
      ...(command?.options.map(({ long }) => long) ?? []),
      ...(command?.registeredArguments.map((argument) => argument.name()) ?? []),
    ]
    const needed = [...Object.values(asked.by), ...(asked.with ?? [])].filter((one) => one !== null)
    expect(taken).toEqual(expect.arrayContaining(needed))
  },
)

it('no command describes itself in more than 60 characters, and the list of them fits a small terminal', () => {
  const long = commands.filter(({ command }) => command.description().length > 60)
  expect(long.map(({ path }) => path)).toEqual([])
  let help = ''
  program.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 80 })
  program.outputHelp()
  const lines = help.trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(42)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
})
