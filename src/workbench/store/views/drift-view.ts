/** The view of demo bots: what they were made of, and how they stand beside their backtests. */
import { type Columns, serviceColumn, shared, trialDigits, type View } from './shared-columns.ts'

const KINDS = {
  matched: 'on the same candles in bot and backtest',
  early: 'earlier in the bot',
  late: 'later in the bot',
  missing: 'of the backtest that the bot has not',
  extra: 'of the bot that the backtest has not',
} as const

function counts(of: 'deals' | 'orders', what: string): Columns {
  return Object.fromEntries(
    Object.entries(KINDS).map(([kind, meaning]) => [
      `${of}_${kind}`,
      {
        sql: `c.${of}_${kind}`,
        unit: 'count',
        meaning: `${what} ${meaning}`,
        whenNull: 'where the service does not report executions, and where it was never compared',
      },
    ]),
  )
}

const CAUSES = {
  price: 'other fill prices: slippage',
  fee: 'another fee',
  timing: 'deals begun or closed at another time',
  convention: 'other conventions',
  candles: 'candles that must have been others at the service',
  unexplained: 'nothing that was tried',
} as const

const never = 'where it was never compared'
const unstated = `where the service reports too little, and ${never}`

/** SQL for the name that a bot was made under, which a later promotion that took it over does not change. `of`: the alias of a table. */
export function nameOfBot(of: string): string {
  return `(select o.name from promotion o where o.identity = ${of}.identity and o.bot_id = ${of}.bot_id order by o.opened_at, o.id limit 1)`
}

export const botsView: View = {
  rows: 'One row per comparison of a demo bot with its backtest, and one for each bot without a comparison, also where the trial was promoted and no bot was made. is_latest = 1 leaves one row per bot.',
  columns: {
    bot_id: { sql: 'b.bot_id', unit: 'text', meaning: 'the bot’s id at the service', whenNull: 'before it is made' },
    bot_name: {
      sql: `coalesce(${nameOfBot('b')}, p.name, c.bot_name)`,
      unit: 'text',
      meaning: 'its name',
      whenNull: 'where dcalab did not make it and the service does not name it',
    },
    ...serviceColumn,
    ...shared('b', 'identity'),
    ...shared('s', 'simulated'),
    account: { ...shared('p', 'account').account, whenNull: 'for a bot that dcalab did not make' },
    trial: { ...trialDigits('b.fingerprint').trial, whenNull: 'for a bot that dcalab did not make' },
    fingerprint: { ...shared('b', 'fingerprint').fingerprint, whenNull: 'for a bot that dcalab did not make' },
    market: {
      ...shared('c', 'market').market,
      sql: 'coalesce((select t.market from trial t where t.fingerprint = b.fingerprint), c.market)',
    },
    is_latest: {
      sql: `not exists (select 1 from drift_check l where l.identity = c.identity and l.bot_id = c.bot_id
        and (l.checked_at, l.id) > (c.checked_at, c.id))`,
      unit: 'yes/no',
      meaning: 'the latest comparison of this bot, or the bot without one',
      whenNull: null,
    },
    settings: {
      sql: '(select substr(x.hash, 1, 12) from settings x where x.id = p.settings_id)',
      unit: 'text',
      meaning: 'first 12 digits of the settings of the result that was promoted',
      whenNull: 'where that result states none, and for a bot that dcalab did not make',
    },
    plan_hash: {
      sql: 'p.plan_hash',
      unit: 'text',
      meaning: 'hash of the plan of its promotion',
      whenNull: 'for a bot that dcalab did not make',
    },
    state: {
      sql: 'p.state',
      unit: 'text',
      meaning: 'intent, created, verified (read back as a demo bot), released (not made), ambiguous or alarmed',
      whenNull: 'for a bot that dcalab did not make',
    },
    opened_at: {
      sql: 'p.opened_at',
      unit: 'time',
      meaning: 'when its intent was written',
      whenNull: 'for a bot that dcalab did not make',
    },
    settled_at: {
      sql: 'p.settled_at',
      unit: 'time',
      meaning: 'when its state changed last',
      whenNull: 'while it is an intent',
    },
    started_at: {
      sql: 'p.started_at',
      unit: 'time',
      meaning: 'when dcalab started the bot',
      whenNull: 'unless dcalab did',
    },
    failure: {
      sql: 'p.reason',
      unit: 'text',
      meaning: 'why it was not made or is unsure',
      whenNull: 'where all is well',
    },
    net_profit: {
      sql: "json_extract(p.plan_json, '$.netProfit')",
      unit: 'quote',
      meaning: 'net profit of the promoted result, as shown when it was promoted',
      whenNull: 'in promotions by an earlier version, and where the result does not state it',
    },
    grade: {
      sql: "json_extract(p.plan_json, '$.verdict.grade')",
      unit: 'text',
      meaning: 'the grade that was shown',
      whenNull: 'where it was not judged',
    },
    accepted_json: {
      sql: 'p.accepted_json',
      unit: 'json',
      meaning: 'a list with the grade that was accepted by name; empty without `--accept`',
      whenNull: 'in promotions by an earlier version',
    },
    body_json: {
      sql: 'p.body_json',
      unit: 'json',
      meaning: 'the body that was sent to create the bot, or would have been',
      whenNull: 'in promotions by an earlier version',
    },
    validation_json: {
      sql: 'p.validation_json',
      unit: 'json',
      meaning: 'what the service answered when the body was validated: { valid, errors }',
      whenNull: 'where it was not asked, as for a bot that was found',
    },
    bot_json: {
      sql: 'p.bot_json',
      unit: 'json',
      meaning: 'the bot as it was read back',
      whenNull: 'until it was, and in promotions by an earlier version',
    },
    checked_at: {
      sql: 'c.checked_at',
      unit: 'time',
      meaning: 'when it was compared with its backtest',
      whenNull: never,
    },
    span_from: {
      sql: 'c.span_from',
      unit: 'time',
      meaning: 'a candle of bot and backtest belongs when span_from <= open time < span_to',
      whenNull: never,
    },
    span_to: { sql: 'c.span_to', unit: 'time', meaning: 'the end of the span, itself outside', whenNull: never },
    candle_interval: { sql: 'c.candle_interval', unit: 'text', meaning: 'length of the candles', whenNull: never },
    candles_hash: {
      sql: 'c.candles_hash',
      unit: 'text',
      meaning: 'content hash of the local candles',
      whenNull: never,
    },
    terms_source: {
      sql: 'c.terms_source',
      unit: 'text',
      meaning:
        'whence the backtest has its conventions and costs: given, bot (as the service says of it), calibration, trial, results or assumed',
      whenNull: never,
    },
    conventions_json: {
      sql: 'c.conventions_json',
      unit: 'json',
      meaning: 'the conventions of the backtest',
      whenNull: never,
    },
    fee_percent: { sql: 'c.fee_percent', unit: 'percent', meaning: 'the fee of the backtest', whenNull: never },
    slippage_percent: {
      sql: 'c.slippage_percent',
      unit: 'percent',
      meaning: 'the slippage of the backtest',
      whenNull: never,
    },
    ...counts('deals', 'deals'),
    ...counts('orders', 'filled orders'),
    orders_different: {
      sql: 'c.orders_different',
      unit: 'count',
      meaning: 'orders of the bot with another price, quantity or state than in the backtest',
      whenNull: 'where the service does not report orders',
    },
    profit_bot: { sql: 'c.profit_bot', unit: 'quote', meaning: 'net profit of the bot', whenNull: unstated },
    profit_backtest: {
      sql: 'c.profit_backtest',
      unit: 'quote',
      meaning: 'net profit of the backtest',
      whenNull: never,
    },
    gap: { sql: 'c.gap', unit: 'quote', meaning: 'the bot’s profit less the backtest’s', whenNull: unstated },
    ...Object.fromEntries(
      Object.entries(CAUSES).map(([cause, meaning]) => [
        `gap_${cause}`,
        { sql: `c.gap_${cause}`, unit: 'quote' as const, meaning: `part of the gap: ${meaning}`, whenNull: unstated },
      ]),
    ),
    drift: {
      sql: 'c.drift',
      unit: 'text',
      meaning: 'none, small, large (beyond 0.2 % of the investment, or under 95 % of deals matched) or unknown',
      whenNull: never,
    },
    causes_json: { sql: 'c.causes_json', unit: 'json', meaning: 'what it is put down to', whenNull: never },
    sentence: { sql: 'c.sentence', unit: 'text', meaning: 'the verdict in words', whenNull: never },
    alternatives_json: {
      sql: 'c.alternatives_json',
      unit: 'json',
      meaning: 'conventions and costs that explain the bot better',
      whenNull: never,
    },
    unknown_json: {
      sql: 'c.unknown_json',
      unit: 'json',
      meaning: 'what the service did not report: [{ what, reason }]',
      whenNull: never,
    },
    series_json: {
      sql: 'c.series_json',
      unit: 'json',
      meaning: 'deals and daily equity of bot and backtest',
      whenNull: 'in all but the latest comparison, and where the service does not report executions',
    },
  },
  from: `from (
    select p.identity, p.bot_id, p.fingerprint, p.id as promotion, c.id as comparison
      from promotion p left join drift_check c on c.identity = p.identity and c.bot_id = p.bot_id
    union all select c.identity, c.bot_id, c.fingerprint, null, c.id from drift_check c
      where not exists (select 1 from promotion p where p.identity = c.identity and p.bot_id = c.bot_id)
  ) b
  join service s on s.identity = b.identity
  left join promotion p on p.id = b.promotion
  left join drift_check c on c.id = b.comparison`,
}
