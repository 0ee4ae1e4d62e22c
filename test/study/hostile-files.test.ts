/** Files that mean harm: bombs, prototype pollution. They are refused before anything is built from them. */
import { describe, expect, it } from 'vitest'
import { parseConfigFile } from '../../src/study/config-file.ts'
import { parseStudy } from '../../src/study/parse.ts'
import { exampleConfig, exampleStudy, problemsOf } from './example.ts'

const MB = 1_000_000
const file = 'study.yaml'

function nested(open: string, close: string, depth: number): string {
  return open.repeat(depth) + close.repeat(depth)
}

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('\n')
}

/** Ten lists of ten aliases each: a few hundred bytes that mean ten to the ninth. */
const laughs = lines(10, (i) => `a${i}: &a${i} [${i === 0 ? 'lol' : `*a${i - 1},`.repeat(10)}]`)

const BOMBS: Readonly<Record<string, string>> = {
  'a billion laughs': laughs,
  'an alias of itself': 'a: &a [*a]',
  'an alias of nothing': 'a: *missing',
  'twelve thousand aliases': `a: &a 1\n${lines(12_000, (i) => `k${i}: *a`)}`,
  'ten thousand anchors': lines(10_000, (i) => `k${i}: &a${i} 1`),
  'a merge bomb': `a: &a { x: 1 }\n${lines(5000, (i) => `b${i}:\n  <<: *a`)}`,
  'lists in lists, never closed': '['.repeat(MB),
  'lists in lists': nested('[', ']', MB / 2),
  'mappings in mappings': nested('{a: ', '}', 100_000),
  'dashes in dashes': '- '.repeat(MB / 2),
  'keys of keys': '? '.repeat(MB / 2),
  'colons of colons': ': '.repeat(MB / 2),
  'a staircase': lines(1400, (i) => `${' '.repeat(i)}a:`),
  'a hundred thousand keys': lines(100_000, (i) => `k${i}: 1`),
  'a hundred thousand equal keys': lines(100_000, () => 'a: 1'),
  'a list of half a million': `a: [${'1,'.repeat(MB / 2 - 10)}]`,
  'ten thousand tags': lines(10_000, (i) => `k${i}: !x 1`),
  'tags of tags': `a: ${'!a '.repeat(MB / 4)}1`,
  'a tag that would run code': 'a: !!js/function "function () { return process }"',
  'a tag that would call a constructor': 'a: !!python/object/apply:os.system ["true"]',
  'documents without end': '---\n'.repeat(MB / 4),
  'directives without end': '%a\n'.repeat(MB / 4),
  'nothing but errors': 'a: ]\n'.repeat(MB / 5),
  'a word of a megabyte': 'x'.repeat(MB),
  'a key of a megabyte': `${'x'.repeat(MB - 10)}: 1`,
  'a number of a megabyte': `name: ${'9'.repeat(MB - 10)}`,
  'a text of escapes': `name: "${'\\n'.repeat(MB / 2 - 10)}"`,
  'a file above a megabyte': `# ${'x'.repeat(MB)}`,
  'a megabyte in fewer characters': `# ${'€'.repeat(MB / 2)}`,
  'zero bytes': '\0'.repeat(MB),
  'a byte order mark and nothing': '\uFEFF',
}

/** Grids whose size is known long before their values. */
const GRID_BOMBS: Readonly<Record<string, string>> = {
  'a step of 1e-17': '{ takeProfit: { from: 1, to: 1000, step: 1e-17 } }',
  'a step of the smallest double': '{ takeProfit: { from: 1, to: 1000, step: 5e-324 } }',
  'a count of 10^15': '{ takeProfit: { from: 1, to: 1000, count: 1000000000000000 } }',
  'a count of 10^300': '{ takeProfit: { from: 1, to: 1000, count: 1e300 } }',
  'an endless range': '{ takeProfit: { from: 1, to: .inf, step: 1 } }',
  'every field by a thousand': `{ ${[
    'investment',
    'dcaTotalBudget',
    'dcaInitialOrderSize',
    'dcaPriceScalePercent',
    'dcaVolumeScale',
    'dcaPriceStepMultiplier',
    'takeProfit',
    'stopLoss',
  ]
    .map((field) => `${field}: { from: 0.1, to: 100, step: 0.1 }`)
    .join(', ')} }`,
}

describe('a bomb', () => {
  it.each(Object.entries(BOMBS))('is refused: %s', (_, text) => {
    expect(problemsOf(() => parseStudy(text, { file })).length).toBeGreaterThan(0)
    expect(problemsOf(() => parseConfigFile(text, { file })).length).toBeGreaterThan(0)
  })

  it.each(Object.entries(GRID_BOMBS))('in a grid is refused: %s', (_, grid) => {
    const text = JSON.stringify(exampleStudy({})).replace('"grid":{}', `"grid":${grid}`)
    expect(problemsOf(() => parseStudy(text, { file })).some(({ message }) => message.startsWith('grid'))).toBe(true)
  })

  it('is described in few words, however many mistakes it holds', () => {
    for (const text of Object.values(BOMBS)) {
      const problems = problemsOf(() => parseStudy(text, { file }))
      expect(problems.length).toBeLessThanOrEqual(101)
      expect(Math.max(...problems.map(({ message }) => message.length))).toBeLessThan(600)
    }
  })
})

const POLLUTION: readonly string[] = [
  '{ "__proto__": { "polluted": true } }',
  '{ "constructor": { "prototype": { "polluted": true } } }',
  '{ "prototype": { "polluted": true } }',
  '{ "name": "a", "__proto__": { "name": "polluted" } }',
  '{ "market": { "__proto__": { "polluted": true } } }',
  '{ "base": { "__proto__": { "takeProfit": 1, "polluted": true } } }',
  '{ "grid": { "__proto__": [1, 2] } }',
  '{ "grid": { "constructor": [1, 2], "toString": [1] } }',
  '{ "where": { "__proto__": { "min": 1 } } }',
  '{ "where": { "hasOwnProperty": { "min": 1 } } }',
  '{ "objective": { "maximize": "__proto__" } }',
  '{ "objective": { "maximize": "constructor", "where": { "__proto__": { "max": 1 } } } }',
  '{ "conventions": { "preset": "__proto__" } }',
  '{ "conventions": { "__proto__": { "intrabar": "optimistic" } } }',
  '{ "costs": { "__proto__": { "feePercent": 0 } } }',
  '? __proto__\n: { polluted: true }',
  '"__\\x70roto__": { polluted: true }',
]

describe('a file that reaches for the prototype of all objects', () => {
  it.each(POLLUTION)('changes nothing and is refused: %s', (payload) => {
    const before = Object.getOwnPropertyNames(Object.prototype)
    expect(problemsOf(() => parseStudy(payload, { file })).length).toBeGreaterThan(0)
    expect(problemsOf(() => parseConfigFile(payload, { file })).length).toBeGreaterThan(0)
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('cannot hide a key in an otherwise valid study or config', () => {
    const study = JSON.stringify(exampleStudy({ takeProfit: [1] }))
    const config = JSON.stringify({ config: exampleConfig })
    for (const key of ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf']) {
      const [problem] = problemsOf(() => parseStudy(study.replace('{', `{"${key}":{},`), { file }))
      expect(problem).toMatchObject({
        place: 'study.yaml:1:2',
        message: expect.stringContaining(`${key}: unknown key`),
      })
      const [other] = problemsOf(() => parseConfigFile(config.replace('{', `{"${key}":{},`), { file }))
      expect(other).toMatchObject({ place: 'study.yaml:1:2', message: expect.stringContaining(`${key}: unknown key`) })
    }
  })
})
