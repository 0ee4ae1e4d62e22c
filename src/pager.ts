/**
 * The reader's pager: a program that shows a long text screen by screen. `DCALAB_PAGER` or `PAGER` name it, as a shell would run it; `less` is usual.
 * Only the environment names one: a program that a folder could name would run as soon as somebody looks into that folder.
 */
import { spawn } from 'node:child_process'

type Environment = Readonly<Record<string, string | undefined>>

/** Undefined where the reader wants none: the variable is empty, or `cat`. */
export function findPager({ DCALAB_PAGER, PAGER }: Environment): string | undefined {
  const named = (DCALAB_PAGER ?? PAGER ?? 'less').trim()
  return named === '' || named === 'cat' ? undefined : named
}

/** Exit codes of a shell that did not find the program, or may not run it. */
const NOT_STARTED = [126, 127]

/**
 * Shows a text until the reader leaves it. Ctrl-C is the pager's meanwhile, and no wish to end the command; SIGTERM ends both.
 * @param environment that of the pager: without keys
 * @returns false when it could not be started; nothing was shown then
 */
export async function showInPager(pager: string, text: string, environment: Environment): Promise<boolean> {
  const { LESS } = environment
  // F: end where all fits, R: colours, X: leave the text on the screen, K: Ctrl-C ends it. What the reader has set stays, and colours with it.
  const env = { ...environment, LESS: LESS === undefined ? 'FRXK' : `${LESS} -R` }
  const child = start(pager, env)
  const ended = new Promise<boolean>((resolve) => {
    child.on('error', () => resolve(false))
    child.on('close', (code) => resolve(!NOT_STARTED.includes(code ?? 0)))
  })
  const stop = () => void child.kill()
  const heard = process.listeners('SIGINT')
  process.removeAllListeners('SIGINT')
  process.on('SIGINT', leaveToPager)
  process.once('SIGTERM', stop)
  try {
    child.stdin.on('error', () => {}) // the reader left before the end of the text
    child.stdin.end(text)
    return await ended
  } finally {
    process.off('SIGTERM', stop)
    process.off('SIGINT', leaveToPager)
    for (const listener of heard) process.on('SIGINT', listener)
  }
}

function leaveToPager(): void {}

/** Words without any sign of a shell need none: the pager itself is our child then, which ends with it. */
function start(pager: string, env: Environment) {
  const stdio: ['pipe', 'inherit', 'inherit'] = ['pipe', 'inherit', 'inherit']
  if (!/^[\w\s./:=+,@%-]+$/.test(pager)) return spawn(pager, { shell: true, stdio, env })
  const [command, ...args] = pager.split(/\s+/)
  return spawn(command, args, { stdio, env })
}
