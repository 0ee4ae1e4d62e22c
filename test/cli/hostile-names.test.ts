/** H62: a name is never a way out of its folder. Forty names, in every place of the command line that becomes a path of ours. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openStore } from '../../src/workbench/store/store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { shiftedSystem } from '../support/shifted-system.ts'

let outer: string
let desk: string
let dcalab: Program
const cwd = process.cwd()

beforeAll(async () => {
  outer = temporaryFolder()
  desk = join(outer, 'a/b/desk')
  mkdirSync(desk, { recursive: true })
  process.chdir(desk)
  dcalab = program(desk)
  const made = ['candles', 'generate', '--market', 'synthetic/N-USDT', '--from', '2024-01-01', '--days', '1']
  expect((await dcalab(made)).code).toBe(0)
  writeFileSync(join(desk, 'candles.csv'), 'timestamp,open,high,low,close,volume\n1704067200000,1,1,1,1,1\n')
  openStore(join(desk, 'workbench.sqlite'), { system: shiftedSystem([]).system }).close()
  await dcalab(['candles', 'symbols', '--market=synthetic/N-USDT', '--tick', '0.01'])
})
afterAll(() => {
  process.chdir(cwd)
})

const NAMES: readonly string[] = [
  ...[
    '',
    '.',
    '..',
    '../x',
    '../../x',
    '../../../x',
    '..\\x',
    '/x',
    '/tmp/x',
    '//x',
    'a/b',
    'a\\b',
    'a/../../x',
    './x',
  ],
  ...[
    'C:\\x',
    'C:x',
    '\\\\host\\x',
    '~',
    '~/x',
    '$HOME/x',
    '%TEMP%\\x',
    '`x`',
    '$(x)',
    '-x',
    '--x',
    'x/',
    'x/.',
    'x/..',
  ],
  ...[
    'con',
    'nul',
    'aux',
    'prn',
    'com1',
    'lpt9',
    'CON',
    'con.yaml',
    'nul.html',
    '.hidden',
    'x.',
    'x ',
    ' x',
    'x\0',
    'x\n',
  ],
  ...[
    'x\0/../../y',
    '%2e%2e%2fx',
    '..%2fx',
    '\u2025/x',
    '\uff0e\uff0e/x',
    '\u202ex',
    'é',
    'x'.repeat(65),
    'x'.repeat(5000),
  ],
]

/** Where a name goes. A market is checked as a whole, so its parts are tried one by one. */
const PLACES: readonly ((name: string) => readonly string[])[] = [
  (name) => ['study', 'init', '--', name],
  (name) => ['report', '--', name],
  (name) => ['leaderboard', '--', name],
  (name) => ['promote', '--dry-run', '--', name],
  (name) => ['candles', 'export', '--out', 'x.csv', '--', name],
  (name) => ['candles', 'resample', '--into', '1h', '--', name],
  ...[
    (name: string) => name,
    (name: string) => `${name}/N-USDT`,
    (name: string) => `synthetic/${name}-USDT`,
    (name: string) => `synthetic/N-${name}`,
  ].flatMap((market) => [
    (name: string) => ['candles', 'generate', `--market=${market(name)}`, '--from', '2024-01-01', '--days', '1'],
    (name: string) => ['candles', 'import', 'candles.csv', '--interval', '1m', `--market=${market(name)}`],
    (name: string) => ['candles', 'symbols', `--market=${market(name)}`, '--tick', '0.01'],
  ]),
]

const filesUnder = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()

it(`${NAMES.length} names in ${PLACES.length} places write nothing outside, and nothing at all unless they are harmless`, async () => {
  expect(new Set(NAMES).size).toBeGreaterThanOrEqual(40)
  const outside = () => filesUnder(outer).filter((name) => !name.startsWith('a/b/desk/'))
  const before = outside()
  const inside = filesUnder(desk)
  const taken: string[] = []
  for (const name of NAMES) {
    for (const place of PLACES) {
      const args = place(name)
      const { code, err } = await dcalab(args)
      expect(err).not.toMatch(/^bug: /m)
      if (code === 0) taken.push(args.join(' '))
      else expect([args, code]).toEqual([args, 2])
    }
  }
  // An asset may be called CON: its folder is CON-USDT, a name like any other.
  expect(taken.filter((args) => !/=synthetic\/(?:CON-USDT|N-CON)\b/.test(args))).toEqual([])
  expect(outside()).toEqual(before)
  const added = filesUnder(desk).filter((name) => !inside.includes(name) && !/synthetic\/(?:CON-USDT|N-CON)/.test(name))
  expect(added).toEqual([])
})

it('a link in the place of a file is replaced, or refused, but never written through', async () => {
  const precious = join(outer, 'precious')
  const untouched = () => expect(readFileSync(precious, 'utf8')).toBe('mine')
  writeFileSync(precious, 'mine')
  symlinkSync(precious, join(desk, 'link.csv'))
  expect((await dcalab(['candles', 'export', 'synthetic/N-USDT', '--out', 'link.csv'])).code).toBe(0)
  expect(lstatSync(join(desk, 'link.csv')).isSymbolicLink()).toBe(false)
  untouched()
  mkdirSync(join(desk, 'studies'), { recursive: true })
  symlinkSync(precious, join(desk, 'studies/linked.yaml'))
  expect((await dcalab(['study', 'init', 'linked'])).code).toBe(2)
  untouched()
  symlinkSync(join(outer, 'absent'), join(desk, 'studies/dangling.yaml'))
  expect((await dcalab(['study', 'init', 'dangling'])).code).toBe(2)
  expect(filesUnder(outer)).not.toContain('absent')
})
