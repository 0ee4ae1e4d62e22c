/**
 * How busy the machine is while something is measured. A figure by the clock on the wall is that of a quiet machine or none: what waits for a core is
 * measured, too.
 */
import { availableParallelism, loadavg } from 'node:os'
import { Worker } from 'node:worker_threads'

/** With more runnable tasks per core than this, somebody waits. */
export const QUIET_PER_CORE = 1.2
export const NOT_MEASURED = 'not measured'

export interface LoadWatch {
  /** Runnable tasks per core since the watch began or `mark` was taken, those of the bench included. */
  perCoreSince(mark?: LoadMark): number
  mark(): LoadMark
  close(): Promise<void>
}

export interface LoadMark {
  readonly runnable: number
  readonly tried: number
}

const [RUNNABLE, MARK_STYLES] = [0, 1]

/** Linux says how many tasks are runnable in the fourth field; one of them is the thread that looks. A thread, because the bench blocks its own. */
const LOOKER = `
const { readFileSync } = require('node:fs')
const counts = require('node:worker_threads').workerData
const look = () => {
  const [running] = readFileSync('/proc/loadavg', 'latin1').split(' ')[3].split('/')
  Atomics.add(counts, ${RUNNABLE}, Math.max(0, Number(running) - 1))
  Atomics.add(counts, ${MARK_STYLES}, 1)
}
look()
setInterval(look, 100)
`

/** Elsewhere than on Linux the load of the last minute stands for what nobody counts. */
export async function watchLoad(): Promise<LoadWatch> {
  const counts = new Int32Array(new SharedArrayBuffer(8))
  const looker = process.platform === 'linux' ? new Worker(LOOKER, { eval: true, workerData: counts }) : undefined
  await new Promise<void>((resolve, reject) => {
    if (looker === undefined) return resolve()
    looker.once('online', resolve).once('error', reject)
  })
  looker?.unref()
  const mark = () => ({ runnable: Atomics.load(counts, RUNNABLE), tried: Atomics.load(counts, MARK_STYLES) })
  const perCoreSince = (since: LoadMark = { runnable: 0, tried: 0 }) => {
    const now = mark()
    const looks = now.tried - since.tried
    const runnable = looks === 0 ? loadavg()[0] : (now.runnable - since.runnable) / looks
    return runnable / availableParallelism()
  }
  const close = async () => void (await looker?.terminate())
  return { perCoreSince, mark, close }
}

/** A figure by the clock on the wall, or why there is none. */
export function onWall(figure: string, perCore: number): string {
  return perCore <= QUIET_PER_CORE ? figure : `${NOT_MEASURED} (${perCore.toFixed(2)} tasks a core)`
}
