/** A row of tabs that leads to the parts of a long text: it marks the part that is read, keeps its tab in sight, and shows at its ends that there are more. */

interface Tab {
  readonly tab: HTMLElement
  /** Where its part begins. */
  readonly head: HTMLElement
}

/** What begins in this part of the window, from its top, is being read: a jump ends in it, below whatever stands there. */
const READ_WITHIN = 0.35

/**
 * @param row what scrolls sideways
 * @param text what the parts lie in: it scrolls up and down
 */
export function followParts(row: HTMLElement, tabs: readonly Tab[], text: HTMLElement | Window = window): void {
  let current: HTMLElement | undefined
  let asked: Tab | undefined
  const showEnds = (): void => {
    const left = row.scrollWidth - row.clientWidth - row.scrollLeft
    row.dataset.more = [row.scrollLeft > 1 ? 'before' : '', left > 1 ? 'after' : ''].filter(Boolean).join(' ')
  }
  const follow = (): void => {
    const { scrollTop, clientHeight, scrollHeight } = text instanceof Window ? document.documentElement : text
    const isAtEnd = scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 1 // what comes last may be too short to come to the top
    const line = isAtEnd ? Number.POSITIVE_INFINITY : innerHeight * READ_WITHIN
    const isAsked = isAtEnd && asked !== undefined && asked.head.getBoundingClientRect().top >= 0 // several parts end there
    const read = (isAsked ? asked : tabs.findLast(({ head }) => head.getBoundingClientRect().top <= line))?.tab
    if (read === current) return
    current?.removeAttribute('aria-current')
    read?.setAttribute('aria-current', 'true')
    current = read
    if (read !== undefined) row.scrollTo({ left: read.offsetLeft - (row.clientWidth - read.offsetWidth) / 2 })
  }
  row.addEventListener('scroll', showEnds, { passive: true })
  row.addEventListener('click', ({ target }) => {
    asked = tabs.find(({ tab }) => target instanceof Node && tab.contains(target))
    requestAnimationFrame(follow)
  })
  text.addEventListener('scroll', () => requestAnimationFrame(follow), { passive: true })
  new ResizeObserver(() => {
    showEnds()
    follow()
  }).observe(row)
}
