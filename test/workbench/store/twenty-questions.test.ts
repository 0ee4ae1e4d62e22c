/**
 * Twenty questions of an analyst, written down before the views that answer them: each takes at most twelve lines of SQL over one view or two, and is
 * answered alike by `dcalab sql` and by the `sqlite3` of a stable Linux. Their sums are checked a second way, from what the program reads.
 */
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listTrials, readWhole } from '../../../src/workbench/store/readers.ts'
import type { TrialRecord } from '../../../src/workbench/store/records.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { VIEWS } from '../../../src/workbench/store/views.ts'
import { runSelect } from '../../support/run-select.ts'
import { sqlite3Version } from '../../support/sqlite3.ts'
import { MOST, OWN, openThreeServices, SOME } from './three-services.ts'

const QUESTIONS = {
  'Which configuration of each study is first by its own objective, on which service, market and period?': `
    select study, service, market, period_from, period_to, trial, objective
    from answers where rank = 1 order by study, market`,
  'What did each take profit earn on average, and how many results stand behind that?': `
    select study, market, take_profit_percent, avg(net_profit) as net_profit, count(*) as results
    from answers group by 1, 2, 3 order by 1, 2, 3`,
  'Do take profit and number of safety orders depend on each other?': `
    select study, market, take_profit_percent,
      avg(case when dca_max_safety_orders = 1 then net_profit end) as one, avg(case when dca_max_safety_orders = 2 then net_profit end) as two
    from answers group by 1, 2, 3 order by 1, 2, 3`,
  'What did the configurations of each study earn a day in months in which the market rose, fell, or stood still?': `
    select e.study, e.service, e.market, m.regime, count(distinct e.date) as days,
      avg(e.return_percent) as percent_a_day, avg(m.return_percent) as market_percent_a_day
    from equity_daily e join market_daily m using (market, date)
    where e.is_current group by 1, 2, 3, 4 order by 1, 3, 4`,
  'In how many months did each configuration end among the better half?': `
    with placed as (
      select study, market, trial, month, percent_rank() over (partition by study, market, month order by return_percent) as place
      from monthly_returns where is_current)
    select study, market, trial, count(*) as months, sum(place >= 0.5) as better from placed
    group by 1, 2, 3 order by 1, 2, 3`,
  'How much do the daily returns of the two best move together?': `
    with best as (
      select a.study, a.market, a.rank, e.date, e.return_percent as r
      from answers a join equity_daily e using (identity, job_id) where a.rank <= 2)
    select a.study, a.market, (avg(a.r * b.r) - avg(a.r) * avg(b.r))
      / sqrt((avg(a.r * a.r) - avg(a.r) * avg(a.r)) * (avg(b.r * b.r) - avg(b.r) * avg(b.r))) as correlation
    from best a join best b using (study, market, date) where a.rank = 1 and b.rank = 2
    group by 1, 2 order by 1, 2`,
  'What are beta and alpha of the best results against the market?': `
    with day as (
      select e.study, e.market, e.trial, e.return_percent as y, m.return_percent as x
      from equity_daily e join market_daily m using (market, date) where e.is_current),
    line as (
      select study, market, trial, avg(x) as x, avg(y) as y, (avg(x * y) - avg(x) * avg(y)) / (avg(x * x) - avg(x) * avg(x)) as beta
      from day group by 1, 2, 3)
    select study, market, trial, beta, y - beta * x as alpha_percent_per_day from line order by 1, 2, 3`,
  'What do other fees leave of each study, and how many results do they turn into losses?': `
    select a.study, a.service, a.market, c.value ->> 'feePercent' as fee_percent, count(*) as results,
      avg(c.value ->> 'netProfit') as net_profit, sum(a.net_profit > 0 and c.value ->> 'netProfit' < 0) as turned
    from answers a join results r using (identity, job_id) join json_each(r.cost_sensitivity_json) c
    group by 1, 2, 3, 4 order by 1, 3, 4`,
  'By which cause do demo bots differ from their backtests, in quote?': `
    select service, market, count(*) as bots, sum(gap) as gap, sum(gap_price) as price, sum(gap_fee) as fee, sum(gap_timing) as timing,
      sum(gap_convention) as convention, sum(gap_candles) as candles, sum(gap_unexplained) as unexplained
    from bots where is_latest group by 1, 2`,
  'How many days was each configuration below its highest equity, and how deep?': `
    select study, service, market, trial, sum(drawdown_percent > 0) as days_below, count(*) as days, max(drawdown_percent) as deepest
    from equity_daily where is_current group by 1, 2, 3, 4 order by 1, 3, 4`,
  'What did an edit of a study change in its best and average profit?': `
    select study, revision, service, market, period_from, count(*) as paid, max(net_profit) as best, avg(net_profit) as average
    from results group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`,
  'Which configurations made a profit on every market they were tried on?': `
    select study, config_fingerprint, count(*) as markets, min(net_profit) as worst
    from answers group by 1, 2 having min(net_profit) > 0 order by 1, 2`,
  'How far do two services lie apart on the same trial?': `
    select a.market, a.trial, a.service, b.service as other, a.net_profit - b.net_profit as apart
    from results a join results b on b.fingerprint = a.fingerprint and b.service > a.service
    order by 1, 2, 3, 4`,
  'Which deals lost most, and how many safety orders had they used?': `
    select study, service, market, trial, n, opened_at, safety_orders, profit_quote
    from deals where is_current order by profit_quote, trial, n limit 5`,
  'At which hours are the deals opened that take longest?': `
    select study, market, substr(opened_at, 12, 2) as hour, count(*) as deals, avg(minutes) as minutes
    from deals where is_current group by 1, 2, 3 order by minutes desc, 1, 2, 3`,
  'How many backtests were sent each day to each service, and how many came to nothing?': `
    select substr(opened_at, 1, 10) as day, service, sum(counted) as sent, sum(state = 'rejected' or job_state in ('failed', 'gone')) as lost
    from attempts where kind = 'ours' group by 1, 2 order by 1, 2`,
  'How much of the daily limit of each service is used now?': `
    select service, account, sum(is_in_window) as used, count(*) as ever from attempts group by 1, 2 order by 1`,
  'Which trials failed, and why?': `
    select study, service, market, trial, failure from trials where state = 'failed' order by 1, 2, 3, 4`,
  'How much of the profit of each winner came in its best month?': `
    select a.study, a.service, a.market, a.trial, a.net_profit, max(m.profit_quote) / a.net_profit as share
    from answers a join monthly_returns m using (identity, job_id)
    where a.rank = 1 group by 1, 2, 3, 4 order by 1, 3`,
  'What do the neighbours of each winner earn, one step up and one step down?': `
    select w.study, w.market, p.column_name, w.net_profit, l.net_profit as lower, h.net_profit as higher
    from answers w join parameters p using (study, fingerprint)
    left join answers l on l.study = w.study and l.fingerprint = p.lower_fingerprint
    left join answers h on h.study = w.study and h.fingerprint = p.higher_fingerprint
    where w.rank = 1 and p.is_varied order by 1, 2, 3`,
} as const

type Question = keyof typeof QUESTIONS
type Row = Readonly<Record<string, string | number | null>>

let store: Store
let current: readonly TrialRecord[]
beforeAll(async () => {
  store = await openThreeServices()
  current = listTrials(store, { study: 'both' })
})
afterAll(() => store.close())

function ask(sql: string): readonly Row[] {
  const { columns, rows } = runSelect(store.path, sql)
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])))
}
const answer = (question: Question) => ask(QUESTIONS[question])
const sum = (values: readonly (number | string | null | undefined)[]) =>
  values.reduce<number>((all, value) => all + Number(value), 0)
const profits = () => current.map(({ metrics }) => metrics?.netProfit)

const version = sqlite3Version()

describe.each(Object.keys(QUESTIONS) as Question[])('%s', (question) => {
  it('is at most twelve lines over one view or two, and has an answer', () => {
    const sql = QUESTIONS[question]
    expect(sql.trim().split('\n').length).toBeLessThanOrEqual(12)
    const views = new Set(
      Array.from(sql.matchAll(/\b(?:from|join) (\w+)/g), ([, name]) => name).filter((name) => name in VIEWS),
    )
    expect([1, 2]).toContain(views.size)
    expect(answer(question).length).toBeGreaterThan(0)
  })

  it.skipIf(version === undefined)(`is answered alike by sqlite3 ${version}`, () => {
    const out = execFileSync('sqlite3', ['-readonly', '-json', store.path, QUESTIONS[question]], { encoding: 'utf8' })
    const shortened = (rows: readonly Row[]) =>
      rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, cell]) => [
            name,
            typeof cell === 'number' ? Number(cell.toPrecision(9)) : cell,
          ]),
        ),
      )
    expect(shortened(JSON.parse(out))).toEqual(shortened(answer(question)))
  })
})

describe('a second way', () => {
  it('the program shows the service with most trials done, and so do the views', () => {
    expect(new Set(current.map(({ identity }) => identity))).toEqual(new Set([MOST.identity]))
    expect(ask('select study, service, revision from studies order by 1')).toEqual([
      { study: 'both', service: 'bots.example#1234', revision: 2 },
      { study: 'user', service: 'bots.example#1234', revision: 1 },
    ])
  })

  it('averages by take profit weigh up to the sum over the trials of the current revision', () => {
    const rows = answer('What did each take profit earn on average, and how many results stand behind that?').filter(
      ({ study }) => study === 'both',
    )
    expect(sum(rows.map(({ results }) => results))).toBe(12)
    expect(sum(rows.map(({ net_profit, results }) => Number(net_profit) * Number(results)))).toBeCloseTo(
      sum(profits()),
      9,
    )
  })

  it('the interaction’s cells are the trials themselves', () => {
    const rows = answer('Do take profit and number of safety orders depend on each other?').filter(
      ({ study }) => study === 'both',
    )
    expect(sum(rows.flatMap(({ one, two }) => [one, two]))).toBeCloseTo(sum(profits()), 9)
  })

  it('January fell and February rose; the days of both are those of the period', () => {
    const rows = answer(
      'What did the configurations of each study earn a day in months in which the market rose, fell, or stood still?',
    ).filter(({ study, market }) => study === 'both' && market === 'binance/BTC-USDT')
    expect(rows).toMatchObject([
      { regime: 'fell', days: 2, market_percent_a_day: expect.closeTo((-10 - 100 / 9) / 2, 9) },
      { regime: 'rose', days: 2, market_percent_a_day: expect.closeTo((10 + 12.5) / 2, 9) },
    ])
    const [all] = ask(
      "select avg(return_percent) as a_day from equity_daily where study = 'both' and market = 'binance/BTC-USDT' and is_current",
    )
    expect(sum(rows.map(({ percent_a_day }) => percent_a_day)) / 2).toBeCloseTo(Number(all.a_day), 9)
  })

  it('beta and alpha are those of a line through the days', () => {
    const rows = answer('What are beta and alpha of the best results against the market?')
    const [{ trial, beta, alpha_percent_per_day }] = rows
    const days =
      ask(`select e.return_percent as y, m.return_percent as x from equity_daily e join market_daily m using (market, date)
      where trial = '${trial}' and is_current`).map(({ x, y }) => [Number(x), Number(y)] as const)
    const mean = (at: 0 | 1) => sum(days.map((day) => day[at])) / days.length
    const slope = sum(days.map(([x, y]) => (x - mean(0)) * (y - mean(1)))) / sum(days.map(([x]) => (x - mean(0)) ** 2))
    expect(days).toHaveLength(4)
    expect(beta).toBeCloseTo(slope, 9)
    expect(alpha_percent_per_day).toBeCloseTo(mean(1) - slope * mean(0), 9)
    expect(
      runSelect(
        store.path,
        `select regr_slope(e.return_percent, m.return_percent), corr(m.return_percent, m.return_percent)
      from equity_daily e join market_daily m using (market, date) where trial = '${trial}' and is_current`,
      ).rows[0],
    ).toEqual([expect.closeTo(slope, 9), expect.closeTo(1, 9)])
  })

  it('other costs are those of the results that are shown: 7 more without fees, all lost at 0.4 %', () => {
    const rows = answer('What do other fees leave of each study, and how many results do they turn into losses?')
    const of = (fee: number) => rows.filter(({ study, fee_percent }) => study === 'both' && fee_percent === fee)
    expect(of(0).map(({ results }) => results)).toEqual([6, 6])
    expect(sum(of(0).map(({ net_profit }) => 6 * Number(net_profit)))).toBeCloseTo(sum(profits()) + 12 * 7, 9)
    const won = profits().filter((profit) => Number(profit) > 0)
    expect([sum(of(0.4).map(({ turned }) => turned)), of(0.4).map(({ net_profit }) => net_profit)]).toEqual([
      won.length,
      [-100, -100],
    ])
  })

  it('the deals that lost most are those of the trials that the program shows', () => {
    const shown = ['both', 'user'].flatMap((study) => listTrials(store, { study }))
    const all = shown.flatMap((trial) => readWhole(store, trial).deals ?? []).map(({ profit }) => profit)
    const rows = answer('Which deals lost most, and how many safety orders had they used?')
    expect(rows.map(({ profit_quote }) => profit_quote)).toEqual(all.toSorted((a, b) => a - b).slice(0, 5))
  })

  it('the months of a configuration are those it traded in, and one of its months is its best', () => {
    const months = answer('In how many months did each configuration end among the better half?')
    expect(new Set(months.map((row) => row.months))).toEqual(new Set([2]))
    expect(months.every(({ better }) => Number(better) <= 2)).toBe(true)
    const below = answer('How many days was each configuration below its highest equity, and how deep?')
    const [days] = ask('select count(*) as n from equity_daily where is_current')
    expect(sum(below.map((row) => row.days))).toBe(days.n)
  })

  it('what is used of a limit is among all that was ever sent', () => {
    const rows = answer('How much of the daily limit of each service is used now?')
    expect(sum(rows.map(({ ever }) => ever))).toBe(ask('select count(*) as n from attempt')[0].n)
  })

  it('the parts of the gap of a bot add up, and it is one bot however often it was compared', () => {
    const [row] = answer('By which cause do demo bots differ from their backtests, in quote?')
    expect(row.bots).toBe(1)
    expect(sum([row.price, row.fee, row.timing, row.convention, row.candles, row.unexplained])).toBeCloseTo(
      Number(row.gap),
      9,
    )
  })

  it('every paid result is of one revision, service, market and period', () => {
    const rows = answer('What did an edit of a study change in its best and average profit?')
    const paid = store.db.prepare("select count(*) from job where state = 'done'").pluck().get()
    expect(sum(rows.map(({ paid }) => paid))).toBe(paid)
  })

  it('services lie apart by what they were made to', () => {
    const rows = answer('How far do two services lie apart on the same trial?')
    const between = (one: string, other: string) =>
      new Set(rows.filter((row) => row.service === one && row.other === other).map(({ apart }) => apart))
    expect(between('bots.example#1234', 'bots.example#1299')).toEqual(new Set([SOME.less]))
    expect(between('bots.example#1234', 'embedded')).toEqual(new Set([OWN.less]))
  })

  it('sent and lost are the rows of the ledger', () => {
    const rows = answer('How many backtests were sent each day to each service, and how many came to nothing?')
    const [attempts] = ask("select count(*) as n, sum(state = 'rejected') as rejected from attempt")
    expect([sum(rows.map(({ sent }) => sent)), sum(rows.map(({ lost }) => lost))]).toEqual([
      attempts.n,
      attempts.rejected,
    ])
    expect(answer('Which trials failed, and why?')).toMatchObject([
      { study: 'both', service: 'bots.example#1299', failure: 'no data' },
    ])
  })
})
