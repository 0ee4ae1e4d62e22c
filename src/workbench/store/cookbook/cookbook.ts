/** The cookbook: questions that analysts of any study ask, each as one statement over the views. */
import { Failure, type Problem, suggest } from '../../../errors.ts'
import { type Parameters, readParameterValue } from '../sql/bind.ts'
import { type CookbookParameter, type CookbookQuery, OF_RESULTS, STUDY, TOP } from './queries.ts'

// Questions about results over time: deals, falls, months, and what moves together.

const TRIAL: CookbookParameter = {
  meaning: 'beginning of a fingerprint; NULL for the first of each study',
  kind: 'text',
  usual: null,
}

const ONE_TRIAL = `where (:study is null or a.study = :study)
  and (a.fingerprint like :trial || '%' or :trial is null and a.rank = 1)`

const dealsByHour: CookbookQuery = {
  title: 'Deals by hour',
  answers:
    'Closed deals by the hour (UTC) in which they were opened: how many, what they earned, how long they took and how deep they went. Differences between hours with few deals are noise.',
  parameters: { study: STUDY, trial: TRIAL },
  sql: `select a.study, a.service, a.market, a.trial, substr(d.opened_at, 12, 2) as hour, count(*) as deals,
  round(sum(d.profit_quote), 2) as profit, round(avg(d.profit_quote), 3) as profit_per_deal,
  round(avg(d.minutes)) as average_minutes, round(avg(d.safety_orders), 2) as average_safety_orders,
  sum(d.exit = 'stopLoss') as stop_losses
from answers a
join deals d using (identity, job_id)
${ONE_TRIAL}
group by a.study, a.service, a.market, a.trial, hour
order by a.study, a.service, a.market, a.trial, hour`,
}

const safetyOrderDistribution: CookbookQuery = {
  title: 'Safety-order distribution',
  answers:
    'How many deals needed how many safety orders, and how many needed at least that many. Safety orders that no deal reached are capital that waited in vain, or the reserve for a worse fall.',
  parameters: { study: STUDY, trial: TRIAL },
  sql: `select a.study, a.service, a.market, a.trial, a.dca_max_safety_orders as safety_orders_allowed, h.key as safety_orders, h.value as deals,
  round(100.0 * h.value / nullif(sum(h.value) over one_trial, 0), 1) as deals_percent,
  round(100.0 * sum(h.value) over (one_trial order by h.key desc) / nullif(sum(h.value) over one_trial, 0), 1) as at_least_percent
from answers a
join results r using (identity, job_id)
join json_each(r.safety_orders_histogram_json) h
${ONE_TRIAL}
window one_trial as (partition by a.study, a.identity, a.fingerprint)
order by a.study, a.service, a.market, a.trial, safety_orders`,
}

const worstOpenLoss: CookbookQuery = {
  title: 'Worst open loss per deal',
  answers:
    'How deep the best trials stood in the red with a deal at a candle low, beside their worst closed deal and their worst wait. A bot without a stop never closes at a loss; this is the loss that it sat through. What its deals would say is NULL where they are not kept, as after a prune.',
  parameters: { study: STUDY, top: TOP },
  sql: `select a.study, a.service, a.market, a.rank, a.trial, round(r.max_floating_loss, 2) as worst_open_loss,
  round(100 * r.max_floating_loss / a.investment, 2) as worst_open_loss_percent, a.closed_deals,
  case when a.closed_deals = 0 or count(d.n) > 0 then coalesce(sum(d.profit_quote < 0), 0) end as closed_at_a_loss,
  round(min(d.profit_quote), 2) as worst_closed_deal, round(max(d.minutes)) as longest_minutes,
  case when a.closed_deals = 0 then 0 when count(d.lowest_value_quote) = a.closed_deals then sum(d.lowest_value_quote < 0) end as deals_in_the_red
from answers a
join results r using (identity, job_id)
left join deals d using (identity, job_id)
where (:study is null or a.study = :study) and a.rank <= :top
group by a.study, a.identity, a.fingerprint
order by a.study, a.service, a.rank, a.market`,
}

const whichTrialsTradeAlike: CookbookQuery = {
  title: 'Which trials trade alike',
  answers:
    'Trials whose deals open and close on the same candles, in the same way and with as many safety orders: a field that differs between them had no effect in this period. They count as one configuration tried, not as several.',
  parameters: { study: STUDY },
  sql: `with traded as (
  select a.*, (select group_concat(d.opened_at || d.closed_at || d.exit || d.safety_orders) from (
    select * from deals where identity = a.identity and job_id = a.job_id order by n) d) as deals
  from answers a
  where (:study is null or a.study = :study)
  order by a.rank
)
select study, service, market, count(*) as trials, min(rank) as best_rank, round(max(net_profit), 2) as best_net_profit,
  round(min(net_profit), 2) as worst_net_profit, group_concat(trial, ' ') as alike
from traded
where deals is not null
group by study, service, market, deals
order by study, service, market, trials desc, best_rank`,
}

const daysToRecover: CookbookQuery = {
  title: 'Days to recover',
  answers:
    'The longest stretch of days below the highest equity so far: since when, how deep, and when it was over. NULL where it was not over at the end of the data; without a row a trial was never below at the end of a day, or has no daily equity: not reported, or cleaned away.',
  parameters: { study: STUDY, top: TOP },
  sql: `with days as (
  select a.study, a.service, a.market, a.rank, a.trial, d.date, d.drawdown_percent,
    sum(d.drawdown_percent = 0) over (partition by a.study, a.identity, a.fingerprint order by d.date) as peaks
  from answers a
  join equity_daily d using (identity, job_id)
  where (:study is null or a.study = :study) and a.rank <= :top
),
falls as (
  select study, service, market, rank, trial, sum(drawdown_percent > 0) as days_below,
    min(case when drawdown_percent > 0 then date end) as below_since, max(drawdown_percent) as deepest_percent,
    lead(min(date)) over (partition by study, service, trial order by peaks) as recovered_on,
    row_number() over (partition by study, service, trial order by sum(drawdown_percent > 0) desc, peaks) as place
  from days
  group by study, service, market, rank, trial, peaks
)
select study, service, market, rank, trial, days_below, below_since, round(deepest_percent, 3) as deepest_percent, recovered_on
from falls
where place = 1 and days_below > 0
order by study, service, rank, market`,
}

const winnerOfOneMonthInTheNext: CookbookQuery = {
  title: 'Winner of month 1 in month 2',
  answers:
    'The best trial of each month and market, and its place in the month after. Where the winner falls into the middle of the field, a month says little about the next.',
  parameters: { study: STUDY },
  sql: `with months as (
  select a.study, a.service, a.market, a.trial, m.month, m.return_percent, count(*) over one_month as trials,
    row_number() over (one_month order by m.return_percent desc, a.fingerprint) as place
  from answers a
  join monthly_returns m using (identity, job_id)
  where (:study is null or a.study = :study)
  window one_month as (partition by a.study, a.market, m.month)
)
select a.study, a.service, a.market, a.month, a.trial, round(a.return_percent, 3) as return_percent, b.month as next_month,
  round(b.return_percent, 3) as next_return_percent, b.place as next_place, b.trials
from months a
join months b using (study, market, trial)
where a.place = 1 and b.month = strftime('%Y-%m', a.month || '-01', '+1 month')
order by a.study, a.market, a.month`,
}

const correlationOfEquity: CookbookQuery = {
  title: 'Correlation of equity',
  answers:
    'How much the daily returns of the best trials of a market move together, from -1 to 1. Two bots at 1 are one bot twice the size. NULL where one of them never moves. In `dcalab sql`, `corr(a.r, b.r)` is the same.',
  parameters: { study: STUDY, top: { ...TOP, usual: 5 } },
  sql: `with returns as (
  select a.study, a.service, a.market, a.rank, a.trial, d.date, d.return_percent as r
  from answers a
  join equity_daily d using (identity, job_id)
  where (:study is null or a.study = :study) and a.rank <= :top
)
select a.study, a.service, a.market, a.rank, a.trial, b.rank as other_rank, b.trial as other_trial, count(*) as days,
  round((avg(a.r * b.r) - avg(a.r) * avg(b.r)) / nullif(sqrt(
    max(avg(a.r * a.r) - avg(a.r) * avg(a.r), 0) * max(avg(b.r * b.r) - avg(b.r) * avg(b.r), 0)), 0), 3) as correlation
from returns a
join returns b on b.study = a.study and b.market = a.market and b.date = a.date and b.rank > a.rank
group by a.study, a.market, a.rank, b.rank
order by a.study, a.market, a.rank, b.rank`,
}

const betaAndAlpha: CookbookQuery = {
  title: 'Beta and alpha',
  answers:
    'How much of each day’s return of the best trials follows the market (beta, with the error of independent days), and what is left of it per day (alpha). A bot whose alpha is within its error earned what its exposure earned. In `dcalab sql`, `regr_slope(e.return_percent, m.return_percent)` is beta.',
  parameters: { study: STUDY, top: TOP },
  sql: `with days as (
  select a.study, a.service, a.market, a.rank, a.trial, count(*) as days, avg(e.return_percent) as y, avg(m.return_percent) as x,
    avg(m.return_percent * m.return_percent) - avg(m.return_percent) * avg(m.return_percent) as xx,
    avg(e.return_percent * m.return_percent) - avg(e.return_percent) * avg(m.return_percent) as xy,
    avg(e.return_percent * e.return_percent) - avg(e.return_percent) * avg(e.return_percent) as yy
  from answers a
  join equity_daily e using (identity, job_id)
  join market_daily m on m.market = a.market and m.date = e.date
  where (:study is null or a.study = :study) and a.rank <= :top
  group by a.study, a.service, a.market, a.rank, a.trial
)
select study, service, market, rank, trial, days, round(xy / nullif(xx, 0), 3) as beta,
  round(sqrt(max(yy - xy * xy / nullif(xx, 0), 0) / (days - 2) / xx), 3) as beta_error,
  round(y - xy / nullif(xx, 0) * x, 4) as alpha_percent_per_day,
  round(sqrt(max(yy - xy * xy / nullif(xx, 0), 0) / (days - 2) * (1 + x * x / xx)), 4) as alpha_error
from days
where days > 2
order by study, service, rank, market`,
}

const whenTheMarketRoseOrFell: CookbookQuery = {
  title: 'When the market rose or fell',
  answers:
    'What the best trials earned in months in which the market rose or fell by more than 5 %, or stayed between: how many days, and the sum of their daily returns beside the market’s.',
  parameters: { study: STUDY, top: { ...TOP, usual: 5 } },
  sql: `select a.study, a.service, a.market, a.rank, a.trial, m.regime, count(distinct substr(m.date, 1, 7)) as months, count(*) as days,
  round(sum(e.return_percent), 3) as return_percent, round(sum(m.return_percent), 3) as market_percent
from answers a
join equity_daily e using (identity, job_id)
join market_daily m on m.market = a.market and m.date = e.date
where (:study is null or a.study = :study) and a.rank <= :top
group by a.study, a.service, a.market, a.rank, a.trial, m.regime
order by a.study, a.service, a.rank, a.market, m.regime`,
}

/** By the name that `--example` takes, in the order of the page. */
export const COOKBOOK: Readonly<Record<string, CookbookQuery>> = {
  'plateau-around-the-winner': OF_RESULTS.plateauAroundTheWinner,
  'which-parameter-hurts': OF_RESULTS.whichParameterHurts,
  'profit-per-drawdown': OF_RESULTS.profitPerDrawdown,
  'share-of-one-month': OF_RESULTS.shareOfOneMonth,
  'winner-of-one-month-in-the-next': winnerOfOneMonthInTheNext,
  'days-to-recover': daysToRecover,
  'worst-open-loss': worstOpenLoss,
  'beta-and-alpha': betaAndAlpha,
  'when-the-market-rose-or-fell': whenTheMarketRoseOrFell,
  'robust-over-markets': OF_RESULTS.robustOverMarkets,
  'what-the-stop-bought': OF_RESULTS.whatTheStopBought,
  'capital-used-and-idle': OF_RESULTS.capitalUsedAndIdle,
  'fee-share': OF_RESULTS.feeShare,
  'cost-sensitivity': OF_RESULTS.costSensitivity,
  'deals-by-hour': dealsByHour,
  'safety-order-distribution': safetyOrderDistribution,
  'correlation-of-equity': correlationOfEquity,
  'which-trials-trade-alike': whichTrialsTradeAlike,
  'stretches-of-a-verdict': OF_RESULTS.stretchesOfAVerdict,
  'near-the-winner-in-a-screen': OF_RESULTS.nearTheWinnerInAScreen,
  'screen-against-service': OF_RESULTS.screenAgainstService,
  'what-a-revision-changed': OF_RESULTS.whatARevisionChanged,
  'cost-of-each-insight': OF_RESULTS.costOfEachInsight,
  'units-per-day': OF_RESULTS.unitsPerDay,
}

/** @throws Failure usage */
export function getExample(name: string): CookbookQuery {
  if (Object.hasOwn(COOKBOOK, name)) return COOKBOOK[name]
  throw new Failure('usage', `--example: there is no question "${name}"${suggest(name, Object.keys(COOKBOOK))}`, {
    hint: '`dcalab sql --examples` lists them',
  })
}

/**
 * The parameters of a question: what was given as text, for the others the usual value.
 * @throws Failure usage with every one that the question does not have or that is no number where it has to be
 */
export function parametersOf({ parameters }: CookbookQuery, given: Readonly<Record<string, string>>): Parameters {
  const problems = Object.entries(given).flatMap(([name, text]) => findProblem(name, text, parameters))
  if (problems.length > 0) throw new Failure('usage', 'the parameters do not fit the question', { problems })
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [name, boundTo(parameter, given[name])]),
  )
}

function findProblem(name: string, text: string, parameters: CookbookQuery['parameters']): readonly Problem[] {
  const place = `--param ${name}`
  if (!Object.hasOwn(parameters, name)) {
    const names = Object.keys(parameters)
    return [
      { place, message: `the question has ${names.map((known) => `:${known}`).join(', ')}${suggest(name, names)}` },
    ]
  }
  if (parameters[name].kind === 'text' || readParameterValue(text).kind === 'number') return []
  return [{ place, message: `expects a number, found "${text}"` }]
}

function boundTo({ kind, usual }: CookbookParameter, given: string | undefined): Parameters[string] {
  const value = readParameterValue(given ?? (usual === null ? 'null' : String(usual)))
  return kind === 'text' && value.kind === 'number' ? { kind: 'text', text: value.digits } : value
}

/** As a file that any SQLite program runs: the words as comments, then the statement. */
export function scriptOf(name: string, { title, answers, parameters, sql }: CookbookQuery): string {
  const words = [`${title} (${name})`, '', ...answers.split(/(?<=\.) /), ...parameterLines(parameters)]
  return `${words.map((line) => `-- ${line}`.trimEnd()).join('\n')}\n${sql};\n`
}

function parameterLines(parameters: CookbookQuery['parameters']): string[] {
  return Object.entries(parameters).map(([name, { meaning, usual }]) => `:${name} = ${usual ?? 'NULL'}: ${meaning}`)
}
