/** What happened inside a paid result: its deals, its equity day by day, its months. */
import { EXIT_NAMES } from '../../../contract/bot.ts'
import { INTERVALS } from '../../../contract/market.ts'
import { CONFIG_COLUMNS } from '../tables.ts'
import { CURRENT_STUDIES, isShown, SHOWN } from './latest-attempt.ts'
import { PAID_RESULT, RESULT_KEY } from './result-views.ts'
import { type Columns, currentRevision, shared, trialDigits, type View } from './shared-columns.ts'

// The view of what a study varies: the value of every field of every trial, and which trials lie next to it.

const VALUE = configValueOf('t', 'p.column1')

/** SQL for the value of the column that an expression names. */
function configValueOf(table: string, column: string): string {
  const cases = Object.values(CONFIG_COLUMNS).map((name) => `when '${name}' then ${table}.${name}`)
  return `case ${column} ${cases.join(' ')} end`
}

/** The same market, period and configuration but for the column `p`, where it has the value `v`: every part is found by one index,
 * once the value is known: hence the `cross join`, which SQLite does not reorder. */
const sameButForOne = ['market', 'period_from', 'period_to']
  .map((column) => `n.${column} = t.${column}`)
  .concat(
    Object.values(CONFIG_COLUMNS).map(
      (column) => `n.${column} = case p.column1 when '${column}' then v.value else t.${column} end`,
    ),
  )
  .join('\n    and ')

/** The trial that differs from `t` in the column `p` alone, by one step of `x`. */
function neighbour(side: 'lower' | 'higher'): Columns {
  const [best, beyond] = side === 'higher' ? ['min', '>'] : ['max', '<']
  return {
    [`${side}_fingerprint`]: {
      sql: `(select n.fingerprint from (select ${best}(w.value) as value from json_each(x.value, '$.values') w where w.value ${beyond} ${VALUE}) v
      cross join trial n on ${sameButForOne}
      join study_trial o on o.study = m.study and o.study_fingerprint = m.study_fingerprint and o.fingerprint = n.fingerprint)`,
      unit: 'text',
      meaning: `the trial of the study with the next ${side} value of this field and all others equal`,
      whenNull: 'where the study has none',
      since: 22,
    },
  }
}

/** The configuration's columns with the API's names, as (column1, column2): a table of ten rows. */
const CONFIG_NAMES = `(values ${Object.entries(CONFIG_COLUMNS)
  .map(([field, column]) => `('${column}', '${field}')`)
  .join(', ')})`

const parametersView: View = {
  rows: "One row per trial of a study's current definition and field of its configuration.",
  columns: {
    ...trialDigits('m.fingerprint'),
    ...shared('d', 'study'),
    ...currentRevision,
    ...shared('t', 'market', 'period_from', 'period_to'),
    column_name: {
      sql: 'p.column1',
      unit: 'text',
      meaning: 'the field, as the views name its column: take_profit_percent',
      whenNull: null,
    },
    field: { sql: 'p.column2', unit: 'text', meaning: 'the field, as study files and the API name it', whenNull: null },
    value: { sql: VALUE, unit: 'ratio', meaning: 'the value of the field, in the unit of its column', whenNull: null },
    step: {
      sql: `(select case when count(*) > 1 then sum(v.value <= ${VALUE}) end from json_each(x.value, '$.values') v)`,
      unit: 'count',
      meaning: 'place of the value among those that the study tries, in rising order, from 1',
      whenNull: 'where the study does not vary the field',
    },
    is_varied: {
      sql: "coalesce(json_array_length(x.value, '$.values') > 1, 0)",
      unit: 'yes/no',
      meaning: 'the study tries several values of it',
      whenNull: null,
    },
    ...neighbour('lower'),
    ...neighbour('higher'),
    ...shared('m', 'fingerprint'),
  },
  from: `from ${CURRENT_STUDIES} d
  join ${CONFIG_NAMES} p
  left join json_each(d.definition_json, '$.axes') x on json_extract(x.value, '$.field') = p.column2
  join study_trial m on m.study = d.study and m.study_fingerprint = d.fingerprint
  join trial t on t.fingerprint = m.fingerprint`,
}

const time = (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', e.${column} / 1000.0, 'unixepoch')`

const intervalMs = `case r.candle_interval ${Object.entries(INTERVALS)
  .map(([name, ms]) => `when '${name}' then ${ms}`)
  .join(' ')} end`

const dealsView: View = {
  rows: 'One row per closed deal of a paid result.',
  columns: {
    ...RESULT_KEY,
    n: { sql: 'e.n', unit: 'count', meaning: 'its number in the result, from 1', whenNull: null },
    opened_at: {
      sql: time('opened_ms'),
      unit: 'time',
      meaning: 'open time of the candle on which the base order filled',
      whenNull: null,
    },
    closed_at: {
      sql: time('closed_ms'),
      unit: 'time',
      meaning: 'open of the candle on which it closed',
      whenNull: null,
    },
    exit: { sql: 'e.exit', unit: 'text', meaning: EXIT_NAMES.join(' or '), whenNull: null },
    safety_orders: { sql: 'e.safety_orders', unit: 'count', meaning: 'safety orders filled', whenNull: null },
    quantity: { sql: 'e.quantity', unit: 'base', meaning: 'bought and sold', whenNull: null },
    exit_price: { sql: 'e.price', unit: 'quote', meaning: 'price of the sale', whenNull: null },
    cost_quote: { sql: 'e.cost', unit: 'quote', meaning: 'what it cost, fees included', whenNull: null },
    proceeds_quote: {
      sql: 'e.proceeds',
      unit: 'quote',
      meaning: 'what the sale brought, its fee taken off',
      whenNull: null,
    },
    profit_quote: { sql: 'e.profit', unit: 'quote', meaning: 'proceeds less cost', whenNull: null },
    fees_quote: {
      sql: 'e.cost * r.fee_percent / (100 + r.fee_percent) + e.proceeds * r.fee_percent / (100 - r.fee_percent)',
      unit: 'quote',
      meaning: 'fees of all its fills, which follow from cost, proceeds and the fee stated',
      whenNull: 'where the service did not report the fee',
    },
    lowest_value_quote: {
      sql: 'e.lowest_value',
      unit: 'quote',
      meaning: 'its lowest open profit or loss, at candle lows',
      whenNull: 'where the service did not report it',
    },
    minutes: {
      sql: `(e.closed_ms + ${intervalMs} - e.opened_ms) / 60000.0`,
      unit: 'minutes',
      meaning: 'from the open of the first candle to the end of the last, as in deal_duration_average_minutes',
      whenNull: 'where the service did not report the length of the candles',
    },
  },
  parts: SHOWN,
  from: `from deal e
  join result r on r.job_id = e.job_id
  join job j on j.id = r.job_id and j.duplicate = 0 and ${isShown('j.fingerprint')}
  join attempt a on a.id = j.attempt_id
  join trial t on t.fingerprint = j.fingerprint
  join service s on s.identity = j.identity`,
}

/** A whole number in JSON would make the division one of whole numbers. */
const equityOf = (day: string) => `cast(json_extract(${day}, '$.equity') as real)`

/**
 * Every day of a result as `[day, day before, highest equity so far, whether it is reached on this day]`. They are put together result by
 * result: a window over a join would be computed over all results before any of them is chosen. JSON has 15 digits of a number that SQLite
 * writes and all digits of one that it copies, so the days are copied and whether two numbers are equal is asked before.
 */
const DAYS = `json_each((
    select json_group_array(json_array(json(x.day), json(x.before), x.peak, x.equity = x.peak)) from (
      select e.value as day, lag(e.value) over so_far as before, ${equityOf('e.value')} as equity,
        max(${equityOf('e.value')}) over so_far as peak
      from json_each(r.daily_equity_json) e window so_far as (order by e.key)) x))`

const equity = equityOf("json_extract(d.value, '$[0]')")
const before = `coalesce(${equityOf("json_extract(d.value, '$[1]')")}, t.investment)`

const equityDailyView: View = {
  rows: 'One row per day of a paid result: its equity at the end of the day (UTC).',
  columns: {
    ...RESULT_KEY,
    date: {
      sql: "json_extract(d.value, '$[0].date')",
      unit: 'text',
      meaning: 'the day, as 2021-05-19',
      whenNull: null,
    },
    equity_quote: { sql: equity, unit: 'quote', meaning: 'equity at its end', whenNull: null },
    return_percent: {
      // As the engine has it: 0 after a total loss.
      sql: `case when ${before} > 0 then 100 * (${equity} / ${before} - 1) else 0.0 end`,
      unit: 'percent',
      meaning: 'return since the end of the day before; of the first day since the start',
      whenNull: null,
    },
    drawdown_percent: {
      sql: `case when ${equity} >= t.investment and json_extract(d.value, '$[3]') then 0.0
      else 100 * (1 - ${equity} / max(t.investment, ${equity}, json_extract(d.value, '$[2]'))) end`,
      unit: 'percent',
      meaning: 'fall from the highest equity so far, the start included, over ends of days',
      whenNull: null,
    },
  },
  parts: SHOWN,
  from: `from ${PAID_RESULT}
  join ${DAYS} d`,
}

const month = "json_extract(m.value, '$.month')"
const equityWhere = (condition: string) => `(
      select ${equityOf('d.value')} from json_each(r.daily_equity_json) d where ${condition} order by d.key desc limit 1)`
/** After every day of the month, before every day of the next. */
const endOfMonth = `${month} || '-99'`

const monthlyReturnsView: View = {
  rows: 'One row per calendar month (UTC) of a paid result; the first and the last may be parts of one.',
  columns: {
    ...RESULT_KEY,
    month: { sql: month, unit: 'text', meaning: 'the month, as 2021-05', whenNull: null },
    return_percent: {
      sql: "cast(json_extract(m.value, '$.returnPercent') as real)",
      unit: 'percent',
      meaning: 'return since the end of the month before; of the first month since the start',
      whenNull: null,
    },
    profit_quote: {
      sql: `case when r.daily_equity_json is not null then ${equityWhere(`json_extract(d.value, '$.date') between ${month} and ${endOfMonth}`)}
      - coalesce(${equityWhere(`json_extract(d.value, '$.date') < ${month}`)}, t.investment) end`,
      unit: 'quote',
      meaning: 'how much the equity grew in it',
      whenNull: 'where the service did not report daily equity, and after `dcalab store clean`',
    },
  },
  parts: SHOWN,
  from: `from ${PAID_RESULT}
  join json_each(r.monthly_returns_json) m`,
}

const ofMonth = `(partition by market, substr(date, 1, 7) order by date rows between unbounded preceding and unbounded following)`

/** As in the verdict's table of what to expect. */
const DECIDED_PERCENT = 5

const marketDailyView: View = {
  rows: 'One row per market and day (UTC) of the periods that results rest on, as far as their candles are stored here: what the market did. Join on market and date.',
  columns: sinceLayout(22, {
    ...shared('d', 'market'),
    date: { sql: 'd.date', unit: 'text', meaning: 'the day, as 2021-05-19', whenNull: null },
    open: { sql: 'd.open', unit: 'quote', meaning: 'open of its first candle', whenNull: null },
    high: { sql: 'd.high', unit: 'quote', meaning: 'its highest price', whenNull: null },
    low: { sql: 'd.low', unit: 'quote', meaning: 'its lowest price', whenNull: null },
    close: { sql: 'd.close', unit: 'quote', meaning: 'close of its last candle', whenNull: null },
    return_percent: {
      sql: '100 * (d.close / coalesce(d.before, d.open) - 1)',
      unit: 'percent',
      meaning: 'change of the close since the day before; where that day is not there, since its own open',
      whenNull: null,
    },
    month_return_percent: {
      sql: '100 * (d.month_close / d.month_open - 1)',
      unit: 'percent',
      meaning: 'change of the price over the days of its month that are here',
      whenNull: null,
    },
    regime: {
      sql: `case when d.month_close > ${1 + DECIDED_PERCENT / 100} * d.month_open then 'rose' when d.month_close < ${1 - DECIDED_PERCENT / 100} * d.month_open then 'fell' else 'flat' end`,
      unit: 'text',
      meaning: `of its month: rose or fell by more than ${DECIDED_PERCENT} %, else flat`,
      whenNull: null,
    },
    ...shared('d', 'candle_interval', 'candles_hash'),
  }),
  from: `from (
    select m.*, case when lag(date) over so_far = date(date, '-1 day') then lag(close) over so_far end as before,
      first_value(open) over ${ofMonth} as month_open, last_value(close) over ${ofMonth} as month_close from market_day m window so_far as (partition by market order by date)) d`,
}

/** Columns that are older elsewhere came to this view with `layout`, at the earliest. */
function sinceLayout(layout: number, columns: Columns): Columns {
  return Object.fromEntries(
    Object.entries(columns).map(([name, row]) => [name, { ...row, since: Math.max(row.since ?? 1, layout) }]),
  )
}

/** What belongs to each result: its fields, deals, days and months. */
export const SERIES_VIEWS = {
  parameters: parametersView,
  deals: dealsView,
  equityDaily: equityDailyView,
  monthlyReturns: monthlyReturnsView,
  marketDaily: marketDailyView,
}
