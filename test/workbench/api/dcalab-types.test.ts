/** The types of 'dcalab' for editors, written from the library itself. `-u` writes them again. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type * as declared from 'dcalab'
import { expect, it } from 'vitest'
import * as library from '../../../src/workbench/api/reading/dialect-library.ts'
import { projectRoot } from '../../support/dcalab.ts'

const folder = join(projectRoot, 'src/workbench/api')

const opening = `/**
 * Types of what a dialect imports from 'dcalab', for editors. Name this file at the top of your dialect:
 *     /// <reference path="…/src/workbench/api/dcalab.d.ts" />
 * It is written from \`reading/dialect-library.ts\` by \`test/workbench/api/dcalab-types.test.ts -u\`.
 */
declare module 'dcalab' {
`

/** What a source exports, as declarations: each with its comment, functions by their first line. */
function declarationsIn(source: string): string {
  const exported = /(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export (?:interface [\s\S]*?\n\}|type .*|function .*) ?\{?\n/g
  return [...source.matchAll(exported)]
    .map(([text]) =>
      text
        .trimEnd()
        .replace(/(\nexport function .*) \{$/, (_, signature: string) => signature.replace(/: Form = \w+/, '?: Form'))
        .replace(/^(?=.)/gm, '  '),
    )
    .join('\n\n')
}

it('the types for editors are those of the library', async () => {
  const source = readFileSync(join(folder, 'reading/dialect-library.ts'), 'utf8')
  const text = `${opening}${declarationsIn(source)}\n}\n`
  for (const name of Object.keys(library)) expect(text).toContain(`export function ${name}(`)
  expect(text.split('export ').length - 1).toBe(Object.keys(library).length + 4)
  expect(text).not.toMatch(/^ *export function .*=/m) // a declaration has no default
  await expect(text).toMatchFileSnapshot(join(folder, 'dcalab.d.ts'))
})

it('what is declared can be used as what there is, and the other way round', () => {
  const there: typeof declared = library
  const toEditors = (given: typeof declared): typeof library => given
  expect(Object.keys(toEditors(there)).toSorted()).toEqual(['form', 'minutes', 'money', 'percent', 'share', 'time'])
})
