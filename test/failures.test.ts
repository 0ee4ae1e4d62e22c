/** The table of failures has no code that nothing can end with. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { EXIT_CODES, FAILURES } from '../src/errors.ts'

const src = fileURLToPath(new URL('../src', import.meta.url))

const program = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && name !== 'errors.ts')
  .map((name) => readFileSync(join(src, name), 'utf8'))
  .join('\n')

it('every failure is raised somewhere', () => {
  // To compare with a code, or to mention it, is not to raise it.
  const raised = new Set([...program.matchAll(/(?<![!=]== )'(\w+)'/g)].map(([, word]) => word))
  expect(Object.keys(FAILURES).filter((code) => !raised.has(code))).toEqual([])
})

it('every failure ends with an exit code that is documented', () => {
  const documented = Object.keys(EXIT_CODES).map(Number)
  expect(Object.entries(FAILURES).filter(([, { exitCode }]) => !documented.includes(exitCode))).toEqual([])
})
