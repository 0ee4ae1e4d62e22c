/** A thread that runs one backtest after another. Built to its own file, because Node 20 starts workers from JavaScript. */
import { parentPort } from 'node:worker_threads'
import { backtest } from '../engine/backtest.ts'
import type { AnswerMessage, TaskMessage } from './messages.ts'

const port = parentPort
if (port === null) throw new Error('engine-worker runs inside a worker thread only')

port.on('message', (task: TaskMessage) => port.postMessage(answer(task)))

function answer(task: TaskMessage): AnswerMessage {
  try {
    return { kind: 'result', result: backtest(task.input) }
  } catch (error) {
    return { kind: 'error', error: error instanceof Error ? error : new Error(String(error)) }
  }
}
