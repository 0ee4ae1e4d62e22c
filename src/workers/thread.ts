/** One thread of a pool or a worker group: how it starts, and what it reports to its owner. */
import { Worker, type WorkerOptions } from 'node:worker_threads'

interface ThreadOwner<Answer> {
  answered(worker: Worker, answer: Answer): void
  /** The thread failed or ended, for whatever reason. Called more than once for one thread: a failure is followed by its exit. */
  lost(worker: Worker, cause: Error): void
}

export function startThread<Answer>(
  workerFile: URL | string,
  owner: ThreadOwner<Answer>,
  options: Pick<WorkerOptions, 'workerData' | 'resourceLimits'> = {},
): Worker {
  // The engine needs none of this process's flags and environment, and the environment may hold keys.
  const worker = new Worker(workerFile, { ...options, execArgv: [], env: {} })
  worker.on('message', (answer: Answer) => owner.answered(worker, answer))
  worker.on('messageerror', (error) => owner.lost(worker, error))
  worker.on('error', (error) => owner.lost(worker, error))
  worker.on('exit', (code) => owner.lost(worker, new Error(`exit code ${code}`)))
  return worker
}
