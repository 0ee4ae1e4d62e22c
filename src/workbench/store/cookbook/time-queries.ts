/** Questions about results over time: falls and how long they last, months, and what moves together. */
import { type CookbookQuery, STUDY, TOP } from './query.ts'

export const daysToRecover: CookbookQuery = {
  title: 'Days to recover',
  answers:
    'The longest stretch of days below the highest equity so far: since when, how deep, and when it was over. NULL where it was not over at the end of the data; without a row a trial was never below at the end of a day.',
  parameters: { study: STUDY, top: TOP },
  sql: `with days as (
  select l.study, l.identity, l.fingerprint, l.rank, l.trial, d.date, d.drawdown_percent,
    sum(d.drawdown_percent = 0) over (partition by l.study, l.identity, l.fingerprint order by d.date) as peaks
  from leaderboard l
  join equity_daily d on d.identity = l.identity and d.job_id = l.job_id
  where (:study is null or l.study = :study) and l.rank <= :top
),
stretches as (
  select study, identity, fingerprint, rank, trial, peaks, sum(drawdown_percent > 0) as days_below,
    min(case when drawdown_percent > 0 then date end) as below_since, max(drawdown_percent) as deepest_percent
  from days
  group by study, identity, fingerprint, peaks
),
ordered as (
  select *, row_number() over (partition by study, identity, fingerprint order by days_below desc, peaks) as place
  from stretches
)
select o.study, o.rank, o.trial, o.days_below, o.below_since, round(o.deepest_percent, 3) as deepest_percent,
  (select min(d.date) from days d where d.study = o.study and d.identity = o.identity and d.fingerprint = o.fingerprint
    and d.peaks = o.peaks + 1) as recovered_on
from ordered o
where o.place = 1 and o.days_below > 0
order by o.study, o.rank, o.trial`,
}

export const winnerOfOneMonthInTheNext: CookbookQuery = {
  title: 'Winner of month 1 in month 2',
  answers:
    'The best trial of each month, and its place in the month after. Where the winner falls into the middle of the field, a month says little about the next.',
  parameters: { study: STUDY },
  sql: `with months as (
  select l.study, l.identity, l.fingerprint, l.trial, m.month, m.return_percent, count(*) over one_month as trials,
    row_number() over (partition by l.study, l.identity, m.month order by m.return_percent desc, l.fingerprint) as place
  from leaderboard l
  join monthly_returns m on m.identity = l.identity and m.job_id = l.job_id
  where (:study is null or l.study = :study)
  window one_month as (partition by l.study, l.identity, m.month)
)
select a.study, a.month, a.trial, round(a.return_percent, 3) as return_percent, b.month as next_month,
  round(b.return_percent, 3) as next_return_percent, b.place as next_place, b.trials
from months a
join months b on b.study = a.study and b.identity = a.identity and b.fingerprint = a.fingerprint
  and b.month = strftime('%Y-%m', a.month || '-01', '+1 month')
where a.place = 1
order by a.study, a.identity, a.month`,
}

export const correlationOfEquity: CookbookQuery = {
  title: 'Correlation of equity',
  answers:
    'How much the daily returns of the best trials move together, from -1 to 1. Two bots at 1 are one bot twice the size. NULL where one of them never moves.',
  parameters: { study: STUDY, top: { ...TOP, usual: 5 } },
  sql: `with returns as (
  select l.study, l.identity, l.rank, l.trial, d.date, d.return_percent as r
  from leaderboard l
  join equity_daily d on d.identity = l.identity and d.job_id = l.job_id
  where (:study is null or l.study = :study) and l.rank <= :top
)
select a.study, a.rank, a.trial, b.rank as other_rank, b.trial as other_trial, count(*) as days,
  round((avg(a.r * b.r) - avg(a.r) * avg(b.r)) / nullif(sqrt(
    max(avg(a.r * a.r) - avg(a.r) * avg(a.r), 0) * max(avg(b.r * b.r) - avg(b.r) * avg(b.r), 0)), 0), 3) as correlation
from returns a
join returns b on b.study = a.study and b.identity = a.identity and b.date = a.date and b.rank > a.rank
group by a.study, a.identity, a.rank, b.rank
order by a.study, a.identity, a.rank, b.rank`,
}
