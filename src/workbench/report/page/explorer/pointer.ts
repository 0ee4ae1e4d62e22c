/** What a hand does on a plot: it drags, with mouse, pen or finger, or it only clicks. */
export interface Spot {
  readonly x: number
  readonly y: number
}

interface PointerUse {
  /** In the plot's pixels. */
  readonly positionOf: (event: PointerEvent) => Spot
  /** At every step of a drag, which began at `from`. */
  readonly drag: (from: Spot, to: Spot) => void
  readonly click: (at: Spot) => void
}

/** Fewer pixels are a click whose hand was not quite still. */
const LEAST_DRAG = 5

export function watchPointer(place: HTMLElement, { positionOf, drag, click }: PointerUse): void {
  let from: Spot | null = null
  let dragged = false
  place.addEventListener('pointerdown', (event) => {
    if (!event.isPrimary || event.button !== 0) return
    from = positionOf(event)
    dragged = false
  })
  place.addEventListener('pointermove', (event) => {
    if (from === null || !event.isPrimary) return
    const to = positionOf(event)
    if (!dragged && Math.hypot(to.x - from.x, to.y - from.y) < LEAST_DRAG) return
    if (!dragged) place.setPointerCapture(event.pointerId)
    dragged = true
    drag(from, to)
  })
  place.addEventListener('pointerup', (event) => {
    if (from === null || !event.isPrimary) return
    if (dragged) drag(from, positionOf(event))
    else click(positionOf(event))
    from = null
  })
  // the browser scrolls the page instead
  place.addEventListener('pointercancel', () => {
    from = null
  })
  // the tooltips of other charts answer taps by themselves
  place.addEventListener('click', (event) => event.preventDefault())
}
