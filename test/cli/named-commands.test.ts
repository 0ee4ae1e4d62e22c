/** A hint that names a command names one that exists: in messages, in reports, in the pages beside the code. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { commandTree } from '../support/command-tree.ts'
import { projectRoot } from '../support/dcalab.ts'

const program = commandTree()
const namesOf = (command: Command) => command.commands.map((child) => child.name())

it('every command that is named anywhere exists, subcommands too', () => {
  const files = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|md)$/.test(name))
    .map((name) => join('src', name))
  let mentions = 0
  const unknown = files.flatMap((file) =>
    // `dcalab run …`, 'dcalab study check …'; prose such as "the dcalab program" has no quote before it.
    [
      ...readFileSync(join(projectRoot, file), 'utf8').matchAll(
        /[`'"$] ?(?:\.\/)?dcalab (?:help )?([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g,
      ),
    ]
      .filter(([, first, second]) => {
        mentions++
        const command = program.commands.find((child) => child.name() === first)
        if (command === undefined) return true
        const children = namesOf(command)
        return (
          children.length > 0 &&
          command.registeredArguments.length === 0 &&
          second !== undefined &&
          !children.includes(second)
        )
      })
      .map(([words]) => `${file}: ${words}`),
  )
  expect(unknown).toEqual([])
  expect(mentions).toBeGreaterThan(80)
})
