/** How far a screen is: on one line of the terminal, elsewhere a line a minute. */
import type { ScreenProgress } from '../workbench/screen/screen-grid.ts'
import type { Context } from './context.ts'
import { formatDuration, say } from './output.ts'

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
