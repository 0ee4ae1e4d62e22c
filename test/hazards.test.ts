/** `HAZARDS.md` says what every number means that code and tests speak of. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
/** A row of its tables begins with them. */
const listed = new Set(
  readFileSync(join(root, 'test/HAZARDS.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| [HR]\d/.test(line))
    .flatMap((line) => line.split('|')[1].match(/[HR]\d+/g) ?? []),
)

/** In comments and names of tests; `R1` may also stand in made-up text. */
function numbersIn(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const places = text.match(/^\s*(?:\/\*\*|\*|\/\/).*$|(?:^|\s)(?:it|test|describe)(?:\.\w+)*\(.*$/gm) ?? []
  return places.flatMap((place) => place.match(/\b[HR]\d{1,2}\b/g) ?? [])
}

const citedIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => numbersIn(join(root, folder, name)).map((number) => ({ number, name })))
const inTests = citedIn('test')
const cited = [...citedIn('src'), ...inTests]

it('no number is spoken of that is not listed', () => {
  expect(cited.length).toBeGreaterThan(80)
  expect(cited.filter(({ number }) => !listed.has(number))).toEqual([])
})

it('each is held off by a test that names it', () => {
  const tested = new Set(inTests.map(({ number }) => number))
  expect([...listed].filter((number) => !tested.has(number))).toEqual([])
})

it('lists H1 to H87 and R1 to R17, each once', () => {
  const all = [
    ...Array.from({ length: 87 }, (_, i) => `H${i + 1}`),
    ...Array.from({ length: 17 }, (_, i) => `R${i + 1}`),
  ]
  expect([...listed]).toEqual(all)
})
