/** One config from many starts: what it would have earned had the bot been started on another candle. */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { advanceBatch } from './batch.ts'
import { createColumns, dayOf, readBatch, type SweepColumns, type WantedColumns } from './columns.ts'
import { planDurations } from './durations.ts'
import { boardConfig, createFlight, type Flight, type Market } from './flight.ts'
import { DAY, FIRST, FLOATS, INTS, LAST, NO_END, ROW, RUNG, STARTS_BLOCK, TABLE, WATCH } from './layout.ts'
import type { PreparedCandles } from './prepared.ts'
import { MOST_CONFIGS } from './workbench.ts'

/** Candles as indices: a start, or from the first up to, and without, the last. */
export type Start = number | { readonly first: number; readonly last: number }

/**
 * Runs the config from each of these candles on: to the last candle, or over a stretch. The columns have one value per start, in their order,
 * each that of a backtest of these candles alone (the moments of daily returns are those of the days from the first candle's on). Starts that
 * lie near each other make the same deals before long, and share them (assembly/memo.ts), so starts in time order are fastest.
 * @throws RangeError where a start has no candle
 */
export function runStarts(
  prepared: PreparedCandles,
  market: Market,
  config: DcaSpotConfig,
  starts: ArrayLike<Start>,
  want: WantedColumns,
): SweepColumns {
  const columns = createColumns(starts.length, want)
  const durations = want.durations === true ? planDurations(prepared) : null
  const maxSafetyOrders = config.dcaMaxSafetyOrders
  const rows = maxSafetyOrders + 1
  const most = Math.min(MOST_CONFIGS, starts.length)
  const size = { configs: most, rows: rows * most, maxSafetyOrders, durations }
  const flight = createFlight(market, { ...size, observes: 'all', isOneConfig: true })
  for (let done = 0; done < starts.length; done += most) {
    const configs = Math.min(most, starts.length - done)
    const whole = { from: prepared.count, end: 0 }
    boardConfig(flight, { slot: 0, table: 0, family: 1 }, config, market)
    flight.durations.fill(0)
    for (let slot = 0; slot < configs; slot++) {
      if (slot > 0) copySlot(flight, slot, rows)
      const start = starts[done + slot]
      const { first, last } = typeof start === 'number' ? { first: start, last: NO_END } : start
      const end = Math.min(last, prepared.count)
      if (!(first >= 0 && first < end)) throw new RangeError(`no candle from ${first} to ${end}`)
      flight.ints[slot * INTS + FIRST] = first
      flight.ints[slot * INTS + LAST] = end
      flight.watches[slot * WATCH + DAY] = dayOf(prepared, first)
      whole.from = Math.min(whole.from, first)
      whole.end = Math.max(whole.end, end)
    }
    const batch = { flight, configs, done: Math.floor(whole.from / STARTS_BLOCK) * STARTS_BLOCK }
    advanceBatch(batch, prepared, whole.end)
    readBatch(columns, done, batch, prepared)
  }
  return columns
}

/** Boards the config of slot 0 once more, with rows of its own. */
function copySlot({ ints, floats, watches, rungs }: Flight, slot: number, rows: number): void {
  ints.copyWithin(slot * INTS, 0, INTS)
  floats.copyWithin(slot * FLOATS, 0, FLOATS)
  watches.copyWithin(slot * WATCH, 0, WATCH)
  ints[slot * INTS + TABLE] = slot * rows * ROW
  rungs.copyWithin(slot * rows * RUNG, 0, rows * RUNG)
}
