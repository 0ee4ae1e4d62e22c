/** What the README promises is what the program has: commands, flags, settings, exit codes, views. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import type { Context } from '../src/cli/context.ts'
import { buildProgram } from '../src/cli/program.ts'
import { SETTING_VARIABLES } from '../src/cli/settings.ts'
import { EXIT_CODES } from '../src/errors.ts'
import { VIEWS } from '../src/workbench/store/views.ts'
import { testSystem } from './support/system.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

const context: Context = {
  system: testSystem(),
  settings: () => {
    throw new Error('help reads no settings')
  },
  signal: new AbortController().signal,
  workerFile: new URL('file:///absent.js'),
  studiesFolder: new URL('file:///absent/'),
  tlsUnverified: false,
  endWith: () => {},
  line: { show: () => {}, clear: () => {} },
}

const leaves = commandsBelow(buildProgram(context), '')

describe('the README', () => {
  it.each(leaves.map(({ path }) => path))('names the command dcalab%s', (path) => {
    expect(readme).toContain(`dcalab${path}`)
  })

  it.each([...SETTING_VARIABLES])('explains the setting %s', (name) => {
    expect(readme).toContain(`\`${name}\``)
  })

  it.each(Object.entries(EXIT_CODES))('explains exit code %s as “%s”', (code, meaning) => {
    expect(readme).toMatch(new RegExp(`\\| ${code} \\| ${escapeRegExp(meaning)}`))
  })

  it.each(Object.keys(VIEWS))('describes the view %s', (view) => {
    expect(readme).toContain(`\`${view}\``)
  })

  it('mentions no command that does not exist', () => {
    const known = new Set(leaves.map(({ path }) => path.trim().split(' ')[0]))
    const mentioned = [...readme.matchAll(/`?(?:npx )?dcalab ([a-z]+)/g)].map((match) => match[1])
    expect(mentioned.filter((name) => !known.has(name))).toEqual([])
  })
})

describe('the help of every command', () => {
  it.each(leaves)('dcalab$path says what it does and ends with two examples', ({ command }) => {
    expect(command.description()).not.toBe('')
    let text = ''
    command.configureOutput({ writeOut: (part) => (text += part) })
    command.outputHelp()
    const examples = text.slice(text.indexOf('Examples:')).match(/\$ dcalab .+/g) ?? []
    expect(examples).toHaveLength(2)
  })
})

function commandsBelow(command: Command, path: string): { path: string; command: Command }[] {
  return command.commands.flatMap((child) => {
    const here = `${path} ${child.name()}`
    return [{ path: here, command: child }, ...commandsBelow(child, here)]
  })
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
