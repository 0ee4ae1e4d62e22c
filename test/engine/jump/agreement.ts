/** Holds the jump engine against the reference: decisions identical, money and metrics within 1e-9 of max(1, turnover). */

import type { BacktestInput } from '../../../src/engine/deal.ts'
import { runJump } from '../../../src/engine/jump/jump.ts'
import type { PreparedCandles } from '../../../src/engine/jump/prepared.ts'
import { runReference } from '../../../src/engine/reference.ts'

/** What differs between the two engines on this input, as `path: reference, jump` lines; empty when they agree. */
export function findDisagreements(input: BacktestInput, prepared?: PreparedCandles): string[] {
  const expected = runReference(input)
  const found = runJump(input, prepared)
  return findDifferences(expected, found, expected.metrics.volume)
}

/** The same for any two records of results; `turnover` in quote says how much money the last bits may move. */
export function findDifferences(expected: unknown, found: unknown, turnover: number): string[] {
  const differences: string[] = []
  compare('', expected, found, { tolerance: 1e-9 * Math.max(1, turnover), differences })
  return differences
}

/** These are decided, not summed: not one bit may differ. */
const DECISIONS: readonly RegExp[] = [
  /\.(openedAt|closedAt|exit|safetyOrders|date|month)$/,
  /^\.metrics\.(closedDeals|stopLosses|openDeal|orders|ambiguousCandles|missingInDeals|unaffordableOrders|unplacedOrders|outOfCash|sampleSize)$/,
  /^\.(closedDeals|stopLosses|wins|safetyOrders|candlesInDeal|longestDealMinutes|ambiguousCandles|unaffordableOrders|unplacedOrders)$/,
  /^\.durations\.(median|p95)$/,
  /^\.(openDeal|outOfCash|risk\.candlesFullyInvested)$/,
  /^\.metrics\.(winRatePercent|timeInDealPercent|timeFullyInvestedPercent)$/,
  /^\.metrics\.(dealDuration|safetyOrdersFilled)\./,
]

interface Comparison {
  readonly tolerance: number
  readonly differences: string[]
}

function compare(path: string, expected: unknown, found: unknown, comparison: Comparison): void {
  if (typeof expected === 'object' && expected !== null && typeof found === 'object' && found !== null) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(found)])
    for (const key of keys) {
      const read = (value: object) => (value as Readonly<Record<string, unknown>>)[key] // any object can be read by key
      compare(`${path}.${key}`, read(expected), read(found), comparison)
    }
    return
  }
  if (Object.is(expected, found) || expected === found) return
  const isDecided = DECISIONS.some((pattern) => pattern.test(path))
  if (!isDecided && typeof expected === 'number' && typeof found === 'number') {
    // Ratios divide by what may be small; there the last bits count in proportion to the value itself.
    const allowed = Math.max(comparison.tolerance, 1e-9 * Math.abs(expected))
    if (Math.abs(expected - found) <= allowed) return
  }
  comparison.differences.push(`${path}: ${String(expected)}, ${String(found)}`)
}
