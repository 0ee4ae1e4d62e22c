/**
 * Where on the page the reader is, over a jump and over a reload. A browser goes to a place before the page has its height, and so to the wrong one:
 * what is drawn later moves it. Places are heads of parts of the page, which are held where they belong until the reader scrolls by himself.
 */

/** Ends a jump to a part of the page at its head. What it returns goes back after a reload, and is called when everything stands. */
export function keepScrollPlace(): () => void {
  let held: Element | null = null
  /** Pixels from the top of the window to the head of what is held; null = as near to it as the page can. */
  let wanted: number | null = null
  /** Where that is since it was last brought there; undefined = on the way. */
  let brought: number | undefined
  const bring = (): void => {
    if (held === null) return
    if (wanted === null) held.scrollIntoView({ behavior: 'instant' })
    else scrollTo({ top: scrollY + topOf(held) - wanted, behavior: 'instant' })
    brought = topOf(held)
  }
  addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href^="#"]') : null
    held = link === null ? null : document.getElementById(link.hash.slice(1))
    openAround(held)
    wanted = null
    brought = undefined
  })
  for (const own of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
    addEventListener(own, () => {
      held = null
    })
  }
  addEventListener('scrollend', () => {
    if (held !== null && brought !== undefined && Math.abs(topOf(held) - brought) > 2) held = null
    bring()
  })
  new ResizeObserver(() => brought !== undefined && bring()).observe(document.body)

  const left = reloadedPlace()
  if (left !== null) history.scrollRestoration = 'manual'
  return () => {
    if (left !== null) {
      held = document.getElementById(left.part)
      wanted = left.top
      bring()
    }
    history.scrollRestoration = 'auto'
  }
}

interface Place {
  /** The id of the first part of the page whose head is in the window, or else of the one around it. */
  readonly part: string
  /** Pixels from the top of the window to its head. */
  readonly top: number
}

/** Where the reader left the page that is loaded again, whose parts are unfolded as he had them; null = it is a first visit. From here on it is kept. */
function reloadedPlace(): Place | null {
  const key = `place ${location.pathname}`
  const [visit] = performance.getEntriesByType('navigation')
  const isFirst = !(visit instanceof PerformanceNavigationTiming) || visit.type === 'navigate'
  const folds = [...document.querySelectorAll('details')]
  const parts = [...document.querySelectorAll('main [id]')]
  addEventListener('pagehide', () => {
    history.scrollRestoration = 'manual' // of this visit, when it is loaded again: the browser would be on its way elsewhere
    const laid = parts.filter((each) => each.getClientRects().length > 0)
    // what is above the window may still grow
    const seen = laid.find((each) => topOf(each) >= 0 && topOf(each) < innerHeight)
    const part = seen ?? laid.findLast((each) => topOf(each) < 0)
    const place = [part?.id ?? '', part === undefined ? 0 : topOf(part)]
    const unfolded = folds.flatMap((fold, index) => (fold.open ? [index] : []))
    try {
      sessionStorage.setItem(key, [...place, ...unfolded].join(' '))
    } catch {
      // a browser that keeps nothing for files goes where it finds right
    }
  })
  const [part = '', top, ...unfolded] = isFirst ? [] : readKept(key).split(' ')
  if (top === undefined) return null
  for (const [index, fold] of folds.entries()) fold.open = unfolded.includes(String(index))
  return { part, top: Number(top) }
}

function readKept(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

/** Pixels from the top of the window. */
function topOf(part: Element): number {
  return part.getBoundingClientRect().top
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
