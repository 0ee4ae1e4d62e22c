import type { Flight } from './flight.ts'
import { BLOCK, STARTS_BLOCK } from './layout.ts'
import type { PreparedCandles } from './prepared.ts'
import { workbenchOf } from './workbench.ts'

/**
 * Configs that are simulated together, and share deals. In a watched flight everything that metrics need is observed; other flights only
 * count and sum.
 */
export interface Batch {
  readonly flight: Flight
  readonly configs: number
  /** Candles walked so far. */
  done: number
}

/**
 * Walks a batch on to the last candle, or to an earlier end. Candles may have been appended since the last time; those before must be the
 * same.
 */
export function advanceBatch(batch: Batch, prepared: PreparedCandles, end = prepared.count): void {
  const { flight, configs } = batch
  const bench = workbenchOf(prepared)
  bench.board(flight, { wantsSeries: false })
  const block = flight.isOneConfig ? STARTS_BLOCK : BLOCK
  while (batch.done < end) {
    const from = batch.done
    const to = Math.min(end, (Math.floor(from / block) + 1) * block)
    if (flight.isOneConfig) bench.kernel.watchStarts(configs, from, to)
    else if (flight.observes === 'used') bench.kernel.useBlock(configs, from, to)
    else if (flight.observes === 'returns') bench.kernel.returnBlock(configs, from, to)
    else if (flight.observes === 'all') bench.kernel.watchBlock(configs, from, to)
    else bench.kernel.walkBlock(configs, from, to)
    batch.done = to
  }
  bench.leave(flight)
}
