/**
 * Every question of the cookbook is answered: by the program, and alike by the `sqlite3` of a stable Linux. After a change,
 * `npx vitest run --config test/vitest.config.ts test/workbench/store/cookbook.test.ts -u` writes COOKBOOK.md again.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { COOKBOOK, parametersOf, scriptOf } from '../../../src/workbench/store/cookbook/cookbook.ts'
import { tokensOf } from '../../../src/workbench/store/sql/tokens.ts'
import { type Desk, desk } from '../../support/dcalab.ts'
import { sqlite3Version } from '../../support/sqlite3.ts'
import { STUDY_BASE } from '../../support/study-base.ts'

type Row = Readonly<Record<string, string | number | null>>

const questions = Object.entries(COOKBOOK).map(([name, query]) => ({ name, query }))
const version = sqlite3Version()

const { takeProfit, stopLoss, ...base } = STUDY_BASE

let at: Desk
beforeAll(async () => {
  at = desk()
  await ok('demo')
  await ok('candles generate --market synthetic/A-USDT --from 2024-01-01 --days 40 --seed 1')
  await ok('candles generate --market synthetic/B-USDT --from 2024-01-01 --days 40 --seed 2')
  for (const [baseAsset, takeProfits] of [
    ['A', [1]],
    ['A', [1, 2]],
    ['B', [1, 2]],
  ] as const) {
    const study = {
      name: `stop-${baseAsset.toLowerCase()}`,
      market: { exchange: 'synthetic', baseAsset, quoteAsset: 'USDT' },
      period: { from: '2024-01-01', to: '2024-02-08' },
      base: { ...base, dcaPriceScalePercent: 1 },
      grid: { takeProfit: takeProfits, stopLoss: [0, 5] },
    }
    writeFileSync(join(at.folder, 'study.json'), JSON.stringify(study))
    await ok('run study.json')
    await ok('screen study.json --save')
  }
})

async function ok(command: string, ...more: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await at.dcalab([...command.split(' '), ...more])
  expect(code, `${command}: ${stderr}`).toBe(0)
  return stdout
}

async function ask(name: string, ...given: readonly string[]): Promise<readonly Row[]> {
  const flags = given.flatMap((text) => ['--param', text])
  return JSON.parse(await ok(`sql --example ${name} --json`, ...flags))
}

describe('every question', () => {
  it.each(questions)('$name is answered', async ({ name }) => {
    const rows = await ask(name)
    expect(rows.length).toBeGreaterThan(0)
    // A column without a value in any row says that it reads the wrong thing.
    const empty = Object.keys(rows[0]).filter((column) => rows.every((row) => row[column] === null))
    expect(empty).toEqual([])
  })

  it.each(questions)('$name can be asked of one study', async ({ name, query }) => {
    expect(Object.keys(query.parameters)).toContain('study')
    expect(await ask(name, 'study=no-such-study')).toEqual([])
    expect((await ask(name, 'study=stop-a')).length).toBeGreaterThan(0)
  })

  it.each(questions)('$name uses exactly the parameters that it declares', ({ query }) => {
    const used = tokensOf(query.sql).filter(({ kind }) => kind === 'parameter')
    expect(new Set(used.map(({ text }) => text.slice(1)))).toEqual(new Set(Object.keys(query.parameters)))
  })

  it.skipIf(version === undefined).each(questions)(
    `$name is answered alike by sqlite3 ${version}`,
    async (question) => {
      expect(await askOldSqlite(question)).toEqual(shortened(await ask(question.name)))
    },
  )

  it.each(questions)('$name is printed as a file that the program itself runs', async ({ name, query }) => {
    const shown = await ok(`sql --example ${name} --show`)
    expect(shown).toBe(scriptOf(name, query))
    writeFileSync(join(at.folder, 'shown.sql'), shown)
    const usual = Object.entries(query.parameters).flatMap(([name, { usual }]) => ['--param', `${name}=${usual}`])
    expect(JSON.parse(await ok('sql --file shown.sql --json', ...usual))).toEqual(await ask(name))
  })
})

describe('the answers', () => {
  it('share-of-one-month: the share is that of the best month in the whole', async () => {
    const rows = await ask('share-of-one-month', 'study=demo', 'top=3')
    expect(rows.map(({ rank }) => rank)).toEqual([1, 2, 3])
    for (const { profit, best_month_profit, best_month_percent } of rows) {
      expect(Number(best_month_percent)).toBeCloseTo((100 * Number(best_month_profit)) / Number(profit), 0)
    }
  })

  it('share-of-one-month: the months add up to the net profit', async () => {
    const [board] = JSON.parse(
      await ok('sql --json', "select net_profit from leaderboard where study = 'demo' and rank = 1"),
    )
    const [best] = await ask('share-of-one-month', 'study=demo', 'top=1')
    expect(Number(best.profit)).toBeCloseTo(board.net_profit, 2)
  })

  it('robust-over-markets: a configuration of two markets is one row, its worst result first', async () => {
    const rows = await ask('robust-over-markets')
    const both = rows.filter(({ markets }) => markets === 2)
    expect(both.length).toBe(4)
    expect(rows.slice(0, 4)).toEqual(both)
    for (const row of both) expect(Number(row.worst_roi_percent)).toBeLessThanOrEqual(Number(row.average_roi_percent))
  })

  it('what-the-stop-bought: each result with a stop stands beside the one without', async () => {
    const rows = await ask('what-the-stop-bought')
    expect(rows.map(({ study }) => study).sort()).toEqual(['stop-a', 'stop-a', 'stop-b', 'stop-b'])
    for (const { profit, profit_without, profit_gained } of rows) {
      expect(Number(profit) - Number(profit_without)).toBeCloseTo(Number(profit_gained), 1)
    }
    expect(await ask('what-the-stop-bought', 'study=demo')).toEqual([])
  })

  it('deals-by-hour and safety-order-distribution count the same deals, the open one aside', async () => {
    const select = "select closed_deals, open_deal, trial from leaderboard where study = 'demo' and rank = 1"
    const [{ closed_deals, open_deal, trial }] = JSON.parse(await ok('sql --json', select))
    const sum = (rows: readonly Row[]) => rows.reduce((total, { deals }) => total + Number(deals), 0)
    expect(sum(await ask('deals-by-hour', 'study=demo'))).toBe(closed_deals)
    const ladder = await ask('safety-order-distribution', 'study=demo', `trial=${trial}`)
    expect(sum(ladder)).toBe(closed_deals + open_deal)
    expect(ladder[0].at_least_percent).toBe(100)
  })

  it('units-per-day and cost-of-each-insight count every unit once', async () => {
    const total = (rows: readonly Row[]) => rows.reduce((sum, { units }) => sum + Number(units), 0)
    const [{ n }] = JSON.parse(await ok('sql --json', 'select sum(counted) as n from attempts'))
    expect(total(await ask('units-per-day'))).toBe(n)
    expect(total(await ask('cost-of-each-insight'))).toBe(n)
  })

  it('a trial that is named by digits alone is no number', () => {
    expect(parametersOf(COOKBOOK['deals-by-hour'], { trial: '123456789012' })).toMatchObject({
      trial: { kind: 'text', text: '123456789012' },
    })
  })
})

it('the list names every question, for people and for programs', async () => {
  const text = await ok('sql --examples')
  for (const { name, query } of questions) expect(text).toMatch(new RegExp(`^${name} +${query.title}`, 'm'))
  expect(JSON.parse(await ok('sql --examples --json')).map(({ name }: { name: string }) => name)).toEqual(
    questions.map(({ name }) => name),
  )
})

it('COOKBOOK.md is the questions, written out', async () => {
  await expect(page()).toMatchFileSnapshot('../../../src/workbench/store/COOKBOOK.md')
})

async function askOldSqlite({ name, query }: (typeof questions)[number]): Promise<unknown> {
  const bound = Object.entries(query.parameters).map(
    ([name, { usual }]) => `.parameter set :${name} ${usual ?? 'NULL'}`,
  )
  const input = ['.parameter init', ...bound, '.mode json', scriptOf(name, query)].join('\n')
  const file = join(at.folder, 'data/workbench.sqlite')
  return shortened(JSON.parse(execFileSync('sqlite3', ['-readonly', file], { input, encoding: 'utf8' })))
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
