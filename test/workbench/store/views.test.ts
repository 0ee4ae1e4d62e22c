/** The views that `VIEWS.md` promises, on a store whose answers are known. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordForeignJobs } from '../../../src/workbench/store/ledger.ts'
import { promotionLedger } from '../../../src/workbench/store/promotions.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { recordTriedLocally } from '../../../src/workbench/store/tried-count.ts'
import { ETHER, LADDER, LATER_LADDER, openKnown } from './known-results.ts'
import { spender } from './setup.ts'

let store: Store
beforeAll(async () => {
  store = await openKnown()
})
afterAll(() => store.close())

const rows = (select: string) => store.db.prepare(select).raw().all()

it('results has the paid results of every revision, and the revision that paid', () => {
  expect(
    rows('select study, revision, count(*), count(distinct fingerprint) from results group by 1, 2 order by 1, 2'),
  ).toEqual([
    ['ether', 1, 6, 6],
    ['ladder', 1, 6, 6],
    ['ladder', 2, 2, 2],
  ])
  expect(rows("select count(*) from answers where study = 'ladder'")).toEqual([[6]])
})

it('a second job of the same request is no second result', async () => {
  const before = rows('select count(*) from results')
  store.db.exec(`
    insert into job (identity, remote_id, fingerprint, attempt_id, duplicate, state, submitted_at)
      select identity, 'second', fingerprint, attempt_id, 1, 'running', submitted_at from job where remote_id like 'job-%' limit 1;
    update job set state = 'done', finished_at = submitted_at where remote_id = 'second';
    insert into result (job_id, reply_id, net_profit) select id, (select min(id) from reply), 1 from job where remote_id = 'second'`)
  expect(rows('select count(*) from results')).toEqual(before)
  expect(rows("select kind, study, counted from attempts where job_id = 'second'")).toEqual([['second', 'ladder', 1]])
  expect(rows('select sum(counted) from attempts')).toEqual([[15]])
})

it('looks are those of all studies on the market in any overlapping period, local ones included', async () => {
  const looks = 'select market, min(tried), max(tried) from results group by market order by market'
  expect(rows(looks)).toEqual([
    ['binance/BTC-USDT', 8, 8],
    ['binance/ETH-USDT', 6, 6],
  ])
  const overlapping = { from: Date.UTC(2024, 1, 2), to: Date.UTC(2024, 2, 2) }
  const apart = { from: Date.UTC(2024, 1, 3), to: Date.UTC(2024, 2, 2) }
  const screen = { market: 'binance/BTC-USDT', source: 'screen', configs: 1000 } as const
  await recordTriedLocally(store, { ...screen, period: overlapping, key: 'grid' })
  await recordTriedLocally(store, { ...screen, period: apart, key: 'grid' })
  expect(rows(looks)).toEqual([
    ['binance/BTC-USDT', 1008, 1008],
    ['binance/ETH-USDT', 6, 6],
  ])
})

it('deals have their fees and minutes: 5:00 to the end of the hour that begins at 7:00 is 180 minutes', () => {
  const [first, second] = store.db
    .prepare<[], Record<string, number | string>>(
      `select d.*, r.take_profit_percent from deals d join results r on r.job_id = d.job_id
       where d.study = 'ladder' and r.take_profit_percent = 2 order by d.job_id, n limit 2`,
    )
    .all()
  expect(first).toMatchObject({ n: 1, opened_at: '2024-01-30T05:00:00.000Z', minutes: 60, profit_quote: 6 })
  expect(second).toMatchObject({ n: 2, closed_at: '2024-01-31T07:00:00.000Z', minutes: 180, exit: 'takeProfit' })
  expect(second.fees_quote).toBeCloseTo(0.1 + (101.1 / 0.999) * 0.001, 12)
  expect(second.lowest_value_quote).toBe(0)
})

it('fees are NULL where the fee is not told, and minutes where the length of the candles is not', () => {
  store.db.exec('update result set fee_percent = null, candle_interval = null where job_id = 1')
  expect(
    rows(
      'select fees_quote, minutes, profit_quote from deals where n = 2 and job_id = (select remote_id from job where id = 1)',
    ),
  ).toEqual([[null, null, 1]])
  store.db.exec("update result set fee_percent = 0.1, candle_interval = '1h' where job_id = 1")
})

it('equity_daily has returns from the start on, and the fall from the highest equity so far', () => {
  const days = rows(`select date, equity_quote, round(return_percent, 6), round(drawdown_percent, 6) from equity_daily
    where fingerprint = (select fingerprint from results where study = 'ladder' and take_profit_percent = 2 limit 1) order by date`)
  expect(days).toEqual([
    ['2024-01-30', 1002, 0.2, 0],
    ['2024-01-31', 1002, 0, 0],
    ['2024-02-01', 1001, -0.0998, 0.0998],
    ['2024-02-02', 1007, 0.599401, 0],
  ])
  const falling = rows(
    "select date, drawdown_percent from equity_daily where study = 'ether' and date = '2024-01-30' limit 1",
  )
  expect(falling).toEqual([['2024-01-30', expect.closeTo(0.1, 9)]])
})

it('monthly_returns have the profit of each month', () => {
  const months = rows(`select month, round(return_percent, 6), profit_quote from monthly_returns
    where fingerprint = (select fingerprint from results where study = 'ladder' and take_profit_percent = 2 limit 1) order by month`)
  expect(months).toEqual([
    ['2024-01', 0.2, 2],
    ['2024-02', 0.499002, 5],
  ])
})

it('parameters has every field of every trial of the current definition, with its step where it is varied', () => {
  const rowsOf = (name: string) => `select value, step, is_varied, count(*) from parameters
    where study = 'ladder' and column_name = '${name}' group by value, step, is_varied order by value`
  expect(rows(rowsOf('take_profit_percent'))).toEqual([
    [2, 1, 1, 2],
    [3, 2, 1, 2],
    [4, 3, 1, 2],
  ])
  expect(rows(rowsOf('dca_max_safety_orders'))).toEqual([
    [1, 1, 1, 3],
    [2, 2, 1, 3],
  ])
  expect(rows(rowsOf('stop_loss_percent'))).toEqual([[0, null, 0, 6]])
  expect(
    rows("select count(*), count(distinct column_name), count(distinct field) from parameters where study = 'ladder'"),
  ).toEqual([[60, 10, 10]])
  expect(rows("select distinct field from parameters where column_name = 'take_profit_percent'")).toEqual([
    ['takeProfit'],
  ])
})

it('the neighbours of a trial are one step apart in one field', () => {
  const place = (one: string) => `${one}.take_profit_percent || '/' || ${one}.dca_max_safety_orders`
  const pairs = rows(`select p.column_name, ${place('a')}, ${place('l')}, ${place('h')} from parameters p
    join trials a using (study, fingerprint) left join trials l on l.study = p.study and l.fingerprint = p.lower_fingerprint
    left join trials h on h.study = p.study and h.fingerprint = p.higher_fingerprint
    where p.study = 'ladder' and p.is_varied order by 1, 2`)
  const near = (values: readonly number[], value: number, step: number) =>
    values.at(values.indexOf(value) + step) ?? null
  const expected = [1, 2].flatMap((orders) =>
    [2, 3, 4].flatMap((profit) => {
      const at = (profit: number | null, orders: number | null) =>
        profit === null || orders === null ? null : `${profit}.0/${orders}`
      const [lower, higher] = [profit === 2 ? null : profit - 1, near([2, 3, 4], profit, 1)]
      return [
        [
          'dca_max_safety_orders',
          at(profit, orders),
          at(profit, orders === 1 ? null : 1),
          at(profit, orders === 2 ? null : 2),
        ],
        ['take_profit_percent', at(profit, orders), at(lower, orders), at(higher, orders)],
      ]
    }),
  )
  expect(pairs).toEqual(expected.toSorted((a, b) => (`${a[0]} ${a[1]}` < `${b[0]} ${b[1]}` ? -1 : 1)))
})

it('revisions numbers the definitions, and one is current', () => {
  expect(rows('select study, revision, is_current, fingerprint, trial_count from revisions order by 1, 2')).toEqual([
    ['ether', 1, 1, ETHER.fingerprint, 6],
    ['ladder', 1, 0, LADDER.fingerprint, 6],
    ['ladder', 2, 1, LATER_LADDER.fingerprint, 6],
  ])
})

it('study_runs says which revision was run and what it paid for', () => {
  expect(rows('select run, study, revision, simulated, units from study_runs order by run')).toEqual([
    [1, 'ladder', 1, 1, 6],
    [2, 'ladder', 2, 1, 2],
    [3, 'ether', 1, 1, 6],
  ])
})

it('attempts has what other clients used up, and says what counts now', async () => {
  const [[ours]] = rows('select sum(counted) from attempts') as number[][]
  const now = Date.now()
  await recordForeignJobs(store, { ...spender, jobs: [{ remoteId: 'theirs', name: null, countedAt: now }] })
  expect(rows('select kind, service, sum(counted), sum(is_in_window) from attempts group by 1, 2 order by 1')).toEqual([
    ['other', 'bots.example', 1, 1],
    ['ours', 'bots.example', ours - 1, 0],
    ['second', 'bots.example', 1, 0],
  ])
})

it('bots says what became of a trial that was to be a bot', async () => {
  const [[fingerprint]] = rows('select fingerprint from results limit 1') as string[][]
  const ledger = promotionLedger(store, { ...spender, fingerprint, name: 'my-bot', planHash: 'h' })
  const { row } = await ledger.open(undefined)
  await ledger.settle({ id: row.id, to: 'created', botId: 'bot-1' })
  expect(rows('select trial, bot_name, bot_id, state, settings, is_latest from bots')).toEqual([
    [fingerprint.slice(0, 12), 'my-bot', 'bot-1', 'created', null, 1],
  ])
})
