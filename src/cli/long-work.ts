/** Says how far a long work has come, and, while nothing is heard of it, that it goes on: no silence is longer than a minute. */

import type { Clock } from '../system.ts'
import type { ScreenProgress } from '../workbench/screen/screen-grid.ts'
import type { Context } from './context.ts'
import { formatDuration, say } from './output.ts'

const silentMs = 2_000
const lineEveryMs = 60_000

type Around = Pick<Context, 'system' | 'line'>

/**
 * `work` calls `showProgress` as often as it likes: nothing is said in the first two seconds, then on the terminal's line, elsewhere once a
 * minute. What it said last is said again while it is busy with one thing for long.
 */
export async function withProgress<T>(
  { system, line }: Around,
  work: (showProgress: (text: string) => void) => Promise<T>,
): Promise<T> {
  const { clock, terminal } = system
  const begun = clock.monotonic()
  let said = begun + silentMs - lineEveryMs
  let latest = 'at work'
  const put = (text: string) => {
    said = clock.monotonic()
    if (line.isDrawn) line.show(text)
    else say(terminal, text)
  }
  const over = new AbortController()
  void everyMinute(clock, over.signal, () => {
    const now = clock.monotonic()
    if (now - said >= lineEveryMs) put(`${latest}, after ${formatDuration(now - begun)}`)
  })
  try {
    return await work((text) => {
      latest = text
      const now = clock.monotonic()
      if (now - begun >= silentMs && (line.isDrawn || now - said >= lineEveryMs)) put(text)
    })
  } finally {
    over.abort()
    line.clear()
  }
}

/** While `work` goes on, a word every minute. `words`: given how long it has gone on, ms. */
export async function withHeartbeat<T>(
  { system, line }: Around,
  words: (elapsedMs: number) => string,
  work: () => Promise<T>,
): Promise<T> {
  const { clock, terminal } = system
  const begun = clock.monotonic()
  const over = new AbortController()
  void everyMinute(clock, over.signal, () => {
    const text = words(clock.monotonic() - begun)
    if (line.isDrawn) line.show(text)
    else say(terminal, text)
  })
  try {
    return await work()
  } finally {
    over.abort()
    line.clear()
  }
}

async function everyMinute(clock: Clock, over: AbortSignal, act: () => void): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(lineEveryMs, over)
      act()
    }
  } catch (error) {
    if (!over.aborted) throw error
  }
}

const SHOW_EVERY_MS = 100
const SAY_EVERY_MS = 60_000

/** Shows points, configs per second and the time left. */
export function showScreenProgress({ system, line }: Pick<Context, 'system' | 'line'>): {
  show(progress: ScreenProgress): void
  clear(): void
} {
  const { clock, terminal } = system
  let current = { pass: '', startedAt: 0 }
  let shownAt = Number.NEGATIVE_INFINITY
  let saidAt = clock.monotonic()
  return { show, clear: line.clear }

  function show(progress: ScreenProgress): void {
    const { pass, done, total } = progress
    const now = clock.monotonic()
    if (current.pass !== pass) current = { pass, startedAt: now }
    if (!line.isDrawn) {
      if (now - saidAt < SAY_EVERY_MS) return
      saidAt = now
      say(terminal, words(progress, now - current.startedAt))
      return
    }
    if (now - shownAt < SHOW_EVERY_MS && done < total) return
    shownAt = now
    line.show(words(progress, now - current.startedAt))
  }
}

function words(progress: ScreenProgress, passedMs: number): string {
  const { pass, done, total } = progress
  const perSecond = (1000 * done) / Math.max(1, passedMs)
  const leftMs = progress.leftMs()
  const left = leftMs === null ? '' : `, ${formatDuration(leftMs)} left`
  return `${done} of ${total} (${Math.floor((100 * done) / total)} %), ${Math.round(perSecond)} configs/s${left}; by ${pass}`
}
