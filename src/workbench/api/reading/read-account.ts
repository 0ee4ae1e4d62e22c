/** Reads limits, symbols, bots, validations (A-11, A-15 … A-17) and what a bot did (A-35 … A-37), tolerantly. */
import { everyMentionIsTrue } from '../demo-only.ts'
import { readConfig, readMarket, readOpenDeal, readSettingParts, usableIdOf } from './read-job.ts'
import type {
  BotReading,
  BotReadingState,
  ExecutionReading,
  LimitsReading,
  OrderReading,
  PnlReading,
  SymbolReading,
  ValidationReading,
} from './readings.ts'
import {
  BOT_SHAPE,
  booleanOf,
  EXECUTION_SHAPE,
  fieldsOf,
  firstOwn,
  idOf,
  LIMITS_SHAPE,
  numberOf,
  ORDER_SHAPE,
  own,
  PNL_SHAPE,
  readShape,
  SYMBOL_SHAPE,
  textOf,
  timeOf,
} from './shape.ts'
import { wordsIn } from './spoken-refusal.ts'

const hourMs = 3_600_000

/** null when the body is not an object; a number that it does not contain is null. */
export function readLimitsBody(body: unknown): LimitsReading | null {
  const read = readShape(body, LIMITS_SHAPE)
  if (read === null) return null
  const { windowHours, windowType, scopes, ...counts } = read
  return {
    ...counts,
    windowMs: windowHours === null ? null : windowHours * hourMs,
    windowType: (['sliding', 'fixed'] as const).find((type) => type === windowType) ?? null,
    ...(scopes === null ? {} : { scopes: scopes.flatMap((scope) => textOf(scope) ?? []) }),
  }
}

export function readSymbolBody(item: unknown): SymbolReading | null {
  const found = readShape(item, SYMBOL_SHAPE)
  if (found === null) return null
  const { exchange, type, baseAsset, quoteAsset, ...read } = found
  if (baseAsset === null || quoteAsset === null) return null
  const candles = (read.candles ?? []).map(readSpan).filter((span) => span !== null)
  return { ...read, symbol: read.symbol ?? `${baseAsset}${quoteAsset}`, baseAsset, quoteAsset, candles }
}

function readSpan(item: unknown): SymbolReading['candles'][number] | null {
  const fields = fieldsOf(item)
  const interval = textOf(own(fields, 'interval'))
  return interval === null ? null : { interval, from: timeOf(own(fields, 'from')), to: timeOf(own(fields, 'to')) }
}

/**
 * `rawText`: the text as received, of the whole reply or of the bot's item in a list. This text decides whether the bot is a
 * demo. Returns null without a usable id.
 */
export function readBotBody(
  body: unknown,
  rawText: string,
  stateOf: (word: string) => BotReadingState,
): BotReading | null {
  const fields = fieldsOf(body)
  const id = usableIdOf(fields)
  const read = readShape(fields, BOT_SHAPE)
  if (id === null || read === null) return null
  const { name, userEmail, strategyType, stopReason, problem } = read
  const { createdAt, updatedAt, startedAt, stoppedAt, tradedUntil } = read
  const stateText = textOf(firstOwn(fields, ['state', 'status'])) ?? ''
  return {
    ...{ id, name, userEmail, strategyType, stopReason, problem },
    ...{ createdAt, updatedAt, startedAt, stoppedAt, tradedUntil },
    market: readMarket(fields),
    config: readConfig(fields),
    isDemo: own(fields, 'isDemo') === true && everyMentionIsTrue(rawText),
    state: stateOf(stateText),
    stateText,
    rawText,
  }
}

/** null when the body does not say whether the payload is valid. */
export function readValidationBody(body: unknown): ValidationReading | null {
  const fields = fieldsOf(body)
  const valid = booleanOf(own(fields, 'valid'))
  if (valid === null) return null
  const errors = own(fields, 'errors')
  return { valid, errors: Array.isArray(errors) ? errors.map(readProblem) : [] }
}

function readProblem(item: unknown): { field: string; message: string } {
  const fields = fieldsOf(item)
  return {
    field: textOf(own(fields, 'field')) ?? '',
    message: textOf(own(fields, 'message')) ?? idOf(item) ?? (wordsIn(item).join('; ') || JSON.stringify(item)),
  }
}

// Reads executions, orders, profit and loss of a bot (A-35 … A-37), tolerantly: a field that cannot be read is null.

/** null without price and quantity: then it is not an execution. */
export function readExecution(item: unknown): ExecutionReading | null {
  const execution = readShape(item, EXECUTION_SHAPE)
  return execution === null || (execution.price === null && execution.quantity === null) ? null : execution
}

/** null without price and quantity: then it is not an order. */
export function readOrder(item: unknown): OrderReading | null {
  const order = readShape(item, ORDER_SHAPE)
  return order === null || (order.price === null && order.quantity === null) ? null : order
}

/** null when it contains none of the amounts of profit. */
export function readPnlBody(body: unknown, rawText: string): PnlReading | null {
  const read = readShape(body, PNL_SHAPE)
  if (read === null) return null
  const { candles, conventions, costs, engineVersion, openDeal, dailyEquity, ...numbers } = read
  const amounts = [numbers.netProfit, numbers.realizedProfit, numbers.unrealizedProfit, numbers.equity]
  if (amounts.every((amount) => amount === null)) return null
  const deal = readOpenDeal(openDeal)
  const days = (dailyEquity ?? []).map((row) => {
    const date = textOf(own(fieldsOf(row), 'date'))
    const equity = numberOf(own(fieldsOf(row), 'equity'))
    return date === null || equity === null ? null : { date, equity }
  })
  const stated = readSettingParts({ conventions, costs })
  return {
    ...numbers,
    openDeal: deal,
    hasOpenDeal: openDeal !== null ? true : own(fieldsOf(body), 'openDeal') === null ? false : null,
    dailyEquity: days.filter((day) => day !== null),
    seen: readSeen(candles),
    terms: { conventions: stated.conventions, costs: stated.costs },
    rawText,
  }
}

function readSeen(candles: ReturnType<typeof fieldsOf>): PnlReading['seen'] {
  const interval = textOf(own(candles, 'interval'))
  if (interval === null) return null
  const [from, to] = [timeOf(own(candles, 'from')), timeOf(own(candles, 'to'))]
  return { interval, from, to, count: numberOf(own(candles, 'count')) }
}
