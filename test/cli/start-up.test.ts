/** What every command loads before it does anything: this is most of the time that a short one takes. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { commandTree } from '../support/command-tree.ts'
import { projectRoot } from '../support/dcalab.ts'

/** Imports that are there when the program runs; those of types are not, and `import()` loads when it is called. */
const LOADED = /^(?:import|export)\s+(?!type\b)(?:[^'"]*?\sfrom\s+)?'([^']+)'/gm

it('a command starts without the packages that only some commands need', () => {
  const { files, packages } = loadedWith('src/main.ts')
  expect(files).toContain('src/cli/commands/leaderboard.ts')
  expect(packages).toEqual(['commander'])
})

it('a word that Tab completes is found without SQLite, and a name with nothing but SQLite', () => {
  const { files, packages } = loadedWith('src/cli/commands/completion/fitting-words.ts')
  expect([files, packages]).toEqual([['src/cli/commands/completion/fitting-words.ts'], ['commander']])
  expect(loadedWith('src/workbench/store/stored-names.ts').packages).toEqual(['better-sqlite3'])
  expect(loadedWith('src/candles/folder/commit.ts').packages).toEqual([])
})

it('the list of commands declares what it shows and no more, and shows what the whole tree does', () => {
  const [whole, outlined] = [commandTree(), commandTree('--help')]
  expect(outlined.helpInformation()).toBe(whole.helpInformation())
  const declared = (program: Command) => program.commands.reduce((sum, { options }) => sum + options.length, 0)
  expect(declared(outlined)).toBeLessThanOrEqual(outlined.commands.length)
  expect(declared(whole)).toBeGreaterThan(5 * whole.commands.length)
})

it('the process of a statement loads nothing but SQLite', () => {
  expect(loadedWith('src/workbench/store/sql/sql-worker.ts').packages).toEqual(['better-sqlite3'])
})

/** Everything that a file imports, and what that imports, and so on; without Node's own modules. */
function loadedWith(entry: string): { readonly files: readonly string[]; readonly packages: readonly string[] } {
  const files = [entry]
  const packages = new Set<string>()
  for (const file of files) {
    for (const [, target] of readFileSync(join(projectRoot, file), 'utf8').matchAll(LOADED)) {
      if (!target.startsWith('.')) {
        if (!target.startsWith('node:')) packages.add(target)
        continue
      }
      const path = join(dirname(file), target)
      if (path.endsWith('.ts') && existsSync(join(projectRoot, path)) && !files.includes(path)) files.push(path)
    }
  }
  return { files, packages: [...packages].sort() }
}
