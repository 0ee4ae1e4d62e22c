/**
 * The process that runs one statement for `dcalab sql`. SQLite computes without ever looking up, so only the end of its process
 * ends it. Its parent kills it on Ctrl-C, and a thread beside it watches a pipe that the parent holds open: when the parent is
 * killed itself, the pipe closes, and the process ends all the same.
 */
import { Socket } from 'node:net'
import { isMainThread, Worker } from 'node:worker_threads'

if (isMainThread) {
  // Loaded here alone, so that the watch does not load SQLite once more.
  const { answerQuestion } = await import('./answer-question.ts')
  await answerQuestion(startWatch)
} else {
  new Socket({ fd: 3 })
    .on('error', () => {}) // it is closed next
    .on('close', () => process.kill(process.pid, 'SIGKILL'))
    .resume()
}

/** It takes as long to start as most statements take, so it starts beside them; it does not keep the process alive. */
function startWatch(): void {
  // Its stdout and stderr are its own: joined to those of the process, they would make the pipe of the answer non-blocking.
  new Worker(new URL(import.meta.url), { execArgv: [], stdout: true, stderr: true }).unref()
}
