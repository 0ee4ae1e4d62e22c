/**
 * Every metric and every field of a configuration has a column of its own, in the newest layout (its text imports no code) and in every view
 * that promises metrics; none is lost on its way through them.
 */
import { describe, expect, it } from 'vitest'
import { CONFIG } from '../../../src/contract/bot.ts'
import { METRIC_NAMES, METRICS, metricValue } from '../../../src/contract/metrics.ts'
import { recordObservations } from '../../../src/workbench/store/jobs.ts'
import { listTrials, readTried } from '../../../src/workbench/store/readers.ts'
import { saveScreen } from '../../../src/workbench/store/screens.ts'
import { metricsWith } from '../../support/metrics.ts'
import { identity, observation, openTemporary, openWithStudy, submit } from './setup.ts'
import { screenOf } from './some-screen.ts'

describe.each(['result', 'screen_result'])('the table %s', (table) => {
  const { store } = openTemporary()
  const columns = new Map(
    store.db
      .prepare<[string], { name: string; type: string }>('select name, type from pragma_table_info(?)')
      .all(table)
      .map(({ name, type }) => [name, type]),
  )

  it.each(METRIC_NAMES)('has a column for %s: add it by a migration', (name) => {
    const { column, unit, whole } = METRICS[name]
    expect(`${column} ${columns.get(column)}`).toBe(`${column} ${whole || unit === 'yes/no' ? 'INTEGER' : 'REAL'}`)
  })
})

it.each(['trial', 'screen_result'])('the table %s has a column for every field of a configuration', (table) => {
  const { store } = openTemporary()
  const columns = store.db.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(table)
  expect(columns).toEqual(expect.arrayContaining(Object.values(CONFIG).map(({ column }) => column)))
})

it.each(['results', 'screen_result'])('%s shows every metric', (view) => {
  const { store } = openTemporary()
  const columns = store.db.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(view)
  expect(columns).toEqual(expect.arrayContaining(METRIC_NAMES.map((name) => METRICS[name].column)))
})

/** A number of its own for each metric. */
const metrics = metricsWith((name) => (METRICS[name].unit === 'yes/no' ? 1 : METRIC_NAMES.indexOf(name) + 2))
const numbers = METRIC_NAMES.map((name) => [name, metricValue(metrics, name)])

it('a result comes back from the store with every metric, whoever asks', async () => {
  const { store, trials } = await openWithStudy()
  const [{ fingerprint }] = trials
  await submit(store, fingerprint, 'job-1')
  const unstated = { conventions: null, costs: null, symbol: null, engineVersion: null }
  const result = { metrics, flags: {}, deals: null, openDeal: null, candles: null, ...unstated }
  const done = observation('job-1', { state: 'done', result, body: '{}' })
  await recordObservations(store, { identity, observations: [done] })
  const found = [listTrials(store, { study: 'ladder' })[0].metrics, readTried(store, fingerprint)[0].metrics]
  for (const read of found) expect(METRIC_NAMES.map((name) => [name, read && metricValue(read, name)])).toEqual(numbers)
})

it('a saved screen keeps every metric of its best', async () => {
  const { store } = openTemporary()
  await saveScreen(store, screenOf([{ fingerprint: 'a'.repeat(64), metrics }]))
  const row = store.db.prepare<[], Record<string, unknown>>('select * from screen_result').get() ?? {}
  expect(METRIC_NAMES.map((name) => [name, row[METRICS[name].column]])).toEqual(numbers)
})
