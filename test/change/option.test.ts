/** A new option of a command, file by file, and what a half-done one meets. */
import { expect, it } from 'vitest'
import { isLong } from '../support/share.ts'
import { inTurn } from './in-turn.ts'
import { filesOnTheMap, isFile } from './map.ts'
import { compileErrors } from './mutant.ts'

/** In this order; here for `leaderboard`. */
const FILES = [
  'src/cli/commands/leaderboard.ts', // its declaration (words, bounds, default), its type, what it does
  'src/cli/COMMANDS.md', // written by `vitest run … test/cli/commands-page.test.ts -u`
]

it('an option takes two files, all named by the map', () => {
  expect(FILES.filter((file) => !isFile(file))).toEqual([])
  const named = filesOnTheMap('an option').map((name) => name.replace('<command>', 'leaderboard'))
  expect(FILES.filter((file) => !named.some((name) => file.endsWith(name)))).toEqual([])
})

it.runIf(inTurn(isLong, import.meta.url))('a number without its smallest one does not compile', async () => {
  const errors = await compileErrors([
    {
      file: 'src/cli/commands/leaderboard.ts',
      find: "whole('--top <n>', 'how many', { minimum: 1, default: 20 })",
      replace: "whole('--top <n>', 'how many', { default: 20 })",
    },
  ])
  expect(errors.join('\n')).toMatch(/leaderboard\.ts.*'minimum'/s)
})
