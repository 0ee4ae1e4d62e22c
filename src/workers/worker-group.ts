/**
 * Threads that share one long task: each gets the same setting at its start (shared columns are not copied), then one request
 * after another. Unlike the engine pool, whose tasks are independent, a worker group that loses a thread fails as a whole.
 */
import { parentPort, type Worker, workerData } from 'node:worker_threads'
import { startThread } from './thread.ts'

export interface WorkerGroup<Request, Reply> {
  /** Threads. */
  readonly size: number
  /** Waits for a free thread. Rejects with what the thread threw, or with a plain Error when a thread was lost or the worker group closed. */
  ask(request: Request): Promise<Reply>
  /** Ends every thread at once, also a busy one. */
  close(): Promise<void>
}

type WorkerAnswer<Reply> =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'error'; readonly error: Error }

interface Question<Request, Reply> {
  readonly request: Request
  readonly resolve: (reply: Reply) => void
  readonly reject: (reason: Error) => void
}

/**
 * @param options.workerFile a built file that calls `serveWorkerGroup`
 * @param options.size threads, at least 1; all start at once
 * @param options.setting plain data; typed arrays over SharedArrayBuffer are shared
 */
export function createWorkerGroup<Setting, Request, Reply>(options: {
  readonly workerFile: URL | string
  readonly size: number
  readonly setting: Setting
}): WorkerGroup<Request, Reply> {
  const size = Math.max(1, Math.floor(options.size))
  const waiting: Question<Request, Reply>[] = []
  const busy = new Map<Worker, Question<Request, Reply>>()
  let lost: Error | undefined
  const workers = Array.from({ length: size }, startWorker)
  const idle = [...workers]

  function startWorker(): Worker {
    return startThread<WorkerAnswer<Reply>>(
      options.workerFile,
      { answered, lost: (_worker, cause) => fail(cause) },
      { workerData: options.setting, resourceLimits: { maxYoungGenerationSizeMb: 8 } }, // otherwise each thread keeps tens of megabytes of garbage
    )
  }

  function dispatch(): void {
    for (let worker = idle.at(-1); worker !== undefined; worker = idle.at(-1)) {
      const question = waiting.shift()
      if (question === undefined) return
      idle.pop()
      busy.set(worker, question)
      worker.postMessage(question.request)
    }
  }

  function answered(worker: Worker, answer: WorkerAnswer<Reply>): void {
    const question = busy.get(worker)
    busy.delete(worker)
    idle.push(worker)
    if (answer.kind === 'reply') question?.resolve(answer.reply)
    else question?.reject(answer.error)
    dispatch()
  }

  function fail(cause: Error): void {
    lost ??= new Error(`A worker thread ended: ${cause.message}`, { cause })
    for (const { reject } of [...busy.values(), ...waiting.splice(0)]) reject(lost)
    busy.clear()
  }

  return {
    size,
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (lost !== undefined) return reject(lost)
        waiting.push({ request, resolve, reject })
        dispatch()
      }),
    async close() {
      fail(new Error('the worker group was closed'))
      await Promise.all(workers.map((worker) => worker.terminate()))
    },
  }
}

/**
 * Serves the worker group that started this thread. `prepare` is called once with the worker group's setting, its result once per request; what
 * it throws is sent back to the caller of `ask`. Throws when this is not a thread of a worker group.
 */
export function serveWorkerGroup<Setting, Request, Reply>(
  prepare: (setting: Setting) => (request: Request) => Reply,
): void {
  const port = parentPort
  if (port === null) throw new Error('a member of a worker group runs inside a worker thread only')
  const answer = prepare(workerData as Setting) // what createWorkerGroup was given, copied
  port.on('message', (request: Request) => port.postMessage(answerOne(answer, request)))
}

function answerOne<Request, Reply>(answer: (request: Request) => Reply, request: Request): WorkerAnswer<Reply> {
  try {
    return { kind: 'reply', reply: answer(request) }
  } catch (error) {
    return { kind: 'error', error: error instanceof Error ? error : new Error(String(error)) }
  }
}
