/** One word, one meaning: read from the names of files and of what they export. And the words that have gone stay away. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { withoutComments } from './imports.ts'

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

it('an outcome is what became of one thing that was sent, and of nothing else', () => {
  expect(filesNaming(/outcome/i)).toEqual([
    'workbench/api/outcome.ts',
    'workbench/api/wire/read-answer.ts',
    'workbench/run/outcome-table.ts',
    'workbench/store/attempts.ts',
    'workbench/store/bot-ledger.ts',
  ])
})

it('nothing is called judging but the verdict: elsewhere it could be reading, deciding, comparing or ranking', () => {
  const ofVerdict = /^workbench\/(verdict\/|store\/verdicts)|^cli\/(judging|shown-service|describe-verdict|commands\/)/
  expect(filesNaming(/^judg|Judg/).filter((file) => !ofVerdict.test(file))).toEqual([])
})

it('the map names the file of each step of a reply’s way', () => {
  const map = readFileSync(join(src, 'ARCHITECTURE.md'), 'utf8')
  const picture = /## A reply's way\n[\s\S]*?```\n([\s\S]*?)```/.exec(map)?.[1] ?? ''
  const steps = [...picture.matchAll(/^(\w+) +(\S+\.ts)/gm)].map(([, step, file]) => ({ step, file }))
  expect(steps.map(({ step }) => step)).toEqual(['send', 'gate', 'read', 'outcome', 'recorded'])
  expect(steps.filter(({ file }) => !existsSync(join(src, file)))).toEqual([])
})

/** Two files of the workbench with one name show one thing from two sides. */
const ONE_THING_TWICE: Readonly<Record<string, string>> = {
  settings: 'costs and conventions: as a study asks for them, and as stored results state them',
}

it('two files of the workbench have one name only where they are two sides of one thing', () => {
  const ofWorkbench = fileNames.filter(({ file }) => file.startsWith('workbench/'))
  const twice = namedTwice(ofWorkbench).map((line) => line.split(':')[0])
  expect(twice.sort()).toEqual(Object.keys(ONE_THING_TWICE).sort())
})

/** The module `dcalab`, which dialects import from: another program's names. */
const OF_DIALECTS = 'workbench/api/reading/dialect-library.ts'

it('no exported name stands for two things in the workbench', () => {
  const ours = exported.filter(({ file }) => file.startsWith('workbench/') && file !== OF_DIALECTS)
  expect(namedTwice(ours)).toEqual([])
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

/**
 * Words that a trader would have to learn here, each with the field's own word in its place (a user's text: `README.md`, the guide, and every
 * text of the code). English uses of some are not meant, and not matched.
 */
const RETIRED_IN_TEXTS: Readonly<Record<string, RegExp>> = {
  'told → reported': /\b(?:told|tells?|telling)\b/gi,
  'doubt → warning, reason': /\bdoubts?\b/gi,
  'look → configuration tried; poll': /\b(?:a|the|of|by|one|no|\d+|more|last|first|all|these) looks?\b/gi,
  'twin → local engine': /\btwins?\b/gi,
  'ground → evaluation data': /\b(?:the|whose|chosen|evaluation|its|what) grounds?\b/gi,
  'next span → out-of-sample period': /\bnext spans?\b/gi,
  'nudge → parameter sensitivity': /\bnudge[sd]?\b/gi,
  'veto → overfitting tests': /\bveto(?:es|ed)?\b/gi,
  'ambiguous candles → candles with unknown fill order': /\bambiguous candles?\b/gi,
  'same exposure → the same average amount': /\b(?:same exposure|exposed hold)\b/gi,
  'capital in use → capital used': /\bcapital in use\b/gi,
  'rung → safety order': /\brungs?\b/gi,
  'price scale → first step': /\b(?:price scale|volume scale|step multiplier)\b/gi,
  'detective, probe → calibration, test backtest': /\b(?:detective|probe[sd]?)\b/gi,
  'infeasible → breaks a limit': /\binfeasible\b/gi,
  'unranked → no value': /\bunranked\b/gi,
  'portion → chunk': /\bportions?\b/gi,
  'crew → worker group': /\bcrews?\b/gi,
  'spender → account': /\bspenders?\b/gi,
  'settlement → recorded outcome': /\bsettlements?\b/gi,
  'parked → needs a decision': /\bparked\b/gi,
  'agenda → work queue': /\bagendas?\b/gi,
  'patience, brake → retry backoff, stop reason': /\b(?:patience|brakes?)\b/gi,
  'speedometer → throughput': /\bspeedometers?\b/gi,
  'shelf → cache': /\b(?:shelf|shelves)\b/gi,
  'suspect → possible cause': /\bsuspects?\b/gi,
  'desk → view state': /\bdesks?\b/gi,
  'stranger → unknown service': /\bstrangers?\b/gi,
  'spill → outbox': /\bspill(?:s|ed)?\b/gi,
}

/** The same in identifiers, columns and JSON, as words of a name: `jobsToldApart`, `look_count`. */
const RETIRED_IN_NAMES: readonly string[] = [
  ...[
    'told',
    'tell',
    'tells',
    'doubt',
    'doubts',
    'look',
    'looks',
    'looked',
    'twin',
    'twins',
    'nudge',
    'nudges',
    'ground',
    'grounds',
  ],
  ...[
    'spender',
    'spenders',
    'settlement',
    'settlements',
    'parked',
    'agenda',
    'patience',
    'brake',
    'speedometer',
    'shelf',
    'crew',
  ],
  ...[
    'portion',
    'portions',
    'stranger',
    'strangers',
    'desk',
    'spill',
    'spilled',
    'suspect',
    'suspects',
    'talk',
    'veto',
    'vetoes',
  ],
]

/** Texts between quotes, without what is computed in them; imports are no texts. */
function textsOf(code: string): string {
  const literals =
    code.replace(/^(?:import|export)\b.* from .*$/gm, '').match(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g) ?? []
  return literals.join('\n').replace(/\$\{[^}]*\}/g, ' ')
}

/** Sentences are the other scope: what is written between quotes and has spaces, but for the SQL of columns and tables. */
function withoutProse(code: string): string {
  return code
    .replace(/\/(?:[^/\\\n]|\\.)+\/[dgimsuvy]*/g, '')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, (text) =>
      text.includes(' ') && !/\b(?:select|from|where)\b/.test(text) ? "''" : text,
    )
    .replace(/`[^`\\]*`/g, (text) => (/\b(?:select|create|insert|update|from|where)\b|\$\{/.test(text) ? text : '``'))
}

/** Codes that the page of the verdict gives, and that words.md keeps. */
const KEPT_NAMES: readonly string[] = ['luckOfLooks']

/** `jobsToldApart` and `jobs_told_apart` → jobs, told, apart; `lookUp` is a word of its own. */
function wordsOfNames(code: string): string[] {
  const names = (code.match(/[A-Za-z_][A-Za-z0-9_]*/g) ?? []).filter((name) => !KEPT_NAMES.includes(name))
  return names.flatMap((name) =>
    name
      .replace(/look_?[uU]p/, '')
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .split('_'),
  )
}

/** `parked: 3` for each word that is still there. */
function findRetired(): readonly string[] {
  const guide = readdirSync(join(src, 'guide'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(join(src, 'guide', name), 'utf8'))
  // The texts of layouts are what stores in use were made by: they stay, and later layouts rename what they made.
  const codes = files
    .filter((file) => !file.startsWith('workbench/store/schema/'))
    .map((file) => withoutComments(readFileSync(join(src, file), 'utf8')))
  const readme = readFileSync(join(src, '../README.md'), 'utf8')
  const texts = [readme, ...guide, ...codes.map(textsOf)].join('\n')
  const named = Map.groupBy(codes.map(withoutProse).flatMap(wordsOfNames), (word) => word)
  const counts = [
    ...Object.entries(RETIRED_IN_TEXTS).map(([word, pattern]) => [word, texts.match(pattern)?.length ?? 0] as const),
    ...RETIRED_IN_NAMES.map((word) => [word, named.get(word)?.length ?? 0] as const),
  ]
  return counts.filter(([, count]) => count > 0).map(([word, count]) => `${word}: ${count}`)
}

it('no retired word is left in texts and names', () => {
  expect(findRetired()).toEqual([])
})

it('finds a retired word in a text and in a name', () => {
  expect("say('2 doubts')".match(RETIRED_IN_TEXTS['doubt → warning, reason'])).toEqual(['doubts'])
  expect(wordsOfNames('const jobsToldApart = luckOfLooks')).toEqual(['const', 'jobs', 'told', 'apart'])
})
