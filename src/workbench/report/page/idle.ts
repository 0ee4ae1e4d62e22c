/** Work in small pieces while nothing else is to be done. */

/** Who holds a key or turns pages sends changes faster than this: what can wait begins when they rest. */
const REST_MS = 200

/** Acts when the browser is idle, not before so much time has passed; the function returned stops it. */
export function whenRested(act: () => void): () => void {
  const askedAt = performance.now()
  let isStopped = false
  const go = (): void => {
    if (isStopped) return
    if (performance.now() - askedAt >= REST_MS) act()
    else whenIdle(go)
  }
  whenIdle(go)
  return () => {
    isStopped = true
  }
}

/** Does one step after another, each when the browser is idle, from when the reader rests; the function returned stops it. */
export function inIdleSlices(steps: Iterable<void>): () => void {
  const rest = steps[Symbol.iterator]()
  let isStopped = false
  const go = (): void => {
    if (!isStopped && rest.next().done !== true) whenIdle(go)
  }
  const stop = whenRested(go)
  return () => {
    isStopped = true
    stop()
  }
}

/** Not every browser says when it is idle; the next frame then is late enough for a step of some milliseconds. */
function whenIdle(act: () => void): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(act, { timeout: 1000 })
  else requestAnimationFrame(act)
}
