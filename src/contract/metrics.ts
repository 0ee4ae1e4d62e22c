/**
 * What a backtest measures. Every metric is one row of `METRICS`: title, which way is better, column, definition; its unit is the word
 * before them (`shareOf` says what a percentage is of), and `nullable` says when a result has no such number. A dotted name lies in a group (`dealDuration.average`). The type of a
 * result, the bodies and their schema, the reader, the store's columns and what a study may ask for follow from the rows.
 */

// What a metric's row says, and words to write one in the units there are.

export type Unit = 'quote' | 'percent' | 'minutes' | 'count' | 'ratio' | 'yes/no'

export interface MetricRow {
  /** Title for tables and axes. */
  readonly title: string
  readonly unit: Unit
  /** Counts things one by one: never a fraction, never negative. */
  readonly whole: boolean
  /** Which way is better, or null where neither is. */
  readonly better: 'higher' | 'lower' | null
  /** Column name in the store's tables and views. */
  readonly column: string
  /** The layout of the workbench's store that brought the column. */
  readonly since: number
  /** A service need not state it: where it is absent, it is null without being called unreadable. */
  readonly optional: boolean
  /** When a result has no such number, in words that follow "null when"; null = every result has it. */
  readonly nullWhen: string | null
  readonly definition: string
  /** What a percentage is of, where its title does not say so: several of one profit stand side by side. */
  readonly of: string | null
}

const quote = rowsIn('quote')
const percent = rowsIn('percent')
const minutes = rowsIn('minutes')
const count = rowsIn('count', true)
/** A mean of counts. */
const meanCount = rowsIn('count')
const ratio = rowsIn('ratio')
const yesNo = rowsIn('yes/no')

function rowsIn<const U extends Unit>(unit: U, whole = false) {
  return <const Column extends string>(
    title: string,
    better: MetricRow['better'],
    column: Column,
    definition: string,
  ) => ({ title, unit, whole, better, column, since: 1, optional: false, nullWhen: null, definition, of: null })
}

/** The same metric, whose column came with a later layout. */
function since<Row extends MetricRow>(layout: number, row: Row) {
  return { ...row, since: layout }
}

/** The same metric, which services that are not ours are not expected to state. */
function optional<Row extends MetricRow>(row: Row) {
  return { ...row, optional: true }
}

/** The same percentage, with what it is of: "investment". */
function shareOf<Row extends MetricRow>(of: string, row: Row) {
  const { of: _, ...rest } = row
  return { ...rest, of }
}

/** The same metric, undefined for some results. */
function nullable<Row extends MetricRow>(row: Row, nullWhen: string) {
  const { nullWhen: _, ...rest } = row
  return { ...rest, nullWhen }
}

// The rows of `METRICS` that follow from the list of deals alone.

const DEAL_METRICS = {
  closedDeals: count('Closed deals', 'higher', 'closed_deals', 'deals closed by take profit or stop loss'),
  winRatePercent: nullable(
    percent('Win rate', 'higher', 'win_rate_percent', 'closed deals with profit > 0'),
    'no deal closed',
  ),
  stopLosses: count('Stop losses', 'lower', 'stop_losses', 'deals closed by the stop'),
  openDeal: yesNo('Open deal', null, 'open_deal', 'a deal is still open at the end of the data'),
  'dealDuration.average': nullable(
    minutes('Average deal', 'lower', 'deal_duration_average_minutes', 'mean duration of closed deals'),
    'no deal closed',
  ),
  'dealDuration.median': nullable(
    minutes('Median deal', 'lower', 'deal_duration_median_minutes', 'median duration of closed deals'),
    'no deal closed',
  ),
  'dealDuration.p95': nullable(
    minutes('95 % deal', 'lower', 'deal_duration_p95_minutes', '95th percentile, nearest rank'),
    'no deal closed',
  ),
  'dealDuration.max': nullable(
    minutes('Longest deal', 'lower', 'deal_duration_max_minutes', 'longest deal, the open one included'),
    'no deal opened',
  ),
  'safetyOrdersFilled.average': nullable(
    meanCount('Average safety orders', null, 'safety_orders_average', 'safety orders filled per deal'),
    'no deal opened',
  ),
  'safetyOrdersFilled.max': nullable(
    count('Most safety orders', null, 'safety_orders_max', 'most safety orders filled in one deal'),
    'no deal opened',
  ),
} as const

/** Percentage points by which costs are higher in a stress test. */
export const STRESS = { feePercent: 0.1, slippagePercent: 0.05 } as const

/** Percent of candles: a bot that is in a deal on fewer has stopped trading. */
export const LEAST_IN_DEAL_PERCENT = 95

/** Stated by our own service since that layout, and by hardly any other. */
const ofLayout10 = <Row extends MetricRow>(row: Row) => optional(since(10, row))

export const METRICS = {
  realizedProfit: quote('Realized profit', 'higher', 'realized_profit', 'profit of closed deals after all fees'),
  unrealizedProfit: quote(
    'Unrealized profit',
    'higher',
    'unrealized_profit',
    'open deal at liquidation value less its cost with fees',
  ),
  netProfit: quote('Net profit', 'higher', 'net_profit', 'realized + unrealized; rankings use this'),
  netProfitPerUsedPercent: ofLayout10(
    nullable(
      shareOf(
        'average used',
        percent(
          'Profit per capital used',
          'higher',
          'net_profit_per_used_percent',
          'net profit / average used capital',
        ),
      ),
      'no capital was used',
    ),
  ),
  roiPercent: shareOf('investment', percent('ROI', 'higher', 'roi_percent', 'net profit / investment')),
  roiOnMaxUsedPercent: nullable(
    shareOf(
      'max used',
      percent('ROI on used capital', 'higher', 'roi_on_max_used_percent', 'net profit / largest capital used'),
    ),
    'no capital was used',
  ),
  maxDrawdownPercent: percent(
    'Max drawdown',
    'lower',
    'max_drawdown_percent',
    'largest fall of equity from its running peak, over closes',
  ),
  maxDrawdownLowPercent: percent(
    'Max drawdown at lows',
    'lower',
    'max_drawdown_low_percent',
    'the same with each candle marked at its low',
  ),
  maxFloatingLoss: quote(
    'Max floating loss',
    'higher',
    'max_floating_loss',
    'worst open loss of a deal at a candle low (0 or negative)',
  ),
  ...DEAL_METRICS,
  timeInDealPercent: percent('Time in deal', null, 'time_in_deal_percent', 'share of candles that held a position'),
  timeFullyInvestedPercent: percent(
    'Time fully invested',
    'lower',
    'time_fully_invested_percent',
    'share of candles with every placed safety order filled',
  ),
  'usedCapital.max': quote('Max used capital', 'lower', 'used_capital_max', 'largest cost with fees at a close'),
  'usedCapital.average': quote(
    'Average used capital',
    null,
    'used_capital_average',
    'mean cost with fees over all candles',
  ),
  profitFactor: nullable(ratio('Profit factor', 'higher', 'profit_factor', 'wins / losses'), 'no deal lost'),
  sharpe: nullable(
    ratio('Sharpe', 'higher', 'sharpe', 'daily returns, √365'),
    'there are fewer than 30 daily returns, or all are equal',
  ),
  sortino: nullable(
    ratio('Sortino', 'higher', 'sortino', 'daily returns over downside deviation, √365'),
    'there are fewer than 30 daily returns, or none is a loss',
  ),
  cagrPercent: nullable(
    percent('CAGR', 'higher', 'cagr_percent', 'yearly growth'),
    'the data last less than 30 days, or everything is lost',
  ),
  calmar: nullable(ratio('Calmar', 'higher', 'calmar', 'CAGR / maximum drawdown'), 'there is no CAGR or no drawdown'),
  feesPaid: quote('Fees paid', 'lower', 'fees_paid', 'fees of every fill'),
  orders: count('Fills', null, 'orders', 'orders filled'),
  volume: quote('Volume', null, 'volume', 'Σ price · quantity, both sides'),
  buyAndHoldPercent: shareOf(
    'investment',
    percent('Buy & hold', null, 'buy_and_hold_percent', 'investment held from first open to last close'),
  ),
  exposedHoldPercent: ofLayout10(
    shareOf(
      'investment',
      percent(
        'Buy & hold, same average amount',
        null,
        'exposed_hold_percent',
        'buy & hold × average used capital / investment',
      ),
    ),
  ),
  buyAndHoldMaxDrawdownPercent: percent(
    'Buy & hold drawdown',
    null,
    'buy_and_hold_max_drawdown_percent',
    'largest fall of buy & hold',
  ),
  netProfitPessimistic: ofLayout10(
    quote(
      'Net profit, pessimistic',
      'higher',
      'net_profit_pessimistic',
      'net profit of the run that takes the worse of two paths through each candle, whatever the result’s own convention',
    ),
  ),
  netProfitOptimistic: ofLayout10(
    quote(
      'Net profit, optimistic',
      'higher',
      'net_profit_optimistic',
      'the same with the better of both paths; neither is a bound',
    ),
  ),
  stressedPerUsed: optional(
    since(
      20,
      nullable(
        shareOf(
          'average used',
          percent(
            'Stressed profit per capital used',
            'higher',
            'stressed_per_used_percent',
            `net profit / average used capital of the run with worst-case fills, a fee ${STRESS.feePercent} and a slippage ${STRESS.slippagePercent} percentage points higher`,
          ),
        ),
        'no capital was used',
      ),
    ),
  ),
  ambiguousCandles: count(
    'Unknown fill order',
    'lower',
    'ambiguous_candles',
    'candles whose two paths differ in fills, exit or exit price',
  ),
  missingInDeals: since(
    4,
    count(
      'Missing in deals',
      'lower',
      'missing_in_deals',
      'candles that the data lack between the first and the last candle of a deal, summed over deals, the open one included',
    ),
  ),
  unaffordableOrders: count(
    'Unaffordable orders',
    'lower',
    'unaffordable_orders',
    'safety orders not placed because they crossed the cap, summed over deals',
  ),
  unplacedOrders: since(
    7,
    count(
      'Unplaced orders',
      'lower',
      'unplaced_orders',
      'safety orders not placed because they, or one above them, are smaller than a lot or the minimum notional, summed over deals',
    ),
  ),
  outOfCash: yesNo('Out of cash', null, 'out_of_cash', 'not even the base order fitted; the bot stopped'),
} as const satisfies Record<string, MetricRow>

export type MetricName = keyof typeof METRICS

export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[] // keys of a const literal

export function isMetricName(name: string): name is MetricName {
  return Object.hasOwn(METRICS, name)
}

export type Scalar<Name extends MetricName> = (typeof METRICS)[Name]['unit'] extends 'yes/no' ? boolean : number

/** What a metric is in a result: a number, or true and false; null too where its row says when. */
export type MetricScalar<Name extends MetricName> =
  | Scalar<Name>
  | ((typeof METRICS)[Name]['nullWhen'] extends null ? never : null)

/** Something for every metric, with dotted names as groups: what stands under `usedCapital.max` stands at `usedCapital: { max }`. */
export type Nested<Values extends Readonly<Record<MetricName, unknown>>> = {
  readonly [Name in MetricName as Name extends `${string}.${string}` ? never : Name]: Values[Name]
} & {
  readonly [Group in MetricName as Group extends `${infer Outer}.${string}` ? Outer : never]: {
    readonly [Name in Group as Name extends `${string}.${infer Inner}` ? Inner : never]: Values[Name]
  }
}

interface Series {
  /** `histogram[k]` = deals with exactly k safety orders filled, open deal included. */
  readonly safetyOrdersFilled: { readonly histogram: readonly number[] }
  readonly monthlyReturns: readonly { readonly month: string; readonly returnPercent: number }[]
  readonly dailyEquity: readonly { readonly date: string; readonly equity: number }[]
}

/** A result as an engine computes it. A number that is undefined is null — never 0, −100 or Infinity. */
export type Metrics = Nested<{ readonly [Name in MetricName]: MetricScalar<Name> }> &
  Series & { readonly sampleSize: SampleSize }

/** A result as it was read from a reply or from the store: what could not be read is null too, and a series empty. */
export type MetricsAsRead = Nested<{ readonly [Name in MetricName]: Scalar<Name> | null }> &
  Series & { readonly sampleSize: SampleSize | null }

/** "1234567.5" → "1,234,567.5". By hand: the first format of `Intl` takes a process 25 ms. */
export function withCommas(digits: string): string {
  return digits.replace(/(?<!\.\d*)\B(?=(\d{3})+(?!\d))/g, ',')
}

/** A metric's definition with its unknowns: "wins / losses; null when no deal lost". */
export function definitionOf(name: MetricName): string {
  const { definition, nullWhen } = METRICS[name]
  return nullWhen === null ? definition : `${definition}; null when ${nullWhen}`
}

// Numbers that mislead alone, and what they are shown with.

/**
 * The metric with those that it must not be shown without. They come first, so that what gives way from the right is the metric and not they.
 * A bot that never sells at a loss wins every deal it closes: its losses lie in the deal that is still open, and in how long deals last.
 */
export function withCompanions(name: MetricName): readonly MetricName[] {
  return name === 'winRatePercent' ? ['unrealizedProfit', 'dealDuration.max', name] : [name]
}

/** What every ranking shows beside its objective. */
export const COMPANIONS: readonly MetricName[] = ['netProfit', 'maxDrawdownPercent', 'closedDeals', 'unrealizedProfit']

// How many deals a result rests on, in the usual classes of sample sizes (Gainium's): those that opened and closed in the same candle do not
// count, because their result depends on the assumed path. It says how much chance there is and nothing of quality: on prices without any
// edge, most bots of the largest class lose money.

interface SampleClass {
  /** Fewest deals. */
  readonly from: number
  readonly words: string
}

/** Smallest first. */
export const SAMPLE_CLASSES = [
  { from: 0, words: 'under 107' },
  { from: 107, words: '107 to 132' },
  { from: 133, words: '133 to 163' },
  { from: 164, words: '164 to 207' },
  { from: 208, words: '208 to 272' },
  { from: 273, words: '273 to 384' },
  { from: 385, words: '385+' },
] as const satisfies readonly SampleClass[]

export type SampleSize = (typeof SAMPLE_CLASSES)[number]['words']

/** Below it chance decides much of a result. */
const FEWEST_DEALS = 164

/** @param deals closed deals that were not opened and closed in the same candle */
export function sampleSizeOf(deals: number): SampleSize {
  return (SAMPLE_CLASSES.findLast(({ from }) => deals >= from) ?? SAMPLE_CLASSES[0]).words
}

/** The class that outside data name by its words; null where they name none. */
export function readSampleSize(words: unknown): SampleSize | null {
  return SAMPLE_CLASSES.find((found) => found.words === words)?.words ?? null
}

/** Whether chance decides much of a result; so it is taken to be where the size is not stated. */
export function isSmallSample(sampleSize: SampleSize | null): boolean {
  const found = SAMPLE_CLASSES.find(({ words }) => words === sampleSize)
  return found === undefined || found.from < FEWEST_DEALS
}

// The metrics of a result as values by their names, a dotted name in its group: read from it, and put together to one.

interface MetricPath {
  readonly outer: string
  /** Of a dotted name. */
  readonly inner: string | null
}

const PATHS = Object.fromEntries(
  METRIC_NAMES.map((name): [string, MetricPath] => {
    const [outer, inner = null] = name.split('.')
    return [name, { outer, inner }]
  }),
) as Readonly<Record<MetricName, MetricPath>> // every name of the list has one

/** What every result is filled into: an object that is made key by key takes an engine several times as long to read. */
const EMPTY = withNulls(METRIC_NAMES.map((name) => PATHS[name].outer))

const EMPTY_GROUPS = [...Map.groupBy(Object.values(PATHS), ({ outer }) => outer)].flatMap(([outer, paths]) => {
  const names = paths.flatMap(({ inner }) => inner ?? [])
  return names.length === 0 ? [] : [[outer, withNulls(names)] as const]
})

function withNulls(keys: readonly string[]): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(Object.fromEntries(keys.map((key) => [key, null]))))
}

/** Asks for every metric, and nests the answers. */
export function everyMetric<Values extends Readonly<Record<MetricName, unknown>>>(
  read: (name: MetricName) => Values[MetricName],
): Nested<Values> {
  const nested: Record<string, unknown> = { ...EMPTY }
  for (const [group, empty] of EMPTY_GROUPS) nested[group] = { ...empty }
  for (const name of METRIC_NAMES) {
    const { outer, inner } = PATHS[name]
    if (inner === null) nested[outer] = read(name)
    else (nested[outer] as Record<string, unknown>)[inner] = read(name) // its group was filled above
  }
  return nested as Nested<Values> // every name of the list is at its place
}

/** The scalars of a result from their numbers, as `metricValue` gives them: 1 and 0 become yes and no. */
export function metricsFromValues(
  read: (name: MetricName) => number | null,
): Nested<{ readonly [Name in MetricName]: Scalar<Name> | null }> {
  return everyMetric((name) => {
    const value = read(name)
    return METRICS[name].unit === 'yes/no' && value !== null ? value === 1 : value
  })
}

/** The scalar of a result by its name; yes/no becomes 1/0. Null for a number that is undefined, and for one that the result lacks. */
export function metricValue(metrics: Partial<MetricsAsRead>, name: MetricName): number | null {
  const value = findMetric(metrics, name)
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** Whatever stands where a metric belongs. Undefined when nothing does. */
export function findMetric(metrics: unknown, name: MetricName): unknown {
  const { outer, inner } = PATHS[name] // not taken apart each time: a report asks for half a million
  const found = ownValue(metrics, outer)
  return inner === null ? found : ownValue(found, inner)
}

function ownValue(owner: unknown, key: string): unknown {
  if (typeof owner !== 'object' || owner === null || !Object.hasOwn(owner, key)) return undefined
  return (owner as Readonly<Record<string, unknown>>)[key] // any object can be read by key
}
