/**
 * What a backtest measures. Names, units and definitions: `METRICS` below.
 * A number that is undefined is null — never 0, −100 or Infinity.
 */
export interface Metrics {
  readonly realizedProfit: number
  readonly unrealizedProfit: number
  readonly netProfit: number
  readonly roiPercent: number
  readonly roiOnMaxUsedPercent: number | null
  readonly maxDrawdownPercent: number
  readonly maxDrawdownLowPercent: number
  readonly maxFloatingLoss: number
  readonly closedDeals: number
  readonly winRatePercent: number | null
  readonly stopLosses: number
  readonly openDeal: boolean
  /** Minutes. */
  readonly dealDuration: {
    readonly average: number | null
    readonly median: number | null
    readonly p95: number | null
    readonly max: number | null
  }
  readonly safetyOrdersFilled: {
    readonly average: number | null
    readonly max: number | null
    /** `histogram[k]` = deals with exactly k safety orders filled, open deal included. */
    readonly histogram: readonly number[]
  }
  readonly timeInDealPercent: number
  readonly timeFullyInvestedPercent: number
  readonly usedCapital: { readonly max: number; readonly average: number }
  readonly profitFactor: number | null
  readonly sharpe: number | null
  readonly sortino: number | null
  readonly cagrPercent: number | null
  readonly calmar: number | null
  readonly feesPaid: number
  readonly orders: number
  readonly volume: number
  readonly buyAndHoldPercent: number
  readonly buyAndHoldMaxDrawdownPercent: number
  readonly ambiguousCandles: number
  readonly missingInDeals: number
  readonly unaffordableOrders: number
  readonly outOfCash: boolean
  readonly monthlyReturns: readonly { readonly month: string; readonly returnPercent: number }[]
  readonly dailyEquity: readonly { readonly date: string; readonly equity: number }[]
  readonly confidence: Confidence
}

export const CONFIDENCE_GRADES = ['F', 'E', 'D', 'C', 'B', 'A', 'A+'] as const
export type Confidence = (typeof CONFIDENCE_GRADES)[number]

export interface MetricDefinition {
  /** Title for tables and axes. */
  readonly title: string
  readonly unit: 'quote' | 'percent' | 'minutes' | 'count' | 'ratio' | 'yes/no'
  /** Which way is better, or null where neither is. */
  readonly better: 'higher' | 'lower' | null
  /** Column name in the store's views. */
  readonly column: string
  readonly definition: string
}

/** Every scalar metric by its dotted path in `Metrics`. Objectives, store columns, reports and tables read this one list. */
export const METRICS = {
  realizedProfit: row('Realized profit', 'quote', 'higher', 'realized_profit', 'profit of closed deals after all fees'),
  unrealizedProfit: row(
    'Unrealized profit',
    'quote',
    'higher',
    'unrealized_profit',
    'open deal at liquidation value less its cost with fees',
  ),
  netProfit: row('Net profit', 'quote', 'higher', 'net_profit', 'realized + unrealized; rankings use this'),
  roiPercent: row('ROI', 'percent', 'higher', 'roi_percent', 'net profit / investment'),
  roiOnMaxUsedPercent: row(
    'ROI on used capital',
    'percent',
    'higher',
    'roi_on_max_used_percent',
    'net profit / largest capital used',
  ),
  maxDrawdownPercent: row(
    'Max drawdown',
    'percent',
    'lower',
    'max_drawdown_percent',
    'largest fall of equity from its running peak, over closes',
  ),
  maxDrawdownLowPercent: row(
    'Max drawdown at lows',
    'percent',
    'lower',
    'max_drawdown_low_percent',
    'the same with each candle marked at its low',
  ),
  maxFloatingLoss: row(
    'Max floating loss',
    'quote',
    'higher',
    'max_floating_loss',
    'worst open loss of a deal at a candle low (0 or negative)',
  ),
  closedDeals: row('Closed deals', 'count', 'higher', 'closed_deals', 'deals closed by take profit or stop loss'),
  winRatePercent: row(
    'Win rate',
    'percent',
    'higher',
    'win_rate_percent',
    'closed deals with profit > 0; null without deals',
  ),
  stopLosses: row('Stop losses', 'count', 'lower', 'stop_losses', 'deals closed by the stop'),
  openDeal: row('Open deal', 'yes/no', null, 'open_deal', 'a deal is still open at the end of the data'),
  'dealDuration.average': row(
    'Average deal',
    'minutes',
    'lower',
    'deal_duration_average_minutes',
    'mean duration of closed deals',
  ),
  'dealDuration.median': row(
    'Median deal',
    'minutes',
    'lower',
    'deal_duration_median_minutes',
    'median duration of closed deals',
  ),
  'dealDuration.p95': row(
    '95 % deal',
    'minutes',
    'lower',
    'deal_duration_p95_minutes',
    '95th percentile, nearest rank',
  ),
  'dealDuration.max': row(
    'Longest deal',
    'minutes',
    'lower',
    'deal_duration_max_minutes',
    'longest deal, the open one included',
  ),
  'safetyOrdersFilled.average': row(
    'Average safety orders',
    'count',
    null,
    'safety_orders_average',
    'safety orders filled per deal',
  ),
  'safetyOrdersFilled.max': row(
    'Most safety orders',
    'count',
    null,
    'safety_orders_max',
    'most safety orders filled in one deal',
  ),
  timeInDealPercent: row(
    'Time in deal',
    'percent',
    null,
    'time_in_deal_percent',
    'share of candles that held a position',
  ),
  timeFullyInvestedPercent: row(
    'Time fully invested',
    'percent',
    'lower',
    'time_fully_invested_percent',
    'share of candles with every placed rung filled',
  ),
  'usedCapital.max': row('Max used capital', 'quote', 'lower', 'used_capital_max', 'largest cost with fees at a close'),
  'usedCapital.average': row(
    'Average used capital',
    'quote',
    null,
    'used_capital_average',
    'mean cost with fees over all candles',
  ),
  profitFactor: row('Profit factor', 'ratio', 'higher', 'profit_factor', 'wins / losses; null without losses'),
  sharpe: row('Sharpe', 'ratio', 'higher', 'sharpe', 'daily returns, √365; null under 30 daily returns'),
  sortino: row('Sortino', 'ratio', 'higher', 'sortino', 'daily returns over downside deviation, √365'),
  cagrPercent: row('CAGR', 'percent', 'higher', 'cagr_percent', 'yearly growth; null under 30 days'),
  calmar: row('Calmar', 'ratio', 'higher', 'calmar', 'CAGR / maximum drawdown'),
  feesPaid: row('Fees paid', 'quote', 'lower', 'fees_paid', 'fees of every fill'),
  orders: row('Fills', 'count', null, 'orders', 'orders filled'),
  volume: row('Volume', 'quote', null, 'volume', 'Σ price · quantity, both sides'),
  buyAndHoldPercent: row(
    'Buy & hold',
    'percent',
    null,
    'buy_and_hold_percent',
    'investment held from first open to last close',
  ),
  buyAndHoldMaxDrawdownPercent: row(
    'Buy & hold drawdown',
    'percent',
    null,
    'buy_and_hold_max_drawdown_percent',
    'largest fall of buy & hold',
  ),
  ambiguousCandles: row(
    'Ambiguous candles',
    'count',
    'lower',
    'ambiguous_candles',
    'candles whose two paths differ in fills, exit or exit price',
  ),
  missingInDeals: row(
    'Missing in deals',
    'count',
    'lower',
    'missing_in_deals',
    'candles that the data lack between the first and the last candle of a deal, summed over deals, the open one included',
  ),
  unaffordableOrders: row(
    'Unaffordable orders',
    'count',
    'lower',
    'unaffordable_orders',
    'rungs not placed because they crossed the cap, summed over deals',
  ),
  outOfCash: row('Out of cash', 'yes/no', null, 'out_of_cash', 'not even the base order fitted; the bot stopped'),
} as const satisfies Record<string, MetricDefinition>

export type MetricName = keyof typeof METRICS

export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[] // keys of a const literal

export function isMetricName(name: string): name is MetricName {
  return Object.hasOwn(METRICS, name)
}

/** The scalar at a dotted path; yes/no becomes 1/0, undefined numbers stay null. */
export function metricValue(metrics: Metrics, name: MetricName): number | null {
  let value: unknown = metrics
  for (const key of name.split('.')) {
    if (typeof value !== 'object' || value === null) return null
    value = (value as Readonly<Record<string, unknown>>)[key] // any object can be read by key
  }
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

function row<Column extends string>(
  title: string,
  unit: MetricDefinition['unit'],
  better: MetricDefinition['better'],
  column: Column,
  definition: string,
): MetricDefinition & { readonly column: Column } {
  return { title, unit, better, column, definition }
}
