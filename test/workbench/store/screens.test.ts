import { expect, it } from 'vitest'
import { METRICS } from '../../../src/contract/metrics.ts'
import { saveScreen } from '../../../src/workbench/store/screens.ts'
import { fixtureStudy, fixtureTrials } from '../../support/fixture-trials.ts'
import { openTemporary } from './setup.ts'
import { marketScreenOf, screenOf } from './some-screen.ts'

const study = fixtureStudy()

const someTop = fixtureTrials()
  .flatMap(({ fingerprint, metrics }) => (metrics === null ? [] : [{ fingerprint, metrics }]))
  .slice(0, 3)

it('a saved screen can be read in SQL: its top with every metric, and what each value came to', async () => {
  const { store } = openTemporary()
  const [screen] = await saveScreen(store, screenOf(someTop))
  expect(
    store.db
      .prepare('select id as screen, study, configs, distinct_configs, folded_configs, complete from screen')
      .all(),
  ).toEqual([{ screen, study: study.name, configs: 96, distinct_configs: 90, folded_configs: 67, complete: 1 }])
  const rows = store.db.prepare<[], Record<string, unknown>>('select * from screen_result order by rank').all()
  expect(rows.map(({ rank, fingerprint, net_profit }) => ({ rank, fingerprint, net_profit }))).toEqual(
    someTop.map(({ fingerprint, metrics }, at) => ({ rank: at + 1, fingerprint, net_profit: metrics.netProfit })),
  )
  expect(rows.map(({ behaviour_hash }) => behaviour_hash)).toEqual(['0', '1', '2'].map((digit) => digit.repeat(64)))
  for (const { column } of Object.values(METRICS)) expect(Object.keys(rows[0]), column).toContain(column)
  expect(
    store.db
      .prepare('select screen_id as screen, field, value, trials, profitable, objective_best from screen_parameter')
      .all(),
  ).toEqual([{ screen, field: 'takeProfit', value: 1.5, trials: 16, profitable: 7, objective_best: null }])
})

it('an undefined metric is saved as null, and an interrupted screen says so', async () => {
  const { store } = openTemporary()
  const [{ fingerprint, metrics }] = someTop
  await saveScreen(store, screenOf([{ fingerprint, metrics: { ...metrics, sharpe: null, profitFactor: null } }], false))
  expect(store.db.prepare('select sharpe, profit_factor from screen_result').all()).toEqual([
    { sharpe: null, profit_factor: null },
  ])
  expect(store.db.prepare('select complete from screen').get()).toEqual({ complete: 0 })
})

it('saving again adds a screen and changes none; one that cannot be saved whole leaves nothing', async () => {
  const { store } = openTemporary()
  const [first] = await saveScreen(store, screenOf(someTop))
  expect(await saveScreen(store, screenOf(someTop))).not.toContain(first)
  const broken = [...someTop, { ...someTop[0], fingerprint: 'too short' }]
  await expect(saveScreen(store, screenOf(broken))).rejects.toThrow()
  expect(store.db.prepare('select count(*) as n from screen').get()).toEqual({ n: 2 })
  expect(store.db.prepare('select count(*) as n from screen_result').get()).toEqual({ n: 6 })
})

it('a screen of several markets is a screen of each, saved at once; where one cannot be saved, none is', async () => {
  const { store } = openTemporary()
  const names = ['binance/BTC-USDT', 'binance/ETH-USDT']
  const whole = { ...screenOf(someTop), markets: names.map((name) => marketScreenOf(someTop, true, name)) }
  const ids = await saveScreen(store, whole)
  const rows = store.db.prepare(
    'select id as screen, market from screen where saved_at = (select max(saved_at) from screen)',
  )
  expect(rows.all()).toEqual(names.map((market, at) => ({ screen: ids[at], market })))
  const broken = marketScreenOf([{ ...someTop[0], fingerprint: 'too short' }])
  await expect(saveScreen(store, { ...whole, markets: [...whole.markets, broken] })).rejects.toThrow()
  expect(store.db.prepare('select count(*) as n from screen').get()).toEqual({ n: 2 })
})
