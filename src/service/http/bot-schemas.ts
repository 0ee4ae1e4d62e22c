/** Schemas of a bot as it is returned, its fills and its orders. */
import { z } from 'zod'
import {
  BOT_STATES,
  type BotBody,
  type ExecutionBody,
  type LiveCandlesBody,
  ORDER_ROLES,
  ORDER_STATES,
  type OrderBody,
  STOP_REASONS,
} from '../../contract/bot-bodies.ts'
import { count, flag, maybe, number, text, time } from './field-schemas.ts'
import { configShape } from './request-schemas.ts'

export const bot = z.strictObject({
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

export const execution = z.strictObject({
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

export const order = z.strictObject({
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

export const liveCandles = z.strictObject({
  market: text,
  interval: text,
  from: time,
  to: time,
  count,
  synthetic: flag,
  ended: flag,
}) satisfies z.ZodType<LiveCandlesBody>
