/** What the README promises is what the program has: commands, flags, settings, exit codes, views. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SETTING_VARIABLES } from '../src/cli/settings.ts'
import { EXIT_CODES } from '../src/errors.ts'
import { VIEWS } from '../src/workbench/store/views.ts'
import { commandsBelow, commandTree, examplesOf } from './support/command-tree.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

const leaves = commandsBelow(commandTree())

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

  it('names only flags that the commands have, where its table of commands names some', () => {
    const rows = [...readme.matchAll(/^\| `dcalab .*$/gm)].map(([row]) => row)
    const unknown = rows.flatMap((row) => {
      const named = [...row.matchAll(/`dcalab( [a-z ]+)`/g)].map(([, path]) => path)
      const known = leaves
        .filter(({ path }) => named.some((name) => path === name))
        .flatMap(({ command }) => command.options.map(({ long }) => long))
      return [...row.matchAll(/`(--[a-z-]+)`/g)].map(([, flag]) => flag).filter((flag) => !known.includes(flag))
    })
    expect(rows.length).toBeGreaterThan(15)
    expect(unknown).toEqual([])
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
    expect(examplesOf(command)).toHaveLength(2)
  })
})

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
