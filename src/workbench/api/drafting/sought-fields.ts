/** What the fields we look for are called elsewhere, and how their values are turned into ours. A name is compared without case and punctuation. */
import type { MetricName } from '../../../contract/metrics.ts'
import { type Form, money, percent, type Read } from '../reading/dialect-library.ts'
import { isUsableId, numberOf, timeOf } from '../reading/single-values.ts'

export interface Sought {
  /** Ours, as the tables of `shapes.ts` and `METRICS` write it. */
  readonly field: string
  readonly names: RegExp
  readonly kind: SoughtKind
}

type SoughtKind = keyof typeof FITS

/** A number, or a text that some way of writing makes one: "1,234" is one by each of two. */
const isReadBy =
  (read: (value: unknown, form: Form) => Read, more: Form = {}) =>
  (value: unknown): boolean =>
    (['.', ','] as const).some((decimal) => typeof read(value, { ...more, decimal }) === 'number')

/** "12.5", 12.5 and "12.5 usdt" are amounts: a draft names a currency that the helper does not know. */
const isAmount = (value: unknown): boolean =>
  isReadBy(money)(value) || (typeof value === 'string' && isReadBy(money)(value.toUpperCase()))

const isPercent = isReadBy(percent)

const FITS = {
  id: (value: unknown) =>
    (typeof value === 'string' && isUsableId(value)) || (typeof value === 'number' && Number.isSafeInteger(value)),
  text: (value: unknown) => typeof value === 'string',
  /** An empty one may be null. */
  words: (value: unknown) => typeof value === 'string' || value === null,
  time: (value: unknown) => (['dmy', 'mdy'] as const).some((dates) => timeOf(value, { dates, zone: 'UTC' }) !== null),
  number: isReadBy(money, { unit: '' }),
  amount: isAmount,
  percent: isPercent,
  /** A share of something that is not negative with us. */
  depth: isPercent,
  seconds: (value: unknown) => (numberOf(value) ?? 0) >= 3600,
  pair: (value: unknown) => typeof value === 'string' && /^[A-Z0-9]+[/_:-][A-Z0-9]+$/i.test(value),
} as const

export function fits({ kind }: Sought, value: unknown): boolean {
  return FITS[kind](value)
}

const sought = (field: string, kind: SoughtKind, names: RegExp): Sought => ({ field, kind, names })

const ID = sought('id', 'id', /^(id|uid|uuid|guid|(job|bot|task|run|test|backtest)(id|no|key|ref)|ref|reference|key)$/)
const STATE = sought('state', 'text', /^(state|status|phase|stage|progress(state)?)$/)
const MARKET = [
  sought('exchange', 'text', /^(exchange|venue|platform|source)(id|name)?$/),
  sought('baseAsset', 'text', /^base(asset|currency|coin)?$/),
  sought('quoteAsset', 'text', /^(quote|counter)(asset|currency|coin)?$/),
]
export const PAIR = sought('pair', 'pair', /^(pair|symbol|market|instrument|ticker|name)$/)

export const LIMITS_SOUGHT = [
  sought('limit', 'number', /^(limit|max(imum)?|total|quota|allow(ed|ance)|cap(acity)?|perday|daily)/),
  sought('used', 'number', /^(used|spent|consumed|taken|count)/),
  sought('remaining', 'number', /^(remain(ing|s|der)?|left|available|free)/),
  sought('windowHours', 'number', /hours?$/),
  sought('windowHours', 'seconds', /^(window|period|per)(s|sec|secs|seconds)?$/),
  sought('nextAt', 'time', /^(next|reset|renew|reopen)/),
] as const

export const JOB_SOUGHT = [
  ID,
  sought('name', 'text', /^(name|label|tag|title|clientid|clientref(erence)?|externalid|note|alias)$/),
  STATE,
  sought('createdAt', 'time', /^(create|submit|queue|order|accept|ctime|insert|added)/),
  sought('startedAt', 'time', /^(start(ed)?|begun|began|run(ning)?)(at|time|on|since)?$/),
  sought('finishedAt', 'time', /^(finish|end(ed|at|time)|complete|done|closed)/),
  sought('error', 'words', /^(error|reason|fail|complaint|fault|problem|message|cause|trouble)/),
] as const

export const REQUEST_SOUGHT = [
  ...MARKET,
  sought('from', 'time', /^(from|start|since|begin)/),
  sought('to', 'time', /^(to|end|until|till|stop)/),
  sought('interval', 'text', /^(interval|resolution|timeframe|granularity|bar|candle)/),
] as const

/** Names as other services give them; our own name of a metric counts before these. */
const METRIC_NAMES_ELSEWHERE: Readonly<Partial<Record<MetricName, readonly [SoughtKind, RegExp]>>> = {
  netProfit: [
    'amount',
    /^(net|total|abs(olute)?)?(profit|pnl|gain|pl|earnings)(abs|amount|quote|usd[tc]?|total|net)?$/,
  ],
  roiPercent: ['percent', /^(roi|return|(total|net|profit|gain|pnl)(return|percent|pct|rate|ratio|share|perc)|yield)/],
  maxDrawdownPercent: ['depth', /^(max(imum)?|worst|deepest)?(drawdown|dd|dip|fall)/],
  closedDeals: ['number', /^(closed|total|num(ber)?(of)?|n)?(deals|trades|roundtrips|positions)(count|closed|total)?$/],
  winRatePercent: ['percent', /^(win|hit|success)(rate|ratio|percent|pct|share|s?)?$/],
  profitFactor: ['number', /^profitfactor|^pf$/],
  sharpe: ['number', /^sharpe/],
  sortino: ['number', /^sortino/],
  calmar: ['number', /^calmar/],
  feesPaid: ['amount', /^(total|paid)?(fees?|commissions?)(paid|total)?$/],
  volume: ['amount', /^(total|traded)?(volume|turnover)/],
  orders: ['number', /^(orders|fills|executions)(count|filled|total)?$/],
}

export const METRICS_SOUGHT: readonly Sought[] = Object.entries(METRIC_NAMES_ELSEWHERE).map(([field, [kind, names]]) =>
  sought(field, kind, names),
)

export const SYMBOL_SOUGHT = [
  ...MARKET.slice(1),
  sought('symbol', 'text', /^(symbol|name|ticker|id|pair|instrument)$/),
  sought('tickSize', 'number', /tick|price(step|increment|precision)|^step$/),
  sought('lotSize', 'number', /lot|(qty|quantity|amount|size|base)(step|increment)|stepsize/),
  sought('minNotional', 'number', /min(imum)?(notional|cost|order|value|amount)/),
] as const

export const BOT_SOUGHT = [
  ID,
  sought('name', 'text', /^(name|label|title|alias)$/),
  sought('userEmail', 'text', /(email|owner|user|account)/),
  STATE,
  ...MARKET,
] as const

/** What words for states usually mean, read from their beginning. */
export const STATE_WORDS = {
  pending: /^(wait|queue|pend|run|calc|process|start|new|creat|accept|submit|open|in_?progress|active)/i,
  done: /^(done|finish|complet|succe|ready|ok$)/i,
  failed: /^(fail|err|abort|cancel|broke|reject|crash|timeout)/i,
} as const
