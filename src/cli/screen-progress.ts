/** How far a screen is, on one line of the terminal. */
import type { ScreenProgress } from '../workbench/screen/screen-grid.ts'
import type { Context } from './context.ts'

const SHOW_EVERY_MS = 100

/** Shows points, configs per second and the time left on one line. */
export function showScreenProgress({ system, line }: Context): { show(progress: ScreenProgress): void; clear(): void } {
  const { clock } = system
  let current = { pass: '', startedAt: 0 }
  let shownAt = Number.NEGATIVE_INFINITY
  return { show, clear: line.clear }

  function show({ pass, done, total }: ScreenProgress): void {
    const now = clock.monotonic()
    if (current.pass !== pass) current = { pass, startedAt: now }
    if (now - shownAt < SHOW_EVERY_MS && done < total) return
    shownAt = now
    const perSecond = (1000 * done) / Math.max(1, now - current.startedAt)
    const secondsLeft = Math.ceil((total - done) / perSecond)
    const percent = Math.floor((100 * done) / total)
    line.show(
      `${done} of ${total} (${percent} %), ${Math.round(perSecond)} configs/s, ${secondsLeft} s left; by ${pass}`,
    )
  }
}
