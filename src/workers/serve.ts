/** The thread's side of a crew: answers one request after another, with what the thread was given at its start. */
import { parentPort, workerData } from 'node:worker_threads'
import type { CrewAnswer } from './crew.ts'

/**
 * Serves the crew that started this thread. `prepare` is called once with the crew's setting, its result once per request; what
 * it throws is sent back to the caller of `ask`. Throws when this is not a thread of a crew.
 */
export function serveCrew<Setting, Request, Reply>(prepare: (setting: Setting) => (request: Request) => Reply): void {
  const port = parentPort
  if (port === null) throw new Error('a crew member runs inside a worker thread only')
  const answer = prepare(workerData as Setting) // what createCrew was given, copied
  port.on('message', (request: Request) => port.postMessage(answerOne(answer, request)))
}

function answerOne<Request, Reply>(answer: (request: Request) => Reply, request: Request): CrewAnswer<Reply> {
  try {
    return { kind: 'reply', reply: answer(request) }
  } catch (error) {
    return { kind: 'error', error: error instanceof Error ? error : new Error(String(error)) }
  }
}
