/** A thread that runs one backtest after another. Built to a file of its own, because Node starts a worker from a JavaScript file. */
import { parentPort } from 'node:worker_threads'
import { backtest } from '../engine/backtest.ts'
import type { Candles } from '../engine/candles.ts'
import type { AnswerMessage, TaskMessage } from './messages.ts'

const port = parentPort
if (port === null) throw new Error('engine-worker runs inside a worker thread only')

port.on('message', (task: TaskMessage) => port.postMessage(answer(task)))

let last: { readonly number: number; readonly candles: Candles } | undefined

function answer(task: TaskMessage): AnswerMessage {
  try {
    const { candlesNumber: number, input } = task
    // The engine prepares candles once and keeps the result for that object. The jobs of a study use the same candles, but each
    // message brings a new object for them, so the object of the job before is passed again.
    last = last?.number === number ? last : { number, candles: input.candles }
    return { kind: 'result', result: backtest({ ...input, candles: last.candles }) }
  } catch (error) {
    return { kind: 'error', error: error instanceof Error ? error : new Error(String(error)) }
  }
}
