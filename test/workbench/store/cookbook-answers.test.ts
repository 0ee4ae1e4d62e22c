/** Questions of the cookbook over a small store whose answers are known. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { COOKBOOK } from '../../../src/workbench/store/cookbook/cookbook.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import { saveScreen } from '../../../src/workbench/store/screens.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { startStudyRun } from '../../../src/workbench/store/studies.ts'
import { studyFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import { idleMetrics } from '../../support/metrics.ts'
import { BTC, knownStudy, LATER_AXES, LATER_LADDER, openKnown, runToTheEnd } from './known-results.ts'
import { service } from './merge-setup.ts'
import { screenOf } from './some-screen.ts'

let store: Store
beforeAll(async () => {
  store = await openKnown()
})
afterAll(() => store.close())

type Row = Readonly<Record<string, string | number | null>>

function ask(name: keyof typeof COOKBOOK, given: Row = {}): Row[] {
  const { parameters, sql } = COOKBOOK[name]
  const usual = Object.fromEntries(Object.entries(parameters).map(([parameter, { usual }]) => [parameter, usual]))
  return store.db.prepare<[Row], Row>(sql).all({ ...usual, study: 'ladder', ...given })
}

const named = (rows: readonly Row[], ...columns: readonly string[]) =>
  rows.map((row) => columns.map((name) => row[name]))

it('plateau: the winner, a take profit of 4, has two neighbours: the other number of safety orders, and a take profit of 3', () => {
  const [best, ...others] = ask('plateau-around-the-winner', { top: 2 })
  // Net profit is four times the take profit less 1; the other number of safety orders earns the same.
  expect(best).toMatchObject({
    rank: 1,
    objective: 15,
    net_profit: 15,
    neighbours: 2,
    profitable_neighbours: 2,
  })
  expect(best).toMatchObject({ neighbours_average: 13, neighbours_worst: 11, average_of_winner_percent: 86.7 })
  expect(others).toHaveLength(1)
})

it('the parameter that hurts: in the worst two days of ETH the take profit decides, the safety orders do not', () => {
  const rows = ask('which-parameter-hurts', { study: 'ether', days: 2 })
  expect(named(rows, 'first_day', 'column_name', 'value', 'trials', 'average_percent')).toEqual([
    ['2024-02-01', 'take_profit_percent', 1, 2, -0.201],
    ['2024-02-01', 'take_profit_percent', 2, 2, -0.301],
    ['2024-02-01', 'take_profit_percent', 3, 2, -0.401],
    ['2024-02-01', 'dca_max_safety_orders', 1, 3, -0.301],
    ['2024-02-01', 'dca_max_safety_orders', 2, 3, -0.301],
  ])
  expect(named(rows, 'apart_percent')).toEqual([[0.201], [0.201], [0.201], [0], [0]])
  expect(ask('which-parameter-hurts', { study: 'ether', days: 2, from: '2024-01-30' })[0].average_percent).toBe(-0.2)
  expect(ask('which-parameter-hurts', { study: 'ether', days: 7 })).toEqual([])
})

it('days to recover: BTC is one day below and back on the next, ETH falls from the first day to the last', () => {
  expect(named(ask('days-to-recover'), 'days_below', 'below_since', 'recovered_on')).toEqual(
    Array(6).fill([1, '2024-02-01', '2024-02-02']),
  )
  expect(
    named(ask('days-to-recover', { study: 'ether', top: 1 }), 'days_below', 'deepest_percent', 'recovered_on'),
  ).toEqual([[4, 0.4, null]])
})

it('the winner of January, a take profit of 4, is the winner of February too', () => {
  const [row, ...others] = ask('winner-of-one-month-in-the-next')
  expect(others).toEqual([])
  expect(row).toMatchObject({ month: '2024-01', return_percent: 0.4, next_month: '2024-02', next_place: 1, trials: 6 })
  expect(row.next_return_percent).toBeCloseTo((100 * 11) / 1004, 3)
})

it('equity that differs in nothing is at 1, and each pair is one row', () => {
  const rows = ask('correlation-of-equity', { top: 3 })
  expect(named(rows, 'rank', 'other_rank', 'days')).toEqual([
    [1, 2, 4],
    [1, 3, 4],
    [2, 3, 4],
  ])
  expect(rows[0].correlation).toBe(1)
  const last = ask('correlation-of-equity', { top: 6 }).find(({ rank, other_rank }) => rank === 1 && other_rank === 5)
  expect(last?.correlation).toBeCloseTo(pearson(dailyReturns(4), dailyReturns(2)), 3)
})

it('the worst closed deal and the longest wait are those of the deals', () => {
  const rows = ask('worst-open-loss', { study: 'ether', top: 1 })
  // Of -4 in all, the first deal lost 5 and the second won 1, from 5:00 to the end of the hour of 7:00.
  expect(rows).toEqual([
    expect.objectContaining({ closed_deals: 2, closed_at_a_loss: 1, worst_closed_deal: -5, longest_minutes: 180 }),
  ])
  expect(rows[0].deals_in_the_red).toBe(1)
})

it('trials whose deals are on the same candles trade alike, whatever they earned', () => {
  expect(named(ask('which-trials-trade-alike'), 'trials', 'best_rank', 'best_net_profit', 'worst_net_profit')).toEqual([
    [6, 1, 15, 7],
  ])
})

it('a revision that asks for a take profit of 4 instead of 1 differs in that line alone', () => {
  const rows = ask('what-a-revision-changed')
  expect(named(rows, 'revision', 'line', 'before', 'after')).toEqual([[2, 'grid.takeProfit', '[1,2,3]', '[2,3,4]']])
  expect(ask('what-a-revision-changed', { study: 'ether' })).toEqual([])
})

it('a revision of another period differs in its dates, as people read them', async () => {
  const longer = { ...knownStudy('moved', BTC, []), period: { from: Date.UTC(2024, 0, 30), to: Date.UTC(2024, 1, 5) } }
  for (const study of [knownStudy('moved', BTC, []), { ...longer, fingerprint: studyFingerprint(longer) }]) {
    await startStudyRun(store, { study, trials: [], service, settingsOn: null })
  }
  expect(named(ask('what-a-revision-changed', { study: 'moved' }), 'line', 'before', 'after')).toEqual([
    ['period.to', '2024-02-03T00:00:00Z', '2024-02-05T00:00:00Z'],
  ])
})

it('a screen beside the service, and its configurations that differ from the winner in one field', async () => {
  const trials = listTrials(store, { study: 'ladder' })
  const top = trials.map(({ fingerprint, config }) => ({
    fingerprint,
    config,
    metrics: { ...idleMetrics(), netProfit: 4 * config.takeProfit, closedDeals: 3 },
  }))
  const best = top.toSorted((a, b) => b.metrics.netProfit - a.metrics.netProfit)
  await saveScreen(store, { ...screenOf(best), study: LATER_LADDER })
  const compared = ask('screen-against-service')
  expect(named(compared, 'rank', 'screen_profit', 'service_profit', 'difference', 'same_candles')[0]).toEqual([
    1, 16, 15, -1, 0,
  ])
  expect(compared).toHaveLength(6)
  const near = ask('near-the-winner-in-a-screen')
  expect(named(near, 'rank', 'fields_changed', 'take_profit_percent')).toEqual([
    [1, 0, 4],
    [2, 1, 4],
    [3, 1, 3],
    [5, 1, 2],
  ])
  expect(ask('near-the-winner-in-a-screen', { fields: 2 })).toHaveLength(6)
})

/** Of a BTC trial with this take profit, as the store was made. */
function dailyReturns(takeProfit: number): readonly number[] {
  const equity = [1000, 1000 + takeProfit, 1000 + takeProfit, 999 + takeProfit, 999 + 4 * takeProfit]
  return equity.slice(1).map((value, day) => value / equity[day] - 1)
}

function pearson(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [ofA, ofB] = [mean(a), mean(b)]
  const covariance = mean(a.map((value, day) => (value - ofA) * (b[day] - ofB)))
  const spread = (values: readonly number[], middle: number) =>
    Math.sqrt(mean(values.map((value) => (value - middle) ** 2)))
  return covariance / spread(a, ofA) / spread(b, ofB)
}

it('the share of one month: a trial that two studies ask for stands in each of them as if the other were not there', async () => {
  const shared = await openKnown()
  await runToTheEnd(shared, knownStudy('twin', BTC, LATER_AXES))
  const { parameters, sql } = COOKBOOK['share-of-one-month']
  expect(Object.keys(parameters)).toEqual(['study', 'top'])
  const ofAll = shared.db.prepare<[Row], Row>(sql)
  const columns = ['trial', 'rank', 'profit', 'best_month', 'best_month_percent', 'best_deal_percent']
  const of = (rows: readonly Row[], study: string) =>
    named(
      rows.filter((row) => row.study === study),
      ...columns,
    )
  const rows = ofAll.all({ study: null, top: 3 })
  const alone = ask('share-of-one-month', { top: 3 })
  expect(alone.every(({ best_deal_percent }) => best_deal_percent !== null)).toBe(true)
  expect(of(rows, 'ladder')).toEqual(of(alone, 'ladder'))
  expect(of(rows, 'twin')).toEqual(of(alone, 'ladder'))
  shared.db.exec('update result set daily_equity_json = null') // as `store clean` leaves them
  const cleaned = ofAll.all({ study: null, top: 3 })
  expect(cleaned).toHaveLength(rows.length)
  expect(cleaned.every((row) => row.best_month === null && row.profit === null)).toBe(true)
  shared.close()
})
