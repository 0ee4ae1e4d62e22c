/** Makes a copy of the project with one rule taken out, and runs the test that should notice. */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { memoryFolder } from '../sim/memory-folder.ts'
import { ended, projectRoot } from '../support/dcalab.ts'
import type { Mutant } from './mutants.ts'

/** What is wrong with this mutant's death; undefined when its test turned red as it should. */
export async function findSurvival(mutant: Mutant): Promise<string | undefined> {
  const folder = mkdtempSync(join(memoryFolder(), 'dcalab-mutant-'))
  const copy = join(folder, 'project')
  try {
    mkdirSync(copy)
    for (const name of ['src', 'test', 'studies', 'package.json', 'tsconfig.json', 'dist']) {
      cpSync(join(projectRoot, name), join(copy, name), { recursive: true })
    }
    symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'))
    const file = join(copy, mutant.file)
    const source = readFileSync(file, 'utf8')
    if (source.split(mutant.find).length !== 2) return `${mutant.name}: its place in ${mutant.file} is not there once`
    writeFileSync(
      file,
      source.replace(mutant.find, () => mutant.replace),
    )
    const only = mutant.only === undefined ? [] : ['-t', mutant.only]
    const vitest = join(copy, 'node_modules/vitest/vitest.mjs')
    const child = spawn(
      process.execPath,
      [vitest, 'run', '--config', 'test/vitest.config.ts', '--bail', '1', mutant.test, ...only],
      { cwd: copy, env: { ...process.env, NO_COLOR: '1' }, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const { code, stdout } = await ended(child)
    if (code === 0) return `${mutant.name}: lives through ${mutant.test}`
    // A copy that does not even start is no proof.
    return /Tests +.*\d+ failed/.test(stdout) ? undefined : `${mutant.name}: no test ran: ${stdout.slice(-400)}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
