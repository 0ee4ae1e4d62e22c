/** The one line that says what to type next: at most one, it runs as it is printed, and it offers nothing that the verdict does not. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { nextCommand, type WorkState } from '../../src/workbench/store/standing.ts'
import { commandsBelow, commandTree } from '../support/command-tree.ts'
import { temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'
import { storeSeveralMarkets } from '../workbench/store/several-markets.ts'

const GRADES = [
  'doNotUse',
  'notJudged',
  'holdingDidBetter',
  'holdingAsGood',
  'noBetterThanPlain',
  'ahead',
  'beat',
] as const
const AFTER = [
  '',
  ...['status', 'leaderboard s', 'verdict s', 'report s', 'run s', 'holdout s'].map((of) => `dcalab ${of}`),
]

type Study = NonNullable<WorkState['study']>

function* everyState(): Generator<WorkState> {
  const verdicts: Study['verdict'][] = [null]
  for (const grade of GRADES) {
    const offered = ['ahead', 'beat'].includes(grade) ? 'dcalab promote 46330614' : 'dcalab leaderboard s'
    for (const isStale of [false, true]) for (const next of [null, offered]) verdicts.push({ grade, isStale, next })
  }
  const bots = [null, '2026-01-01T00:00:00Z', 'new'].map((at) =>
    at === null
      ? null
      : { bot: 'b', name: 'dcalab-s-46330614', account: '', market: 'x/Y-Z', startedAt: at === 'new' ? null : at },
  )
  for (const isAllowanceLeft of [true, false]) {
    for (const newFile of [null, 'studies/new.yaml']) {
      for (const hasCandles of [true, false]) yield { study: null, newFile, isAllowanceLeft, hasCandles }
      for (const bot of bots) {
        for (const [open, done, unresolved] of [
          [0, 0, 0],
          [2, 0, 0],
          [2, 1, 0],
          [0, 3, 0],
          [0, 3, 1],
        ]) {
          for (const verdict of done === 0 ? [null] : verdicts) {
            for (const isReported of [true, false]) {
              const study = { name: 's', open, unresolved, done, isReported, verdict, bot }
              yield { study, newFile, isAllowanceLeft, hasCandles: true }
            }
          }
        }
      }
    }
  }
}

it('every state after every command: a command that there is, not the one just typed, and no bot that the verdict does not allow', () => {
  const paths = commandsBelow(commandTree()).map(({ path }) => `dcalab ${path.trim()}`)
  const said = new Set<string>()
  for (const state of everyState()) {
    for (const just of AFTER) {
      const next = nextCommand(state, just)
      if (next === null) continue
      said.add(next)
      expect(
        paths.some((path) => next === path || next.startsWith(`${path} `)),
        next,
      ).toBe(true)
      expect(next).not.toBe(just)
      expect(next).not.toMatch(/[<>\n]/)
      const isWorth = ['ahead', 'beat'].includes(state.study?.verdict?.grade ?? '')
      if (/ (promote|bots start) /.test(next)) expect({ state, next, isWorth }).toMatchObject({ isWorth: true })
    }
  }
  expect([...said].sort()).toEqual([
    'dcalab bots compare dcalab-s-46330614',
    'dcalab bots start dcalab-s-46330614',
    'dcalab demo',
    'dcalab leaderboard s',
    'dcalab promote 46330614',
    'dcalab report s --open',
    'dcalab run s',
    'dcalab run s --wait',
    'dcalab service jobs resolve',
    'dcalab status s',
    'dcalab study check studies/new.yaml',
    'dcalab study init',
    'dcalab verdict s',
  ])
})

const home = process.cwd()
afterEach(() => process.chdir(home))

it.each([
  ['results', { made: { BTC: [9, 3] } }],
  ['several markets', { made: { BTC: [9, 3], ETH: [1, 2] } }],
  ['failures alone', { made: { BTC: [null, null] } }],
] as const)('what is printed runs: a study with %s', async (_, made) => {
  const { store } = await storeSeveralMarkets(made)
  process.chdir(temporaryFolder())
  const dcalab = program(dirname(store.db.name), {}, { onTerminal: true, talkOnTerminal: true, columns: 80 })
  const words = (line: string) => line.replace(' --open', '').split(' ').slice(1)
  for (const first of ['status', 'leaderboard several', 'report several']) {
    const seen = new Set<string>()
    for (let line: string | undefined = `dcalab ${first}`; line !== undefined && !seen.has(line); ) {
      seen.add(line)
      const { code, err } = await dcalab(words(line))
      expect(code, `${line}: ${err}`).toBe(0)
      const lines = err.split('\n').filter((text) => text.startsWith('next: '))
      expect(lines.length).toBeLessThan(2)
      line = lines[0]?.replace('next: ', '')
    }
  }
})

it('listings say none', async () => {
  const { store } = await storeSeveralMarkets({ made: { BTC: [9, 3] } })
  const dcalab = program(dirname(store.db.name), {}, { onTerminal: true, talkOnTerminal: true })
  for (const line of ['study list', 'candles list', 'sql select(1)', 'store check', 'guide']) {
    expect((await dcalab(line.split(' '))).err, line).not.toContain('next:')
  }
})

it('a study file whose name stands in quotes is known once its study was run', async () => {
  const { store } = await storeSeveralMarkets({ made: { BTC: [9, 3] } })
  const folder = temporaryFolder()
  process.chdir(folder)
  mkdirSync('studies')
  const names = { double: '"several"', single: "'several' # ours", plain: 'several', other: '"severals"' }
  for (const [file, name] of Object.entries(names)) writeFileSync(`studies/${file}.yaml`, `name: ${name}\n`)
  const { out } = await program(dirname(store.db.name))(['status'])
  expect(out.split('\n').filter((line) => line.includes('not run yet'))).toEqual(['not run yet: studies/other.yaml'])
})

it('what else lies beside study files is none: the mark of an editor, which links to nowhere, a folder, a hidden file', async () => {
  const { store } = await storeSeveralMarkets({ made: { BTC: [9, 3] } })
  const folder = temporaryFolder()
  process.chdir(folder)
  mkdirSync('studies/old.yaml', { recursive: true })
  symlinkSync('me@machine.4711:1700000000', 'studies/.#mine.yaml')
  symlinkSync('nowhere', 'studies/lost.yaml')
  writeFileSync('studies/.kept.yaml', 'name: kept\n')
  writeFileSync('studies/mine.yaml', 'name: mine\n')
  const { out, code } = await program(dirname(store.db.name))(['status'])
  expect(code).toBe(0)
  expect(out.split('\n').filter((line) => line.includes('not run yet'))).toEqual(['not run yet: studies/mine.yaml'])
})
