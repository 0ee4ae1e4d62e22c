/** `dcalab export store --format parquet-folder`: one data set of all studies that runs keep up to date. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { beforeAll, describe, expect, it } from 'vitest'
import { VIEW_ROWS } from '../../src/workbench/store/views.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { selectObjects } from '../support/run-select.ts'
import { STUDY_BASE } from '../support/study-base.ts'

let folder: string
let dcalab: Program
const at = (name: string) => join(folder, name)
const study = (name: string) => ({
  name,
  market: { exchange: 'synthetic', baseAsset: 'D', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-03' },
  base: STUDY_BASE,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [0.5, 1, 1.5] },
})
const run = (name: string, ...more: readonly string[]) => dcalab(['run', at(`${name}.json`), ...more])
const exported = (...more: readonly string[]) =>
  dcalab(['export', 'store', '--format', 'parquet-folder', '--out', at('lake'), ...more])

async function rowsOf(view: string): Promise<readonly Record<string, unknown>[]> {
  const files = readdirSync(at(`lake/${view}`)).map((name) => new Uint8Array(readFileSync(at(`lake/${view}/${name}`))))
  return (await Promise.all(files.map(({ buffer }) => parquetReadObjects({ file: buffer })))).flat()
}

const trialsIn = async (view: string) => (await rowsOf(view)).map(({ study, fingerprint }) => `${study} ${fingerprint}`)
const inStore = (view: string): readonly string[] =>
  selectObjects(at('workbench.sqlite'), `select study || ' ' || fingerprint as row from ${view}`).map(({ row }) => row)

beforeAll(async () => {
  folder = temporaryFolder()
  dcalab = program(folder, { XDG_STATE_HOME: folder })
  await dcalab(['candles', 'generate', '--market', 'synthetic/D-USDT', '--from', '2024-01-01', '--days', '2'])
  for (const name of ['first', 'twin']) writeFileSync(at(`${name}.json`), JSON.stringify(study(name)))
  const other = { ...study('other'), grid: { dcaPriceScalePercent: [0.6, 1.2] } }
  writeFileSync(at('other.json'), JSON.stringify(other))
})

it('has a file of each view, and a script that names them for DuckDB', async () => {
  expect(await run('first', '--max', '1')).toMatchObject({ code: 0 })
  expect((await exported()).code).toBe(0)
  expect(readdirSync(at('lake')).toSorted()).toEqual([...Object.keys(VIEW_ROWS), 'dcalab.json', 'load.sql'].toSorted())
  const script = readFileSync(at('lake/load.sql'), 'utf8')
  for (const view of Object.keys(VIEW_ROWS)) {
    expect(script).toContain(`create or replace view ${view} as from read_parquet('${view}/*.parquet');\n`)
  }
  expect(await trialsIn('answers')).toHaveLength(1)
})

it('a run adds its results, and a new study its files; of another study only one that shares trials is written again', async () => {
  await run('first')
  expect((await trialsIn('answers')).toSorted()).toEqual(inStore('answers').toSorted())
  const before = readFileSync(at('lake/deals/first.parquet'))
  writeFileSync(at('lake/deals/first.parquet'), 'as it was')
  await run('other', '--max', '2')
  expect(readFileSync(at('lake/deals/first.parquet'), 'utf8')).toBe('as it was')
  await run('twin', '--max', '0')
  expect(readFileSync(at('lake/deals/first.parquet'))).toEqual(before)
  await dcalab(['study', 'rm', 'twin'])
  await exported()
  expect((await trialsIn('answers')).toSorted()).toEqual(inStore('answers').toSorted())
  expect((await trialsIn('trials')).toSorted()).toEqual(inStore('trials').toSorted())
})

describe('the recipes of the guide', () => {
  const guide = readFileSync(new URL('../../src/guide/data.md', import.meta.url), 'utf8')
  const recipe = (language: string) =>
    guide.match(new RegExp(`\`\`\`${language}\\n([^\`]*lake/[^\`]*)\`\`\``))?.[1]?.replaceAll('my-ladder', 'first') ??
    ''
  const python = process.env.DCALAB_PYTHON ?? 'python3'
  const ask = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const has = (command: string, flag: string, code: string, what: string) => {
    try {
      execFileSync(command, [flag, code], { stdio: 'ignore' })
      return true
    } catch {
      console.log(`${what}: not installed; its recipe is not executed`)
      return false
    }
  }
  /** Whether Python would find them all; loading one takes half a second. */
  const hasPackages = (packages: string) =>
    has(
      python,
      '-c',
      `import importlib.util as u\nassert all(u.find_spec(n) for n in '${packages}'.split(', '))`,
      packages,
    )
  const best = () =>
    selectObjects(at('workbench.sqlite'), 'select net_profit, trial from answers order by net_profit desc limit 1')[0]

  it.skipIf(!hasPackages('duckdb'))('DuckDB, over files and by load.sql', async () => {
    const { net_profit, trial } = best()
    const [row] = JSON.parse(
      ask(python, '-c', `import duckdb, json; print(json.dumps(duckdb.sql('''${recipe('sql')}''').fetchall()))`),
    )
    expect(row).toEqual([1, 3, net_profit, trial])
    const script = `import duckdb, json, os; os.chdir('lake'); duckdb.execute(open('load.sql').read())
print(json.dumps([duckdb.sql(f'select count(*) from {view}').fetchone()[0] for view in ${JSON.stringify(Object.keys(VIEW_ROWS))}]))`
    const counts = await Promise.all(Object.keys(VIEW_ROWS).map(async (view) => (await rowsOf(view)).length))
    expect(JSON.parse(ask(python, '-c', script))).toEqual(counts)
  })

  it.each(['pandas, pyarrow', 'polars'])('%s', async (packages) => {
    if (!hasPackages(packages)) return
    const [name] = packages.split(',')
    const [, ...lines] = recipe('python').trim().split('\n')
    const line = lines.find((text) => text.startsWith(name)) ?? ''
    const first = name === 'polars' ? "['trial'][0]" : '.iloc[0]'
    const shown = ask(python, '-c', `import ${name}\nprint((${line})${first})`)
    const { net_profit, trial } = best()
    expect(shown.trim()).toBe(name === 'polars' ? trial : String(net_profit))
  })

  it.skipIf(!has('Rscript', '-e', 'library(arrow); library(dplyr)', 'R'))('R', async () => {
    const { net_profit } = best()
    expect(ask('Rscript', '-e', `options(digits = 9)\nprint(as.data.frame({\n${recipe('r')}}))`)).toContain(
      net_profit.toFixed(3),
    )
  })
})

it('a study that was renamed or removed leaves no file', async () => {
  await dcalab(['study', 'rename', 'first', 'renamed'])
  await run('other')
  expect(readdirSync(at('lake/answers')).toSorted()).toEqual(['other.parquet', 'renamed.parquet'])
  await dcalab(['study', 'rm', 'renamed'])
  await exported()
  expect(readdirSync(at('lake/answers'))).toEqual(['other.parquet'])
  expect((await trialsIn('answers')).toSorted()).toEqual(inStore('answers').toSorted())
})

it('a folder with anything else, or of another store, is left as it is', async () => {
  mkdirSync(at('notes'))
  writeFileSync(at('notes/mine.txt'), 'mine')
  const other = await dcalab(['export', 'store', '--format', 'parquet-folder', '--out', at('notes')])
  expect([other.code, other.err]).toEqual([2, expect.stringContaining('holds files that are not of an export')])
  writeFileSync(at('lake/dcalab.json'), JSON.stringify({ store: '/another.sqlite' }))
  expect(await exported()).toMatchObject({ code: 2, err: expect.stringContaining('is an export of /another.sqlite') })
  expect(existsSync(at('lake/answers/other.parquet'))).toBe(true)
})

it('a folder that is gone, or another store’s, is forgotten, and it is said once', async () => {
  const { code, err } = await run('other')
  expect([code, err]).toEqual([0, expect.stringContaining(`note: ${at('lake')} is no export of`)])
  rmSync(at('lake'), { recursive: true })
  expect((await run('other')).err).not.toContain('lake')
  expect(existsSync(at('lake'))).toBe(false)
})

it('is of the whole store', async () => {
  const { code, err } = await dcalab(['export', 'other', '--format', 'parquet-folder', '--out', at('lake')])
  expect([code, err]).toEqual([2, expect.stringContaining('writes every view of all studies into a folder')])
})

it('needs a study', async () => {
  await dcalab(['study', 'rm', 'other'])
  expect(await exported()).toMatchObject({ code: 2, err: expect.stringContaining('holds no study to export') })
})
