import { createEventLog, type EventLog } from './event-log.ts'
import type { Flight } from './flight.ts'
import { createWalk } from './kernel.ts'
import { clearMemo, createMemo, type Memo } from './memo.ts'
import { createObserver } from './observer.ts'
import type { PreparedCandles } from './prepared.ts'
import { TOP_STRETCH } from './pyramid.ts'
import type { Watch } from './watch.ts'

/**
 * Candles of one block. All configs of a batch walk a block before the next one begins, so that its candles stay in the second-level cache;
 * a multiple of the widest stretch, so that no search looks at candles twice.
 */
const BLOCK = 2 * TOP_STRETCH

/** What blocks are walked with; one for all batches of a sweep. */
export interface Workbench {
  readonly memo: Memo
  readonly log: EventLog
}

export function createWorkbench(want: 'profit' | 'full'): Workbench {
  return {
    memo: createMemo(want === 'profit' ? BLOCK : 0),
    log: createEventLog(want === 'full' ? BLOCK : 0),
  }
}

/** Configs that fly together. With watches, everything that metrics need is observed; without, only counters and profit. */
export interface Batch {
  readonly flight: Flight
  readonly configs: number
  readonly watches: readonly Watch[] | null
  /** Candles walked so far. */
  done: number
}

/** Walks a batch on to the last candle. Candles may have been appended since the last time; those before must be the same. */
export function advanceBatch(batch: Batch, prepared: PreparedCandles, { memo, log }: Workbench): void {
  const { flight, configs, watches } = batch
  const walk = createWalk(flight, prepared, memo)
  const observer = createObserver(prepared, { feeRate: flight.feeRate, intrabar: flight.conventions.intrabar, log })
  while (batch.done < prepared.count) {
    const from = batch.done
    const to = Math.min(prepared.count, (Math.floor(from / BLOCK) + 1) * BLOCK)
    if (watches === null) {
      clearMemo(memo)
      for (let slot = 0; slot < configs; slot++) walk(slot, from, to, null)
    } else {
      for (let slot = 0; slot < configs; slot++) observer.read(watches[slot], walk(slot, from, to, log), from, to)
    }
    batch.done = to
  }
}
