/** What the market itself did: a winner of a rise is mostly a winner because it rose. */
import type { CheckAnswer } from '../../analysis/certainty/checks.ts'
import type { Evaluation } from './evaluation.ts'

export function checkDirection({ loaded: { candles } }: Evaluation): CheckAnswer<'direction'> {
  const { open, high, low, close } = candles
  if (open.length === 0) return { refused: 'there are no candles' }
  const first = open[0]
  const last = close[close.length - 1]
  const highest = high.reduce((most, price) => Math.max(most, price), -Infinity)
  const lowest = low.reduce((least, price) => Math.min(least, price), Infinity)
  return {
    value: {
      changePercent: 100 * (last / first - 1),
      rangePercent: 100 * (highest / lowest - 1),
      shareOfRange: highest === lowest ? 0 : (last - first) / (highest - lowest),
    },
  }
}
