/** The thread's side of a worker group: answers one request after another, with what the thread was given at its start. */
import { parentPort, workerData } from 'node:worker_threads'
import type { WorkerAnswer } from './worker-group.ts'

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
