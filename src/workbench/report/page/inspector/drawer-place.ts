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
    let frames = FRAMES
    const go = (): void => {
      drawer.scrollTop = part.offsetTop + below
      if (--frames > 0) requestAnimationFrame(go)
    }
    for (const act of ['wheel', 'pointerdown', 'keydown']) {
      drawer.addEventListener(act, () => (frames = 0), { once: true, passive: true })
    }
    go()
  }
}

/** About a second, in which the parts above come to their own heights. */
const FRAMES = 60

/** null = nothing is kept of this drawer. */
function readPlace(prefix: string): DrawerPlace | null {
  const { drawer, part, below }: Readonly<Record<string, unknown>> = Object(history.state)
  return drawer === prefix && typeof part === 'number' && typeof below === 'number' ? { drawer, part, below } : null
}
