import type { Levels } from './levels.ts'

/** Who follows a run of the reference engine, for pictures of it. Candles are named by their place in the columns. */
export interface RunWatch {
  /** A deal has opened: its base order has filled. `levels` are used again for the next deal, so keep a copy. */
  readonly opened: (deal: OpenedDeal) => void
  /** A safety order has filled at its own price; from 1, in order. */
  readonly filled: (rung: number, candle: number) => void
  /** Equity at the candle's close, and the cost with fees then, or before the sale; quote. Called once for every candle, after its fills. */
  readonly passed: (candle: number, equity: number, usedCapital: number) => void
}

interface OpenedDeal {
  /** Open time of its first candle, ms UTC. */
  readonly openedAt: number
  readonly levels: Levels
  /** Of the safety orders in `levels`, the first so many fit the budget. */
  readonly placed: number
}
