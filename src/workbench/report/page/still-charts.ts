/**
 * Charts whose data are in their specs. Each is drawn when the reader comes near, and all of them before the page goes to paper. Their room is kept
 * until then, so that nothing moves under the reader's eyes.
 */
import { drawChart } from './draw-chart.ts'
import { offerExports } from './save-file.ts'

export interface StillChart {
  /** Of its place. */
  readonly id: string
  /** Compiled. */
  readonly spec: unknown
}

/** Axes and their titles, pixels. */
const AROUND_PLOT = 60

/** Ends when all that are near stand. `<html data-drawn>` is how many stand so far. */
export async function drawStillCharts(charts: readonly StillChart[]): Promise<void> {
  const waiting = new Map<Element, () => Promise<void>>()
  for (const { id, spec } of charts) {
    const place = document.getElementById(id)
    if (place === null) continue
    place.style.setProperty('min-height', `${heightOf(spec) + AROUND_PLOT}px`)
    waiting.set(place, () => drawStill(place, { name: id.replace('plot-', ''), spec }))
  }
  const draw = (place: Element): Promise<void> | undefined => {
    const act = waiting.get(place)
    waiting.delete(place)
    return act?.()
  }
  addEventListener('beforeprint', () => {
    for (const place of [...waiting.keys()]) void draw(place)
  })
  const first = await watchNear([...waiting.keys()], (near) => near.map(draw))
  await Promise.all(first)
  countDrawn(0)
}

/** Less than a screen away; tells what is near now, and calls `react` again whenever something comes near. */
function watchNear<T>(places: readonly Element[], react: (near: readonly Element[]) => T): Promise<T> {
  if (places.length === 0) return Promise.resolve(react([]))
  return new Promise((resolve) => {
    const observer = new IntersectionObserver(
      (entries) => {
        const near = entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => target)
        for (const place of near) observer.unobserve(place)
        resolve(react(near)) // only the first time tells anybody
      },
      { rootMargin: '100%' },
    )
    for (const place of places) observer.observe(place)
  })
}

async function drawStill(place: HTMLElement, { name, spec }: { readonly name: string; readonly spec: unknown }) {
  try {
    const view = await drawChart(place, spec)
    const figure = place.closest('figure')
    if (figure !== null) offerExports(figure, { name, view })
    countDrawn(1)
  } catch (error) {
    place.textContent = 'This chart could not be drawn; the tables hold the same numbers.'
    console.error(error)
  }
  place.style.removeProperty('min-height')
}

let drawn = 0
let isCounted = false

/** Nothing is told before all that were near at first stand. */
function countDrawn(more: 0 | 1): void {
  drawn += more
  isCounted ||= more === 0
  if (isCounted) document.documentElement.dataset.drawn = String(drawn)
}

/** Pixels; a chart whose rows decide has none yet. */
function heightOf(spec: unknown): number {
  const { height }: { readonly height?: unknown } = Object(spec)
  return typeof height === 'number' ? height : 0
}
