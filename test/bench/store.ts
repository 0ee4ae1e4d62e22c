/**
 * `npm run bench:store`: what a store of a million results costs. Commands are whole runs of the program. `-- --results 50000` makes a
 * smaller one in half a minute, of as many studies as keep their ten thousand results each; `-- --keep <folder>` leaves the store there, and takes it
 * from there the next time; `-- --only commands` measures one part of commands, first, whole, opening, modules, merge.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import { realSystem } from '../../src/system.ts'
import { openStore, type Store } from '../../src/workbench/store/store.ts'
import { keepAllPlaces } from '../../src/workbench/store/study-counts.ts'
import { removeFolder, temporaryFolder } from '../support/folder.ts'
import { cpuMs, median, print, table } from './measure.ts'
import { fillStudy, withoutTriggers } from './store-fill.ts'
import { measureMerge, measureModules } from './store-inserts.ts'
import { CELLS, cellsOf, measureProgram } from './store-programs.ts'

/** How long a command takes depends on the size of a study more than on that of the store. */
const RESULTS_OF_STUDY = 10_000
const ROUNDS = 5
/** Of a million results so many have their deals: one in fifty. */
const DEALS_EVERY = 50

const { values } = parseArgs({
  options: { results: { type: 'string' }, keep: { type: 'string' }, only: { type: 'string' } },
})
const folder = values.keep ?? temporaryFolder()
mkdirSync(folder, { recursive: true })
try {
  await main(Number(values.results ?? 1_000_000))
} finally {
  if (values.keep === undefined) removeFolder(folder)
}

async function main(results: number): Promise<void> {
  const path = join(folder, `store-${results}.sqlite`)
  if (!existsSync(path)) await makeStore(path, results)
  keepRankings(path)
  print(`${results.toLocaleString('en')} results, ${(statSync(path).size / 1e9).toFixed(2)} GB\n`)
  const parts = {
    commands: () => measureCommands(path, studiesOf(results)),
    first: () => measureFirst(path),
    whole: () => measureWhole(path),
    opening: () => measureOpening(path),
    modules: () => measureModules(folder),
    merge: () => measureMerge(folder),
  }
  for (const [name, measure] of Object.entries(parts)) {
    if (values.only === undefined || values.only === name) await measure()
  }
}

/** As runs and merges leave a store. */
function keepRankings(path: string): void {
  const store = open(path)
  keepAllPlaces(store)
  store.close()
}

function studiesOf(results: number): number {
  return Math.max(1, Math.round(results / RESULTS_OF_STUDY))
}

async function makeStore(path: string, results: number): Promise<void> {
  const studies = studiesOf(results)
  const store = open(path)
  store.db.pragma('synchronous = OFF') // a store that is lost is made again
  await withoutTriggers(store.db, async () => {
    await fillStudy(store, { name: 'bench-report', n: studies, trials: 1000, dealsEvery: 1 })
    for (let n = 0; n < studies; n++) {
      await fillStudy(store, { name: `bench-${n}`, n, trials: results / studies, dealsEvery: DEALS_EVERY })
    }
  })
  store.close()
}

function open(path: string): Store {
  return openStore(path, { system: realSystem(process.env) })
}

function measureCommands(path: string, studies: number): void {
  const study = `bench-${Math.floor(studies / 2)}`
  const db = new Database(path, { readonly: true })
  const trial = db
    .prepare<[string], string>('select fingerprint from study_trial where study = ? and position = 50')
    .pluck()
    .get(study)
  db.close()
  const heatMap = `select dca_max_safety_orders, take_profit_percent, avg(net_profit) from results where study = '${study}' group by 1, 2`
  const topTen = 'select trial, net_profit from results order by net_profit desc limit 10'
  const bestOfStudy = `select trial, net_profit from answers where study = '${study}' order by rank limit 10`
  const rows = [
    ['leaderboard', ['leaderboard', study], 150],
    ['show', ['show', String(trial)], 150],
    ['status', ['status'], 150],
    ['status of one study', ['status', study], 150],
    ['study list', ['study', 'list'], 150],
    ['sql, the top 10 of the store', ['sql', topTen], 150],
    ['sql, the top 10 of a study', ['sql', bestOfStudy], 150],
    ['sql, a heat map', ['sql', heatMap, '--json'], 150],
    ['sql, how much of each study is known', ['sql', 'select study, known_trials from studies'], 150],
    ['report of 1,000 trials', ['report', 'bench-report', '--out', join(folder, 'report.html')], 2000],
  ] as const
  table(
    'commands, in time of the processor beyond bare Node',
    ['', ...CELLS],
    rows.map(([title, args, allowed]) => [
      title,
      ...cellsOf(measureProgram([...args, '--store', path], folder, ROUNDS), allowed),
    ]),
  )
  table(
    'the SQL alone',
    ['', 'median', 'allowed'],
    [['a heat map', `${timeOf(path, heatMap).toFixed(0)} ms`, '100 ms']],
  )
}

/** As after a merge or an update, when no study is counted. */
function measureFirst(path: string): void {
  const usage = measureProgram(['status', '--store', path], folder, ROUNDS, () => {
    const db = new Database(path)
    db.exec('delete from study_count')
    db.close()
  })
  table('the first start after a fill, beyond bare Node', ['', ...CELLS], [['status', ...cellsOf(usage, 500)]])
  keepRankings(path)
}

/** What reads all results of the store. */
function measureWhole(path: string): void {
  const rows = [
    ['answers of all studies', ['sql', 'select count(*), avg(net_profit), min(rank) from answers'], 1000],
    ['export to Parquet', ['export', 'store', '--out', join(folder, 'answers.parquet'), '--force'], 10_000],
  ] as const
  table(
    'all results, in time of the processor beyond bare Node',
    ['', ...CELLS],
    rows.map(([title, args, allowed]) => [
      title,
      ...cellsOf(measureProgram([...args, '--store', path], folder, 3), allowed),
    ]),
  )
}

/** On a connection of its own each time, so that no page is kept from the round before. */
function timeOf(path: string, sql: string): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const db = new Database(path, { readonly: true })
    const cpu = cpuMs(() => db.prepare(sql).all())
    db.close()
    return cpu
  })
  return median(rounds)
}

function measureOpening(path: string): void {
  const times = Array.from({ length: 4 * ROUNDS }, () => cpuMs(() => open(path).close()))
  table('opening', ['', 'median', 'allowed'], [['open and close', `${median(times).toFixed(1)} ms`, '20 ms']])
}
