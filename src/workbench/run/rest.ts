/** Waiting between two steps: said once on one line, and a good moment to look after the store's log. */
import { DOUBTS, doubt } from '../analysis/doubts/doubts.ts'
import { emptyLog, findReaders } from '../store/log-size.ts'
import type { Step } from './next-step.ts'
import type { OpenRun } from './open-run.ts'

export async function sleepUntil(run: OpenRun, { until, why, goal }: Step & { kind: 'sleep' }): Promise<void> {
  const now = run.clock.now()
  const words = `${why} ${new Date(goal).toISOString().slice(0, 19)}Z`
  const isLong = run.talk.announceWait(words, goal - now)
  emptyStoreLog(run)
  await run.system.clock.sleep(Math.max(1, until - now), run.options.signal)
  run.looks.noteRest()
  if (isLong) run.speedometer.startAnew() // the last piece of a long wait is part of it
}

/** A log that cannot be emptied grows until it fills the disk; usually somebody has a long question open. */
function emptyStoreLog({ store, talk }: OpenRun): void {
  const megabytes = emptyLog(store) / 1024 / 1024
  if (megabytes < DOUBTS.logGrows.threshold || talk.hasWarned('logGrows')) return
  talk.warnOnce('logGrows', doubt('logGrows', { megabytes, readers: findReaders(store.path) }))
}
