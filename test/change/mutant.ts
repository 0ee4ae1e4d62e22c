/** A half-done change, made to a copy of the source: what does the compiler say of it? */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../support/dcalab.ts'

export interface Edit {
  /** Relative to the project. */
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
}

/** The compiler's errors about `src/` after the edits, under the project's own settings; none when the change compiles. */
export function compileErrors(edits: readonly Edit[]): readonly string[] {
  const copy = mkdtempSync(join(tmpdir(), 'dcalab-change-'))
  try {
    cpSync(join(projectRoot, 'src'), join(copy, 'src'), { recursive: true })
    cpSync(join(projectRoot, 'package.json'), join(copy, 'package.json'))
    symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'))
    const settings = JSON.parse(readFileSync(join(projectRoot, 'tsconfig.json'), 'utf8'))
    writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ ...settings, include: ['src'] }))
    for (const edit of edits) apply(copy, edit)
    return compile(copy)
  } finally {
    rmSync(copy, { recursive: true })
  }
}

function apply(copy: string, { file, find, replace }: Edit): void {
  const path = join(copy, file)
  const parts = readFileSync(path, 'utf8').split(find)
  if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times, expected once: ${find}`)
  writeFileSync(path, parts.join(replace))
}

function compile(copy: string): readonly string[] {
  const compiler = join(projectRoot, 'node_modules/typescript/bin/tsc')
  try {
    execFileSync(process.execPath, [compiler, '--noEmit', '--pretty', 'false'], { cwd: copy, encoding: 'utf8' })
    return []
  } catch (error) {
    const stdout: unknown = error instanceof Error && 'stdout' in error ? error.stdout : undefined
    if (typeof stdout !== 'string' || stdout === '') throw error
    return stdout.split('\n').filter((line) => line.includes('error TS'))
  }
}
