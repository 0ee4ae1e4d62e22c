/** npm gives a script of package.json to `cmd.exe` on Windows and to `sh` elsewhere: each must mean the same to both. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectRoot } from '../support/dcalab.ts'

const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))

/** Programs that every system has, or that `npm ci` brings. */
const EVERYWHERE = ['node', 'npm', 'vitest', 'biome', 'tsc', 'knip']

/** What a script asks for that one of the two shells does not know, or understands otherwise. */
function shellOnly(script: string): string[] {
  const strange = /['`$;|<>*?~\\%^]|&(?!&)(?<!&&)/.exec(script)
  const programs = script.split(' && ').map((command) => command.split(' ')[0])
  return [
    ...(strange === null ? [] : [strange[0]]),
    ...programs.filter((name) => !EVERYWHERE.includes(name)), // `VAR=x node …` among them
  ]
}

it.each(Object.entries<string>(scripts))('npm run %s needs no shell of Unix', (_, script) => {
  expect(shellOnly(script)).toEqual([])
})

it('would notice one that does', () => {
  for (const script of [
    'LONG=1 vitest run',
    'rm -rf dist',
    'node build.mjs; node run.mjs',
    'node $(which npm)',
    "node -e '1'",
    'biome check src/*.ts',
    'node serve.mjs & vitest run',
    'bash .ci/run',
    './.ci/run',
  ])
    expect([script, shellOnly(script)]).not.toEqual([script, []])
})
