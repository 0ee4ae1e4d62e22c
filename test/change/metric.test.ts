/**
 * A new metric, and one that may now be null: the files to touch, and what notices each half-done change. Done on a copy of the real source:
 * an imaginary metric, the mean fee of a closed deal.
 */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { isLong } from '../support/share.ts'
import { inTurn } from './in-turn.ts'
import { compileErrors, type Edit, inCopyWith, runInside, runTest, typeErrors, WRITE_TABLE_TYPES } from './mutant.ts'

const row: Edit = {
  file: 'src/contract/metrics.ts',
  find: "  orders: count('Fills',",
  replace: `  feePerDeal: nullable(quote('Fee per deal', 'lower', 'fee_per_deal', 'fees / closed deals'), 'no deal closed'),
  orders: count('Fills',`,
}
const value: Edit = {
  file: 'src/engine/metrics.ts',
  find: '    orders,\n',
  replace: '    feePerDeal: deals.length === 0 ? null : (run.feeRate * volume) / deals.length,\n    orders,\n',
}
const column: Edit = {
  file: 'src/workbench/store/schema/later-layouts.ts',
  find: '  plainStates, // 27\n',
  replace: `  plainStates, // 27
  'alter table result add column fee_per_deal real; alter table screen_result add column fee_per_deal real;',\n`,
}
/** Said again by a command that the failing test names: `dcalab study schema > studies/study.schema.json`. */
const schema = 'studies/study.schema.json'

it('a new metric is four files, all of them named by the map, one of them written by a command', () => {
  const map = readFileSync(new URL('../../src/ARCHITECTURE.md', import.meta.url), 'utf8')
  const [line = ''] = map.match(/^\| a metric \|.*$/m) ?? []
  const files = [row.file, value.file, column.file, schema]
  expect(files.filter((file) => !line.includes(`\`${file.replace(/^src\//, '')}\``))).toEqual([])
})

it.runIf(inTurn(isLong, import.meta.url))(
  'with all of them the source and its tests compile, and its value comes through service, reader, store and views',
  async () => {
    const printed = await inCopyWith([row, value, column], async (folder) => [
      ...(await runInside(folder, WRITE_TABLE_TYPES)),
      ...(await typeErrors(folder)),
      ...(await runInside(folder, wholeWay)),
    ])
    expect(printed).toEqual([
      'body {"type":["number","null"]}',
      'read 0.5',
      'unread null, flagged false',
      'columns result screen_result',
      'objective feePerDeal',
    ])
  },
)

it.runIf(inTurn(isLong, import.meta.url))('a metric that no engine computes does not compile', async () => {
  const errors = await inCopyWith([row, column], async (folder) => [
    ...(await runInside(folder, WRITE_TABLE_TYPES)),
    ...(await typeErrors(folder)),
  ])
  expect(errors).toEqual([expect.stringMatching(/^src\/engine\/metrics\.ts[\s\S]*'feePerDeal' is missing/)])
})

it.runIf(inTurn(isLong, import.meta.url))(
  'a metric that becomes null where its row does not say when does not compile',
  async () => {
    const nullToday: Edit = {
      file: 'src/engine/metrics.ts',
      find: '    buyAndHoldPercent: run.buyAndHold.returnPercent,',
      replace: '    buyAndHoldPercent: run.candles.count === 0 ? null : run.buyAndHold.returnPercent,',
    }
    const errors = await compileErrors([nullToday])
    expect(errors).toEqual([expect.stringMatching(/^src\/engine\/metrics\.ts[\s\S]*\nbuyAndHoldPercent:/)])
  },
)

it.runIf(inTurn(isLong, import.meta.url))('a metric without a column is asked for one by name', async () => {
  const { code, stdout, stderr } = await inCopyWith([row, value], (folder) =>
    runTest(folder, 'test/workbench/store/metric-columns.test.ts'),
  )
  expect(code).not.toBe(0)
  expect(`${stdout}${stderr}`).toMatch(/the table result > has a column for feePerDeal: add it by a migration/)
})

it.runIf(inTurn(isLong, import.meta.url))(
  'a metric that is left out where a result is read back from the store is missed by name',
  async () => {
    const drops: Edit = {
      file: 'src/workbench/store/results.ts',
      find: '  const metrics = metricsFromValues((name) => row[METRICS[name].column])\n',
      replace:
        "  const metrics = metricsFromValues((name) => (name === 'calmar' ? null : row[METRICS[name].column]))\n",
    }
    const { code, stdout, stderr } = await inCopyWith([drops], (folder) =>
      runTest(folder, 'test/workbench/store/metric-columns.test.ts', 'comes back'),
    )
    expect(code).not.toBe(0)
    expect(`${stdout}${stderr}`).toMatch(/calmar/)
  },
)

/** The way of a value: the body's schema, the reading of a reply, the store's tables and views, a study's objective. */
const wholeWay = `
import Database from 'better-sqlite3'
import { openApiDocument } from './src/service/http/openapi.ts'
import { readMetrics } from './src/workbench/api/reading/read-job.ts'
import { migrate } from './src/workbench/store/migrate.ts'
import { studyJsonSchema } from './src/workbench/study/schema.ts'

const { components } = openApiDocument('http://127.0.0.1') as { components: { schemas: { Metrics: { properties: Record<string, unknown> } } } }
const { properties } = components.schemas.Metrics
console.log('body', JSON.stringify(properties.feePerDeal))
console.log('read', Reflect.get(readMetrics({ feePerDeal: 0.5 }).metrics, 'feePerDeal'))
const { metrics, flags } = readMetrics({ feePerDeal: null })
console.log(\`unread \${Reflect.get(metrics, 'feePerDeal')}, flagged \${'feePerDeal' in flags}\`)
const db = new Database(':memory:')
migrate(db)
const tables = db.prepare("select m.name from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table' and c.name = ? order by 1")
console.log('columns', ...tables.pluck().all('fee_per_deal'))
console.log('objective', ...(JSON.stringify(studyJsonSchema()).match(/feePerDeal/) ?? []))
`
