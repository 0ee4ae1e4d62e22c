/** Which of the cases that take turns are tried: others at each commit, the same at every run of one. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './dcalab.ts'

/** A whole number from 0, of the commit; where there is no Git, of the source. */
export const turn = Number.parseInt((commit() ?? hashOfSource()).slice(0, 8), 16)

/** Every `n`th of all, over `n` turns each once; without a number, one. */
export function byTurn<T>(all: readonly T[], n = all.length): readonly T[] {
  return all.filter((_, index) => index % n === turn % n)
}

function commit(): string | undefined {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: projectRoot, encoding: 'utf8' })
  return status === 0 ? stdout : undefined
}

function hashOfSource(): string {
  const folder = join(projectRoot, 'src')
  const hash = createHash('sha256')
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (name.endsWith('.ts')) hash.update(readFileSync(join(folder, name)))
  }
  return hash.digest('hex')
}
