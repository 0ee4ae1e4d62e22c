/** What a command says to type next asks the same question, in the same store; and a flag that has no effect is refused. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { FAILURES } from '../../src/errors.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'

const folder = temporaryFolder()
const file = join(folder, 'ladder.yaml')
const period = '2024-01-01..2024-01-03'
let dcalab: Program
/** What stands after `next: `. */
const next = async (...args: string[]) => /next: (.*)$/m.exec((await dcalab(args)).err)?.[1]

beforeAll(async () => {
  const environment = { XDG_STATE_HOME: folder, DCALAB_USER_EMAIL: 'me@example.org' }
  dcalab = program(folder, environment, { onTerminal: true, talkOnTerminal: true })
  await dcalab('candles generate --market synthetic/Q-USDT --from 2024-01-01 --days 4 --seed 3'.split(' '))
  const study = {
    name: 'ladder',
    market: { exchange: 'synthetic', baseAsset: 'Q', quoteAsset: 'USDT' },
    period: { from: '2024-01-01', to: '2024-01-05' },
    base: STUDY_BASE,
    objective: { maximize: 'netProfit' },
    grid: { dcaPriceScalePercent: [0.5, 1, 1.5] },
  }
  writeFileSync(file, JSON.stringify(study))
  await dcalab(['run', file, '--max', '2'])
})

it.each([
  [['--period', period, '--max', '1'], `--period ${period}`],
  [['--period', period, '--dry-run'], `--period ${period}`],
  [['--part', '1/2', '--max', '0'], '--part 1/2'],
  [['--reserve', '99'], '--reserve 99 --wait'],
  [['--allowance', '1', '--allowance-window', '12'], '--allowance 1 --allowance-window 12 --wait'],
  [['--rerun', '--dry-run'], '--rerun'],
  [['--retry-rejected', '--dry-run'], '--retry-rejected'],
])('a run with %j is continued with the same', async (flags, same) => {
  expect(await next('run', file, ...flags)).toBe(`dcalab run ${file} ${same}`)
})

it('a check and a screen of another period lead to a run of it', async () => {
  for (const command of [['study', 'check'], ['screen']])
    expect(await next(...command, 'ladder', '--period', '2024-01-02..2024-01-04')).toBe(
      'dcalab run ladder --period 2024-01-02..2024-01-04',
    )
})

it('the next command is on the same store and the same service, where it takes them', async () => {
  const store = join(folder, 'workbench.sqlite')
  expect(await next('leaderboard', 'ladder', '--store', store)).toBe(`dcalab run ladder --store ${store}`)
  expect(await next('leaderboard', 'ladder', '--service', 'embedded')).toBe('dcalab run ladder')
})

it.each([
  ['--revision', '2'],
  ['--study', 'nonsense'],
  ['--settings', 'ffff'],
])('%s is of an id: a study is not promoted or judged as if it were not there', async (flag, value) => {
  for (const command of ['promote', 'verdict']) {
    const { code, err } = await dcalab([command, 'ladder', flag, value])
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(`${flag} chooses a result of an id, and ladder is a study`),
    ])
  }
})

it('a folder that is named as the study is no file of it', async () => {
  mkdirSync(join(folder, 'work/ladder'), { recursive: true })
  const home = process.cwd()
  process.chdir(join(folder, 'work'))
  try {
    expect((await dcalab(['leaderboard', 'ladder'])).err).not.toContain('bug:')
    expect((await dcalab(['run', 'ladder', '--dry-run'])).code).toBe(0)
  } finally {
    process.chdir(home)
  }
})

it('a revision without results is named as it was asked for, and not exported as a study', async () => {
  await dcalab(['run', file, '--period', '2024-01-03..2024-01-05', '--max', '0'])
  const { out } = await dcalab(['study', 'list', 'ladder', '--json'])
  const { number } = JSON.parse(out).at(-1)
  const name = `ladder@${number}`
  expect((await dcalab(['verdict', name])).err).toContain(`${name} has no finished trial yet`)
  expect((await dcalab(['export', name, '--out', '-'])).err).toContain('export takes a study, not one revision of it')
  const headOf = async (study: string) => (await dcalab(['leaderboard', study, '--format', 'csv'])).out.split('\n')[0]
  expect(await headOf(name)).toBe(await headOf('ladder'))
})

it('a store that does not exist is not healthy', async () => {
  const { code, out } = await dcalab(['store', 'check', '--store', join(folder, 'none.sqlite'), '--json'])
  expect([code, JSON.parse(out).state]).toEqual([FAILURES.storeUnusable.exitCode, 'unusable'])
})

it('--json gives JSON', async () => {
  const csv = join(folder, 'one.csv')
  expect(JSON.parse((await dcalab(['sql', 'select 1 as a', '--out', csv, '--json'])).out)).toEqual({
    path: csv,
    rows: 1,
    columns: 1,
  })
  expect(JSON.parse((await dcalab(['guide', 'verdict', '--json'])).out)).toMatchObject({
    name: 'verdict',
    text: expect.any(String),
  })
})

it('a rerun that was stopped offers none, which would send all of it again; --max is told from the daily limit', async () => {
  const { out, err } = await dcalab(['run', file, '--rerun', '--max', '1'])
  expect(err).not.toContain('next: dcalab run')
  expect(out).toContain('stopped by: --max')
  const other = ['--period', '2024-01-02..2024-01-03', '--allowance', '1']
  expect((await dcalab(['run', file, ...other])).out).toContain('stopped by: the daily limit')
})
