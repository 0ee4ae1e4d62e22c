/** What the pool and its workers say to each other. A worker has one task at a time, so an answer needs no number. */
import type { BacktestInput, BacktestResult } from '../engine/backtest.ts'

export interface TaskMessage {
  readonly kind: 'backtest'
  readonly input: BacktestInput
}

export type AnswerMessage =
  | { readonly kind: 'result'; readonly result: BacktestResult }
  /** The engine refused or failed; the worker lives on. */
  | { readonly kind: 'error'; readonly error: Error }
