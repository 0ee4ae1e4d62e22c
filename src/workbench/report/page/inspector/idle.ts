/** Work in small pieces while nothing else is to be done. */

/** Does one step after another, each when the browser is idle; the function returned stops it. */
export function inIdleSlices(steps: Iterable<void>): () => void {
  const rest = steps[Symbol.iterator]()
  let isStopped = false
  const go = (): void => {
    if (!isStopped && rest.next().done !== true) whenIdle(go)
  }
  whenIdle(go)
  return () => {
    isStopped = true
  }
}

/** Not every browser tells when it is idle; the next frame then is late enough for a step of some milliseconds. */
function whenIdle(act: () => void): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(act, { timeout: 1000 })
  else requestAnimationFrame(act)
}
