/** Messages between the pool and its workers. A worker has one task at a time, so an answer needs no number. */
import type { BacktestInput, BacktestResult } from '../engine/deal.ts'

export interface TaskMessage {
  readonly kind: 'backtest'
  readonly input: BacktestInput
  /** The same number means the same candles as before. The worker receives a new object every time and cannot know it otherwise. */
  readonly candlesNumber: number
}

export type AnswerMessage =
  | { readonly kind: 'result'; readonly result: BacktestResult }
  /** The engine threw an error; the worker continues. */
  | { readonly kind: 'error'; readonly error: Error }
