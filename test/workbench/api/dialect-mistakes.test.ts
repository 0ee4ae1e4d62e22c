/** What an honest dialect has, and where its mistakes are said to be. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { type Dialect, loadDialect } from '../../../src/workbench/api/reading/dialect.ts'
import { startDialect } from '../../../src/workbench/api/reading/dialect-machine.ts'
import { temporaryFolder } from '../../support/folder.ts'

const path = join(temporaryFolder(), 'mine.mjs')

const loaded = (text: string): Promise<Dialect> => {
  writeFileSync(path, text)
  return loadDialect(path)
}

/** The message with all problems in it. */
async function saidOf(text: string, use: (dialect: Dialect) => unknown): Promise<string> {
  try {
    use(await loaded(text))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [error.message, ...error.problems.map(({ place, message }) => `${place}: ${message}`)].join('\n')
  }
  return 'nothing'
}

const list = [{ pnl: { value: 1 } }, {}, { pnl: { value: 2 } }]

/** A module with a mistake on its third line, or where it says, and what is said of it. */
const MISTAKES: readonly (readonly [mistake: string, text: string, said: RegExp])[] = [
  [
    'a comma that is missing',
    'export const dialect = {\n  job: (body) => body\n  limits: (body) => body,\n}',
    /SyntaxError: .*\(mine\.mjs:3:\d+\)/,
  ],
  [
    'a bracket that is not closed',
    'export const dialect = {\n  job: (body) => body,\n',
    /SyntaxError: .*\(mine\.mjs:3:\d+\)/,
  ],
  ['a word that is reserved', '\n\nconst class = 1\nexport const dialect = {}', /SyntaxError: .*\(mine\.mjs:3:\d+\)/],
  [
    'a text without its end',
    "\n\nconst word = 'abc\nexport const dialect = {}",
    /SyntaxError: .*\(mine\.mjs:[34]:\d+\)/,
  ],
  [
    'a name declared twice',
    '\n\nconst a = 1; const a = 2\nexport const dialect = {}',
    /SyntaxError: .*\(mine\.mjs:3:\d+\)/,
  ],
  ['TypeScript', '\n\nfunction f(body: string) {}\nexport const dialect = {}', /SyntaxError: .*\(mine\.mjs:3:\d+\)/],
  ['no export', '\n\nconst dialect = {}', /expected an export named dialect, an object \(mine\.mjs:3\)/],
  [
    'a default export',
    '\n\nexport default { dialect: 1 }',
    /expected an export named dialect, an object \(mine\.mjs:3\)/,
  ],
  [
    'an export that is a list',
    '\n\nexport const dialect = []',
    /expected an export named dialect, an object \(mine\.mjs:3\)/,
  ],
  [
    'a function of no known name',
    'export const dialect = {\n  job: (body) => body,\n  jobs: (body) => body,\n}',
    /dialect\.jobs: unknown \(mine\.mjs:3\); known are job/,
  ],
  [
    'a member that is no function',
    "export const dialect = {\n  limits: (body) => body,\n  job: 'id',\n}",
    /dialect\.job: expected a function, found a string \(mine\.mjs:3\)/,
  ],
  [
    'a helper of another file',
    "\n\nimport { help } from './help.mjs'\nexport const dialect = {}",
    /from 'dcalab' only.*'help\.mjs' \(mine\.mjs:3:\d+\)/,
  ],
  [
    'a module of Node',
    "\n\nimport { readFileSync } from 'node:fs'\nexport const dialect = {}",
    /from 'dcalab' only.*'node:fs' \(mine\.mjs:3:\d+\)/,
  ],
  [
    'a name that dcalab does not have',
    "\n\nimport { monney } from 'dcalab'\nexport const dialect = {}",
    /Could not find export 'monney'.*\(mine\.mjs:3:\d+\)/,
  ],
  [
    'a wait at the top level',
    '\n\nawait new Promise(() => {})\nexport const dialect = {}',
    /nothing here comes later \(mine\.mjs:3:1\)/,
  ],
  [
    'an error at the top level',
    '\n\nundefined.x\nexport const dialect = {}',
    /TypeError: .* of undefined \(mine\.mjs:3:\d+\)/,
  ],
  [
    'a hang at the top level',
    '\n\nfor (;;) Math.abs(1)\nexport const dialect = {}',
    /does not load: did not come to an end within 2 s \(mine\.mjs:3:\d+\)/,
  ],
  [
    'a field of nothing, in a list',
    'export const dialect = {\n  job: (item) => ({\n    id: item.pnl.value }) }',
    /dialect\.job failed on item 2 of 3: TypeError: cannot read property 'value' of undefined \(mine\.mjs:3:\d+\)/,
  ],
  [
    'a name that was misspelt',
    'export const dialect = {\n  job: (item) =>\n    itm.pnl }',
    /dialect\.job failed on item 1 of 3: ReferenceError: 'itm' is not defined \(mine\.mjs:3:\d+\)/,
  ],
  [
    'what it does not have',
    'export const dialect = {\n  job: async (item) =>\n    (await fetch(item.url)).json() }',
    /ReferenceError: 'fetch' is not defined \(mine\.mjs:3:\d+\)/,
  ],
  [
    'a function that is none',
    "const dataOf = (body) => body\nexport const dialect = { job: (item) =>\n  dataOf(item).pnl('value') }",
    /TypeError: not a function \(mine\.mjs:3:\d+\)/,
  ],
  [
    'an error of its own',
    "export const dialect = {\n  job: (item) => {\n    throw new Error('no such job') } }",
    /failed on item 1 of 3: no such job \(mine\.mjs:3:\d+\)/,
  ],
  [
    'an assignment to a constant',
    'const seen = 0\nexport const dialect = { job: (item) => {\n  seen = 1 } }',
    /TypeError: .*read-only.* \(mine\.mjs:3:\d+\)/,
  ],
]

it.each(MISTAKES)('%s is said with its file and line', async (_mistake, text, said) => {
  expect(await saidOf(text, ({ job }) => job.each?.(list))).toMatch(said)
})

it('a module that uses addresses, bytes and copies reads as it would in Node', async () => {
  const program = `(body) => {
    const url = new URL(body.next, 'https://a.example/x/')
    url.searchParams.append('q', 'é & ü')
    url.searchParams.set('page', '2')
    url.hash = 'end'
    const query = new URLSearchParams('?a=1&b=%C3%A9+x&a=%zz')
    query.delete('b')
    query.append('c', "~!'()*")
    const bytes = new TextEncoder().encode('aé€😀')
    const copy = structuredClone({ a: [1, new Date(0)], b: new Map([[1, { c: 2 }]]) })
    return [
      url.href, url.host, url.pathname, url.searchParams.get('q'), [...new URLSearchParams({ a: 1 })], query.toString(), query.getAll('a'),
      [...bytes].join(), new TextDecoder().decode(bytes), new TextDecoder().decode(new Uint8Array([255, 0xe2, 0x82, 65])),
      btoa('h\\u00e9'), atob(' aOk= '), copy.a, copy.b.get(1), URL.canParse('no'), String(new URL('HTTP://B.example:80')),
    ]
  }`
  const module = await startDialect(`export const dialect = { job: ${program} }`, 'mine.mjs')
  const body = { next: '../jobs?cursor=a%20b' }
  // The same program, by Node.
  const inNode: (body: object) => unknown = new Function(`return ${program}`)()
  expect(module.call('job', [body])).toEqual(JSON.parse(JSON.stringify(inNode(body))))
})

it('async functions answer when nothing is left to do; NaN stays no number, and long numbers text', async () => {
  const dialect = await loaded(`import { money } from 'dcalab'
export const dialect = {
  job: async (item) => { await null; return { id: item.id, result: money(item.gain), sharpe: NaN, fees: money('1,5,0') } },
  jobList: async (body) => ({ items: await body.data.rows, next: undefined }),
}`)
  const body = { data: { rows: [{ id: '9007199254740993', gain: '12.5 USDT' }] } }
  expect(dialect.jobList(body, { query: {} }).items).toBe(body.data.rows)
  const [job] = dialect.job.each?.(body.data.rows) ?? []
  const fees = { unread: expect.stringContaining('1,5,0') }
  expect(job).toEqual({ id: '9007199254740993', result: 12.5, sharpe: Number.NaN, fees })
})
