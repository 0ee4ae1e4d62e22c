/** Waiting between two steps: said once on one line, and a good moment to look after the store's log. */
import { emptyLog, findReaders } from '../store/log-size.ts'
import type { Step } from './plan.ts'
import type { OpenRun } from './run-state.ts'

/** Waits that people notice are announced, once for each reason: a wait of a day is slept in many short pieces. */
const longSleepMs = 60_000

export async function sleepUntil(run: OpenRun, { until, why, goal }: Step & { kind: 'sleep' }): Promise<void> {
  const now = run.clock.now()
  const words = `waiting for ${why} until ${new Date(goal).toISOString().slice(0, 19)}Z`
  if (goal - now > longSleepMs && words !== run.lastWait) {
    run.lastWait = words
    run.tell({ kind: 'waiting', message: words })
  }
  await checkpoint(run)
  await run.system.clock.sleep(Math.max(1, until - now), run.options.signal)
  if (words === run.lastWait) run.measuredFrom = null // the last piece of a long wait is part of it
}

/** A log that cannot be emptied grows until it fills the disk; usually somebody has a long question open. */
async function checkpoint(run: OpenRun): Promise<void> {
  const sizeMb = emptyLog(run.store) / 1024 / 1024
  if (sizeMb < 64 || run.warned.has('logGrows')) return
  run.warned.add('logGrows')
  const readers = findReaders(run.store)
  const who = readers.length === 0 ? 'another program' : `process ${readers.join(', ')}`
  const message = `the store's log has grown to ${Math.round(sizeMb)} MB because ${who} keeps a long read open; end it to free the space`
  run.tell({ kind: 'warning', code: 'logGrows', message })
}
