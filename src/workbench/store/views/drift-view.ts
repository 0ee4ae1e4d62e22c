/** View of demo bots held against their backtests. */
import { type Columns, sinceLayout, type View } from './column.ts'
import { shared } from './shared-columns.ts'

const DRIFT_SINCE = 12

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
        whenNull: 'where the service does not tell executions',
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

const untold = 'where the service does not tell enough'

export const demoDriftView: View = {
  rows: 'One row per look at a bot beside its backtest; the latest of a bot holds.',
  columns: sinceLayout(DRIFT_SINCE, {
    ...shared('c', 'identity'),
    ...shared('s', 'simulated'),
    bot_id: { sql: 'c.bot_id', unit: 'text', meaning: 'the bot’s id at the service', whenNull: null },
    bot_name: { sql: 'c.bot_name', unit: 'text', meaning: 'its name', whenNull: 'where the service does not tell it' },
    fingerprint: {
      sql: 'c.fingerprint',
      unit: 'text',
      meaning: 'the trial that was promoted, 64 hex digits',
      whenNull: 'for a bot that was made otherwise',
    },
    trial: {
      sql: 'substr(c.fingerprint, 1, 12)',
      unit: 'text',
      meaning: 'first 12 digits of it',
      whenNull: 'for a bot that was made otherwise',
    },
    ...shared('c', 'market'),
    checked_at: { sql: 'c.checked_at', unit: 'time', meaning: 'when it was looked at', whenNull: null },
    is_latest: {
      sql: `not exists (select 1 from drift_check l where l.identity = c.identity and l.bot_id = c.bot_id
        and (l.checked_at, l.id) > (c.checked_at, c.id))`,
      unit: 'yes/no',
      meaning: 'the latest look at this bot',
      whenNull: null,
    },
    span_from: {
      sql: 'c.span_from',
      unit: 'time',
      meaning: 'a candle of bot and backtest belongs when span_from <= open time < span_to',
      whenNull: null,
    },
    span_to: { sql: 'c.span_to', unit: 'time', meaning: 'the end of the span, itself outside', whenNull: null },
    candle_interval: { sql: 'c.candle_interval', unit: 'text', meaning: 'length of the candles', whenNull: null },
    candles_hash: { sql: 'c.candles_hash', unit: 'text', meaning: 'content hash of the local candles', whenNull: null },
    terms_source: {
      sql: 'c.terms_source',
      unit: 'text',
      meaning:
        'whence the backtest has its conventions and costs: given, bot (as the service says of it), calibration, trial, results or assumed',
      whenNull: null,
    },
    conventions_json: {
      sql: 'c.conventions_json',
      unit: 'json',
      meaning: 'the conventions of the backtest',
      whenNull: null,
    },
    fee_percent: { sql: 'c.fee_percent', unit: 'percent', meaning: 'the fee of the backtest', whenNull: null },
    slippage_percent: {
      sql: 'c.slippage_percent',
      unit: 'percent',
      meaning: 'the slippage of the backtest',
      whenNull: null,
    },
    ...counts('deals', 'deals'),
    ...counts('orders', 'filled orders'),
    orders_different: {
      sql: 'c.orders_different',
      unit: 'count',
      meaning: 'orders of the bot with another price, quantity or state than in the backtest',
      whenNull: 'where the service does not tell orders',
    },
    profit_bot: { sql: 'c.profit_bot', unit: 'quote', meaning: 'net profit of the bot', whenNull: untold },
    profit_backtest: { sql: 'c.profit_backtest', unit: 'quote', meaning: 'net profit of the backtest', whenNull: null },
    gap: { sql: 'c.gap', unit: 'quote', meaning: 'the bot’s profit less the backtest’s', whenNull: untold },
    ...Object.fromEntries(
      Object.entries(CAUSES).map(([cause, meaning]) => [
        `gap_${cause}`,
        { sql: `c.gap_${cause}`, unit: 'quote' as const, meaning: `part of the gap: ${meaning}`, whenNull: untold },
      ]),
    ),
    drift: {
      sql: 'c.drift',
      unit: 'text',
      meaning: 'none, small, large (beyond 0.2 % of the investment, or under 95 % of deals matched) or unknown',
      whenNull: null,
    },
    causes_json: { sql: 'c.causes_json', unit: 'json', meaning: 'what it is put down to', whenNull: null },
    sentence: { sql: 'c.sentence', unit: 'text', meaning: 'the verdict in words', whenNull: null },
    alternatives_json: {
      sql: 'c.alternatives_json',
      unit: 'json',
      meaning: 'conventions and costs that explain the bot better',
      whenNull: null,
    },
    unknown_json: {
      sql: 'c.unknown_json',
      unit: 'json',
      meaning: 'what the service did not tell: [{ what, reason }]',
      whenNull: null,
    },
    series_json: {
      sql: 'c.series_json',
      unit: 'json',
      meaning: 'deals and daily equity of bot and backtest',
      whenNull: 'in all but the latest look, and where the service does not tell executions',
    },
  }),
  from: `from drift_check c
  join service s on s.identity = c.identity`,
}
