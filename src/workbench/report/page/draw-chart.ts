/** Draws a compiled Vega spec without eval: expressions come as syntax trees and are interpreted. */
import { parse, type Spec, View } from 'vega'
import { expressionInterpreter } from 'vega-interpreter'
import { makeElement } from './make-element.ts'
import { offerExports } from './save-file.ts'
import { showTooltip } from './tooltip.ts'

interface DrawOptions {
  /** Data by the name that the spec gives it. */
  readonly data?: Readonly<Record<string, readonly unknown[]>>
  readonly renderer?: 'svg' | 'canvas'
}

/** Between two pieces of work: the browser draws and answers its reader first. Paper waits for nothing. */
export async function nextTurn(): Promise<void> {
  if ('printing' in document.documentElement.dataset) return
  if ('scheduler' in globalThis && 'yield' in scheduler) await scheduler.yield()
  else await new Promise(requestAnimationFrame)
}

/** The view, drawn into `place`. What is drawn is one image with a text alternative, which `place` itself carries. */
export async function drawChart(
  place: HTMLElement,
  spec: unknown,
  { data = {}, renderer = 'svg' }: DrawOptions = {},
): Promise<View> {
  const name = place.getAttribute('aria-label')
  const runtime = parse(spec as Spec, undefined, { ast: true }) // compiled by Vega-Lite in Node
  await nextTurn()
  const view = new View(runtime, {
    expr: expressionInterpreter,
    renderer,
    container: place,
    hover: false,
    tooltip: showTooltip,
  })
  for (const [name, rows] of Object.entries(data)) view.data(name, [...rows])
  await view.runAsync()
  // Vega makes it a document of parts by the name of "Vega visualization"; where it has none of its own, what is around it has one
  if (name === null) for (const own of ['role', 'aria-label']) place.removeAttribute(own)
  else
    for (const [own, value] of [
      ['role', 'img'],
      ['aria-label', name],
    ])
      place.setAttribute(own, value)
  place.removeAttribute('aria-roledescription')
  for (const part of place.children) part.setAttribute('aria-hidden', 'true')
  return view
}

// Charts whose data are in their specs. Each is drawn when the reader comes near, and all of them before the page goes to paper. Their room is kept
// until then, so that nothing moves under the reader's eyes.

export interface CompiledChart {
  /** Of its place. */
  readonly id: string
  /** Compiled. */
  readonly spec: unknown
}

/** Axes and their titles, pixels. */
const AROUND_PLOT = 60

/** Ends when all that are near stand. `<html data-drawn>` is how many stand so far. */
export async function drawStillCharts(charts: readonly CompiledChart[]): Promise<void> {
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
  const drawEach = async (places: readonly Element[]): Promise<void> => {
    for (const place of places) {
      await draw(place)
      await nextTurn()
    }
  }
  addEventListener('beforeprint', () => {
    for (const place of [...waiting.keys()]) void draw(place)
  })
  await watchNear([...waiting.keys()], drawEach)
  countDrawn(0)
}

/** Less than a screen away; returns what is near now, and calls `react` again whenever something comes near. */
function watchNear<T>(places: readonly Element[], react: (near: readonly Element[]) => T): Promise<T> {
  if (places.length === 0) return Promise.resolve(react([]))
  return new Promise((resolve) => {
    const observer = new IntersectionObserver(
      (entries) => {
        const near = entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => target)
        for (const place of near) observer.unobserve(place)
        resolve(react(near)) // only the first time counts
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

/** Nothing is reported before all that were near at first stand. */
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

// A chart that is drawn again whenever its data change.

export type ChartRows = Readonly<Record<string, readonly unknown[]>>

interface LiveChart {
  readonly element: HTMLElement
  /** @param words what it shows, for those who cannot see it */
  readonly draw: (data: ChartRows, words: string) => Promise<void>
  /** As it is seen, for who saves it; it was drawn before. */
  readonly toSVG: () => Promise<string>
}

export function liveChart(spec: unknown): LiveChart {
  const element = makeElement('div', { class: 'plot' }) // an image once it is drawn
  let view: Promise<View> | undefined
  let waiting: ChartRows | undefined
  /** One drawing at a time; of several that come meanwhile only the last is drawn. */
  let drawing: Promise<void> | undefined
  const drawWaiting = async (): Promise<void> => {
    while (waiting !== undefined) {
      const data = waiting
      waiting = undefined
      if (view === undefined) {
        view = drawChart(element, spec, { data })
        await view
        continue
      }
      const drawn = await view
      for (const [name, rows] of Object.entries(data)) drawn.data(name, [...rows])
      await drawn.runAsync()
    }
    drawing = undefined
  }
  return {
    element,
    draw(data, words) {
      element.setAttribute('role', 'img')
      element.setAttribute('aria-label', words)
      waiting = data
      drawing ??= drawWaiting()
      return drawing
    },
    async toSVG() {
      const drawn = await view
      if (drawn === undefined) throw new Error('the chart was not drawn yet')
      return drawn.toSVG()
    },
  }
}
