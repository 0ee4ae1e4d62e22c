/**
 * A fixed number of engine threads behind one queue. Threads start when there is work; an idle thread does not keep the program
 * running. A thread has one task: whatever ends the thread (a crash, an abort) ends that task alone, and the next task that needs
 * a thread gets a new one.
 */
import type { Worker } from 'node:worker_threads'
import type { Candles } from '../engine/candles.ts'
import type { BacktestInput, BacktestResult } from '../engine/deal.ts'
import { Failure } from '../errors.ts'
import type { AnswerMessage, TaskMessage } from './messages.ts'
import { sharedColumns } from './share.ts'
import { startThread } from './thread.ts'

export interface EnginePool {
  readonly size: number
  /**
   * Runs `backtest(input)` in a thread. Rejects with what the engine threw, with the signal's reason when it aborts (a queued
   * task is dropped, a running one ends with its thread), with Failure `interrupted` after `close`, or with a plain Error when the
   * thread was lost.
   */
  backtest(input: BacktestInput, options?: { readonly signal?: AbortSignal }): Promise<BacktestResult>
  /** Ends every thread. Waiting and running tasks reject with Failure `interrupted`. */
  close(): Promise<void>
}

interface Task {
  readonly message: TaskMessage
  readonly resolve: (result: BacktestResult) => void
  readonly reject: (reason: unknown) => void
}

/**
 * @param options.workerFile the built `engine-worker.js`
 * @param options.size how many backtests run at once, at least 1
 */
export function createEnginePool(options: { readonly workerFile: URL | string; readonly size: number }): EnginePool {
  const size = Math.max(1, Math.floor(options.size))
  const waiting: Task[] = []
  const idle: Worker[] = []
  const busy = new Map<Worker, Task>()
  const ending = new Set<Promise<unknown>>()
  let closed = false
  const messageOf = createMessageWriter()

  function dispatch(): void {
    while (!closed && busy.size < size) {
      const task = waiting.shift()
      if (task === undefined) return
      const worker = idle.pop() ?? startThread(options.workerFile, { answered, lost })
      busy.set(worker, task)
      worker.ref()
      worker.postMessage(task.message)
    }
  }

  function answered(worker: Worker, answer: AnswerMessage): void {
    const task = busy.get(worker)
    if (task === undefined) return
    busy.delete(worker)
    idle.push(worker)
    worker.unref()
    if (answer.kind === 'result') task.resolve(answer.result)
    else task.reject(answer.error)
    dispatch()
  }

  function lost(worker: Worker, cause: Error): void {
    const place = idle.indexOf(worker)
    if (place !== -1) idle.splice(place, 1)
    const task = busy.get(worker)
    if (task === undefined) return
    task.reject(new Error(`The engine worker ended during a backtest: ${cause.message}`, { cause }))
    end(worker)
    dispatch()
  }

  function end(worker: Worker): void {
    busy.delete(worker)
    const ended = worker.terminate().finally(() => ending.delete(ended))
    ending.add(ended)
  }

  function abandon(task: Task, reason: unknown): void {
    const place = waiting.indexOf(task)
    if (place !== -1) waiting.splice(place, 1)
    for (const [worker, running] of busy) if (running === task) end(worker)
    task.reject(reason)
    dispatch()
  }

  return {
    size,
    backtest: (input, { signal } = {}) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(interruption())
        if (signal?.aborted) return reject(signal.reason)
        const task = untilAborted({ message: messageOf(input), resolve, reject }, signal, abandon)
        waiting.push(task)
        dispatch()
      }),
    async close() {
      closed = true
      for (const task of waiting.splice(0)) task.reject(interruption())
      for (const [worker, task] of busy) {
        task.reject(interruption())
        end(worker)
      }
      for (const worker of idle.splice(0)) end(worker)
      await Promise.all(ending)
    },
  }
}

const COLUMNS = ['openTime', 'open', 'high', 'low', 'close', 'volume'] as const
const shared = new WeakMap<Candles, Candles>()

/** Numbers the candles, so that a thread recognises them: it receives a new object with every message. */
function createMessageWriter(): (input: BacktestInput) => TaskMessage {
  const numbers = new WeakMap<Candles, number>()
  let differentCandles = 0
  return (input) => {
    const candles = shareCandles(input.candles)
    const candlesNumber = numbers.get(candles) ?? ++differentCandles
    numbers.set(candles, candlesNumber)
    return { kind: 'backtest', input: { ...input, candles }, candlesNumber }
  }
}

/**
 * The same candles in shared memory, so that workers read them without a copy. Copies once per candles object; candles that
 * are shared already (and slices of such) come back as they are.
 */
export function shareCandles(candles: Candles): Candles {
  if (isShared(candles)) return candles
  const known = shared.get(candles)
  if (known !== undefined) return known
  const copy = sharedColumns(candles.intervalMs, candles.openTime.length)
  for (const name of COLUMNS) copy[name].set(candles[name])
  shared.set(candles, copy)
  return copy
}

function isShared(candles: Candles): boolean {
  return COLUMNS.every((name) => candles[name].buffer instanceof SharedArrayBuffer)
}

/** Returns the task, which is abandoned when the signal aborts. It stops listening to the signal when it ends. */
function untilAborted(
  { message, resolve, reject }: Task,
  signal: AbortSignal | undefined,
  abandon: (task: Task, reason: unknown) => void,
): Task {
  const onAbort = () => abandon(task, signal?.reason)
  const forget = () => signal?.removeEventListener('abort', onAbort)
  const task: Task = {
    message,
    resolve: (result) => {
      forget()
      resolve(result)
    },
    reject: (reason) => {
      forget()
      reject(reason)
    },
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  return task
}

function interruption(): Failure {
  return new Failure('interrupted', 'The engine pool closed before the backtest ended')
}
