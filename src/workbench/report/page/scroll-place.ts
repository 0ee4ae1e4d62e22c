/** Where on the page the reader is, over a reload. A browser goes there before the page has its height, and so to the wrong place. */

/** Remembers it when the page is left. What it returns goes back to it after a reload, and is called when everything stands. */
export function keepScrollPlace(): () => void {
  const key = `scroll ${location.pathname}`
  const [visit] = performance.getEntriesByType('navigation')
  const isFirst = !(visit instanceof PerformanceNavigationTiming) || visit.type === 'navigate'
  const left = isFirst ? null : readKept(key)
  if (left !== null) history.scrollRestoration = 'manual'
  addEventListener('pagehide', () => {
    try {
      sessionStorage.setItem(key, String(scrollY))
    } catch {
      // a browser that keeps nothing for files goes where it finds right
    }
  })
  return () => {
    if (left !== null) scrollTo({ top: left, behavior: 'instant' })
    history.scrollRestoration = 'auto'
  }
}

/** Pixels from the top; null = nothing is kept. */
function readKept(key: string): number | null {
  try {
    const kept = sessionStorage.getItem(key)
    return kept === null ? null : Number(kept)
  } catch {
    return null
  }
}

/** Ends a jump to a part of the page at its head, though what is drawn on the way moves it: until the reader scrolls by himself. */
export function endJumpsAtHeads(): void {
  let target: HTMLElement | null = null
  let isThere = false
  let at = 0
  const settle = (): void => {
    if (target === null) return
    target.scrollIntoView({ behavior: 'instant' })
    at = scrollY
  }
  addEventListener('click', ({ target: clicked }) => {
    const link = clicked instanceof Element ? clicked.closest<HTMLAnchorElement>('a[href^="#"]') : null
    target = link === null ? null : document.getElementById(link.hash.slice(1))
    openAround(target)
    isThere = false
  })
  for (const own of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
    addEventListener(own, () => {
      target = null
    })
  }
  addEventListener('scrollend', () => {
    if (isThere && Math.abs(scrollY - at) > 2) target = null
    isThere = true
    settle()
  })
  new ResizeObserver(() => isThere && settle()).observe(document.body)
}

/** What is folded around a part of the page, and itself, so that it can be gone to. */
export function openAround(part: Element | null): void {
  for (
    let around = part?.closest('details') ?? null;
    around !== null;
    around = around.parentElement?.closest('details') ?? null
  ) {
    around.open = true
  }
}
