/** Waiting between two steps: said once on one line, and a good moment to look after the store's log. */
import { emptyLog, findReaders } from '../store/log-size.ts'
import type { OpenRun } from './open-run.ts'
import type { Step } from './plan.ts'

export async function sleepUntil(run: OpenRun, { until, why, goal }: Step & { kind: 'sleep' }): Promise<void> {
  const now = run.clock.now()
  const words = `waiting for ${why} until ${new Date(goal).toISOString().slice(0, 19)}Z`
  const isLong = run.talk.announceWait(words, goal - now)
  emptyStoreLog(run)
  await run.system.clock.sleep(Math.max(1, until - now), run.options.signal)
  if (isLong) run.speedometer.startAnew() // the last piece of a long wait is part of it
}

const largestLogMb = 64

/** A log that cannot be emptied grows until it fills the disk; usually somebody has a long question open. */
function emptyStoreLog({ store, talk }: OpenRun): void {
  const sizeMb = emptyLog(store) / 1024 / 1024
  if (sizeMb < largestLogMb || talk.hasWarned('logGrows')) return
  const readers = findReaders(store)
  const who = readers.length === 0 ? 'another program' : `process ${readers.join(', ')}`
  const message = `the store's log has grown to ${Math.round(sizeMb)} MB because ${who} keeps a long read open; end it to free the space`
  talk.warnOnce('logGrows', { code: 'logGrows', message })
}
