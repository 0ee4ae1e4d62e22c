/** Draws a chart that Node has compiled, without eval: expressions come as syntax trees and are interpreted. */
import { type Runtime, View } from 'vega'
import { expressionInterpreter } from 'vega-interpreter'
import type { PageDocument } from '../model/document.ts'
import { inIdleSlices } from './idle.ts'
import { makeElement } from './make-element.ts'
import { offerExports } from './save-file.ts'
import { showTooltip } from './tooltip.ts'

/** Between two pieces of work: the browser draws and answers its reader first. Paper waits for nothing. */
async function nextTurn(): Promise<void> {
  if ('printing' in document.documentElement.dataset) return
  if ('scheduler' in globalThis && 'yield' in scheduler) await scheduler.yield()
  else await new Promise(requestAnimationFrame)
}

/**
 * The view, drawn into `place`. What is drawn is one image with a text alternative, which `place` itself carries.
 * @param data by the name that the spec gives it
 */
export async function drawChart(
  place: HTMLElement,
  chart: string,
  data: Readonly<Record<string, readonly unknown[]>> = {},
): Promise<View> {
  const name = place.getAttribute('aria-label')
  const view = new View(JSON.parse(chart) as Runtime, {
    expr: expressionInterpreter,
    renderer: 'svg',
    container: place,
    hover: false,
    tooltip: showTooltip,
  })
  for (const [name, rows] of Object.entries(data)) view.data(name, [...rows])
  await view.runAsync()
  // Vega makes it a document of parts by the name of "Vega visualization"; where it has none of its own, what is around it has one
  if (name === null) for (const own of ['role', 'aria-label']) place.removeAttribute(own)
  else {
    place.setAttribute('role', 'img')
    place.setAttribute('aria-label', name)
  }
  place.removeAttribute('aria-roledescription')
  for (const part of place.children) part.setAttribute('aria-hidden', 'true')
  return view
}

// Parts of the page that its script makes. Their room is kept until then, so that nothing moves under the reader's eyes.

interface Task {
  readonly place: HTMLElement
  readonly act: () => void | Promise<void>
}

/** Does what is less than a screen away, then ends; the rest follows when the reader comes near, all of it before paper, and when the browser is idle from `finish` on. */
export async function nearFirst(tasks: readonly Task[]): Promise<{ readonly finish: () => Promise<unknown> }> {
  const waiting = new Map<Element, Task['act']>(tasks.map(({ place, act }) => [place, act]))
  const work = (place: Element): void | Promise<void> => {
    const act = waiting.get(place)
    waiting.delete(place)
    return act?.()
  }
  const workAtAll = (): void => {
    for (const place of [...waiting.keys()]) void work(place)
  }
  addEventListener('beforeprint', workAtAll)
  if ('printing' in document.documentElement.dataset) workAtAll()
  for (const place of await whenNear([...waiting.keys()], work)) {
    await work(place)
    await nextTurn()
  }
  function* workAtRest(end: (works: Promise<unknown>) => void): Generator<void> {
    const works: (void | Promise<void>)[] = []
    for (const place of [...waiting.keys()]) {
      if (place.getClientRects().length > 0) works.push(work(place)) // what is folded has no width to be drawn in
      yield
    }
    end(Promise.all(works))
  }
  return { finish: () => new Promise((end) => inIdleSlices(workAtRest(end))) }
}

/** Less than a screen away, or hidden by the page itself, which shows it by its own script. Ends with what is near now; `act` gets what comes near later. */
function whenNear(
  places: readonly Element[],
  act: (place: Element) => void | Promise<void>,
): Promise<readonly Element[]> {
  if (places.length === 0) return Promise.resolve([])
  return new Promise((resolve) => {
    let isFirst = true
    const observer = new IntersectionObserver(
      (entries) => {
        const near = entries
          .filter(({ isIntersecting, target }) => isIntersecting || target.matches('[hidden]'))
          .map(({ target }) => target)
        for (const place of near) observer.unobserve(place)
        if (isFirst) resolve(near)
        else for (const place of near) void act(place)
        isFirst = false
      },
      { rootMargin: '100%' },
    )
    for (const place of places) observer.observe(place)
  })
}

/** Axes and their titles, pixels. */
const AROUND_PLOT = 60

/** Charts whose data are in them. */
export function stillCharts(charts: PageDocument['charts']): Task[] {
  return charts.flatMap(({ id, height, chart }) => {
    const place = document.getElementById(id)
    if (place === null) return []
    place.style.setProperty('min-height', `${height + AROUND_PLOT}px`)
    return [{ place, act: () => drawStill(place, id.replace('plot-', ''), chart) }]
  })
}

async function drawStill(place: HTMLElement, name: string, chart: string): Promise<void> {
  try {
    offerExports(place.closest('figure') ?? place, { name, view: await drawChart(place, chart) })
  } catch (error) {
    place.textContent = 'This chart could not be drawn; the tables hold the same numbers.'
    console.error(error)
  }
  place.style.removeProperty('min-height')
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

/** @param read asked once, when it is drawn first */
export function liveChart(read: () => Promise<string>): LiveChart {
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
        view = read().then((chart) => drawChart(element, chart, data))
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
