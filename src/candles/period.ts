/**
 * A candle is in the period when from ≤ open time < to (ms UTC). Without `from` the period begins with the first candle, without `to` it
 * ends with the last.
 */
export interface CandlePeriod {
  readonly from?: number
  readonly to?: number
}

/** A sentence why the first or the last candle of the period is not in the ascending `openTime`, or undefined when both are. */
export function findMissingEdge(openTime: Float64Array, intervalMs: number, period: CandlePeriod): string | undefined {
  const first = openTime.at(0)
  const last = openTime.at(-1)
  if (first === undefined || last === undefined) return 'no candle lies in it'
  const { from, to } = period
  const dueFirst = from === undefined ? first : Math.ceil(from / intervalMs) * intervalMs
  const dueLast = to === undefined ? last : (Math.ceil(to / intervalMs) - 1) * intervalMs
  if (first > dueFirst) return `candles are missing at its start, the first one opens at ${isoTime(first)}`
  if (last < dueLast) return `candles are missing at its end, the last one opens at ${isoTime(last)}`
  return undefined
}

export function describePeriod({ from, to }: CandlePeriod): string {
  return `${from === undefined ? 'the first candle' : isoTime(from)} to ${to === undefined ? 'the last candle' : isoTime(to)}`
}

export function isoTime(time: number): string {
  return new Date(time).toISOString()
}
