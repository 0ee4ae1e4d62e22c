/**
 * Where in the drawer the reader is, over a reload: kept beside the address, in the page's history, which a file that is opened from disk has too. A part and
 * a distance in it, not pixels from the top: parts that were never seen have a guessed height.
 */
import { whenRested } from './idle.ts'

interface DrawerPlace {
  /** Before the ids of the drawer's section. */
  readonly drawer: string
  readonly part: number
  /** Pixels. */
  readonly below: number
}

/** Remembers it whenever the reader rests: what is written while a page is left comes too late for a reload. What it returns goes back to it, once. */
export function keepDrawerPlace(
  drawer: HTMLElement,
  { prefix, parts }: { readonly prefix: string; readonly parts: readonly HTMLElement[] },
): () => void {
  let left = readPlace(prefix)
  let stop = (): void => undefined
  const keep = (): void => {
    const part = parts.findLastIndex(({ offsetTop }) => offsetTop <= drawer.scrollTop)
    if (drawer.hidden || part < 0) return
    const place: DrawerPlace = { drawer: prefix, part, below: drawer.scrollTop - parts[part].offsetTop }
    history.replaceState(place, '')
  }
  drawer.addEventListener('scroll', () => {
    stop()
    stop = whenRested(keep)
  })
  return () => {
    const part = left === null ? undefined : parts.at(left.part)
    const below = left?.below ?? 0
    left = null
    if (part === undefined) return
    stayAt(drawer, part.parentElement ?? part, () => {
      drawer.scrollTop = part.offsetTop + below
    })
  }
}

/** Goes there, and again whenever a part of the body comes to its own height, until the reader acts. */
export function stayAt(drawer: HTMLElement, body: HTMLElement, go: () => void): void {
  const observer = new ResizeObserver(go)
  observer.observe(body)
  for (const act of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
    drawer.addEventListener(act, () => observer.disconnect(), { once: true, passive: true })
  go()
}

/** null = nothing is kept of this drawer. */
function readPlace(prefix: string): DrawerPlace | null {
  const { drawer, part, below }: Readonly<Record<string, unknown>> = Object(history.state)
  return drawer === prefix && typeof part === 'number' && typeof below === 'number' ? { drawer, part, below } : null
}
