/** A copy of the project in which something was changed, for tests that show what notices the change. */
import { spawn } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Ended, ended, projectRoot } from '../support/dcalab.ts'
import { folderInMemory, removeFolder } from '../support/folder.ts'

export interface Edit {
  /** From the project's root. */
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
}

const WHOLE = ['src', 'test', 'studies', 'package.json', 'tsconfig.json', 'dist']

/** Hands over the folder of a copy with these edits; it is gone when `look` has answered. `parts`: what of the project is copied. */
export async function inCopyWith<T>(
  edits: readonly Edit[],
  look: (folder: string) => Promise<T>,
  parts: readonly string[] = WHOLE,
): Promise<T> {
  const folder = folderInMemory()
  try {
    for (const name of parts) {
      cpSync(join(projectRoot, name), join(folder, name), { recursive: true })
    }
    symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
    for (const edit of edits) replaceOnce(folder, edit)
    return await look(folder)
  } finally {
    removeFolder(folder)
  }
}

function replaceOnce(folder: string, { file, find, replace }: Edit): void {
  const path = join(folder, file)
  const source = readFileSync(path, 'utf8')
  const places = source.split(find).length - 1
  if (places !== 1) throw new Error(`expected ${JSON.stringify(find)} once in ${file}, found it ${places} times`)
  writeFileSync(
    path,
    source.replace(find, () => replace),
  )
}

/** What the compiler says of `src/` with these edits, as `typeErrors` (without the tests, which take longer to check than the program). */
export function compileErrors(edits: readonly Edit[]): Promise<string[]> {
  return inCopyWith(edits, typeErrors, ['src', 'package.json', 'tsconfig.json'])
}

/** What the compiler says of a copy, one text per error with the source line it points at; empty when it compiles. */
export async function typeErrors(folder: string): Promise<string[]> {
  const { stdout } = await run(folder, [
    'node_modules/typescript/bin/tsc',
    '--noEmit',
    '--pretty',
    'false',
    '--checkers',
    '1',
  ])
  return stdout
    .split(/\n(?=\S)/) // what belongs to an error is indented
    .filter((error) => error.trim() !== '')
    .map((error) => {
      const [, file, line] = /^(.+?)\((\d+),\d+\)/.exec(error) ?? []
      const source = file === undefined ? [] : readFileSync(join(folder, file), 'utf8').split('\n')
      return `${error.trim()}\n${source[Number(line) - 1]?.trim() ?? ''}`
    })
}

/** Runs a few lines of TypeScript inside a copy, where `./src/…` is the changed source; answers the lines they print. */
export async function runInside(folder: string, program: string): Promise<string[]> {
  const file = join(folder, 'inside.ts')
  writeFileSync(file, program)
  const { stdout, stderr } = await run(folder, [file])
  return `${stdout}${stderr}`.split('\n').filter((line) => line.trim() !== '')
}

/** Runs one test file inside a copy, or those of its tests whose name matches `only`; it stops at the first failure. */
export function runTest(folder: string, test: string, only?: string): Promise<Ended> {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--bail', '1', test]
  return run(folder, only === undefined ? vitest : [...vitest, '-t', only])
}

function run(folder: string, words: readonly string[]): Promise<Ended> {
  // The usual share of a test is enough, also in a long run.
  const env = { ...process.env, NO_COLOR: '1', LONG: '' }
  return ended(spawn(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }))
}

/** `test/table-types.test.ts -u`, in a copy. */
export const WRITE_TABLE_TYPES = `
import { writeFileSync } from 'node:fs'
import { storeTableTypes } from './test/support/table-types.ts'
writeFileSync('src/workbench/store/table-types.ts', storeTableTypes())
`
