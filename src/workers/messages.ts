/** What the pool and its workers say to each other. A worker has one task at a time, so an answer needs no number. */
import type { BacktestInput, BacktestResult } from '../engine/deal.ts'

export interface TaskMessage {
  readonly kind: 'backtest'
  readonly input: BacktestInput
  /** The same number means the same candles as before: what crosses over is another object every time. */
  readonly candlesNumber: number
}

export type AnswerMessage =
  | { readonly kind: 'result'; readonly result: BacktestResult }
  /** The engine refused or failed; the worker lives on. */
  | { readonly kind: 'error'; readonly error: Error }
