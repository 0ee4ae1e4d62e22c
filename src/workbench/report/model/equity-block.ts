/** Daily equity of the trials as bytes of a report: whole multiples of a unit, each day as the step from the day before. */
import { createByteReader, createByteWriter } from './byte-stream.ts'

/** The unit is the investment divided by this: 0.005 % of it, finer than any chart shows. */
export const UNITS_PER_INVESTMENT = 20_000

/** Day ends from `firstDay` on (days since 1970-01-01), without a gap; empty where a result keeps none. */
export interface EquitySeries {
  readonly firstDay: number
  readonly values: readonly number[]
}

export function packEquity(series: readonly EquitySeries[], investments: ArrayLike<number>): Uint8Array {
  const writer = createByteWriter()
  series.forEach(({ firstDay, values }, trial) => {
    const unit = investments[trial] / UNITS_PER_INVESTMENT
    writer.integer(values.length)
    if (values.length > 0) writer.integer(firstDay)
    let before = UNITS_PER_INVESTMENT
    for (const value of values) {
      const now = Math.round(value / unit)
      writer.integer(now - before)
      before = now
    }
  })
  return writer.finish()
}

export function unpackEquity(bytes: Uint8Array, investments: ArrayLike<number>): readonly EquitySeries[] {
  const reader = createByteReader(bytes)
  return Array.from(investments, (investment) => {
    const unit = investment / UNITS_PER_INVESTMENT
    const length = reader.integer()
    const firstDay = length > 0 ? reader.integer() : 0
    let units = UNITS_PER_INVESTMENT
    const values = Array.from({ length }, () => {
      units += reader.integer()
      return units * unit
    })
    return { firstDay, values }
  })
}
