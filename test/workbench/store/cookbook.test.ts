/**
 * Every question of the cookbook is answered: by the program, and alike by the `sqlite3` of a stable Linux. After a change,
 * `npx vitest run --config test/vitest.config.ts test/workbench/store/cookbook.test.ts -u` writes COOKBOOK.md again.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { COOKBOOK, parametersOf, scriptOf } from '../../../src/workbench/store/cookbook/cookbook.ts'
import { OF_RESULTS } from '../../../src/workbench/store/cookbook/queries.ts'
import type { Parameters } from '../../../src/workbench/store/sql/bind.ts'
import { tokensOf, withRows } from '../../../src/workbench/store/sql/select.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type Program, program } from '../../support/program.ts'
import { share } from '../../support/share.ts'
import { sqlite3Version } from '../../support/sqlite3.ts'
import { STUDY_BASE } from '../../support/study-base.ts'

type Row = Readonly<Record<string, string | number | null>>

const questions = Object.entries(COOKBOOK).map(([name, query]) => ({ name, query }))
/** In a usual run every seventh, other ones for each test. */
const every = share({ usual: 7, long: 1 })
const some = (first: number) => questions.filter((_, n) => n % every === first % every)
const version = sqlite3Version()

const { takeProfit, stopLoss, ...base } = STUDY_BASE

let folder: string
let dcalab: Program
beforeAll(async () => {
  folder = temporaryFolder()
  dcalab = program(folder, { XDG_STATE_HOME: folder })
  for (const [baseAsset, takeProfits] of [
    ['A', [1]],
    ['A', [1, 2]],
    ['B', [1, 2]],
    ['C', [0.5, 1, 2]],
  ] as const) {
    const name = `stop-${baseAsset.toLowerCase()}`
    const market = ['--market', `synthetic/${baseAsset}-USDT`, '--seed', String(baseAsset.charCodeAt(0))]
    await ok('candles', 'generate', ...market, '--from', '2024-01-01', '--days', '60', '--interval', '1h')
    const study = {
      name,
      market: { exchange: 'synthetic', baseAsset, quoteAsset: 'USDT' },
      period: { from: '2024-01-01', to: '2024-02-28' },
      base: { ...base, dcaPriceScalePercent: 1 },
      objective: { maximize: 'netProfit' },
      grid: { takeProfit: takeProfits, stopLoss: [0, 5] },
    }
    writeFileSync(join(folder, 'study.json'), JSON.stringify(study))
    await ok('run', join(folder, 'study.json'))
    await ok('screen', join(folder, 'study.json'), '--save')
  }
  await ok('examine', 'stop-a', '--costs')
})

async function ok(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await dcalab(args)
  expect(code, `${args.join(' ')}: ${err}`).toBe(0)
  return out
}

const asked = new Map<string, readonly Row[]>()

/** In this process, and each question once: nothing is written into the store meanwhile. */
function ask(name: string, given: Readonly<Record<string, string>> = {}): readonly Row[] {
  const query = COOKBOOK[name]
  const question = JSON.stringify([name, given])
  const rows = asked.get(question) ?? rowsOf(query.sql, parametersOf(query, given))
  asked.set(question, rows)
  return rows
}

function rowsOf(sql: string, parameters: Parameters = {}): readonly Row[] {
  return withRows(join(folder, 'workbench.sqlite'), { sql, parameters }, (columns, rows) =>
    Array.from(rows, (row) => Object.fromEntries(columns.map((column, at) => [column, row[at]]))),
  )
}

describe('every question', () => {
  it.each(questions)('$name is answered', ({ name }) => {
    const rows = ask(name)
    expect(rows.length).toBeGreaterThan(0)
    // A column without a value in any row says that it reads the wrong thing.
    const empty = Object.keys(rows[0]).filter((column) => rows.every((row) => row[column] === null))
    expect(empty).toEqual([])
  })

  // The program asks each in a process of its own, by the same way.
  it.each(some(0))('$name is answered by the program alike', async ({ name }) => {
    expect(JSON.parse(await ok('sql', '--example', name, '--json'))).toEqual(ask(name))
  })

  it.each(questions)('$name can be asked of one study', ({ name, query }) => {
    expect(Object.keys(query.parameters)).toContain('study')
    expect(ask(name, { study: 'no-such-study' })).toEqual([])
    expect(ask(name, { study: 'stop-a' }).length).toBeGreaterThan(0)
  })

  it.each(questions)('$name uses exactly the parameters that it declares', ({ query }) => {
    const used = tokensOf(query.sql).filter(({ kind }) => kind === 'parameter')
    expect(new Set(used.map(({ text }) => text.slice(1)))).toEqual(new Set(Object.keys(query.parameters)))
  })

  // as the file that is printed, in one process
  it.skipIf(version === undefined)(`are answered alike by sqlite3 ${version}`, () => {
    const answers = askOldSqlite()
    expect(answers).toHaveLength(questions.length)
    for (const [n, { name }] of questions.entries()) expect([name, answers[n]]).toEqual([name, shortened(ask(name))])
  })

  it.each(some(1))('$name is printed as a file that the program runs', ({ name, query }) => {
    expect(rowsOf(scriptOf(name, query), parametersOf(query, {}))).toEqual(ask(name))
  })
})

it('what --show prints, the program runs from a file', async () => {
  const shown = await ok('sql', '--example', 'units-per-day', '--show')
  expect(shown).toBe(scriptOf('units-per-day', COOKBOOK['units-per-day']))
  writeFileSync(join(folder, 'shown.sql'), shown)
  const answer = await ok('sql', '--file', join(folder, 'shown.sql'), '--json', '--param', 'study=null')
  expect(JSON.parse(answer)).toEqual(ask('units-per-day'))
})

describe('the answers', () => {
  it('share-of-one-month: the share is that of the best month in the whole', () => {
    const rows = ask('share-of-one-month', { study: 'stop-c', top: '3' })
    expect(rows.map(({ rank }) => rank)).toEqual([1, 2, 3])
    for (const { profit, best_month_profit, best_month_percent } of rows) {
      expect(Number(best_month_percent)).toBeCloseTo((100 * Number(best_month_profit)) / Number(profit), 0)
    }
  })

  it('share-of-one-month: the months add up to the net profit', () => {
    const [board] = rowsOf("select net_profit from answers where study = 'stop-c' and rank = 1")
    const [best] = ask('share-of-one-month', { study: 'stop-c', top: '1' })
    expect(Number(best.profit)).toBeCloseTo(Number(board.net_profit), 2)
  })

  it('robust-over-markets: a configuration of three markets is one row, its worst result first', () => {
    const rows = ask('robust-over-markets')
    const all = rows.filter(({ markets }) => markets === 3)
    expect(all.length).toBe(4)
    expect(rows.slice(0, 4)).toEqual(all)
    for (const row of all) expect(Number(row.worst_roi_percent)).toBeLessThanOrEqual(Number(row.average_roi_percent))
  })

  it('what-the-stop-bought: each result with a stop stands beside the one without', () => {
    const rows = ask('what-the-stop-bought', { study: 'stop-b' })
    expect(rows).toHaveLength(2)
    for (const { profit, profit_without, profit_gained } of rows) {
      expect(Number(profit) - Number(profit_without)).toBeCloseTo(Number(profit_gained), 1)
    }
  })

  it('deals-by-hour and safety-order-distribution count the same deals, the open one aside', () => {
    const [{ closed_deals, open_deal, trial }] = rowsOf(
      "select a.closed_deals, open_deal, a.trial from answers a join results r using (identity, job_id) where a.study = 'stop-c' and rank = 1",
    )
    const sum = (rows: readonly Row[]) => rows.reduce((total, { deals }) => total + Number(deals), 0)
    expect(sum(ask('deals-by-hour', { study: 'stop-c' }))).toBe(closed_deals)
    const ladder = ask('safety-order-distribution', { study: 'stop-c', trial: String(trial) })
    expect(sum(ladder)).toBe(Number(closed_deals) + Number(open_deal))
    expect(ladder[0].at_least_percent).toBe(100)
  })

  it('units-per-day and cost-of-each-insight count every unit once', () => {
    const total = (rows: readonly Row[]) => rows.reduce((sum, { units }) => sum + Number(units), 0)
    const [{ n }] = rowsOf('select sum(counted) as n from attempts')
    expect(total(ask('units-per-day'))).toBe(n)
    expect(total(ask('cost-of-each-insight'))).toBe(n)
  })

  it('a trial that is named by digits alone is no number', () => {
    expect(parametersOf(COOKBOOK['deals-by-hour'], { trial: '123456789012' })).toMatchObject({
      trial: { kind: 'text', text: '123456789012' },
    })
  })
})

it('the list names every question, for people and for programs', async () => {
  const text = await ok('sql', '--examples')
  for (const { name, query } of questions) expect(text).toMatch(new RegExp(`^${name} +${query.title}`, 'm'))
  const csv = (await ok('sql', '--examples', '--format=csv')).split('\n')
  expect(csv.slice(0, 2)).toEqual([
    'name,question,parameters',
    expect.stringMatching(/^[a-z-]+,[A-Z][^,]+,[a-z= 0-9]*$/),
  ])
  expect(csv).toHaveLength(Object.keys(COOKBOOK).length + 2)
  expect(JSON.parse(await ok('sql', '--examples', '--json')).map(({ name }: { name: string }) => name)).toEqual(
    questions.map(({ name }) => name),
  )
})

it('leaves out no question that was written for it', () => {
  expect(Object.values(OF_RESULTS).filter((query) => !Object.values(COOKBOOK).includes(query))).toEqual([])
})

it('COOKBOOK.md is the questions, written out', async () => {
  await expect(page()).toMatchFileSnapshot('../../../src/workbench/store/COOKBOOK.md')
})

/** All answers, in the order of the questions. */
function askOldSqlite(): readonly unknown[] {
  const between = '--- the next question ---'
  const input = questions.flatMap(({ name, query }) => [
    '.parameter clear',
    ...Object.entries(query.parameters).map(([name, { usual }]) => `.parameter set :${name} ${usual ?? 'NULL'}`),
    scriptOf(name, query),
    `.print "${between}"`,
  ])
  const said = execFileSync('sqlite3', ['-readonly', join(folder, 'workbench.sqlite')], {
    input: ['.parameter init', '.mode json', ...input].join('\n'),
    encoding: 'utf8',
  })
  const answers = said.split(`${between}\n`)
  expect(answers.pop()).toBe('')
  return answers.map((answer) => shortened(JSON.parse(answer)))
}

/** sqlite3 prints 15 digits of a number. */
function shortened(rows: readonly Row[]): unknown {
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, cell]) => [name, typeof cell === 'number' ? Number(cell.toPrecision(12)) : cell]),
    ),
  )
}

function page(): string {
  const sections = questions.map(({ name, query: { title, answers, parameters, sql } }) => {
    const rows = Object.entries(parameters).map(
      ([parameter, { meaning, usual }]) => `| \`:${parameter}\` | ${meaning} | ${usual ?? 'NULL'} |`,
    )
    const table = `| parameter | meaning | default |\n|---|---|---|\n${rows.join('\n')}`
    return `## ${title}\n\n${answers}\n\n    dcalab sql --example ${name}\n\n${table}\n\n\`\`\`sql\n${sql}\n\`\`\``
  })
  return `# The cookbook

Questions that analysts of any study ask. \`dcalab sql --examples\` lists them, \`--example NAME\` asks one, \`--param name=value\` sets a parameter, and
\`--example NAME --show\` prints the SQL to start from. They run on SQLite 3.40 and newer, in any program that opens the store; [the views](VIEWS.md) say what the columns mean.

${sections.join('\n\n')}

These are the rows of \`cookbook/\`, written out; a test keeps both alike.
`
}
