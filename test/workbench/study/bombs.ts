/** Files that mean to take all time or memory there is, and grids whose points nobody could count one by one (H61). */
import { exampleStudy } from './example.ts'

const MB = 1_000_000
function nested(open: string, close: string, depth: number): string {
  return open.repeat(depth) + close.repeat(depth)
}

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('\n')
}

/** Ten lists of ten aliases each: a few hundred bytes that mean ten to the ninth. */
const laughs = lines(10, (i) => `a${i}: &a${i} [${i === 0 ? 'lol' : `*a${i - 1},`.repeat(10)}]`)

export const BOMBS: Readonly<Record<string, string>> = {
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
export const GRID_BOMBS: Readonly<Record<string, string>> = {
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

/** A study that is right but for its grid. */
export function bombedGrid(grid: string): string {
  return JSON.stringify(exampleStudy({})).replace('"grid":{}', `"grid":${grid}`)
}
