/** The bodies of `contract/bodies.ts` and `contract/bot-bodies.ts` as tables of fields: a dialect translates into these. */
import { CONFIG_FIELDS, type ConfigField } from '../../../contract/bot.ts'
import type { Shape } from './shape.ts'

const CONFIG = Object.fromEntries(CONFIG_FIELDS.map((field) => [field, 'number'])) as Record<ConfigField, 'number'> // one entry per field

const MARKET = { exchange: 'text', baseAsset: 'text', quoteAsset: 'text' } as const

/** */
export const JOB_SHAPE = {
  id: 'id',
  name: 'text',
  state: 'text',
  createdAt: 'time',
  startedAt: 'time',
  finishedAt: 'time',
  request: 'object',
  result: 'object',
  error: 'any',
} as const satisfies Shape

/** */
export const JOB_REQUEST_SHAPE = {
  ...MARKET,
  from: 'time',
  to: 'time',
  ...CONFIG,
} as const satisfies Shape

/** A-13; the metrics inside are reported by `readMetrics`. */
export const JOB_RESULT_SHAPE = {
  metrics: 'object',
  deals: 'list',
  openDeal: 'object',
  candles: 'object',
  conventions: 'object',
  costs: 'object',
  symbol: 'object',
  engineVersion: 'text',
} as const satisfies Shape

/** */
export const LIMITS_SHAPE = {
  limit: 'number',
  windowHours: 'number',
  windowType: 'text',
  used: 'number',
  remaining: 'number',
  nextAt: 'time',
  scopes: 'list',
} as const satisfies Shape

/** */
export const SYMBOL_SHAPE = {
  exchange: 'text',
  type: 'text',
  symbol: 'text',
  baseAsset: 'text',
  quoteAsset: 'text',
  tickSize: 'number',
  lotSize: 'number',
  minNotional: 'number',
  candles: 'list',
} as const satisfies Shape

/** */
export const BOT_SHAPE = {
  id: 'id',
  userEmail: 'text',
  name: 'text',
  strategyType: 'text',
  ...MARKET,
  ...CONFIG,
  isDemo: 'yesNo',
  state: 'text',
  createdAt: 'time',
  updatedAt: 'time',
  startedAt: 'time',
  stoppedAt: 'time',
  stopReason: 'text',
  tradedUntil: 'time',
  problem: 'text',
} as const satisfies Shape

/** */
export const EXECUTION_SHAPE = {
  id: 'id',
  orderId: 'id',
  deal: 'number',
  side: 'text',
  role: 'text',
  safetyOrder: 'number',
  price: 'number',
  quantity: 'number',
  quote: 'number',
  fee: 'number',
  profit: 'number',
  executedAt: 'time',
} as const satisfies Shape

/** */
export const ORDER_SHAPE = {
  id: 'id',
  deal: 'number',
  side: 'text',
  type: 'text',
  role: 'text',
  safetyOrder: 'number',
  state: 'text',
  price: 'number',
  quantity: 'number',
  placedAt: 'time',
  updatedAt: 'time',
} as const satisfies Shape

/** */
export const PNL_SHAPE = {
  marketTime: 'time',
  candles: 'object',
  investment: 'number',
  cash: 'number',
  equity: 'number',
  realizedProfit: 'number',
  unrealizedProfit: 'number',
  netProfit: 'number',
  roiPercent: 'number',
  maxDrawdownPercent: 'number',
  feesPaid: 'number',
  volume: 'number',
  orders: 'number',
  closedDeals: 'number',
  winRatePercent: 'number',
  stopLosses: 'number',
  ambiguousCandles: 'number',
  unaffordableOrders: 'number',
  unplacedOrders: 'number',
  openDeal: 'object',
  dailyEquity: 'list',
  conventions: 'object',
  costs: 'object',
  engineVersion: 'text',
} as const satisfies Shape
