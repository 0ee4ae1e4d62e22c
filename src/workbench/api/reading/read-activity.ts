/** Reads executions, orders, profit and loss of a bot (A-35 … A-37), tolerantly: a field that cannot be read is null. */
import { readOpenDeal, readSettingParts } from './read-job.ts'
import type { ExecutionReading, OrderReading, PnlReading } from './readings.ts'
import { EXECUTION_SHAPE, ORDER_SHAPE, PNL_SHAPE, readShape } from './shape.ts'
import { fieldsOf, numberOf, own, textOf, timeOf } from './single-values.ts'

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
