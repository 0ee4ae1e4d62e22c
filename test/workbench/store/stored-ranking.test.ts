/** The store ranks in SQL what `rankByObjective` ranks in memory: both give the same order and the same counts, whatever the numbers are. */
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import type { ConfigField } from '../../../src/contract/bot.ts'
import { METRICS } from '../../../src/contract/metrics.ts'
import { recordObservations } from '../../../src/workbench/store/jobs.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { findFalseRankings, rankStored, type WeighedConfig } from '../../../src/workbench/store/stored-ranking.ts'
import { countStudies } from '../../../src/workbench/store/study-counts.ts'
import { rankByObjective } from '../../../src/workbench/study/objective.ts'
import type { Objective } from '../../../src/workbench/study/study.ts'
import { idleMetrics } from '../../support/metrics.ts'
import { identity, observation, openWithStudy, submit } from './setup.ts'

const finished = 12
let store: Store

/** Of sixteen trials twelve are done, one failed, one runs and two were never tried; two results cannot be read. */
beforeAll(async () => {
  const { store: opened, trials } = await openWithStudy(finished + 4)
  store = opened
  for (const [n, { fingerprint }] of trials.slice(0, finished + 2).entries())
    await submit(store, fingerprint, `job-${n}`)
  const part = { deals: null, openDeal: null, candles: null, symbol: null, engineVersion: null, flags: {} }
  const observations = Array.from({ length: finished }, (_, n) => {
    const costs = n < 3 ? null : { feePercent: n < 8 ? 0.1 : 0.2, slippagePercent: 0 }
    const result = n < 2 ? null : { ...part, metrics: idleMetrics(), costs, conventions: { spacing: 'from-base' } }
    return observation(`job-${n}`, { state: 'done', result, body: `{"n":${n}}` })
  })
  const failed = observation(`job-${finished}`, { state: 'failed', failure: 'no candles', body: '{}' })
  await recordObservations(store, { identity, observations: [...observations, failed] })
})

const metric = fc.constantFrom('netProfit' as const, 'sharpe' as const, 'stopLosses' as const, 'openDeal' as const)
/** Few values, so that ties are common; null where it is undefined or could not be read. */
const value = fc.option(fc.constantFrom(0, 1, -1, 0.1, 0.30000000000000004, 1e300, -1e-300), { freq: 3 })
const bounds = fc.record({ min: fc.constantFrom(-1, 0, 0.1), max: fc.constantFrom(0, 0.1, 1) }, { requiredKeys: [] })
const objectives: fc.Arbitrary<Objective> = fc.record({
  direction: fc.constantFrom('maximize' as const, 'minimize' as const),
  metric,
  where: fc.array(fc.record({ metric, bounds }), { maxLength: 2 }),
})

it('a ranking in the store, and the one of the view, is the ranking in memory', () => {
  const columns = ['netProfit', 'sharpe'] as const
  const set = store.db.prepare(
    `update result set ${columns.map((name) => `${METRICS[name].column} = ?`).join(', ')}, stop_losses = ?, open_deal = ?
     where job_id = ? and metric_flags_json = '{}'`,
  )
  const rows = fc.array(fc.tuple(value, value, fc.constantFrom(null, 0, 1, 2), fc.constantFrom(null, 0, 1)), {
    minLength: finished,
    maxLength: finished,
  })
  const ask = store.db.prepare("update study set definition_json = json_set(definition_json, '$.objective', json(?))")
  const view = store.db.prepare('select rank as place, fingerprint from answers where rank is not null order by 1')
  fc.assert(
    fc.property(rows, objectives, fc.integer({ min: 1, max: finished }), (numbers, objective, top) => {
      for (const [n, row] of numbers.entries()) set.run(...row, n + 1)
      const { ranked, outside, noValue } = rankByObjective(listTrials(store, { study: 'ladder' }), objective)
      const stored = rankStored(store, { study: 'ladder', objective, top })
      expect(stored.top.map(({ trials }) => trials)).toEqual(ranked.slice(0, top).map((trial) => [trial]))
      ask.run(JSON.stringify(objective))
      const places = ranked.map(({ fingerprint }, n) => ({ place: n + 1, fingerprint }))
      expect(view.all()).toEqual(places.filter((_, n) => ranked[n].metrics?.netProfit !== null)) // the view has no others
      expect([stored.ranked, stored.outside, stored.noValue]).toEqual([ranked.length, outside.length, noValue.length])
    }),
    { numRuns: 60 },
  )
})

it('what results state is counted, those that state nothing included', () => {
  const objective: Objective = { direction: 'maximize', metric: 'netProfit', where: [] }
  const { stated } = rankStored(store, { study: 'ladder', objective, top: 1 })
  const fees = new Map<number | undefined, number>()
  for (const { costs, count } of stated) fees.set(costs?.feePercent, (fees.get(costs?.feePercent) ?? 0) + count)
  expect(fees).toEqual(
    new Map([
      [undefined, 3],
      [0.1, 5],
      [0.2, 4],
    ]),
  )
})

it('a ranking is kept until anything that it rests on changes', () => {
  const objective: Objective = { direction: 'maximize', metric: 'netProfit', where: [] }
  const kept = store.db.prepare<[], number>('select count(*) from study_place where result_id is not null').pluck()
  const opening = `insert into holdout_opening select study, study_fingerprint, identity, '', '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z',
    '2026-02-01T00:00:00.000Z', 'me', 'a test', 0, null from study_count limit 1`
  const proposal = `insert into proposal select study, study_fingerprint, identity, '', 1, 1, 'sample', 'a test',
    (select fingerprint from study_trial limit 1), '2026-01-01T00:00:00.000Z' from study_count limit 1`
  const changes = [
    'update result set net_profit = 3 where job_id = 4',
    'create temp table lost as select * from result where job_id = 4; delete from result where job_id = 4',
    'insert into result select * from temp.lost',
    "update study set definition_json = json_set(definition_json, '$.objective', json('{}'))",
    ...[opening, "update holdout_opening set completed_at = '2026-02-02T00:00:00.000Z'", 'delete from holdout_opening'],
    ...[proposal, 'delete from proposal'],
  ]
  for (const change of changes) {
    rankStored(store, { study: 'ladder', objective, top: 1 })
    expect(kept.get(), change).toBeGreaterThan(finished - 2)
    store.db.exec(change)
    expect(kept.get(), change).toBe(0)
  }
})

it('a study that was counted and not ranked has its answers', () => {
  const answers = store.db.prepare<[], number>('select count(*) from answers').pluck()
  store.db.exec('delete from study_count')
  countStudies(store)
  const counted = answers.get()
  rankStored(store, { study: 'ladder', objective: { direction: 'maximize', metric: 'netProfit', where: [] }, top: 1 })
  expect(counted).toBeGreaterThan(0)
  expect(answers.get()).toBe(counted)
})

it('a kept ranking that is not that of the results is found', () => {
  const objective: Objective = { direction: 'maximize', metric: 'netProfit', where: [] }
  rankStored(store, { study: 'ladder', objective, top: 1 })
  expect(findFalseRankings(store)).toEqual([])
  store.db.exec('update study_place set net_profit = 4711 where position = 5')
  expect(findFalseRankings(store)).toEqual(['the ranking of ladder that is kept is not that of its results'])
  const ask = "update study set definition_json = json_set(definition_json, '$.objective', json(?))"
  store.db.prepare(ask).run(JSON.stringify(objective)) // totals are kept of the study's own objective alone
  rankStored(store, { study: 'ladder', objective, top: 1 })
  expect(findFalseRankings(store)).toEqual([])
  store.db.exec("update study_ranking set summary_json = json_set(summary_json, '$.outside', 4711)")
  expect(findFalseRankings(store)).toEqual(['the totals of ladder that are kept are not those of its results'])
  expect(store.db.prepare("select count(*) from sqlite_temp_schema where name = 'study_place'").pluck().get()).toBe(0)
})

it('what a study varies is put in order once for a ranking, by its best', () => {
  const objective: Objective = { direction: 'maximize', metric: 'roiPercent', where: [] }
  const ask = "update study set definition_json = json_set(definition_json, '$.objective', json(?))"
  store.db.prepare(ask).run(JSON.stringify(objective))
  const question = { study: 'ladder', objective, top: 2 }
  const { varied, ...before } = rankStored(store, question)
  expect(varied).toEqual([])
  const asked: number[][] = []
  const orderVaried = (best: readonly WeighedConfig[]): ConfigField[] => {
    asked.push(best.map(({ value }) => value))
    return ['stopLoss', 'takeProfit']
  }
  for (const _ of ['computed', 'kept'])
    expect(rankStored(store, { ...question, orderVaried })).toEqual({ ...before, varied: ['stopLoss', 'takeProfit'] })
  const everyOne = rankStored(store, { ...question, top: before.ranked })
  expect(asked).toEqual([everyOne.top.map(({ value }) => value)])
  expect(asked[0].length).toBeGreaterThan(2)
  store.db.exec('update result set roi_percent = 99 where job_id = 4')
  rankStored(store, { ...question, orderVaried })
  expect(asked).toHaveLength(2)
  expect(asked[1]).not.toEqual(asked[0])
  expect(findFalseRankings(store)).toEqual([])
})

it('a study that was never run has nothing to rank', () => {
  const objective: Objective = { direction: 'maximize', metric: 'netProfit', where: [] }
  expect(rankStored(store, { study: 'unheard-of', objective, top: 3 })).toEqual({
    markets: 1,
    top: [],
    varied: [],
    ranked: 0,
    outside: 0,
    noValue: 0,
    partial: 0,
    compared: 0,
    stated: [],
  })
})
