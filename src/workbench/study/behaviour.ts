/**
 * The name of what a configuration did, apart from what it was: SHA-256 hex (`node:crypto`, pure) over its deals, its open deal and its daily
 * equity. Configurations that differ in something without effect on these candles have the same one: in a stop that was never touched,
 * in rungs that were never reached, in rungs that were too dear or too small to be placed. Times, prices and amounts count to the last bit,
 * so a result read from a reply has the name it had where it was computed: JSON keeps every bit of a double.
 *
 *     doubles, big-endian, 0 for −0:   deals · days · 1 with an open deal, else 0
 *     per deal                         openedAt · closedAt · 1 for a stop, else 0 · safetyOrders · quantity · cost · proceeds
 *     the open deal                    openedAt · safetyOrders · quantity · cost · value
 *     per day                          date · equity                                                    (times in ms UTC)
 */
import { createHash } from 'node:crypto'
import { EXIT_NAMES } from '../../contract/bot.ts'
import type { Deal, UnclosedDeal } from '../../contract/deal.ts'
import type { Metrics } from '../../contract/metrics.ts'

/**
 * Times as the engine has them, ms UTC, or as bodies write them, ISO 8601. The lowest value is not asked for: it follows from the rest and the
 * candles, and a service may not state it.
 */
export interface Behaviour {
  readonly deals: readonly Omit<Deal<number | string>, 'lowestValue'>[]
  readonly openDeal: Omit<UnclosedDeal<number | string>, 'lowestValue'> | null
  readonly dailyEquity: Metrics['dailyEquity']
}

export function behaviourHash({ deals, openDeal, dailyEquity }: Behaviour): string {
  const numbers = [deals.length, dailyEquity.length, openDeal === null ? 0 : 1]
  for (const { openedAt, closedAt, exit, safetyOrders, quantity, cost, proceeds } of deals) {
    numbers.push(msOf(openedAt), msOf(closedAt), EXIT_NAMES.indexOf(exit), safetyOrders, quantity, cost, proceeds)
  }
  if (openDeal !== null) {
    const { openedAt, safetyOrders, quantity, cost, value } = openDeal
    numbers.push(msOf(openedAt), safetyOrders, quantity, cost, value)
  }
  for (const { date, equity } of dailyEquity) numbers.push(Date.parse(date), equity)
  const bytes = new DataView(new ArrayBuffer(8 * numbers.length))
  numbers.forEach((value, at) => {
    bytes.setFloat64(8 * at, value === 0 ? 0 : value) // JSON writes −0 as 0
  })
  return createHash('sha256').update(bytes).digest('hex')
}

function msOf(time: number | string): number {
  return typeof time === 'number' ? time : Date.parse(time)
}
