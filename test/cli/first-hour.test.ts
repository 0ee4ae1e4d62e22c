/** The first hour with the program: where one is, what to type next, and what is said of a word that is wrong. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMAND_NAMES } from '../../src/cli/output.ts'
import { realSystem } from '../../src/system.ts'
import { commandTree } from '../support/command-tree.ts'
import { temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'
import { hasPty, onPty } from '../support/pty.ts'
import { byTurn } from '../support/turn.ts'

const cwd = process.cwd()
const desk = temporaryFolder()
const elsewhere = temporaryFolder()
const fresh = temporaryFolder()
const onTerminal = { onTerminal: true, talkOnTerminal: true }
/** The usual places, which need not be there. */
const usual = {
  DCALAB_STORE: 'data/workbench.sqlite',
  DCALAB_SERVICE_STORE: 'data/service.sqlite',
  DCALAB_CANDLES: 'data/candles',
}
/** The real clock: on a busy machine the fast one would call the service late. */
const world = realSystem({ NO_COLOR: '1' })
const piped = program(desk, usual)
const dcalab = program(desk, usual, onTerminal)

beforeAll(() => process.chdir(desk))
afterAll(() => process.chdir(cwd))

it('dcalab alone, in an empty folder, says what to begin with; so does its JSON', async () => {
  const { code, out, err } = await dcalab([])
  expect([code, err]).toEqual([0, 'next: dcalab demo\n'])
  expect(out).toBe(`no study has been run yet
daily limit: 0 of 100 used, 100 left
no candles yet; dcalab demo tries everything without your own
`)
  expect(JSON.parse((await piped(['--json'])).out)).toMatchObject({ studies: [], candles: [], next: 'dcalab demo' })
})

it('a study file that was not run yet is what comes next', async () => {
  mkdirSync('studies')
  writeFileSync('studies/mine.yaml', 'name: my-ladder\n')
  writeFileSync('studies/demo.yaml', 'name: demo\n') // shipped with the program
  expect((await piped([])).out).toContain('not run yet: studies/mine.yaml\n')
  expect((await dcalab([])).err).toBe('next: dcalab study check studies/mine.yaml\n')
})

it('a command ends with the next one where people read it, and only there', async () => {
  const asked = ['candles', 'generate', '--market', 'synthetic/ONE-USDT', '--from', '2024-01-01', '--days', '1']
  expect((await dcalab(asked)).err).toBe('next: dcalab study init --market synthetic/ONE-USDT\n')
  expect((await dcalab(['candles', 'list'])).err).toBe('')
  expect((await dcalab(['candles', 'list', '--json'])).err).toBe('')
  expect((await piped(['candles', 'list'])).err).toBe('')
})

it('a command line is known by the name of its command', () => {
  const names = commandTree().commands.map((command) => command.name())
  expect(COMMAND_NAMES.split('|').sort()).toEqual(['help', ...names].sort())
})

it.each<[readonly string[], string]>([
  [['leaderbord'], "error: unknown command 'leaderbord' (Did you mean leaderboard?)\nhint: write leaderboard\n"],
  [['run', '--wiat', 'x'], "error: unknown option '--wiat' (Did you mean --wait?)\nhint: write --wait\n"],
  [['candles', 'zzz'], "error: unknown command 'zzz'\nhint: dcalab candles takes import, fetch, list, check, "],
  [
    ['help', 'leaderbord'],
    "error: unknown command 'leaderbord' (Did you mean leaderboard?)\nhint: write leaderboard\n",
  ],
  [['help', 'zzz'], "error: unknown command 'zzz'\nhint: the commands are status, demo, guide, "],
  [['bots', 'help', 'shwo'], "error: unknown command 'shwo' (Did you mean show?)\nhint: write show\n"],
  [
    ['leaderbord', '--help'],
    "error: unknown command 'leaderbord' (Did you mean leaderboard?)\nhint: write leaderboard\n",
  ],
  [
    ['help', 'service', 'limits', 'zzz'],
    "error: unknown command 'zzz'\nhint: dcalab service limits has no subcommands\n",
  ],
  [
    ['service', 'limits', '--zzz'],
    "error: unknown option '--zzz'\nhint: dcalab service limits takes --json, --store, --candles-dir, ",
  ],
  [
    ['run'],
    "error: missing required argument 'study'\nhint: it is written `dcalab run <study>`, for instance `dcalab run studies/btc-may-2021.yaml`\n",
  ],
  [['run', 'a', '--max', '-1'], 'found "-1"\nhint: for instance `dcalab run studies/btc-may-2021.yaml`\n'],
])('a word that is wrong is told with the right one: %s', async (words, said) => {
  const { code, err } = await piped(words)
  expect(code).toBe(2)
  expect(err).toContain(said)
  expect(err).not.toContain('--help')
})

it.each([
  [['help'], 'Usage: dcalab <command> [options]\n'],
  [['help', 'service', 'limits'], 'Usage: dcalab service limits [options]\n'],
  [['help', 'bots', 'show'], 'Usage: dcalab bots show [options] <bot>\n'],
  [['bots', 'help', 'show'], 'Usage: dcalab bots show [options] <bot>\n'],
])('help is that of the command that is named, however deep it lies: %s', async (words, usage) => {
  const { code, out } = await piped(words)
  expect({ code, usage: out.slice(0, usage.length) }).toEqual({ code: 0, usage })
})

/** What somebody brings: minutes of ETH in a CSV. They are made up, which a CSV does not tell. */
async function bringCsv(): Promise<string> {
  const other = program(elsewhere)
  const made = ['--market', 'binance/ETH-USDT', '--from', '2025-05-20', '--days', '10', '--volatility', '150']
  expect((await other(['candles', 'generate', ...made])).code).toBe(0)
  const file = join(elsewhere, 'eth.csv')
  expect((await other(['candles', 'export', 'binance/ETH-USDT', '--out', file])).code).toBe(0)
  return file
}

it('from a CSV of ETH minutes it is four commands to the first report of one’s own, and one more to a demo bot', async () => {
  const file = await bringCsv()
  process.chdir(fresh)
  const session = program(fresh, usual, { ...onTerminal, columns: 100, world })
  const said: string[] = []
  for (const line of [
    `candles import ${file} --market binance/ETH-USDT`,
    'study init --market binance/ETH-USDT',
    'run studies/eth-usdt.yaml',
    'report eth-usdt',
    'promote eth-usdt --yes --accept notJudged',
    '',
  ]) {
    const { code, out, err } = await session(line === '' ? [] : line.split(' '))
    expect(code, err).toBe(0)
    said.push(`$ ${`dcalab ${line.replace(file, 'eth.csv')}`.trim()}\n${out}${err}`)
  }
  process.chdir(desk)
  await expect(untimely(said.join('\n'))).toMatchFileSnapshot('../golden/first-hour.txt')
})

/** What the hour left behind is looked at on every kind of terminal. */
describe.each([
  ['60-columns', { ...onTerminal, columns: 60 }],
  ['200-columns', { ...onTerminal, columns: 200 }],
  ['dumb', { ...onTerminal, columns: 80, redraws: false }],
  ['colours', { ...onTerminal, columns: 80, colours: true }],
  ['no-terminal', {}],
] as const)('%s', (name, terminal) => {
  const session = program(fresh, usual, terminal)

  it('shows what this terminal has room and signs for', async () => {
    process.chdir(fresh)
    const said: string[] = []
    for (const line of [
      'status',
      'leaderboard eth-usdt --top 3',
      'candles list',
      'study list',
      'promote eth-usdt --accept notJudged',
      'statsu',
    ]) {
      const { out, err } = await session(line.split(' '))
      if ('columns' in terminal) expect(widestTable(out)).toBeLessThanOrEqual(terminal.columns)
      said.push(`$ dcalab ${line}\n${out}${err}`)
    }
    process.chdir(desk)
    await expect(untimely(said.join('\n'))).toMatchFileSnapshot(`../golden/terminal/${name}.txt`)
  })
})

it.skipIf(!hasPty)('a real terminal gets the same colours; NO_COLOR and a dumb one get none', async () => {
  const line = 'leaderboard eth-usdt --top 3 --wide'.split(' ')
  const looksLike = async (terminal: Parameters<typeof program>[2]) => {
    process.chdir(fresh)
    const { out, err } = await program(fresh, usual, { ...onTerminal, columns: 100, ...terminal })(line)
    process.chdir(desk)
    return withoutAge(out + err)
  }
  const shown = async (environment = {}) =>
    withoutAge((await onPty(line, { folder: fresh, columns: 100, environment })).shown)
  const [coloured, plain] = [await looksLike({ colours: true }), await looksLike({ colours: false })]
  expect(coloured).toContain('\u001b[31m   -0.14\u001b[39m')
  expect(plain).not.toContain('\u001b')
  expect(await shown()).toBe(coloured)
  expect(await shown(byTurn([{ NO_COLOR: '1' }, { TERM: 'dumb' }])[0])).toBe(plain) // the other one at another commit
})

/** The real terminal's clock is the machine's. */
function withoutAge(text: string): string {
  return text.replaceAll(/\(judged [^)]*\)/g, '(judged …)')
}

/** Lines that are broken at words, as they were written. */
function unbroken(text: string): string {
  return text.replaceAll(/\n {2,}/g, ' ')
}

/** Of the lines under a row of dashes, and that row. */
function widestTable(text: string): number {
  const lines = text.split('\n')
  const rules = lines.filter((line) => /^-[- ]+$/.test(line))
  return Math.max(0, ...rules.map((line) => line.length))
}

it('--wide keeps all columns, --quiet says nothing but failures, --verbose names files', async () => {
  process.chdir(fresh)
  const narrow = program(fresh, usual, { ...onTerminal, columns: 60 })
  expect((await narrow(['leaderboard', 'eth-usdt'])).out).toContain('columns hidden')
  expect((await narrow(['leaderboard', 'eth-usdt', '--wide'])).out).not.toContain('hidden')
  expect((await narrow(['--quiet', 'status'])).err).toBe('')
  expect((await narrow(['status', 'nothing', '--quiet'])).err).toContain('error: the store has no study "nothing"')
  expect(unbroken((await narrow(['status', '--verbose'])).err)).toContain(
    'store data/workbench.sqlite; candles data/candles; service embedded, data/service.sqlite\n',
  )
  expect((await narrow(['service', 'limits', '--verbose'])).err).toMatch(/^GET \/api\/backtest\/limits: 200, \d+ ms$/m)
  process.chdir(desk)
})

it('times are the reader’s where people read them, and UTC in JSON and pipes', async () => {
  process.chdir(fresh)
  // Whenever this runs the reader's day is that of UTC: another day is written out, and in a narrow column on a line of its own.
  const zoned = { ...onTerminal, aheadOfUtcMs: (at: number) => (at % 86_400_000 < 43_200_000 ? 3_600_000 : -3_600_000) }
  const local = /20\d\d-\d\d-\d\d \d\d:\d\d:\d\d \((?:20\d\d-\d\d-\d\dT)?\d\d:\d\d:\d\dZ\)/
  for (const line of [
    'status eth-usdt --wide',
    'study list',
    'study list eth-usdt',
    'service jobs list --wide',
    'bots show dcalab-eth-usdt-fe33ab5d',
  ]) {
    expect((await program(fresh, usual, zoned)(line.split(' '))).out, line).toMatch(local)
    expect((await piped(line.split(' '))).out, line).not.toMatch(local)
    expect((await program(fresh, usual, zoned)([...line.split(' '), '--json'])).out, line).not.toMatch(local)
  }
  expect((await program(fresh, usual, zoned)(['candles', 'list'])).out).toContain('2025-05-20T00:00:00Z')
  process.chdir(desk)
})

/** Without what differs from run to run, and without the progress that a terminal shows and clears. */
function untimely(text: string): string {
  const [first, ...drawn] = withoutAge(text).split('\r\u001b[2K')
  const kept = drawn.filter((part, i) => part.includes('\n') || i === drawn.length - 1)
  return [first, ...kept]
    .join('')
    .replaceAll(/bot_[0-9a-f]+/g, 'bot_…')
    .replaceAll(/embedded:[0-9a-f]+/g, 'embedded:…')
    .replaceAll(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, '(time)')
    .replaceAll(/20(?!25-0)\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '(time)')
    .replaceAll(/\d+ requests/g, '… requests')
    .replaceAll(/\d+ kB/g, '… kB')
}

it('a new study takes the longest stretch without a gap, or what a person answers', async () => {
  const day = (from: string, days: string) => ['--market', 'binance/SOL-USDT', '--from', from, '--days', days]
  for (const args of [day('2024-03-01', '2'), day('2024-03-05', '4')]) await piped(['candles', 'generate', ...args])
  const taken = await piped(['study', 'init', '--market', 'binance/SOL-USDT'])
  expect(taken.err).toContain(
    'period: 2024-03-05..2024-03-09, the longest stored stretch of fine candles; --period takes',
  )
  expect(readFileSync('studies/sol-usdt.yaml', 'utf8')).toContain('period: { from: 2024-03-05, to: 2024-03-09 }')

  const asked = program(desk, usual, { ...onTerminal, answers: ['binance/SOL-USDT', '2024-03-05..2024-03-07'] })
  const { out, err } = await asked(['study', 'init'])
  expect(err).toContain(
    'stored markets: binance/SOL-USDT, synthetic/ONE-USDT\nmarket [binance/SOL-USDT]: binance/SOL-USDT\n',
  )
  expect(err).toContain('period [2024-03-05..2024-03-09]: 2024-03-05..2024-03-07\n')
  expect(out).toContain('studies/sol-usdt-2.yaml\n')
  expect(readFileSync('studies/sol-usdt-2.yaml', 'utf8')).toContain(
    'baseAsset: SOL, quoteAsset: USDT }\nperiod: { from: 2024-03-05, to: 2024-03-07 }',
  )
})

it('a market that is not stored is told with the one that was meant', async () => {
  const { code, err } = await piped(['study', 'init', 'typo', '--market', 'binance/SLO-USDT'])
  expect(code).toBe(0)
  expect(err).toContain('no candles stored for binance/SLO-USDT; did you mean binance/SOL-USDT?')
  const refused = await piped(['study', 'init', 'mine', '--example', 'demo', '--market', 'binance/SOL-USDT'])
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('an example has its own') })
})

describe('dcalab.yaml (H85)', () => {
  beforeAll(() => process.chdir(fresh))
  afterAll(() => {
    rmSync('dcalab.yaml')
    process.chdir(desk)
  })
  const narrow = program(fresh, { ...usual, DCALAB_STORE: '' }, { ...onTerminal, columns: 60 })

  it('says how a folder’s tables are printed, and where its store is', async () => {
    writeFileSync('dcalab.yaml', 'wide: true\nquiet: true # no talk here\nstore: data/workbench.sqlite\n')
    const { out, err } = await narrow(['leaderboard', 'eth-usdt'])
    expect([out, err]).toEqual([expect.not.stringContaining('hidden'), ''])
    writeFileSync('dcalab.yaml', 'store: data/elsewhere.sqlite\n')
    expect((await narrow(['status', '--verbose'])).err).toContain('store data/elsewhere.sqlite;')
    expect((await program(fresh, usual)(['status', '--verbose'])).err).toContain('store data/workbench.sqlite;') // the environment wins
  })

  it.each([
    ['baseUrl: https://example.com', 'dcalab.yaml:1:1', 'a folder does not say where requests go'],
    ['apiKey: x', 'dcalab.yaml:1:1', 'a folder does not say where requests go'],
    ['wide: true\nonEnd: rm -rf /', 'dcalab.yaml:2:1', 'a folder does not say where requests go'],
    ['store: ../mine.sqlite', 'dcalab.yaml:1:8', 'expected a path below this folder'],
    ['candles: /data/candles', 'dcalab.yaml:1:10', 'expected a path below this folder'],
    ['quite: true', 'dcalab.yaml:1:1', 'did you mean quiet?'],
    ['store: link/workbench.sqlite', 'dcalab.yaml store', 'leads out of this folder through a link'],
  ])('is refused with its place where it says more: %s', async (text, place, why) => {
    rmSync('link', { force: true })
    symlinkSync(elsewhere, 'link')
    writeFileSync('dcalab.yaml', `${text}\n`)
    const { code, err } = await narrow(['status'])
    expect(code).toBe(2)
    expect(unbroken(err)).toContain(place)
    expect(unbroken(err)).toContain(why)
  })
})
