/**
 * Shows the parts of the drawer that are in view at once, and the others when the reader rests or comes to them: a key that is held down moves a
 * slider fifteen times a second, and nobody sees seven charts and four tables follow it.
 */
import type { Exhibit, ExhibitPart } from './exhibit.ts'
import { inIdleSlices } from './idle.ts'

/** A part with the element in which it stands. */
export interface PlacedPart {
  readonly section: HTMLElement
  readonly part: ExhibitPart
}

interface Parade {
  /** Ends when what is in view stands. A section that is not shown yet is busy (`aria-busy`). */
  readonly show: (exhibit: Exhibit) => Promise<void>
  /** Only these, at once. */
  readonly showOnly: (parts: readonly ExhibitPart[], exhibit: Exhibit) => void
}

/** @param drawer the element that scrolls */
export function showInView(drawer: HTMLElement, placed: readonly PlacedPart[]): Parade {
  const inView = new Set<Element>()
  const waiting = new Map<PlacedPart, Exhibit>()
  let stop = (): void => undefined
  const showNow = (each: PlacedPart, exhibit: Exhibit): void | Promise<void> => {
    waiting.delete(each)
    each.section.removeAttribute('aria-busy')
    return each.part.show(exhibit)
  }
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) inView.add(target)
        else inView.delete(target)
      }
      for (const [each, exhibit] of waiting) if (inView.has(each.section)) void showNow(each, exhibit)
    },
    { root: drawer, rootMargin: '10%' },
  )
  for (const { section } of placed) observer.observe(section)
  function* showWaiting(): Generator<void> {
    for (const [each, exhibit] of waiting) {
      void showNow(each, exhibit)
      yield
    }
  }
  return {
    async show(exhibit) {
      stop()
      // of a drawer that has just been opened nothing is known to be in view
      const isSeen = ({ section }: PlacedPart) => inView.size === 0 || inView.has(section)
      const later = placed.filter((each) => !isSeen(each))
      for (const each of later) {
        waiting.set(each, exhibit)
        each.section.setAttribute('aria-busy', 'true')
      }
      stop = inIdleSlices(showWaiting())
      await Promise.all(placed.filter(isSeen).map((each) => showNow(each, exhibit)))
    },
    showOnly(parts, exhibit) {
      for (const each of placed) if (parts.includes(each.part)) void showNow(each, exhibit)
    },
  }
}
