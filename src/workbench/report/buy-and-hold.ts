/**
 * Buy & hold day by day, computed as the metric `buyAndHoldPercent`: all money is invested at the first open and valued at a
 * close, both less the fee.
 */
import type { Candles } from '../../engine/candles.ts'
import { createDailyEquity, datedEquity, observeDay } from '../../engine/daily-equity.ts'
import type { DayReturn } from './input.ts'

/** Return since the start in percent at each UTC day end; a day without candles repeats the one before. Empty without candles. */
export function holdByDay({ openTime, open, close }: Candles, feePercent: number): DayReturn[] {
  if (close.length === 0) return []
  const fee = feePercent / 100
  const kept = (1 - fee) / (1 + fee)
  const daily = createDailyEquity()
  for (let i = 0; i < close.length; i++) observeDay(daily, openTime[i], (close[i] / open[0]) * kept)
  return datedEquity(daily).map(({ date, equity }) => ({ date, returnPercent: 100 * (equity - 1) }))
}
