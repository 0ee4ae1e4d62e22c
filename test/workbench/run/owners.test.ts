/** What a run keeps in mind belongs to one object each: nobody else can write it, so that a rule about it stands in one file. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const folder = new URL('../../../src/workbench/run/', import.meta.url)

const sources = readdirSync(fileURLToPath(folder))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }))

/** Members of interfaces and classes that others could write: neither private, nor `readonly`, nor a method. */
function writableMembers(text: string): string[] {
  const bodies = [...text.matchAll(/^(?:export )?(?:interface|class) \w+[^{]*\{\n([\s\S]*?)^\}/gm)].map(
    ([, body]) => body,
  )
  return bodies.flatMap((body) => [...body.matchAll(/^ {2}(\w+)\??(?:: | = )/gm)].map(([, name]) => name))
}

it('every member of a run is read-only or private', () => {
  const writable = sources.flatMap(({ name, text }) => writableMembers(text).map((member) => `${name}: ${member}`))
  expect(writable).toEqual([])
})

it('nothing is kept in mind beside the run, or written into it from outside', () => {
  const found = sources.filter(({ text }) => /^(?:export )?let |Object\.assign\(/m.test(text)).map(({ name }) => name)
  expect(found).toEqual([])
})

it('recognizes what anybody could write', () => {
  expect(
    writableMembers('export interface Run {\n  readonly a: number\n  b: number\n  c(): void\n  d?: string\n}\n'),
  ).toEqual(['b', 'd'])
  expect(writableMembers('class Part {\n  #a = 0\n  b = 0\n  readonly c = 1\n}\n')).toEqual(['b'])
  expect(sources.length).toBeGreaterThan(15)
})
