/** One word, one meaning: read from the names of files and of what they export. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const src = fileURLToPath(new URL('../src', import.meta.url))

interface Named {
  /** The file without its ending, or what it exports. */
  readonly name: string
  readonly file: string
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .sort()

const fileNames: readonly Named[] = files.map((file) => ({ name: basename(file, '.ts'), file }))

const exported: readonly Named[] = files.flatMap((file) =>
  [
    ...readFileSync(join(src, file), 'utf8').matchAll(
      /^export (?:async )?(?:function\*?|class|interface|type|const|enum) (\w+)/gm,
    ),
  ].map(([, name]) => ({ name, file })),
)

function filesNaming(word: RegExp): string[] {
  return [...new Set([...fileNames, ...exported].filter(({ name }) => word.test(name)).map(({ file }) => file))].sort()
}

function namedTwice(names: readonly Named[]): string[] {
  const filesOf = new Map<string, string[]>()
  for (const { name, file } of names) filesOf.set(name, [...(filesOf.get(name) ?? []), file])
  return [...filesOf].filter(([, ofName]) => ofName.length > 1).map(([name, ofName]) => `${name}: ${ofName.join(', ')}`)
}

it('an outcome is what became of one request, and of nothing else', () => {
  expect(filesNaming(/outcome/i)).toEqual([
    'workbench/api/outcome.ts',
    'workbench/api/wire/to-outcome.ts',
    'workbench/run/outcome-table.ts',
    'workbench/store/views/spending-views.ts', // the view of that name is promised to analysts
  ])
})

it('settling is writing down what became of a thing that was sent, and nothing else', () => {
  expect(filesNaming(/settle/i)).toEqual([
    'workbench/run/outcome-table.ts',
    'workbench/store/attempts.ts',
    'workbench/store/bot-ledger.ts',
    'workbench/store/spill.ts',
  ])
})

it('nothing is called judging, which could be reading, deciding, comparing or ranking', () => {
  expect(filesNaming(/^judg|Judg/)).toEqual([])
})

it('the map names the file of each step of a reply’s way', () => {
  const map = readFileSync(join(src, 'ARCHITECTURE.md'), 'utf8')
  const picture = /## A reply's way\n[\s\S]*?```\n([\s\S]*?)```/.exec(map)?.[1] ?? ''
  const steps = [...picture.matchAll(/^(\w+) +(\S+\.ts)/gm)].map(([, step, file]) => ({ step, file }))
  expect(steps.map(({ step }) => step)).toEqual(['send', 'gate', 'read', 'outcome', 'settlement'])
  expect(steps.filter(({ file }) => !existsSync(join(src, file)))).toEqual([])
})

/** Two files of the workbench with one name show one thing from two sides. */
const ONE_THING_TWICE: Readonly<Record<string, string>> = {
  distribution: 'a part of the report, and its chart',
  'over-time': 'a part of the report, and its charts',
  spending: 'what a study has cost: read from the store, and shown in the report',
  settings: 'costs and conventions: as a study asks for them, and as stored results state them',
}

it('two files of the workbench have one name only where they are two sides of one thing', () => {
  const ofWorkbench = fileNames.filter(({ file }) => file.startsWith('workbench/'))
  const twice = namedTwice(ofWorkbench).map((line) => line.split(':')[0])
  expect(twice.sort()).toEqual(Object.keys(ONE_THING_TWICE).sort())
})

/** What a dialect imports has the names that its writers expect: `money`, `time`. */
const FOR_DIALECTS = 'workbench/api/reading/dialect-library.ts'

it('no exported name stands for two things in the workbench', () => {
  const ofWorkbench = exported.filter(({ file }) => file.startsWith('workbench/') && file !== FOR_DIALECTS)
  expect(namedTwice(ofWorkbench)).toEqual([])
})

it('recognizes a name that stands for two things', () => {
  const names = [
    { name: 'Place', file: 'a.ts' },
    { name: 'Other', file: 'a.ts' },
    { name: 'Place', file: 'b.ts' },
  ]
  expect(namedTwice(names)).toEqual(['Place: a.ts, b.ts'])
  expect(exported.length).toBeGreaterThan(500)
})
