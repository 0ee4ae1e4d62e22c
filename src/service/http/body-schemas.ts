/**
 * The bodies of the contract as schemas, for the OpenAPI document and for tests that hold answers against it. Each one is checked
 * by the compiler against the type of the same name. Loaded only when somebody asks for the document.
 */
import * as z from 'zod'
import {
  type CandlesBody,
  type CostsBody,
  type DealBody,
  type ErrorBody,
  JOB_STATES,
  type JobBody,
  type JobListBody,
  type JobRequestBody,
  type JobResultBody,
  type JobSettingsBody,
  type LimitsBody,
  type OpenDealBody,
  type SymbolBody,
  type SymbolListBody,
  type SymbolRulesBody,
  type ValidationBody,
} from '../../contract/bodies.ts'
import { type BOT_FIELDS, EXIT_NAMES, type FieldRow, forEachField, STRATEGY_TYPE } from '../../contract/bot.ts'
import {
  BOT_STATES,
  type BotBody,
  type BotListBody,
  type ExecutionBody,
  type ExecutionListBody,
  type LiveCandlesBody,
  ORDER_ROLES,
  ORDER_STATES,
  type OrderBody,
  type OrderListBody,
  type PnlBody,
  STOP_REASONS,
} from '../../contract/bot-bodies.ts'
import { SCOPES } from '../../contract/endpoints.ts'
import { INTERVAL_NAMES } from '../../contract/market.ts'
import {
  everyMetric,
  METRICS,
  type MetricName,
  type MetricScalar,
  type Metrics,
  SAMPLE_CLASSES,
  type SampleSize,
} from '../../contract/metrics.ts'
import { CONVENTION_VALUES, forEachChoice, SAFETY_ORDER_SIZE } from '../../engine/conventions.ts'
import { COST_BELOW } from '../../engine/read-settings.ts'
import { LONGEST_TEXT } from '../payload.ts'

// The kinds of field that the schemas of bodies are made of.

const text = z.string()
const number = z.number()
const count = z.int().min(0)
const flag = z.boolean()
const time = z.iso.datetime()
const date = z.iso.date()
const maybe = <T extends z.ZodType>(schema: T) => schema.nullable()

const shortText = text.min(1).max(LONGEST_TEXT)
const anyObject = z.record(text, z.unknown())

// Schemas of what a job or a bot is computed with, as bodies state it and as a job may ask for it.

const above0 = maybe(number.gt(0))
const costPercent = number.min(0).lt(COST_BELOW)

const conventions = z.strictObject({
  ...forEachChoice((name) => z.enum(CONVENTION_VALUES[name])),
  safetyOrderSize: maybe(number.gt(SAFETY_ORDER_SIZE.above)),
})

const costs = z.strictObject({
  feePercent: costPercent,
  slippagePercent: costPercent,
}) satisfies z.ZodType<CostsBody>

const symbolRules = z.strictObject({
  tick: above0,
  lot: above0,
  minNotional: maybe(number.min(0)),
}) satisfies z.ZodType<SymbolRulesBody>

const note =
  'An extension of this service, ignored where it is served undisclosed; an absent part is the service’s own.'

/** In a body: what is asked. In a job: what is in force. */
const settings = z
  .strictObject({
    conventions: conventions.exactOptional(),
    costs: costs.exactOptional(),
    symbol: symbolRules.exactOptional(),
  })
  .describe(note) satisfies z.ZodType<JobSettingsBody>

// Schemas of the bodies that a caller sends.

/** One entry per field of a config. */
const configShape = forEachField((_, row) => configField(row))

function configField({ bounds: { above, min, max, integer } }: FieldRow): z.ZodNumber {
  let schema = number.max(max)
  if (above !== undefined) schema = schema.gt(above)
  if (min !== undefined) schema = schema.min(min)
  return integer ? schema.int() : schema
}

const marketShape = { exchange: shortText, baseAsset: shortText, quoteAsset: shortText }
const strategyType = z.literal(STRATEGY_TYPE)

const requestConfigShape = forEachField((field, { fallback }) =>
  fallback === undefined ? configShape[field] : configShape[field].default(fallback),
)

/** POST /api/bots, and what an update and a validation take. */
const botPayload = z.strictObject({
  userEmail: shortText,
  name: shortText,
  strategyType,
  ...marketShape,
  ...requestConfigShape,
  isDemo: flag,
} satisfies Record<keyof typeof BOT_FIELDS, z.ZodType>)

/** POST /api/backtest/jobs. */
const jobRequest = z.strictObject({
  name: shortText.exactOptional(),
  strategyType,
  ...marketShape,
  from: text.describe('ISO 8601 date or instant, inclusive'),
  to: text.describe('ISO 8601 date or instant, exclusive'),
  interval: z.enum(INTERVAL_NAMES).exactOptional(),
  settings: settings.exactOptional(),
  ...requestConfigShape,
})

// Schemas of a bot as it is returned, its fills and its orders.

const bot = z.strictObject({
  id: text,
  userEmail: text,
  name: text,
  strategyType: text,
  exchange: text,
  baseAsset: text,
  quoteAsset: text,
  ...configShape,
  isDemo: flag,
  state: z.enum(BOT_STATES),
  createdAt: time,
  updatedAt: time,
  startedAt: maybe(time),
  stoppedAt: maybe(time),
  stopReason: maybe(z.enum(STOP_REASONS)),
  tradedUntil: maybe(time),
  problem: maybe(text),
}) satisfies z.ZodType<BotBody>

const side = z.enum(['buy', 'sell'])
const role = z.enum(ORDER_ROLES)

const execution = z.strictObject({
  id: text,
  orderId: text,
  deal: count,
  side,
  role,
  safetyOrder: maybe(count),
  price: number,
  quantity: number,
  quote: number,
  fee: number,
  profit: maybe(number),
  executedAt: time,
}) satisfies z.ZodType<ExecutionBody>

const order = z.strictObject({
  id: text,
  deal: count,
  side,
  type: z.enum(['market', 'limit', 'stop']),
  role,
  safetyOrder: maybe(count),
  state: z.enum(ORDER_STATES),
  price: number,
  quantity: number,
  placedAt: time,
  updatedAt: time,
}) satisfies z.ZodType<OrderBody>

const liveCandles = z.strictObject({
  market: text,
  interval: text,
  from: time,
  to: time,
  count,
  synthetic: flag,
  ended: flag,
}) satisfies z.ZodType<LiveCandlesBody>

const error = z.strictObject({
  error: z.strictObject({
    code: text,
    message: text,
    details: z.array(z.strictObject({ field: text, message: text })).exactOptional(),
  }),
}) satisfies z.ZodType<ErrorBody>

const limits = z.strictObject({
  limit: count,
  windowHours: number,
  windowType: z.enum(['sliding', 'fixed']),
  used: count,
  remaining: count,
  nextAt: maybe(time),
  scopes: z.array(z.enum(SCOPES)).exactOptional(),
}) satisfies z.ZodType<LimitsBody>

/** As the metric's row says it; optional ones are absent from results of a version that did not state them. */
function metricSchema(name: MetricName): z.ZodType<boolean> | z.ZodType<number> | z.ZodType<number | null> {
  const { unit, whole, nullWhen, optional } = METRICS[name]
  if (unit === 'yes/no') return flag
  const schema = whole ? count : number
  const stated = nullWhen === null ? schema : maybe(schema)
  return optional ? stated.exactOptional() : stated
}

/** Absent from results of a version that did not state it. */
const sampleSize: z.ZodType<SampleSize> = z.enum(SAMPLE_CLASSES.map(({ words }) => words)).exactOptional()

type MetricSchemas = { readonly [Name in MetricName]: z.ZodType<MetricScalar<Name>> }
const scalars = everyMetric<MetricSchemas>(metricSchema)

const metrics = z.strictObject({
  ...scalars,
  dealDuration: z.strictObject(scalars.dealDuration),
  safetyOrdersFilled: z.strictObject({ ...scalars.safetyOrdersFilled, histogram: z.array(count) }),
  usedCapital: z.strictObject(scalars.usedCapital),
  monthlyReturns: z.array(z.strictObject({ month: text, returnPercent: number })),
  dailyEquity: z.array(z.strictObject({ date, equity: number })),
  sampleSize,
}) satisfies z.ZodType<Metrics>

/** Optional, because results of a version that did not state it are answered as they were stored. */
const lowestValue = maybe(number)
  .default(null)
  .describe('Its lowest value less its cost so far, at candle lows; 0 where it never was below.')

const deal = z.strictObject({
  openedAt: time,
  closedAt: time,
  exit: z.enum(EXIT_NAMES),
  safetyOrders: count,
  quantity: number,
  cost: number,
  proceeds: number,
  profit: number,
  price: number,
  lowestValue,
}) satisfies z.ZodType<DealBody>

const openDeal = z.strictObject({
  openedAt: time,
  safetyOrders: count,
  quantity: number,
  cost: number,
  value: number,
  profit: number,
  lowestValue,
}) satisfies z.ZodType<OpenDealBody>

const candles = z.strictObject({
  market: text,
  interval: text,
  from: time,
  to: time,
  count,
  missing: count,
  hash: text,
  synthetic: flag,
}) satisfies z.ZodType<CandlesBody>

const jobResult = z.strictObject({
  metrics,
  deals: z.array(deal),
  openDeal: maybe(openDeal),
  candles,
  conventions: anyObject.exactOptional(),
  costs: costs.exactOptional(),
  symbol: symbolRules.exactOptional(),
  engineVersion: text.exactOptional(),
}) satisfies z.ZodType<JobResultBody>

const job = z.strictObject({
  id: text,
  name: maybe(text),
  state: z.enum(JOB_STATES),
  createdAt: time,
  startedAt: maybe(time),
  finishedAt: maybe(time),
  request: jobRequest satisfies z.ZodType<JobRequestBody>,
  result: maybe(jobResult),
  error: maybe(z.strictObject({ code: text, message: text })),
}) satisfies z.ZodType<JobBody>

const next = maybe(text).describe('The query string of the following page, or null.')

const symbol = z.strictObject({
  exchange: text,
  type: z.literal('spot'),
  symbol: text,
  baseAsset: text,
  quoteAsset: text,
  tickSize: maybe(number),
  lotSize: maybe(number),
  minNotional: maybe(number),
  candles: z.array(z.strictObject({ interval: text, from: time, to: time })),
}) satisfies z.ZodType<SymbolBody>

const pnl = z.strictObject({
  botId: text,
  marketTime: time,
  candles: maybe(liveCandles),
  investment: number,
  cash: number,
  equity: number,
  realizedProfit: number,
  unrealizedProfit: number,
  netProfit: number,
  roiPercent: number,
  maxDrawdownPercent: number,
  feesPaid: number,
  volume: number,
  orders: count,
  closedDeals: count,
  winRatePercent: maybe(number),
  stopLosses: count,
  ambiguousCandles: count,
  unaffordableOrders: count,
  unplacedOrders: count,
  openDeal: maybe(openDeal),
  dailyEquity: z.array(z.strictObject({ date, equity: number })),
  conventions: maybe(conventions).exactOptional(),
  costs: maybe(costs).exactOptional(),
  engineVersion: text.exactOptional(),
}) satisfies z.ZodType<PnlBody>

/** By their names in the OpenAPI document. */
export const BODY_SCHEMAS = {
  Error: error,
  BotPayload: botPayload,
  Bot: bot,
  BotList: z.strictObject({ bots: z.array(bot), next }) satisfies z.ZodType<BotListBody>,
  Execution: execution,
  ExecutionList: z.strictObject({ executions: z.array(execution), next }) satisfies z.ZodType<ExecutionListBody>,
  Order: order,
  OrderList: z.strictObject({ orders: z.array(order), next }) satisfies z.ZodType<OrderListBody>,
  Pnl: pnl,
  OpenDeal: openDeal,
  SymbolList: z.strictObject({ symbols: z.array(symbol) }) satisfies z.ZodType<SymbolListBody>,
  Validation: z.strictObject({
    valid: flag,
    errors: z.array(z.strictObject({ field: text, message: text })),
  }) satisfies z.ZodType<ValidationBody>,
  Limits: limits,
  JobRequest: jobRequest,
  Metrics: metrics,
  JobResult: jobResult,
  Job: job,
  JobList: z.strictObject({ jobs: z.array(job), next }) satisfies z.ZodType<JobListBody>,
}
