/**
 * Ends a process that computes and cannot look after itself when this one dies, however it dies. A shell waits for a line from a pipe that
 * only this process holds open: the system closes it with the process. A shell, because it starts in a millisecond, where another Node takes
 * twenty and a thread in the process that computes takes as long.
 */
import { type ChildProcess, spawn } from 'node:child_process'

export interface Watch {
  /** To be called while the number of the process is still its own. */
  stop(): void
}

/** `pid`: of a child of this process. */
export function startWatch(pid: number): Watch {
  let watcher = process.platform === 'win32' ? nodeWatch(pid) : shellWatch(pid)
  let isOver = false
  watcher.on('error', () => {
    if (!isOver) watcher = nodeWatch(pid) // there is no shell, as in a container of this program alone
  })
  return {
    stop() {
      isOver = true
      watcher.kill('SIGKILL')
    },
  }
}

function shellWatch(pid: number): ChildProcess {
  return start('/bin/sh', ['-c', 'read -r line; kill -9 "$1"', 'watch', String(pid)])
}

function nodeWatch(pid: number): ChildProcess {
  const text = `process.stdin.resume().on('close', () => process.kill(${pid}, 'SIGKILL'))`
  return start(process.execPath, ['-e', text]).on('error', () => {}) // the statement itself could not have started either
}

/** In a group of its own, so that Ctrl-C in the terminal leaves it to see the end of its parent. */
function start(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], env: {}, detached: true })
  child.stdin?.on('error', () => {}) // a watch that has ended
  child.unref()
  return child
}
